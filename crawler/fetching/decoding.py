"""Undoes the compression of responses, and notices where it breaks off."""

from __future__ import annotations

from typing import cast

import zstandard
from scrapy import Request, Spider
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import Response, TextResponse
from scrapy.responsetypes import responsetypes

from pagelets.archives.html import MAX_SIZE, has_end, is_plain, unpacked


class Decoding(HttpCompressionMiddleware):
    """Scrapy's decoding of bodies. A response whose compressed body breaks off inside a whole HTTP message
    gets what there is of it, and the flag ``dataloss``, as if the message itself had broken off. A plain body
    under the name of an unknown coding is of the type that the response declares.
    """

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Decodes a ``response`` to a ``request`` of a ``spider``."""
        packed, coding = response.body, _outermost(response)
        if coding == "zstd" and (start := _start(packed, coding)) is not None:
            # Scrapy leaves out up to 64 KB of what is there.
            response = response.replace(body=zstandard.ZstdCompressor().compress(start))
        decoded = _without_coding(cast("Response", super().process_response(request, response)))
        if decoded is response or not packed or has_end(decoded.body):
            return decoded
        if _start(packed, coding) is not None:
            decoded.flags.append("dataloss")
        return decoded


def _without_coding(response: Response) -> Response:
    """Returns a response without its Content-Encoding if the body is plain. With that header Scrapy does not
    look at the Content-Type.
    """
    if not response.body or b"Content-Encoding" not in response.headers:
        return response
    if not is_plain(response.body, _outermost(response)):
        return response
    headers = response.headers.copy()
    del headers[b"Content-Encoding"]
    kind = responsetypes.from_args(headers=headers, url=response.url, body=response.body)
    encoding = {"encoding": None} if issubclass(kind, TextResponse) else {}
    return response.replace(cls=kind, headers=headers, **encoding)


def _outermost(response: Response) -> str:
    codings = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1")
    return codings.rpartition(",")[2].strip().lower()


def _start(packed: bytes, coding: str) -> bytes | None:
    """Returns what is there of a body that breaks off; None for a whole, damaged or very large one."""
    try:
        start, ends = unpacked(packed, coding)
    except Exception:
        # Whatever a decoder raises; what is damaged is Scrapy's to refuse.
        return None
    return None if ends or len(start) > MAX_SIZE else start
