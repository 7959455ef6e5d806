"""Pages that are alike by their links, found with few downloads: INDESIT (Blanco, Crescenzi & Merialdo,
"Efficiently locating collections of web pages to wrap", WEBIST 2005).
"""

from __future__ import annotations

from pagelets.literature.indesit.promising import PromisingSearch
from pagelets.literature.indesit.schema import link_collections, page_classes, page_shape
from pagelets.literature.indesit.search import SIMILARITY, LinkedPage, Search
from pagelets.page_classes import jaccard

__all__ = [
    "SIMILARITY",
    "LinkedPage",
    "PromisingSearch",
    "Search",
    "jaccard",
    "link_collections",
    "page_classes",
    "page_shape",
]
