"""Pages as fetched: response heads and bodies, compressed with a dictionary of the site's own pages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import zstandard

from pagelets.reading.source import decoded, source_of
from store.table import Table

LEVEL: Final = 3
SAMPLES: Final = 4
"""So many of a site's first pages make its dictionary. Their raw content serves a site's pages better than a
trained dictionary of the same size, and costs no training (docs/benchmarks.md)."""
SAMPLE_BYTES: Final = 32 * 1024


@dataclass(slots=True, frozen=True)
class Body:
    """A response: ``encoding`` is what its text was decoded with; ``headers`` are name and value pairs."""

    encoding: str
    headers: list[tuple[str, str]]
    data: bytes

    def text(self) -> str:
        """The decoded body, as Scrapy's ``response.text`` decodes it; undecodable bytes are replaced."""
        return decoded(self.data, self.encoding)

    def source(self) -> str | bytes:
        """The input of `pagelets.reading.read`: the body itself if it is faultless UTF-8, else its text."""
        return source_of(self.data, self.encoding)


class Bodies(Table):
    """Reads and writes the table BODIES on a connection; a write belongs to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._samples: list[bytes] | None = []
        self._dictionary = cache(self._read_dictionary)
        self._decompressor = cache(self._new_decompressor)
        (self._current,) = connection.execute("SELECT max(dictionary) FROM dictionaries").fetchone()
        if self._current is not None:
            self._samples = None
        self._compressor = self._new_compressor()

    def put(self, page: int, body: Body) -> None:
        """Stores a page's response in place of the one before."""
        headers = json.dumps(body.headers, ensure_ascii=False, separators=(",", ":"))
        packed_headers = self._compressor.compress(headers.encode("utf-8", "surrogatepass"))
        packed = self._compressor.compress(body.data)
        # A previous version with the body of today has no second copy.
        self._execute(
            "UPDATE previous_versions SET body = (SELECT body FROM bodies WHERE bodies.page = ?1) "
            "WHERE page = ?1 AND body = x'' AND NOT EXISTS "
            "(SELECT 1 FROM bodies WHERE bodies.page = ?1 AND bodies.body = ?2 AND dictionary IS ?3)",
            (page, packed, self._current),
        )
        self._execute(
            "INSERT OR REPLACE INTO bodies VALUES (?, ?, ?, ?, ?, ?)",
            (page, body.encoding, packed_headers, self._current, len(body.data), packed),
        )
        if self._samples is not None:
            self._learn(body.data)

    def get(self, page: int) -> Body:
        """A page's response. Raises KeyError where none is stored."""
        select = "SELECT encoding, headers, dictionary, body FROM bodies WHERE page = ?"
        return self._get(self.unpacked, select, page)

    def unpacked(self, encoding: str, headers: bytes, dictionary: int | None, body: bytes) -> Body:
        """Returns a response out of the columns of this table or of PREVIOUS_VERSIONS: its ``encoding`` and
        packed ``headers`` and ``body``, and the id of their ``dictionary``.
        """
        data = self._decompressor(dictionary).decompress(body)
        return Body(encoding, self._unpacked(headers, dictionary), data)

    def headers(self, page: int) -> list[tuple[str, str]]:
        """The headers of a page's response, as name and value pairs. Raises KeyError where none is stored."""
        return self._get(self._unpacked, "SELECT headers, dictionary FROM bodies WHERE page = ?", page)

    def _unpacked(self, headers: bytes, dictionary: int | None) -> list[tuple[str, str]]:
        text = self._decompressor(dictionary).decompress(headers).decode("utf-8", "surrogatepass")
        return [(name, value) for name, value in json.loads(text)]

    def urls(self) -> Iterator[str]:
        """The URLs of the pages with a body."""
        return self._each(str, "SELECT url FROM bodies JOIN pages USING (page)")

    def pages(self) -> Sequence[int]:
        """The pages that have a body, in order of their ids."""
        return self._pages("SELECT page FROM bodies ORDER BY page")

    def forget(self) -> None:
        """Reads the dictionaries again: a transaction that wrote one was rolled back."""
        self.__init__(self._connection)  # type: ignore[misc]

    def _learn(self, data: bytes) -> None:
        assert self._samples is not None
        self._samples.append(data[:SAMPLE_BYTES])
        if len(self._samples) == SAMPLES:
            sample = b"".join(self._samples)
            packed = zstandard.ZstdCompressor(level=LEVEL).compress(sample)
            cursor = self._execute("INSERT INTO dictionaries (sample) VALUES (?)", (packed,))
            self._current, self._samples = cursor.lastrowid, None
            self._compressor = self._new_compressor()

    def _read_dictionary(self, number: int | None) -> zstandard.ZstdCompressionDict | None:
        if number is None:
            return None
        packed = self._get(bytes, "SELECT sample FROM dictionaries WHERE dictionary = ?", number)
        sample = zstandard.ZstdDecompressor().decompress(packed)
        return zstandard.ZstdCompressionDict(sample, dict_type=zstandard.DICT_TYPE_RAWCONTENT)

    def _new_compressor(self) -> zstandard.ZstdCompressor:
        dictionary = self._dictionary(self._current)
        if dictionary is not None:
            dictionary.precompute_compress(level=LEVEL)
        return zstandard.ZstdCompressor(level=LEVEL, dict_data=dictionary)

    def _new_decompressor(self, number: int | None) -> zstandard.ZstdDecompressor:
        return zstandard.ZstdDecompressor(dict_data=self._dictionary(number))
