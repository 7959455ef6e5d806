"""The registrable domain of a URL."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit

from settings.canonical import canonical, registrable


@lru_cache(maxsize=1 << 12)
def domain_of(url: str) -> str:
    """The `registrable` domain of a URL's host, of a malformed URL nothing."""
    try:
        host = urlsplit(canonical(url)).hostname or ""
    except ValueError:
        return ""
    return registrable(host)
