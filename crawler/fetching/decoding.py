"""Undoes the compression of responses, and notices where it breaks off."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, cast

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware

from crawler.fetching.internals import brotli, zstd
from pagelets.archives.html import has_end

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.http import Response


class Decoding(HttpCompressionMiddleware):
    """Scrapy's decoding of bodies. A response whose compressed body breaks off inside a whole HTTP message
    gets what there is of it, and the flag ``dataloss``, as if the message itself had broken off.
    """

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Decodes a ``response`` to a ``request`` of a ``spider``."""
        del spider
        packed, coding = response.body, _outermost(response)
        if coding == "zstd" and (start := _start_of_zstd(packed, self._max_size)) is not None:
            # Scrapy leaves out up to 64 KB of what is there.
            response = response.replace(body=zstd.compress(start))
        decoded = cast("Response", super().process_response(request, response))
        if decoded is response or not packed or has_end(decoded.body):
            return decoded
        return decoded.replace(flags=[*decoded.flags, "dataloss"]) if _is_torn(packed, coding) else decoded


def _outermost(response: Response) -> str:
    codings = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1")
    return codings.rpartition(",")[2].strip().lower()


def _start_of_zstd(packed: bytes, max_size: int) -> bytes | None:
    """Returns what is there of a body that breaks off; None for a whole or damaged one."""
    reader = zstd.ZstdDecompressor()
    try:
        start: bytes = reader.decompress(packed, max_size or -1)
    except zstd.ZstdError:
        return None
    return start if packed and reader.needs_input else None


def _is_torn(packed: bytes, coding: str) -> bool:
    """Returns True if a body that could be decoded breaks off."""
    if coding == "zstd":
        return _start_of_zstd(packed, 0) is not None
    if coding == "br":
        reader = brotli.Decompressor()
        reader.process(packed)
        return not bool(reader.is_finished())
    # Some servers send deflate without its header.
    for bits in (32 + zlib.MAX_WBITS, -zlib.MAX_WBITS) if coding in ("gzip", "x-gzip", "deflate") else ():
        inflating = zlib.decompressobj(bits)
        try:
            inflating.decompress(packed)
        except zlib.error:
            continue
        return not inflating.eof
    return False
