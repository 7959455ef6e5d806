"""Pages that are alike by their links, found with few downloads: INDESIT (Blanco, Crescenzi & Merialdo,
"Efficiently locating collections of web pages to wrap", WEBIST 2005).
"""

from __future__ import annotations

from pagelets.indesit.schema import jaccard, link_collections
from pagelets.indesit.search import LinkedPage, Search

__all__ = ["LinkedPage", "Search", "jaccard", "link_collections"]
