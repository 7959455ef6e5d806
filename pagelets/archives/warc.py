"""WARC files: where their pages stand, and how one is read.

WARC 1.1 (ISO 28500:2017; also 1.0, 0.18 and 0.17), each record a gzip member of its own (annex D) or
uncompressed. A record that cannot be read is reported, and the rest of its file is read all the same.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from warcio.recordloader import ArcWarcRecordLoader
from warcio.statusandheaders import (
    StatusAndHeaders,
    StatusAndHeadersParser,
    StatusAndHeadersParserException,
)

from pagelets.archives.http import GZIP, LENGTH, STATUS_LINE, http_response
from pagelets.archives.records import (
    MAX_HEAD,
    ArchivedPage,
    ArchivedResponse,
    ArchiveError,
    BodyTooLarge,
    Damaged,
    Record,
    RevisitRecord,
    SkippedRecord,
)
from pagelets.fields import moment_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from _typeshed import WriteableBuffer

_CHUNK = 1 << 15
_SEARCH_CHUNK = 1 << 20
_MEMBER_BEGIN = re.compile(b"\x1f\x8b\x08")
_GZIP_WBITS = 16 + zlib.MAX_WBITS
# Enough for a member's own header and the first bytes of its record, and a bound on what a false start costs.
_MEMBER_PROBE = 1024
_RECORD = b"WARC/"
# A record may be cut inside a line; without a field behind it, that may be text of a page.
_RECORD_LINE = re.compile(rb"(?:(?<=\n)|(?=.{8,10}\nWARC-))WARC/(?:1\.[01]|0\.1[78])\r?\n")
_CUT_LINE = re.compile(rb"WARC/(?:1\.[01]|0\.1[78])\r?\n\Z")
_BEGIN_MAX = len(b"WARC/0.18\r\nWARC-")
_STATUS_LINE_MAX = 1024
_AS_IT_WAS = (b"200", b"304")
_WARC_HEAD = StatusAndHeadersParser(ArcWarcRecordLoader.WARC_TYPES)


class _Head(NamedTuple):
    """The needed fields of a WARC record's header."""

    kind: str
    url: str
    date: datetime | None
    content_type: str
    length: int
    segmented: bool
    refers_to: str
    cut: str


