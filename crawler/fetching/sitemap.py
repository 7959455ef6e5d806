"""A sitemap, read in parts: whatever a server sends for one, little of it is in memory at a time."""

from __future__ import annotations

import logging
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from gzip import GzipFile
from io import BytesIO
from typing import Any, Final, NamedTuple, cast
from urllib.parse import urljoin, urlsplit

from lxml import etree

logger = logging.getLogger(__name__)

INDEX: Final = "sitemapindex"
"""The kind of a sitemap of sitemaps."""
_TEXT: Final = "text"
_FEEDS: Final = frozenset({"rss", "feed", "RDF"})
KINDS: Final = frozenset({"urlset", INDEX, _TEXT, *_FEEDS})
"""The kinds that the protocol knows: of XML, a text with a URL a line, RSS and Atom."""
MOST_ENTRIES: Final = 250_000
"""Entries that are read of one sitemap. The protocol allows 50,000."""
LONGEST_URL: Final = 8192

_MOST_NAMES: Final = 1000
"""Names of elements and attributes. The parser keeps each to its end."""
_MOST_BETWEEN: Final = 4 << 20
"""Bytes without an entry. A page may have a thousand images, each with a title."""
_PART: Final = 1 << 16
_GZIP: Final = b"\x1f\x8b\x08"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_NOT_WIDE: Final = re.compile(rb"(\A\W*<\?xml\s[^>]*?)encoding\s*=\s*.(?:utf-?16|ucs-?2)\w*.", re.IGNORECASE)
"""A declaration in single bytes that claims pairs of them, as .NET writes it."""
_ENTRIES: Final = frozenset({"url", "sitemap", "item", "entry"})
_TEXTS: Final = {"loc": "loc", "lastmod": "lastmod"}
"""The names of elements whose texts are kept, and what they say; of feeds others."""
_TEXTS_OF_FEEDS: Final = {"link": "loc", "updated": "lastmod"}
_LINE: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*https?://", re.IGNORECASE)

_AMPERSAND: Final = "\x7f"
"""Takes the place of an ampersand that begins no entity of XML: the parser would drop the text after it, and
each ampersand from there on. No URL holds this character.
"""
_BARE: Final = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)")
_LONGEST_ENTITY: Final = len("&#1234567;")
_SITEMAP_LINE: Final = re.compile(
    rb"^(?:\xef\xbb\xbf)?[^\S\n]*sitemap[^\S\n]*:([^\r\n#]*)", re.IGNORECASE | re.MULTILINE
)
_ABSOLUTE: Final = re.compile(r"https?://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*/[!-~]*\Z")
"""References that are addresses by themselves: most are."""


class Entry(NamedTuple):
    """An entry of a sitemap: the address of a page as written, and the time of the page's last change in
    seconds since the epoch, None if that is missing or malformed.
    """

    location: str
    modified: int | None


class Sitemap:
    """A sitemap that is read in parts.

    ``kind`` is one of `KINDS`, or the name of another root element, empty while none was met. ``size`` and
    ``count`` are the bytes and the entries that were read, ``cut`` is the bound that ended the reading, or
    says that the end lacks; empty for a whole one.
    """

    def __init__(self, body: bytes, most_bytes: int, most_entries: int = MOST_ENTRIES) -> None:
        """Takes what a server has sent.

        Args:
            body: The sitemap, which may be packed by gzip.
            most_bytes: The size, when unpacked, beyond which no more is read.
            most_entries: The entries after which no more are read.

        """
        self._body = body
        self._most_bytes = most_bytes
        self._most_entries = most_entries
        self._elements = _Elements()
        self.size = self.count = self._last = 0
        self.cut = ""

    @property
    def whole(self) -> bool:
        """True if what it does not list is not listed: it is no feed, which has the latest pages alone, and
        nothing has ended the reading.
        """
        return not self.cut and self.kind not in _FEEDS

    @property
    def kind(self) -> str:
        """The name of the root element, or that it is a text."""
        return self._elements.root

    def parts(self) -> Iterator[list[Entry]]:
        """Reads the sitemap, and yields the entries of each part: a list, which may be empty."""
        parser = etree.XMLParser(
            # The stubs ask for a method that takes comments, which the parser does without.
            target=cast("Any", self._elements),
            recover=True,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
        )
        reader: etree.XMLParser | _Lines = parser
        try:
            for part in _without_bare_ampersands(_unpacked(self._body)):
                if not self.size and _LINE.match(part):
                    reader = _Lines(self._elements)
                self.size += len(part)
                reader.feed(part)
                if self.kind and self.kind not in KINDS:
                    return
                yield self._take()
                if self.cut:
                    return
            reader.close()
        except etree.LxmlError as error:
            # What came before the fault is of use.
            logger.debug("Broken sitemap: %s", error)
        entries = self._take()
        if self._elements.depth and not self.cut:
            self.cut = "it breaks off"
        yield entries

    def _take(self) -> list[Entry]:
        entries, self._elements.entries = self._elements.entries, []
        if entries:
            self._last = self.size
        left = self._most_entries - self.count
        if len(entries) > left:
            self.cut = f"more than {self._most_entries} entries"
        elif self.size > self._most_bytes:
            self.cut = f"more than {self._most_bytes} bytes"
        elif self.size - self._last > _MOST_BETWEEN:
            self.cut = f"{_MOST_BETWEEN} bytes without an entry"
        elif len(self._elements.names) > _MOST_NAMES:
            self.cut = f"more than {_MOST_NAMES} names of elements"
        entries = entries[: max(left, 0)]
        self.count += len(entries)
        return entries


