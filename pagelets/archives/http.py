"""An HTTP response as an archive has it: status line, header, body."""

from __future__ import annotations

import io
import re
from datetime import datetime

from warcio.statusandheaders import StatusAndHeadersParser

from pagelets.archives.records import MAX_HEAD, ArchivedResponse, Damaged

STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+([1-9]\d\d)(?!\d)")
GZIP = b"\x1f\x8b"
_HEAD_END = re.compile(rb"\r?\n\r?\n")
LENGTH = re.compile("[0-9]{1,18}")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")
_HTTP_HEAD = StatusAndHeadersParser(["HTTP/"])


def http_response(url: str, block: bytes, date: datetime | None) -> ArchivedResponse:
    """Returns the response of ``url`` in the ``block`` of a record, recorded on ``date``, free of transfer
    codings. Raises Damaged.
    """
    status = STATUS_LINE.match(block)
    if status is None:
        raise Damaged("no HTTP status line")
    end = _HEAD_END.search(block, 0, MAX_HEAD)
    head, body = (block[: end.end()], block[end.end() :]) if end else (block[:MAX_HEAD], b"")
    # Given text, the parser does not guess: Latin-1 keeps each byte.
    fields = _HTTP_HEAD.parse(io.StringIO(head.decode("latin-1"), newline="\n")).headers
    headers: list[tuple[str, str]] = [(name, value) for name, value in fields]
    length, cut = codings(headers, "content-length")[-1], ""
    if "chunked" in codings(headers, "transfer-encoding"):
        headers = _without(headers, "transfer-encoding")
        body = _unchunked(body)
    elif LENGTH.fullmatch(length) and len(body) < int(length):
        cut = "disconnect"
    # Some archives keep decoded bodies under the header of the encoded ones.
    if codings(headers, "content-encoding")[-1:] in (["gzip"], ["x-gzip"]) and not body.startswith(GZIP):
        headers, cut = _without(headers, "content-encoding"), ""
    return ArchivedResponse(url, int(status[1]), headers, body, date, cut)


def codings(headers: list[tuple[str, str]], header: str) -> list[str]:
    """The codings that a header names, in all its lines, in lower case; the last was applied last."""
    values = ",".join(value for name, value in headers if name.lower() == header)
    return [coding.strip().lower() for coding in values.split(",")]


def _without(headers: list[tuple[str, str]], header: str) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers if name.lower() != header]


def _unchunked(body: bytes) -> bytes:
    """Undo the chunked transfer coding (RFC 9112, section 7.1), as far as the body goes.

    A body that does not begin with a whole chunk was archived without the coding, and stays as it is.
    """
    pieces: list[bytes] = []
    position = 0
    while size := _CHUNK_SIZE.match(body, position):
        length = int(size[1], 16)
        if not length:
            return b"".join(pieces)
        position = size.end() + length
        if not pieces and body[position : position + 2] not in (b"\r\n", b""):
            return body
        pieces.append(body[size.end() : position])
        position += 2
    return b"".join(pieces) if pieces else body
