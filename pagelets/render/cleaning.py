"""Allowed elements and attributes of an HTML rendering, and the cleaner that enforces them."""

from __future__ import annotations

from typing import Final

import nh3

_TAGS: Final = frozenset(
    """
    a abbr b blockquote br caption cite code dd del details dfn dl dt em figcaption figure h1 h2 h3 h4 h5 h6 i
    img ins kbd li mark ol p pre q s samp strong sub summary sup table tbody td tfoot th thead time tr u ul
    var
    """.split()
)
_ATTRIBUTES: Final = {
    "a": frozenset({"href", "title", "rel"}),
    "abbr": frozenset({"title"}),
    "code": frozenset({"class"}),
    "img": frozenset({"src", "alt", "title", "width", "height"}),
    "li": frozenset({"value"}),
    "ol": frozenset({"start"}),
    "td": frozenset({"colspan", "rowspan"}),
    "th": frozenset({"colspan", "rowspan"}),
    "time": frozenset({"datetime"}),
}
CLEANER: Final = nh3.Cleaner(
    tags=set(_TAGS),
    attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    # The page's own rel is kept: who reads an index wants to know which links a page vouches for.
    link_rel=None,
)
"""Has the last word on what an HTML rendering may hold."""
