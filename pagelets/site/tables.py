"""The records of a site's pages in memory: the relations that detection reads, and what it finds."""

from __future__ import annotations

import contextlib
from array import array
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from pagelets.block_keys import BLOCK_KEYS
from pagelets.detection import Templates, find_templates
from pagelets.detection.blocks import find_repeated_blocks
from pagelets.detection.small import small_site
from pagelets.judging.facts import RecordedPage
from pagelets.judging.found import FoundSite, FoundTemplate, Host
from pagelets.judging.support import SupportTables
from pagelets.patterns import host_of
from pagelets.sketch import fingerprint, page_shingle

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import duckdb
    from numpy.typing import NDArray

    from pagelets.judging.parameters import Detection
    from pagelets.record import PageRecord

    Relations = dict[str, dict[str, NDArray[Any]]]


class SiteTables:
    """The relations PAGES, PAGELETS and LINKS of pages that are added by their records.

    Pages and hosts have numbers from 0 on, in the order of their first addition. Links are kept where they
    are asked for, as a global detection and some methods do.
    """

    def __init__(self, *, links: bool) -> None:
        self._keeps_links = links
        self.urls: list[str] = []
        self._hosts: dict[str, int] = {}
        self.host_of: list[int] = []
        self._numbers: dict[str, int] = {}
        self._prints: list[int] = []
        self._titles: list[str] = []
        self._pagelets: list[NDArray[np.int32]] = []
        self._fragments: dict[int, int] = {}
        self._sketches = array("q")
        self._values: list[bytes] = []
        self._keys: list[bytes] = []
        self._targets: dict[str, int] = {}
        self._links: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self.urls)

    def number(self, url: str) -> int:
        """Returns the number of the page of an address, -1 for an unknown one."""
        return self._numbers.get(url, -1)

    def put(self, record: PageRecord) -> int:
        """Takes a page, in place of an earlier one of its address; returns its number."""
        url = record.page.url
        for fragment in record.fragments(set(record.fingerprints).difference(self._fragments)):
            number = self._fragments[fragment.fingerprint] = len(self._fragments)
            self._sketches.append(fragment.sketch.key)
            self._values.append(fragment.sketch.values)
            self._keys.append(fragment.blocks.tobytes())
            if self._keeps_links:
                targets = self._targets
                self._links += [
                    (number, targets.setdefault(link.url, len(targets))) for link in fragment.links
                ]
        pagelets = np.array([self._fragments[fingerprint_] for fingerprint_ in record.fingerprints], np.int32)
        number = self._numbers.setdefault(url, len(self.urls))
        if number == len(self.urls):
            self.urls.append(url)
            self.host_of.append(self._hosts.setdefault(host_of(url), len(self._hosts)))
            self._prints.append(0)
            self._titles.append("")
            self._pagelets.append(pagelets)
        self._prints[number], self._titles[number] = record.fingerprint, record.page.title
        self._pagelets[number] = pagelets
        return number

    def recorded(self, page: int) -> RecordedPage:
        """Returns the record of a page."""
        fragments = self._pagelets[page].tolist()
        keys = np.frombuffer(b"".join([self._keys[fragment] for fragment in fragments]), BLOCK_KEYS)
        return RecordedPage(page, self.host_of[page], [self._sketches[number] for number in fragments], keys)

    def compared(self, record: PageRecord) -> RecordedPage:
        """Returns the record of a page as `put` would keep it, and keeps nothing; the page of another
        address has the number -1, as a host has that no page is of.
        """
        unknown = set(record.fingerprints).difference(self._fragments)
        new = {one.fingerprint: (one.sketch.key, one.blocks.tobytes()) for one in record.fragments(unknown)}
        for fingerprint_ in record.fingerprints:
            if (number := self._fragments.get(fingerprint_)) is not None:
                new[fingerprint_] = self._sketches[number], self._keys[number]
        found = [new[fingerprint_] for fingerprint_ in record.fingerprints]
        url = record.page.url
        return RecordedPage(
            self.number(url),
            self._hosts.get(host_of(url), -1),
            [sketch for sketch, _ in found],
            np.frombuffer(b"".join([keys for _, keys in found]), BLOCK_KEYS),
        )

    def hosts(self) -> dict[int, str]:
        """The names of the hosts, by their numbers."""
        return {number: name for name, number in self._hosts.items()}

    def links_between(self, pages: Collection[int]) -> set[tuple[int, int]]:
        """The links that lead from one of some pages to one of them, each once."""
        targets: dict[int, list[int]] = defaultdict(list)
        for fragment, target in self._reached_links():
            if target in pages:
                targets[fragment].append(target)
        return {
            (page, target)
            for page in pages
            for fragment in self._pagelets[page].tolist()
            for target in targets.get(fragment, ())
        }

    def found(self, scratch: str, detection: Detection, decided: Collection[int]) -> FoundSite:
        """Runs detection on the current pages.

        Args:
            scratch: a folder for data that does not fit into memory, empty for none.
            detection: the parameters of detection.
            decided: the sketches that people decided on, whose pages are counted in any case.

        """
        relations = self._relations(self._shingles() if detection.near_duplicates else self._prints)
        small = small_site(relations, detection.algorithm)
        if small is not None:
            templates, blocks = small.templates(*detection.support), small.repeated_blocks()
        else:
            with _connected(scratch, relations) as con:
                templates = find_templates(con, detection.algorithm, *detection.support)
                blocks = find_repeated_blocks(con)
        names, groups = list(self._hosts), templates.groups
        # Nobody asks for the names of pages where templates are wherever their sketches are.
        fingerprints = np.array([fingerprint((url,)) for url in self.urls] if groups else (), np.int64)
        sizes = zip(blocks.hosts.tolist(), blocks.host_pages.tolist(), strict=True)
        return FoundSite(
            _rows(templates),
            groups,
            [fingerprints[group] for group in groups],
            SupportTables.found(blocks),
            {host: Host(names[host], pages) for host, pages in sizes},
            self._titles,
            self._occurrences(set(decided)),
        )

    def _occurrences(self, sketches: Collection[int]) -> dict[int, tuple[int, float]]:
        """On how many pages sketches are, and which share of the pages of their hosts that is: of the pages
        of a host with the same text one counts. Those that are nowhere are left out.
        """
        if not sketches:
            return {}
        fragments = {number: sketch for number, sketch in enumerate(self._sketches) if sketch in sketches}
        texts: dict[int, set[int]] = defaultdict(set)
        held: dict[int, set[tuple[int, int]]] = defaultdict(set)
        for page, host in enumerate(self.host_of):
            texts[host].add(self._prints[page])
            for fragment in fragments.keys() & self._pagelets[page].tolist():
                held[fragments[fragment]].add((host, self._prints[page]))
        return {
            sketch: (
                len(places),
                len(places) / sum(len(texts[host]) for host in {host for host, _ in places}),
            )
            for sketch, places in held.items()
        }

    def _shingles(self) -> list[int]:
        """Returns for each page the key that its near-duplicates share."""
        shingles = (page_shingle([self._values[one] for one in page.tolist()]) for page in self._pagelets)
        return [
            print_ if shingle is None else shingle
            for print_, shingle in zip(self._prints, shingles, strict=True)
        ]

    def _relations(self, prints: Sequence[int]) -> Relations:
        sizes = [len(pagelets) for pagelets in self._pagelets]
        used = np.flatnonzero(sizes)
        keys = np.frombuffer(b"".join(self._keys), BLOCK_KEYS)
        blocks = [len(packed) // BLOCK_KEYS.itemsize for packed in self._keys]
        links = np.array(self._reached_links(), np.int32).reshape(-1, 2)
        return {
            # Pages without a pagelet take no part.
            "pages": {
                "page": used.astype(np.int32),
                "host": np.array(self.host_of, np.int32)[used],
                "url": np.array(self.urls, object)[used],
                "fingerprint": np.array(prints, np.int64)[used],
            },
            "pagelets": {
                "page": np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
                "position": np.concatenate(
                    [np.empty(0, np.int32), *(np.arange(size, dtype=np.int32) for size in sizes)]
                ),
                "fragment": np.concatenate([np.empty(0, np.int32), *self._pagelets]),
            },
            "fragments": {
                "fragment": np.arange(len(self._sketches), dtype=np.int32),
                "sketch": np.array(self._sketches, np.int64),
            },
            "fragment_links": {"fragment": links[:, 0].copy(), "target": links[:, 1].copy()},
            "fragment_blocks": {
                "fragment": np.repeat(np.arange(len(blocks), dtype=np.int32), blocks),
                "block": keys["block"].copy(),
                "tag_path_key": keys["tag_path"].astype(np.int64),
                "placed": keys["placed"].astype(np.int64),
            },
        }

    def _reached_links(self) -> Sequence[tuple[int, int]]:
        """The links between fragments and pages that are there, by whatever spelling of their addresses."""
        if not self._links:
            return ()
        from pagelets.archives.spelling import normal_form

        normal: dict[str, int] = {}
        for number, url in enumerate(self.urls):
            normal.setdefault(normal_form(url), number)
        # As archives answer: a page at the normal form itself comes before others that have it.
        normal |= {url: number for url, number in self._numbers.items() if url in normal}
        # In the order of the targets' numbers.
        pages = [self._numbers.get(url, normal.get(normal_form(url), -1)) for url in self._targets]
        return [(fragment, pages[target]) for fragment, target in self._links if pages[target] >= 0]


@contextlib.contextmanager
def _connected(scratch: str, relations: Relations) -> Iterator[duckdb.DuckDBPyConnection]:
    # It takes longer to load than all else.
    import duckdb

    with duckdb.connect(config={"temp_directory": scratch}) as con:
        con.execute("SET preserve_insertion_order = false")
        for name, columns in relations.items():
            con.register(name, columns)
        yield con


def _rows(templates: Templates) -> list[FoundTemplate]:
    """The templates in the order that they were found in."""
    columns = (templates.sketch, templates.pages, templates.share, templates.group)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [
        FoundTemplate(sketch, pages, share, group if group >= 0 else None)
        for sketch, pages, share, group in rows
    ]
