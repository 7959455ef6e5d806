"""The records of a site's pages in memory: the relations that detection reads, and what it finds."""

from __future__ import annotations

import contextlib
import hashlib
from array import array
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import numpy as np

from pagelets.block_keys import BLOCK_KEYS
from pagelets.detection import find_templates
from pagelets.detection.blocks import find_repeated_blocks
from pagelets.site.known import Changing, KnownTemplate, SiteEvidence
from pagelets.site.support import SupportTables
from pagelets.site.title import affixes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import duckdb
    from numpy.typing import NDArray

    from pagelets.detection import Algorithm, Templates
    from pagelets.detection.blocks import RepeatedBlocks
    from pagelets.record import PageRecord

REPEATED_BLOCK_SHARE: Final = 0.5
"""The share of a site's pages on which a block's text counts as repeated."""


@dataclass(frozen=True)
class Detection:
    """How templates are found: the algorithm, and the support that makes a group of pagelets one."""

    algorithm: Algorithm = "local"
    min_pages: int = 3
    min_share: float = 0.1


class SiteTables:
    """The relations PAGES, PAGELETS and LINKS of pages that are added by their records.

    Pages and hosts have numbers from 0 on, in the order of their first addition. Links are kept where they
    are asked for, as a global detection and some methods do.
    """

    def __init__(self, detection: Detection, *, links: bool) -> None:
        self._detection = detection
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
        self._keys: list[bytes] = []
        self._targets: dict[str, int] = {}
        self._links: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self.urls)

    def put(self, record: PageRecord) -> int:
        """Takes a page, in place of an earlier one of its address; returns its number."""
        url = record.page.url
        for fragment in record.fragments(set(record.prints).difference(self._fragments)):
            number = self._fragments[fragment.fingerprint] = len(self._fragments)
            self._sketches.append(fragment.sketch.key)
            self._keys.append(fragment.blocks.tobytes())
            if self._keeps_links:
                targets = self._targets
                self._links += [
                    (number, targets.setdefault(link.url, len(targets))) for link in fragment.links
                ]
        pagelets = np.array([self._fragments[print_] for print_ in record.prints], np.int32)
        number = self._numbers.setdefault(url, len(self.urls))
        if number == len(self.urls):
            self.urls.append(url)
            self.host_of.append(self._hosts.setdefault(_host_name(url), len(self._hosts)))
            self._prints.append(0)
            self._titles.append("")
            self._pagelets.append(pagelets)
        self._prints[number], self._titles[number] = record.fingerprint, record.page.title
        self._pagelets[number] = pagelets
        return number

    def recorded(self, page: int) -> tuple[int, list[int], NDArray[np.void]]:
        """What `pagelets.site.known.SiteEvidence.of` takes of a page: host, sketches, keys of its blocks."""
        fragments = self._pagelets[page].tolist()
        keys = np.frombuffer(b"".join([self._keys[fragment] for fragment in fragments]), BLOCK_KEYS)
        return self.host_of[page], [self._sketches[fragment] for fragment in fragments], keys

    def hosts(self) -> list[int]:
        """The numbers of the hosts, in order of their names."""
        return [self._hosts[name] for name in sorted(self._hosts)]

    def pages_of(self, host: int) -> list[int]:
        """The numbers of a host's pages."""
        return [page for page, its_host in enumerate(self.host_of) if its_host == host]

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

    def evidence(self, scratch: str, judged_by: str) -> SiteEvidence:
        """What the site knows of its pages: detects templates and counts blocks, over the pages as they are.

        Takes a folder for what does not fit into memory, none where it is empty, and what names that which
        judges by the evidence.
        """
        detection = self._detection
        with self._connected(scratch) as con:
            templates = find_templates(con, detection.algorithm, detection.min_pages, detection.min_share)
            blocks = find_repeated_blocks(con)
        host_pages = dict(zip(blocks.hosts.tolist(), blocks.host_pages.tolist(), strict=True))
        return SiteEvidence(
            _known(templates),
            templates.groups.__getitem__,
            SupportTables.found(blocks),
            host_pages,
            min_pages=detection.min_pages,
            block_share=REPEATED_BLOCK_SHARE,
            rejected={},
            changing=Changing.none(),
            version=self._version(templates, blocks, f"{judged_by} {detection}"),
            affixes=affixes(self._titles, detection.min_pages),
        )

    @contextlib.contextmanager
    def _connected(self, scratch: str) -> Iterator[duckdb.DuckDBPyConnection]:
        # Both take longer to load than all else.
        import duckdb
        import pyarrow as pa

        with duckdb.connect(config={"temp_directory": scratch}) as con:
            con.execute("SET preserve_insertion_order = false")
            for name, columns in self._relations().items():
                con.register(name, pa.table(dict(columns)))
            yield con

    def _relations(self) -> dict[str, Mapping[str, Any]]:
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
                "url": [self.urls[page] for page in used.tolist()],
                "fingerprint": np.array(self._prints, np.int64)[used],
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
            "fragment_links": {"fragment": links[:, 0], "target": links[:, 1]},
            "fragment_blocks": {
                "fragment": np.repeat(np.arange(len(blocks), dtype=np.int32), blocks),
                "block": keys["block"],
                "tag_path_key": keys["tag_path"].astype(np.int64),
                "placed": keys["placed"].astype(np.int64),
            },
        }

    def _version(self, templates: Templates, blocks: RepeatedBlocks, judged_by: str) -> str:
        """Names the evidence: what judges by the same has the same name, whatever order the pages came in."""
        digest = hashlib.blake2b(judged_by.encode(), digest_size=8)
        counted = (blocks.blocks, blocks.placed, blocks.tag_paths)
        columns = [
            templates.sketch,
            templates.pages,
            templates.share,
            blocks.singleton_share,
            blocks.document_frequency,
        ]
        columns += [column for one in counted for column in (one.key, one.pages, one.share)]
        for column in columns:
            digest.update(np.ascontiguousarray(column).tobytes())
        names, sizes = list(self._hosts), blocks.host_pages.tolist()
        hosts = sorted((names[host], size) for host, size in zip(blocks.hosts.tolist(), sizes, strict=True))
        groups = [sorted(self.urls[page] for page in group.tolist()) for group in templates.groups]
        digest.update(repr((hosts, groups)).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def _reached_links(self) -> Sequence[tuple[int, int]]:
        """The links between fragments and pages that are there, by whatever spelling of their addresses."""
        if not self._links:
            return ()
        from pagelets.archives.spelling import normal_form

        normal: dict[str, int] = {}
        for number, url in enumerate(self.urls):
            normal.setdefault(normal_form(url), number)
        # In the order of the targets' numbers.
        pages = [self._numbers.get(url, normal.get(normal_form(url), -1)) for url in self._targets]
        return [(fragment, pages[target]) for fragment, target in self._links if pages[target] >= 0]


def _known(templates: Templates) -> list[KnownTemplate]:
    """The templates, those on most pages first; their ids count from 1 in the order they were found."""
    rows = zip(
        templates.sketch.tolist(),
        templates.pages.tolist(),
        templates.share.tolist(),
        templates.group.tolist(),
        strict=True,
    )
    found = [
        KnownTemplate(number, sketch, pages, share, group if group >= 0 else None)
        for number, (sketch, pages, share, group) in enumerate(rows, start=1)
    ]
    return sorted(found, key=lambda template: -template.pages)


def _host_name(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""
