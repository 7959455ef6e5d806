"""A page as its site counts it: its pagelets, what each of them is known by, and the keys of its blocks.

All that is told of a page without its site is worked out here, from its text: a crawl that records it, a
store that is derived again and a library that reads it from memory have the same record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pagelets.block_keys import BLOCK_KEYS, block_keys
from pagelets.containers import Containers
from pagelets.filled_lines import filled_lines
from pagelets.overrides import NO_SELECTORS, Selectors
from pagelets.page import MOST_LINKS, Link, Page
from pagelets.partition import tag_paths
from pagelets.partitions import DEFAULT, Partition
from pagelets.reading import read
from pagelets.reading.fields import NO_FIELDS, Extraction
from pagelets.sketch import Scheme, Sketch, fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from pagelets.partition import Pagelet

SCHEME: Final = Scheme(links=False)
"""The sketches of those who ask for no others."""


@dataclass(slots=True, frozen=True)
class RecordParameters:
    """What a record depends on beside the page: how it is cut into pagelets, the sketches' scheme, the
    selectors whose elements are blocks of their own, and the site's fields.
    """

    partition: Partition = DEFAULT
    scheme: Scheme = SCHEME
    selectors: Selectors = field(default=NO_SELECTORS)
    extraction: Extraction = field(default=NO_FIELDS)


class Fragment(NamedTuple):
    """A distinct text of a pagelet: what a site keeps of it, on however many pages it stands.

    ``blocks`` are the keys of its blocks, an array of `pagelets.block_keys.BLOCK_KEYS`; ``links`` leave out
    those within the page itself, and those beyond its first `MOST_LINKS`.
    """

    fingerprint: int
    sketch: Sketch
    chars: int
    blocks: NDArray[np.void]
    links: list[Link]


class PackedRecord(NamedTuple):
    """The parts of a `PageRecord` that take long to work out, without the page: pickled, it is small.

    ``sketches`` has the sketches of some of its fragments, by fingerprint; the others are made when they are
    asked for.
    """

    fingerprint: int
    fingerprints: list[int]
    tag_paths: list[str]
    keys: bytes
    sketches: dict[int, Sketch]


@dataclass(slots=True, frozen=True, eq=False)
class PageRecord:
    """A page with its pagelets; ``fingerprints`` are the fingerprints of their fragments, aligned with them.

    ``fingerprint`` is that of the page's texts: pages of a host with the same one are duplicates. ``keys``
    holds for each block what its site counts it by, an array of `pagelets.block_keys.BLOCK_KEYS`.
    """

    page: Page
    pagelets: Sequence[Pagelet]
    fingerprint: int
    fingerprints: list[int]
    keys: NDArray[np.void]
    _links: list[slice]
    _written: list[str]
    _scheme: Scheme
    _sketches: Mapping[int, Sketch] = field(default_factory=dict)
    _tag_paths: list[str] | None = None

    @property
    def tag_paths(self) -> list[str]:
        """The tag path of each pagelet."""
        return tag_paths(self.page.tree, self.pagelets) if self._tag_paths is None else self._tag_paths

    def packed(self, sketched: Collection[int]) -> PackedRecord:
        """Returns the record for `unpacked_record`, with the sketches of these fragments."""
        sketches = {fragment.fingerprint: fragment.sketch for fragment in self.fragments(sketched)}
        return PackedRecord(
            self.fingerprint, self.fingerprints, self.tag_paths, self.keys.tobytes(), sketches
        )

    def fragments(self, wanted: Collection[int]) -> list[Fragment]:
        """The fragments of these fingerprints, each once, in order of the page; sketching is what takes time,
        so those that a site has already need not be asked for.
        """
        first: dict[int, int] = {}
        for index, fingerprint_ in enumerate(self.fingerprints):
            if fingerprint_ in wanted:
                first.setdefault(fingerprint_, index)
        blocks, within = self.page.blocks, f"{self.page.url}#"
        spans = [slice(self.pagelets[index].start, self.pagelets[index].stop) for index in first.values()]
        links = [self._links[index] for index in first.values()]
        texts = [[block.text for block in blocks[span]] for span in spans]
        lacking = {
            fingerprint_: (text, self._written[link_span])
            for fingerprint_, text, link_span in zip(first, texts, links, strict=True)
            if fingerprint_ not in self._sketches
        }
        sketched = zip(lacking, self._scheme.sketches([*lacking.values()]), strict=True)
        sketches = {**self._sketches, **dict(sketched)}
        return [
            Fragment(
                fingerprint_,
                sketches[fingerprint_],
                sum(map(len, text)),
                self.keys[span],
                [link for link in self.page.links[link_span] if not link.url.startswith(within)],
            )
            for fingerprint_, text, span, link_span in zip(first, texts, spans, links, strict=True)
        ]


def page_record(text: str | bytes, url: str, parameters: RecordParameters) -> PageRecord:
    """Reads the HTML of a page, and partitions, fingerprints and keys it.

    Args:
        text: as `pagelets.reading.read` takes it.
        url: the page's address.
        parameters: how it is partitioned and sketched.
    """
    page = read(text, url, parameters.selectors, extraction=parameters.extraction)
    return record_of(page, parameters.partition(page), parameters.scheme)


def record_of(page: Page, pagelets: Sequence[Pagelet], scheme: Scheme = SCHEME) -> PageRecord:
    """The record of a page that was read and partitioned already, with sketches by a scheme.

    Args:
        page: the page.
        pagelets: those of the page, in order.
        scheme: how they are sketched.
    """
    texts, written = [block.text for block in page.blocks], _written(page)
    links = _links(page, pagelets)
    filled = filled_lines(page)
    keys = block_keys(page, Containers.of(page), filled)
    # The same words at another tag path are another fragment: what a site keeps of a fragment does
    # not depend on which page came first.
    places = list(map(str, keys["tag_path"].tolist()))
    # A sentence with the title of one page in it is another fragment on a page of another title.
    for place in filled:
        places[place] += f" {keys['placed'][place]}"
    fingerprints = []
    for pagelet, link_span in zip(pagelets, links, strict=True):
        blocks = slice(pagelet.start, pagelet.stop)
        fingerprints.append(fingerprint(texts[blocks], [*written[link_span], *places[blocks]]))
    return PageRecord(page, pagelets, fingerprint(texts), fingerprints, keys, links, written, scheme)


def unpacked_record(page: Page, pagelets: Sequence[Pagelet], packed: PackedRecord) -> PageRecord:
    """Returns a record that was packed (`PageRecord.packed`).

    Args:
        page: its page.
        pagelets: those of the page, in order.
        packed: the record without its page.
    """
    keys = np.frombuffer(packed.keys, BLOCK_KEYS)
    links, written = _links(page, pagelets), _written(page)
    identity = packed.fingerprint, packed.fingerprints, keys
    return PageRecord(page, pagelets, *identity, links, written, SCHEME, packed.sketches, packed.tag_paths)


def _links(page: Page, pagelets: Sequence[Pagelet]) -> list[slice]:
    """The links of each pagelet that a site counts."""
    first_links = [min(block.links.start, MOST_LINKS) for block in page.blocks]
    first_links.append(min(len(page.links), MOST_LINKS))
    return [slice(first_links[pagelet.start], first_links[pagelet.stop]) for pagelet in pagelets]


def _written(page: Page) -> list[str]:
    """A page's links as they count for the identity of fragments: those within the page by their own
    fragments alone, so that the same menu is the same on every page.
    """
    within, length = f"{page.url}#", len(page.url)
    written = [link.url[length:] if link.url.startswith(within) else link.url for link in page.links]
    for position, link in enumerate(page.links):
        if link.nofollow:
            written[position] = f"nofollow {written[position]}"
    return written
