"""The states of URLs whose request gave no page."""

from __future__ import annotations

import zlib
from gzip import BadGzipFile
from typing import Final

from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

from crawler.archives.handler import NotInArchive
from crawler.fetching.address_guard import NotHttp
from crawler.fetching.addresses import PrivateAddress
from crawler.fetching.internals import FORBIDDEN, MAX_SIZE, TOO_MANY_REDIRECTS
from crawler.fetching.robots import UNREACHABLE
from pagelets.archives.records import ArchiveError, BodyTooLarge

_IGNORED: Final = {
    FORBIDDEN: ("refused", "robots", None),
    UNREACHABLE: ("failed", "robots unreachable", None),
    TOO_MANY_REDIRECTS: ("failed", "redirect loop", None),
}
_DECODERS: Final = ("brotli", "brotlicffi", "backports", "compression")
"""The packages whose errors Scrapy's decoders of ``br`` and ``zstd`` raise; it chooses among them."""


def what_became(error: BaseException | None) -> tuple[str, str, int | None]:
    """State, reason and HTTP status of a URL whose request ended with this exception."""
    if isinstance(error, HttpError):
        status = error.response.status
        return ("gone" if status in (404, 410) else "failed"), f"http {status}", status
    if isinstance(error, DownloadCancelledError | BodyTooLarge):
        return "refused", "size", None
    if isinstance(error, PrivateAddress):
        return "refused", "private", None
    if isinstance(error, NotInArchive):
        return "refused", "archive", None
    if isinstance(error, ArchiveError):
        return "failed", "archive record", None
    if isinstance(error, NotHttp):
        return "failed", "no http status", None
    if isinstance(error, IgnoreRequest):
        return _IGNORED.get(str(error)) or _ignored(str(error))
    if isinstance(error, zlib.error | BadGzipFile) or type(error).__module__.partition(".")[0] in _DECODERS:
        return "failed", "content coding", None
    return "failed", type(error).__name__, None


def _ignored(text: str) -> tuple[str, str, None]:
    return ("refused", "size", None) if MAX_SIZE in text else ("failed", text[:200], None)
