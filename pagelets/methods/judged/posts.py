"""What a forum says of the authors of its posts: profiles and signatures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_PROFILE: Final = re.compile(
    r"\s(?:post-?profile|author_(?:information|statistics)|user-?(?:info|profile|details)|poster|"
    r"message-(?:cell--)?user|cAuthorPane|ipsComment_author|post_?author|postdetails)\s",
    re.IGNORECASE,
)
"""Classes and ids of the elements in which common software for forums tells of an author."""
_HINTS: Final = (
    "profile", "author_", "post_author", "postauthor", "authorpane", "userinfo", "user-info", "userdetails",
    "user-details", "poster", "message-", "postdetails", "ipscomment",
)  # fmt: skip
"""Of which each of these has one."""
_SIGNATURE: Final = re.compile(
    r"\s(?:(?:post|message|user|forum)?[-_]?(?:signature|sig)|ips(?:Comment_)?signature)\s",
    re.IGNORECASE,
)
_POST_SIGNATURE: Final = re.compile(r"\s(?:post|user|forum)[-_]?signature\s", re.IGNORECASE)
"""The same where nothing else says that the page is of a forum."""
_LONGEST: Final = 120
"""Maximum number of words of a profile, and of a signature."""
_SHARE: Final = 0.5
"""Maximum share of the kept words that they have: of a page about people it is most."""


def about_authors(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks the profiles of a forum's authors but for their names, which begin them, and their signatures:
    bool[b]. Where there are no profiles signatures have to be named as those of posts.
    """
    containers, words, mask = kept.containers, kept.words, kept.mask
    nothing = np.zeros(len(words), bool)
    profiles = containers.named(_PROFILE, _HINTS)
    signatures = containers.named(_SIGNATURE if profiles.any() else _POST_SIGNATURE, ("sig",))
    if not profiles.any() and not signatures.any():
        return nothing
    short = kept.sizes <= _LONGEST
    profiles &= short
    marked = containers.mask(containers.nodes[profiles | (signatures & short)])
    outer = profiles & ~profiles[containers.nearest(profiles)[containers.parent]]
    spoken = np.append(np.flatnonzero(words), len(words))
    names = spoken[spoken.searchsorted(containers.start[outer])]
    marked[names[names < containers.stop[outer]]] = False
    values = words * mask
    return marked if values[marked].sum() <= _SHARE * values.sum() else nothing
