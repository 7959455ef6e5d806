"""Methods that judge the blocks of a page, by name."""

from pagelets.methods.registry import (
    DEFAULT,
    DETECTION,
    EVERYTHING,
    METHODS,
    Factory,
    add_methods,
    extracts,
    factory,
    learns,
    page_method,
    version_of,
)

__all__ = [
    "DEFAULT",
    "DETECTION",
    "EVERYTHING",
    "METHODS",
    "Factory",
    "add_methods",
    "extracts",
    "factory",
    "learns",
    "page_method",
    "version_of",
]
