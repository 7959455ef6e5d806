"""Allowed elements and attributes of an HTML rendering, and the cleaner that enforces them."""

from __future__ import annotations

from typing import Final

import nh3

from pagelets.compiled import compiled
from pagelets.render.outline import STYLES

_ATTRIBUTES: Final = {
    "a": frozenset({"href", "title", "rel"}),
    "abbr": frozenset({"title"}),
    "code": frozenset({"class"}),
    "img": frozenset({"src", "alt", "title", "width", "height"}),
    "li": frozenset({"value"}),
    "ol": frozenset({"start", "type"}),
    "td": frozenset({"colspan", "rowspan"}),
    "th": frozenset({"colspan", "rowspan"}),
    "time": frozenset({"datetime"}),
}
_VOID: Final = frozenset({"br", "img"})
_PHRASING: Final = STYLES | _VOID
_FLOW: Final = _PHRASING | frozenset(
    "blockquote details dl figure h1 h2 h3 h4 h5 h6 ol p pre table ul".split()
)
_ROWS: Final = frozenset({"tbody", "tfoot", "thead"})
_HOLDS: Final = {
    **dict.fromkeys(("", "blockquote", "caption", "dd", "dt", "figcaption", "li", "td", "th"), _FLOW),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "summary", *STYLES), _PHRASING),
    **dict.fromkeys(_ROWS, frozenset({"tr"})),
    "details": _FLOW | {"summary"},
    "figure": _FLOW | {"figcaption"},
    "dl": frozenset({"dd", "dt"}),
    "ol": frozenset({"li"}),
    "ul": frozenset({"li"}),
    "table": _ROWS | {"caption"},
    "tr": frozenset({"td", "th"}),
}
"""What stands where in HTML that a parser changes nothing of (WHATWG HTML, 13.2.6), and adds nothing to.

No other elements are allowed.
"""

CLEANER: Final = nh3.Cleaner(
    tags={*_HOLDS, *_VOID} - {""},
    attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    # The page's own rel is kept: who reads an index wants to know which links a page vouches for.
    link_rel=None,
)
"""Has the last word on what an HTML rendering may hold."""

_native = compiled("pagelets.render.native")
_grammar = (
    _native.Grammar(_HOLDS, _ATTRIBUTES, _VOID, STYLES, _ROWS | {"table", "tr"}, frozenset({"href", "src"}))
    if _native
    else None
)


def is_clean(html: str) -> bool:
    """Returns True if `CLEANER` surely changes nothing of the HTML; False if in doubt."""
    return _grammar is not None and bool(_grammar.fits(html))


def cleaned(html: str) -> str:
    """HTML as `CLEANER` leaves it."""
    return html if is_clean(html) else CLEANER.clean(html)
