"""The values of a site's fields on its pages: the table PAGE_FIELDS."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from pagelets.page import Extracted
from pagelets.reading.fields import MISSING
from store.states import ALIVE, CURRENT, FETCHED, JUDGED
from store.table import Table


@dataclass(slots=True, frozen=True)
class FieldCounts:
    """On how many pages that have a document values were taken, how many of them lack a required field, and
    how many have each field.
    """

    pages: int = 0
    missing: int = 0
    found: Counter[str] = field(default_factory=Counter)


class PageFields(Table):
    """Reads and writes the values; writes belong to the caller's transaction.

    Rows name the extraction that they are of: those of another one count for nothing.
    """

    def put(self, page: int, extraction: str, extracted: Extracted) -> None:
        """Keeps the values of a page.

        Args:
            page: its id.
            extraction: the fingerprint of what has taken them.
            extracted: the values.

        """
        found, flags = " ".join(extracted.found), " ".join(extracted.flags)
        self._execute(
            "INSERT OR REPLACE INTO page_fields VALUES (?, ?, ?, ?, ?, ?)",
            (page, extraction, extracted.fields_hash, found, flags, extracted.packed()),
        )

    def get(self, page: int, extraction: str) -> Extracted | None:
        """The values of a page by the extraction of a fingerprint, None where they were not taken."""
        select = "SELECT extracted FROM page_fields WHERE page = ? AND extraction = ?"
        return self._first(Extracted.unpacked, select, page, extraction)

    def fields_hash(self, page: int, extraction: str) -> str:
        """The fingerprint of a page's values, empty where they were not taken."""
        select = "SELECT fields_hash FROM page_fields WHERE page = ? AND extraction = ?"
        return self._first(str, select, page, extraction) or ""

    def lacking(self, extraction: str) -> array[int]:
        """The stored pages whose values were not taken by the extraction of a fingerprint."""
        return self._pages(
            f"SELECT page FROM pages LEFT JOIN page_fields USING (page) WHERE {FETCHED} "
            "AND extraction IS NOT ? AND page IN (SELECT page FROM bodies) ORDER BY page",
            extraction,
        )

    def changed(self) -> bool:
        """True if a document was made with other values than its page has now."""
        return self._any(
            "pages JOIN documents USING (page) LEFT JOIN page_fields USING (page) "
            f"WHERE {JUDGED} AND op = 'index' AND documents.fields_hash IS NOT page_fields.fields_hash"
        )

    def counts(self) -> FieldCounts:
        """Counts the pages that have a document, by what was found on them."""
        rows = self._execute(
            "SELECT found, page_fields.flags, count(*) FROM page_fields JOIN pages USING (page) "
            f"WHERE {CURRENT} GROUP BY 1, 2"
        )
        pages = missing = 0
        by_name: Counter[str] = Counter()
        for names, flags, count in rows:
            pages += count
            missing += count * (MISSING in flags.split())
            by_name.update(dict.fromkeys(names.split(), count))
        return FieldCounts(pages, missing, by_name)

    def found(self) -> set[str]:
        """The names of the fields that some page of the site has."""
        select = f"SELECT DISTINCT found FROM page_fields JOIN pages USING (page) WHERE {ALIVE}"
        return {name for names in self._each(str.split, select) for name in names}

    def samples(self, name: str, most: int) -> list[Any]:
        """Some values of a field, each of another page."""
        select = "SELECT extracted FROM page_fields WHERE instr(' ' || found || ' ', ?) ORDER BY page LIMIT ?"
        some = self._each(Extracted.unpacked, select, f" {name} ", most)
        return [extracted.values[name] for extracted in some]

    def clear(self) -> None:
        """Lets all values go: the site has no fields any more."""
        self._execute("DELETE FROM page_fields")
