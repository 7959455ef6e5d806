"""Methods that judge the blocks of a page, by name."""

from pagelets.methods.registry import (
    COMPARED,
    DEFAULT,
    DETECTION,
    EVERYTHING,
    METHODS,
    extracts,
    has_curve,
    learns,
    must_learn,
    reads_html,
    teachable,
)

__all__ = [
    "COMPARED",
    "DEFAULT",
    "DETECTION",
    "EVERYTHING",
    "METHODS",
    "extracts",
    "has_curve",
    "learns",
    "must_learn",
    "reads_html",
    "teachable",
]