class _Elements:
    """A target of the parser that keeps the entries of a sitemap, and nothing else."""

    def __init__(self) -> None:
        self.root = ""
        self.names: set[str] = set()
        self.entries: list[Entry] = []
        self.depth = 0
        self._entry = 0
        self._said: dict[str, str] = {}
        self._text: list[str] | None = None
        self._length = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self.names.add(tag)
        self.names.update(attributes)
        name = tag.rpartition("}")[2]
        self.depth += 1
        self.root = self.root or name
        if name in _ENTRIES and self.depth > 1:
            self._entry, self._said, self._text = self.depth, {}, None
        elif self.depth == self._entry + 1 and name in self._texts():
            self._text, self._length = [], 0
            if "href" in attributes and attributes.get("rel", "alternate") == "alternate":
                self._said.setdefault("loc", attributes["href"].replace(_AMPERSAND, "&"))

    def data(self, text: str) -> None:
        """Text of the element that has begun last."""
        if self._text is not None and self._length <= LONGEST_URL:
            self._text.append(text)
            self._length += len(text)

    def end(self, tag: str) -> None:
        """An element ends."""
        if self._text is not None and self.depth == self._entry + 1:
            text = "".join(self._text).replace(_AMPERSAND, "&").strip()
            if text:
                self._said[self._texts()[tag.rpartition("}")[2]]] = text
            self._text = None
        elif self._entry and self.depth == self._entry:
            if location := self._said.get("loc"):
                self.entries.append(Entry(location, _modified(self._said.get("lastmod"))))
            self._entry = 0
        self.depth -= 1

    def close(self) -> None:
        """The document ends."""

    def _texts(self) -> Mapping[str, str]:
        return _TEXTS_OF_FEEDS if self.root in _FEEDS else _TEXTS


class _Lines:
    """Takes the place of the parser of XML for a sitemap that is a text: each line is the URL of an entry."""

    def __init__(self, elements: _Elements) -> None:
        elements.root = _TEXT
        self._elements = elements
        self._rest = b""

    def feed(self, part: bytes) -> None:
        """Takes the next part of the text."""
        *lines, rest = (self._rest + part).split(b"\n")
        # What is longer is no URL, and need not be carried from part to part.
        self._rest = rest[: LONGEST_URL + 1]
        for line in lines:
            if text := line.decode("utf-8-sig", "replace").strip():
                self._elements.entries.append(Entry(text.replace(_AMPERSAND, "&"), None))

    def close(self) -> None:
        """Takes what is left, as the text ends."""
        self.feed(b"\n")


def sitemaps_of_robots(body: bytes) -> Iterator[str]:
    """The references to sitemaps that a robots.txt holds, as written."""
    return (match[1].strip().decode(errors="replace") for match in _SITEMAP_LINE.finditer(body))


def absolute(reference: str, base: str) -> str | None:
    """Returns the address of a reference on a page at ``base``, None if it is malformed or too long."""
    if len(reference) > LONGEST_URL:
        return None
    if _ABSOLUTE.match(reference):
        return reference
    try:
        address = urljoin(base, reference)
        # Reading the host and the port of a malformed address raises ValueError.
        parts = urlsplit(address)
        valid = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return address if valid else None


def _unpacked(body: bytes) -> Iterator[bytes]:
    """Yields a body in parts, unpacked if it is packed, up to the first fault."""
    stream = BytesIO(body)
    unpacked = GzipFile(fileobj=stream) if body.startswith(_GZIP) else stream
    try:
        while part := unpacked.read(_PART):
            yield part
    except (OSError, EOFError, zlib.error):
        return


def _without_bare_ampersands(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The same with another character for each ampersand that begins no entity which XML itself has."""
    kept, replaced = b"", None
    for part in parts:
        if replaced is None:
            replaced = not part.startswith(_UTF_16)
            part = _NOT_WIDE.sub(rb"\1", part)
        if not replaced:
            yield part
            continue
        part, kept = kept + part, b""
        # What begins at the end of one part may be an entity with the next.
        last = part.rfind(b"&", -_LONGEST_ENTITY)
        if last > 0:
            part, kept = part[:last], part[last:]
        yield _BARE.sub(_AMPERSAND.encode(), part)
    if kept:
        yield _BARE.sub(_AMPERSAND.encode(), kept)


def _modified(lastmod: str | None) -> int | None:
    # A day stands for its end: the page may change after its visit.
    try:
        text = str(lastmod)
        time = datetime.fromisoformat(text)
        if len(text) <= len("2026-01-01"):
            time = time.replace(hour=23, minute=59, second=59)
        return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError, OSError):
        return None