class WarcFile:
    """A WARC file; a page's place is the offset of its record, or of the record's gzip member."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO = path.open("rb", buffering=_CHUNK)
        self._size = os.fstat(self._file.fileno()).st_size
        self._compressed = self._file.read(len(GZIP)) == GZIP
        self._has_records = False

    def close(self) -> None:
        self._file.close()

    def scan(self) -> Iterator[Record]:
        if not self._size:
            raise ArchiveError(f"{self.path}: the file is empty; fetch it again")
        if self._compressed:
            scan = self._scan_member
            # A damaged first member says nothing of the rest of the file.
            begins = self._member_start(0) in (_RECORD, b"")
        else:
            scan, begins = self._scan_record, self._start(0) == _RECORD
        offset = 0
        while begins and offset < self._size:
            record, offset = scan(offset)
            if record:
                yield record
        if not self._has_records:
            raise ArchiveError(
                f"{self.path}: no WARC file; give a .warc or .warc.gz file, or a folder of HTML files"
            )

    def read(self, url: str, place: int, max_size: int) -> ArchivedResponse:
        """Reads the response to a ``url`` at a place in the file, of at most ``max_size`` bytes.

        Raises:
            ArchiveError: the record is not what it was when the file was opened.
        """
        try:
            return self._read(url, place, max_size)
        except Damaged as error:
            raise ArchiveError(
                f"{self.path}: the record at {place} is not what it was when the file was opened ({error});"
                " leave the file alone while it is read, and start again"
            ) from error

    def _read(self, url: str, place: int, max_size: int) -> ArchivedResponse:
        stream: BinaryIO = self._file
        if self._compressed:
            stream = io.BufferedReader(_Member(self._file, place), _CHUNK)
        else:
            stream.seek(place)
        head = _read_head(stream)
        if head.url != url:
            raise Damaged("another record is there")
        if max_size and head.length > max_size + MAX_HEAD:
            raise BodyTooLarge(url, head.length)
        block = stream.read(head.length)
        # Behind the last byte of a member stands the checksum of all of them.
        if len(block) < head.length or (self._compressed and stream.read(_CHUNK).strip(b"\r\n")):
            raise Damaged("it has another length")
        if head.kind == "resource":
            content_type = head.content_type.encode().decode("latin-1")
            return ArchivedResponse(url, 200, [("Content-Type", content_type)], block, head.date, head.cut)
        response = http_response(url, block, head.date)
        return replace(response, cut=head.cut or response.cut)

    def _head(self, stream: BinaryIO) -> tuple[_Head, bytes]:
        """Return a record's header and the first line of its block."""
        head = _read_head(stream)
        self._has_records = True
        return head, stream.readline(min(head.length, _STATUS_LINE_MAX))

    def _judge(self, offset: int, head: _Head, line: bytes) -> Record | None:
        """Return the record's page, why it cannot be one, or None for a record that is not meant to be."""
        fault, page = None, ArchivedPage(head.url, offset, head.date)
        if head.kind in ("response", "revisit") and not head.url:
            fault = "no WARC-Target-URI"
        elif head.kind == "revisit" and _is_web(head.url):
            status = STATUS_LINE.match(line)
            if status is None or status[1] in _AS_IT_WAS:
                return RevisitRecord(head.url, head.refers_to or head.url, head.date)
            # Of an error or a redirect the record has what counts: the head of the response.
            return page
        elif not _is_page(head):
            return None
        elif head.segmented:
            fault = "a segment of a record"
        elif head.kind == "response" and not STATUS_LINE.match(line):
            fault = "no HTTP status line"
        return SkippedRecord(self.path, offset, fault, head.url) if fault else page

    def _scan_record(self, offset: int) -> tuple[Record | None, int]:
        """Return the record at an offset in an uncompressed file, and the offset of the next one: headers are
        read, without the blocks between them.
        """
        try:
            return self._uncompressed_record(offset)
        except Damaged as error:
            return SkippedRecord(self.path, offset, str(error)), self._find(offset + 1)

    def _uncompressed_record(self, offset: int) -> tuple[Record | None, int]:
        self._file.seek(offset)
        head, line = self._head(self._file)
        end = self._file.tell() - len(line) + head.length
        if end > self._size:
            raise Damaged(f"its Content-Length, {head.length}, reaches beyond the end of the file")
        after = self._skip_blank_lines(end)
        # With the blank lines that end a record the length is right, whatever follows.
        if after < self._size and after < end + 2 and self._start(after) != _RECORD:
            raise Damaged(f"its Content-Length, {head.length}, is not its length")
        return self._judge(offset, head, line), after

    def _start(self, offset: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(len(_RECORD))

    def _skip_blank_lines(self, offset: int) -> int:
        self._file.seek(offset)
        while (byte := self._file.read(1)) and byte in b"\r\n":
            offset += 1
        return offset

    def _find(self, start: int) -> int:
        """Return where the first record behind `start` begins, or the first member with one; the end of the
        file if none.
        """
        begin = _MEMBER_BEGIN if self._compressed else _RECORD_LINE
        while start < self._size:
            self._file.seek(start)
            data = self._file.read(_SEARCH_CHUNK)
            for match in begin.finditer(data):
                at = start + match.start()
                if not self._compressed or self._member_start(at) == _RECORD:
                    return at
            if len(data) < _SEARCH_CHUNK:
                break
            start += len(data) - _BEGIN_MAX
        return self._size

    def _scan_member(self, offset: int) -> tuple[Record | None, int]:
        """Return the record of the member at an offset, and the offset of the next one: only decompression
        shows where a member ends.
        """
        member = _Member(self._file, offset)
        stream = io.BufferedReader(member, _CHUNK)
        record: Record | None
        try:
            # Some writers add members without a record.
            record = self._compressed_record(stream, offset) if stream.peek().strip(b"\r\n") else None
        except Damaged as error:
            record = SkippedRecord(self.path, offset, str(error))
        try:
            while stream.read(_CHUNK):
                pass
        except Damaged:
            return record, self._find(offset + 1)
        return record, member.end

    def _compressed_record(self, stream: BinaryIO, offset: int) -> Record | None:
        head, line = self._head(stream)
        missing = head.length - len(line)
        while missing and (data := stream.read(min(_CHUNK, missing))):
            missing -= len(data)
        if missing:
            raise Damaged(f"its Content-Length, {head.length}, is {missing} bytes more than there are")
        while data := stream.read(_CHUNK):
            rest = data.lstrip(b"\r\n")
            if rest.startswith(_RECORD):
                raise ArchiveError(
                    f"{self.path}: its records are compressed together and cannot be read one by one;"
                    f" run: warcio recompress {shlex.quote(str(self.path))} {shlex.quote(f'{self.path}.new')}"
                )
            if rest:
                raise Damaged(f"its Content-Length, {head.length}, is less than its length")
        return self._judge(offset, head, line)

    def _member_start(self, offset: int) -> bytes:
        """Return the first decompressed bytes of the member at `offset`, none where no member is."""
        self._file.seek(offset)
        try:
            return zlib.decompressobj(_GZIP_WBITS).decompress(self._file.read(_MEMBER_PROBE), len(_RECORD))
        except zlib.error:
            return b""


class _Member(io.RawIOBase):
    """The decompressed bytes of the gzip member at `offset`, some at a time; zlib checks them in the end."""

    def __init__(self, file: BinaryIO, offset: int) -> None:
        file.seek(offset)
        self._file = file
        self._inflate = zlib.decompressobj(_GZIP_WBITS)

    @property
    def end(self) -> int:
        """The end of the member in the file, once it is read to its end."""
        return self._file.tell() - len(self._inflate.unused_data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        while not self._inflate.eof:
            data = self._inflate.unconsumed_tail or self._file.read(_CHUNK)
            try:
                piece = self._inflate.decompress(data, len(view))
            except zlib.error as error:
                raise Damaged(f"damaged gzip data, {str(error).rpartition(': ')[2]}") from error
            if piece:
                view[: len(piece)] = piece
                return len(piece)
            if not data and not self._inflate.eof:
                raise Damaged("the file ends within its gzip data")
        return 0


def _read_head(stream: BinaryIO) -> _Head:
    lines: list[bytes] = []
    size = 0
    while (line := stream.readline(MAX_HEAD)) not in (b"\r\n", b"\n"):
        if not lines and not line.startswith(_RECORD):
            raise Damaged("no WARC record")
        size += len(line)
        if not line or size > MAX_HEAD:
            raise Damaged("its header does not end")
        if lines and _CUT_LINE.search(line):
            raise Damaged("another record begins in its header")
        lines.append(line)
    if not lines:
        raise Damaged("no WARC record")
    try:
        fields = _WARC_HEAD.parse(io.BytesIO(b"".join(lines)))
    except StatusAndHeadersParserException as error:
        raise Damaged("no WARC record of a known version") from error
    length = fields.get_header("Content-Length", "")
    if not LENGTH.fullmatch(length):
        raise Damaged(f"its Content-Length is {length[:40]!r}")
    return _Head(
        kind=fields.get_header("WARC-Type", "").lower(),
        url=_url(fields, "WARC-Target-URI"),
        date=moment_of(fields.get_header("WARC-Date", "")),
        content_type=fields.get_header("Content-Type", ""),
        length=int(length),
        segmented="WARC-Segment-Number" in fields,
        refers_to=_url(fields, "WARC-Refers-To-Target-URI"),
        cut=fields.get_header("WARC-Truncated", "").lower(),
    )


def _url(fields: StatusAndHeaders, name: str) -> str:
    url: str = fields.get_header(name, "")
    return url[1:-1] if url.startswith("<") and url.endswith(">") else url


def _is_web(url: str) -> bool:
    return url[:8].lower().startswith(("http://", "https://"))


def _is_page(head: _Head) -> bool:
    if not _is_web(head.url):
        return False
    content_type = head.content_type.partition(";")[0].strip().lower()
    return head.kind == "response" or (head.kind == "resource" and content_type == "text/html")
