"""Methods that judge the blocks of a page, by name."""

from pagelets.methods.registry import (
    COMPARED,
    DEFAULT,
    DETECTION,
    EVERYTHING,
    METHODS,
    Factory,
    add_methods,
    extracts,
    factory,
    has_curve,
    learns,
    page_method,
    reads_html,
    teachable,
    version_of,
)

__all__ = [
    "COMPARED",
    "DEFAULT",
    "DETECTION",
    "EVERYTHING",
    "METHODS",
    "Factory",
    "add_methods",
    "extracts",
    "factory",
    "has_curve",
    "learns",
    "page_method",
    "reads_html",
    "teachable",
    "version_of",
]
