"""The work on a fetched page before it is stored: in the crawl's own process, or in one beside it.

It imports nothing of Scrapy's, which a process that reads pages would load for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crawler.fetching.directives import NO_DIRECTIVES, Directives
from pagelets.overrides import NO_SELECTORS, Selectors
from pagelets.partitions import DEFAULT, Partition
from pagelets.reading import read
from pagelets.reading.fields import NO_FIELDS, Extraction
from pagelets.reading.head import refreshed
from pagelets.reading.references import References
from pagelets.reading.source import flags_of
from pagelets.record import PackedRecord, PageRecord, record_of, unpacked_record
from store.flat_pages import PagePacker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagelets.page import Page
    from pagelets.partition import Pagelet
    from store.bodies import Body

_MOST_SENT: Final = 1 << 16
"""A process forgets what it has sent when there are more fragments than that."""


class Fetched(NamedTuple):
    """The part of a response that is read and stored: ``asked`` are its X-Robots-Tag headers, ``cut`` tells
    that its body is not whole.
    """

    url: str
    body: Body
    asked: list[bytes]
    cut: bool


class ReadPage(NamedTuple):
    """A page, its pagelets, its flags, and what it asks of crawlers as far as that is heeded."""

    page: Page
    pagelets: list[Pagelet]
    flags: tuple[str, ...]
    heeded: frozenset[str]


class Answer(NamedTuple):
    """A `ReadPage` of another process, with its record; the page is in ``packed``."""

    packed: bytes
    pagelets: list[Pagelet]
    flags: tuple[str, ...]
    heeded: frozenset[str]
    record: PackedRecord


@dataclass(slots=True, frozen=True)
class Reading:
    """Reads pages: by a partition, by selectors whose elements are blocks of their own, with the values of
    fields, and heeding what pages ask of crawlers.
    """

    partition: Partition = DEFAULT
    selectors: Selectors = NO_SELECTORS
    extraction: Extraction = NO_FIELDS
    directives: Directives = NO_DIRECTIVES

    def read(self, fetched: Fetched) -> ReadPage:
        """Reads what was fetched; links of the page are marked as those that are followed, or not."""
        # Not Scrapy's response.text, which is another where no encoding is found: the page that is judged
        # when it is released has to be the one that is recorded now. Nor response.selector: it and the
        # response hold each other, so that hundreds of trees would wait for the garbage collector.
        source = fetched.body.source()
        page = read(source, fetched.url, self.selectors, extraction=self.extraction)
        for name, value in fetched.body.headers:
            if name.lower() == "refresh":
                page.follow += refreshed(value, References(fetched.url))
        heeded = self.directives.of(fetched.asked, page)
        self.directives.obey(page, heeded)
        flags = flags_of(source, page, cut=fetched.cut)
        return ReadPage(page, self.partition(page), tuple(sorted(flags)), heeded)


def load() -> None:
    """Called in the process that others are forked from: they share what it has loaded."""
    page = read("<p>A page", "http://localhost/")
    record_of(page, DEFAULT(page)).packed(())
    PagePacker().packed(page)


def answers(asked: Iterator[Any], reading: Reading) -> Iterator[Any]:
    """Yields True once it may be asked, then an `Answer` for each `Fetched`, None for a page that fails: who
    asked reads it, and has its error.
    """
    next(asked)
    yield True
    packer, sent = PagePacker(), set[int]()
    for fetched in asked:
        if len(sent) > _MOST_SENT:
            sent.clear()
        yield _answered(fetched, reading, packer, sent)


def _answered(fetched: Fetched, reading: Reading, packer: PagePacker, sent: set[int]) -> Answer | None:
    """Reads a page, and notes the fragments whose sketches are ``sent``: most come again on other pages."""
    try:
        page, pagelets, flags, heeded = reading.read(fetched)
        if (packed := packer.packed(page)) is None:
            return None
        record = record_of(page, pagelets)
        new = set(record.fingerprints) - sent
        sent |= new
        return Answer(packed, pagelets, flags, heeded, record.packed(new))
    except Exception:
        return None


def unpacked_answer(answer: Answer, reading: Reading, packer: PagePacker) -> tuple[ReadPage, PageRecord]:
    """Returns a page as reading it here would give it, and its record.

    Args:
        answer: the answer of another process.
        reading: how that process reads pages.
        packer: unpacks it.
    """
    page = packer.unpacked(answer.packed)
    page.cut = reading.partition, answer.pagelets
    record = unpacked_record(page, answer.pagelets, answer.record)
    return ReadPage(page, answer.pagelets, answer.flags, answer.heeded), record
