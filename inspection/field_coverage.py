"""The fields of a site, and on how many of its pages each is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.reading.fields import Extraction
    from store.site import Store


@dataclass(slots=True, frozen=True)
class CoveredField:
    """A field of a site, and the number of ``pages`` that have a value of it."""

    name: str
    type: str
    many: bool
    pages: int


@dataclass(slots=True, frozen=True)
class FieldCoverage:
    """The fields of a site, those of the fewest pages first. The last crawl took values from ``pages`` pages;
    ``missing`` of these lack a required field.
    """

    pages: int
    missing: int
    fields: Sequence[CoveredField]


def field_coverage(store: Store, extraction: Extraction) -> FieldCoverage:
    """Returns the fields of a site with the number of pages that have each.

    Args:
        store: the store.
        extraction: takes the fields.

    """
    fields = extraction.fields
    if not fields:
        return FieldCoverage(0, 0, ())
    counts = store.page_fields.counts()
    rows = (CoveredField(name, one.type, one.many, counts.found[name]) for name, one in fields.items())
    return FieldCoverage(counts.pages, counts.missing, sorted(rows, key=lambda one: (one.pages, one.name)))
