"""The HTML pages of an archive, free of content codings: what a crawl of it makes documents of."""

from __future__ import annotations

import re
import zlib
from importlib import import_module
from mimetypes import MimeTypes
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pagelets.archives.http import codings
from pagelets.archives.records import ArchivedResponse, ArchiveError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from pagelets.archives.archive import Archive

TYPES: Final = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
MEDIA_TYPE: Final = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)
MAX_SIZE: Final = 64 * 1024 * 1024
"""Bytes that the body of a response may have: a larger one is no page."""

_PIECE: Final = 1 << 16
"""Bytes that are unpacked at once, where all of them at once would have no limit."""
_PROBED: Final = 5000
_CODINGS: Final = ("gzip", "x-gzip", "deflate", "br", "zstd")
"""Content codings that are undone."""
_NO_TEXT: Final = re.compile(b"[\x01-\x08\x0b\x0c\x0e-\x1f]")
_TEXTS: Final = frozenset(
    {
        *("application/json", "application/x-json", "application/json-amazonui-streaming"),
        *("application/xml", "application/atom+xml", "application/rdf+xml", "application/rss+xml"),
        *("application/javascript", "application/x-javascript"),
    }
)
"""Types of texts that are no pages, beside ``text/...``."""
_NAMES: Final = MimeTypes()


class HtmlPage(NamedTuple):
    """A page of an archive: its address, its body, the headers of its response, when it was fetched, and
    whether what its body was compressed to breaks off.
    """

    url: str
    body: bytes
    content_type: str
    status: int
    date: datetime | None
    torn: bool = False


def html_pages(archive: Archive, skipped: Callable[[str], None]) -> Iterator[HtmlPage]:
    """Yields the pages of an archive that are HTML and were fetched well, in its order.

    ``skipped`` is called with a line for each page that cannot be read.
    """
    for url in archive.urls():
        try:
            response = archive.read(url, MAX_SIZE)
            if not 200 <= response.status < 300:
                continue
            # The last of several lines counts, as in a crawl.
            headers = {name.lower(): value for name, value in response.headers}
            body, torn = _unpacked(response)
        except ArchiveError as error:
            skipped(str(error))
            continue
        if torn and not body and response.cut != "length":
            # As in a crawl, a connection that broke before the first byte answers nothing.
            skipped(f"{url}: cut short before its first byte")
            continue
        content_type = headers.get("content-type", "")
        if _is_html(url, headers, body):
            yield HtmlPage(url, body, content_type, response.status, response.date, torn)


def has_end(body: bytes) -> bool:
    """Returns True for a page that ends with ``</html>``: it is whole. Some servers never end what they
    compress.
    """
    return body[-64:].rstrip().lower().endswith(b"</html>")


def is_plain(body: bytes, coding: str) -> bool:
    """Returns True if a body is plain although its response names a content coding that is not undone:
    servers send names such as ``none`` and ``utf-8``.
    """
    return coding in ("", "identity") or _is_text(body)


def _is_text(body: bytes) -> bool:
    return _NO_TEXT.search(body, 0, _PROBED) is None


def _is_html(url: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Returns True if a response is a page as in a crawl: by its type, else by the names of a file, in its
    headers and its address, else by its first bytes. A malformed type does not count.
    """
    disposition = re.match("[^;]*;[^=]*=([^;=]*)", headers.get("content-disposition", ""))
    names = [disposition[1].strip("\"'")] if disposition else []
    declared = headers.get("content-type", "").partition(";")[0].strip().lower()
    if MEDIA_TYPE.fullmatch(declared):
        return declared in TYPES
    for name in (*names, url):
        kind, coding = _NAMES.guess_type(name)
        if kind and not coding and (kind in TYPES or kind.startswith("text/") or kind in _TEXTS):
            return kind in TYPES
    start = body[:_PROBED].lower()
    if not _is_text(start):
        return False
    return b"<html>" in start or (b"<?xml" not in start and b"<!doctype html>" in start)


def _unpacked(response: ArchivedResponse) -> tuple[bytes, bool]:
    """Returns a body without its content codings, and whether it breaks off. Raises ArchiveError where it
    cannot be had.
    """
    body, torn = response.body, bool(response.cut)
    for number, coding in enumerate(reversed(codings(response.headers, "content-encoding"))):
        try:
            if body and (coding in _CODINGS or not is_plain(body, coding)):
                body, ends = unpacked(body, coding)
                torn |= number == 0 and not ends
        except ImportError as error:
            raise ArchiveError(f"{response.url}: compressed as {coding}; pip install {error.name}") from error
        except Exception as error:
            # Whatever a decoder raises: each has errors of its own.
            raise ArchiveError(f"{response.url}: its {coding} data cannot be read: {error}") from error
        if len(body) > MAX_SIZE:
            raise ArchiveError(f"{response.url}: more than {MAX_SIZE} bytes")
    return body, torn and not has_end(body)


def unpacked(body: bytes, coding: str) -> tuple[bytes, bool]:
    """Unpacks a body of one content coding as far as it goes, as a part is worth more than nothing, and up to
    a byte more than `MAX_SIZE`. Returns what there is of it, and whether it comes to an end. Raises what the
    decoders raise, each errors of its own, and ValueError for another coding.
    """
    match coding:
        case "gzip" | "x-gzip":
            return _inflated(body, 16 + zlib.MAX_WBITS)
        case "deflate":
            try:
                return _inflated(body, zlib.MAX_WBITS)
            except zlib.error:
                return _inflated(body, -zlib.MAX_WBITS)
        case "br":
            return _unbrotli(body, import_module("brotli").Decompressor())
        case "zstd":
            zstandard = import_module("zstandard")
            start = zstandard.ZstdDecompressor().stream_reader(body).read(MAX_SIZE + 1)
            if len(start) > MAX_SIZE:
                return start, False
            whole = zstandard.ZstdDecompressor().decompressobj()
            whole.decompress(body)
            return start, whole.eof
    raise ValueError("no such content coding")


def _inflated(body: bytes, bits: int) -> tuple[bytes, bool]:
    inflating = zlib.decompressobj(bits)
    return inflating.decompress(body, MAX_SIZE + 1), inflating.eof


def _unbrotli(body: bytes, decompressor: Any) -> tuple[bytes, bool]:
    found = bytearray()
    piece = decompressor.process(body, output_buffer_limit=_PIECE)
    while piece and len(found) <= MAX_SIZE:
        found += piece
        piece = b"" if decompressor.is_finished() else decompressor.process(b"", output_buffer_limit=_PIECE)
    return bytes(found), decompressor.is_finished()
