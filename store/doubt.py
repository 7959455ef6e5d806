"""Documents that feeds may have otherwise than the store of a site knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from store.records import Target

if TYPE_CHECKING:
    from collections.abc import Iterable

    from store.site import Store

_FAR: Final = 1 << 30
"""The depth of URLs that no known link leads to."""


def doubt(site: Store, urls: Iterable[str]) -> None:
    """Has the next release send all documents of a ``site`` once more, and delete those of ``urls`` that the
    site has not; in the caller's transaction.
    """
    site.documents.send_again()
    for url in urls:
        if site.documents.page_of(url) is None:
            # It is asked for when a link of this store leads to it.
            page = site.frontier.add(Target(url, "nofollow"), _FAR)
            if site.documents.get(page) is None:
                site.documents.leave_out(page, 0, "", "")
            site.documents.delete(page, 0, "gone")
