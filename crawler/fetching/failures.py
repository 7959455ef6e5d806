"""The states of URLs whose request gave no page."""

from __future__ import annotations

import zlib
from gzip import BadGzipFile
from typing import Final

from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

from crawler.archives.handler import NotInArchive
from crawler.fetching.address_guard import NotHttp, PrivateAddress
from crawler.fetching.internals import FORBIDDEN, MAX_SIZE, TOO_MANY_REDIRECTS
from crawler.fetching.robots import UNREACHABLE
from pagelets.archives.records import ArchiveError, BodyTooLarge
from store.states import CUT_SHORT

_BY_CLASS: Final = (
    ((DownloadCancelledError, BodyTooLarge), "refused", "size"),
    (PrivateAddress, "refused", "private"),
    (NotInArchive, "refused", "archive"),
    (ArchiveError, "failed", "archive record"),
    (NotHttp, "failed", "no http status"),
    ((zlib.error, BadGzipFile), "failed", "content coding"),
    # Of a gzip body that breaks off before its first word.
    (EOFError, "failed", CUT_SHORT),
)
"""The first that fits counts: some are subclasses of others, and of IgnoreRequest."""
_IGNORED: Final = {
    FORBIDDEN: ("refused", "robots"),
    UNREACHABLE: ("failed", "robots unreachable"),
    TOO_MANY_REDIRECTS: ("failed", "redirect loop"),
}
_DECODERS: Final = ("brotli", "brotlicffi", "backports", "compression")
"""The packages whose errors Scrapy's decoders of ``br`` and ``zstd`` raise; it chooses among them."""


def what_became(error: BaseException | None) -> tuple[str, str, int | None]:
    """State, reason and HTTP status of a URL whose request ended with this exception."""
    if isinstance(error, HttpError):
        status = error.response.status
        return ("gone" if status in (404, 410) else "failed"), f"http {status}", status
    for classes, state, reason in _BY_CLASS:
        if isinstance(error, classes):
            return state, reason, None
    if isinstance(error, IgnoreRequest):
        text = str(error)
        otherwise = ("refused", "size") if MAX_SIZE in text else ("failed", text[:200])
        return *_IGNORED.get(text, otherwise), None
    if type(error).__module__.partition(".")[0] in _DECODERS:
        return "failed", "content coding", None
    if type(error) is ValueError:
        # The URL of a page is checked before it is asked for.
        return "failed", "redirect to no page", None
    return "failed", type(error).__name__, None
