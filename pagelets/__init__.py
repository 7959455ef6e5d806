"""Pages of the web without their templates: what is left of a page when all that its site repeats is gone.

`extract` makes text, Markdown, safe HTML or a `Document` of one page; `Site` does of many pages of a site,
which tells template from content far better; `to_arrow` and `to_pandas` make tables of documents. Everything
is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pagelets.document import Document
    from pagelets.extraction import extract
    from pagelets.frames import to_arrow, to_pandas
    from pagelets.methods.base import MethodError
    from pagelets.page import Page
    from pagelets.site.site import Site

__all__ = ["Document", "MethodError", "Page", "Site", "extract", "to_arrow", "to_pandas"]

__version__: Final = "0.1.0"

_PLACES: Final = {
    "Document": "pagelets.document",
    "MethodError": "pagelets.methods.base",
    "Page": "pagelets.page",
    "Site": "pagelets.site.site",
    "extract": "pagelets.extraction",
    "to_arrow": "pagelets.frames",
    "to_pandas": "pagelets.frames",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'pagelets' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_PLACES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
