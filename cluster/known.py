"""What a site knows of its pages, put together from rows of `cluster.schemas.KNOWN`."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, count, pairwise, repeat
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cluster.keys import unkeyed
from cluster.schemas import BLOCK, DECIDED, HOST, LINK, MEMBER, PLACED, TAG_PATH, TEMPLATE, TITLE
from pagelets.site.known import Changing, KnownTemplate, SiteEvidence
from pagelets.site.naming import evidence_name, page_set_name, site_version, support_name, templates_name
from pagelets.site.support import CountTable, SupportTables
from pagelets.site.title import affixes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from cluster.parameters import Judging

_COLUMNS: Final[dict[int, tuple[str, ...]]] = {
    HOST: ("key", "pages"),
    BLOCK: ("key", "pages", "share"),
    PLACED: ("key", "pages", "share"),
    TAG_PATH: ("key", "pages", "share", "singletons", "frequency"),
    TEMPLATE: ("key", "pages", "share", "first", "page_set", "component"),
    MEMBER: ("key", "page_set", "component"),
    TITLE: ("pages",),
    LINK: ("key", "page_set"),
    DECIDED: ("key", "pages", "share"),
}
"""The columns of each kind that say something."""
_KEYED: Final = frozenset({HOST, BLOCK, PLACED, TAG_PATH, TEMPLATE, MEMBER, LINK})
_NAMED: Final = frozenset({HOST, TITLE})


class KnownSite:
    """Takes rows of one site, kind after kind; gives what its pages are judged by."""

    def __init__(self, site: int, judging: Judging) -> None:
        self._site = site
        self._judging = judging
        # The ids of what was decided on: a crawl knows it before it finds anything.
        self._decided = {sketch: number for number, sketch in enumerate(sorted(judging.decided), start=1)}
        self._columns: dict[tuple[int, str], list[NDArray[Any]]] = defaultdict(list)
        self._names: dict[int, list[str]] = defaultdict(list)

    def add(self, kind: int, rows: pa.RecordBatch) -> None:
        """Takes rows of a kind."""
        for name in _COLUMNS[kind]:
            values = rows.column(name)
            # A local detection tells of no sets of pages.
            numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
            if name == "key" and kind in _KEYED:
                numbers = unkeyed(numbers, self._site)
            self._columns[kind, name].append(numbers)
        if kind in _NAMED:
            self._names[kind] += [
                name.decode("utf-8", "surrogatepass") for name in rows.column("name").to_pylist()
            ]

    def _of(self, kind: int, name: str) -> NDArray[Any]:
        found = self._columns.get((kind, name))
        if not found:
            return np.empty(0, np.float64 if name in ("share", "singletons", "frequency") else np.int64)
        return np.concatenate(found)

    def links(self) -> list[tuple[int, int]]:
        """The links between pages, by the fingerprints of their addresses."""
        targets = unkeyed(self._of(LINK, "page_set"), self._site)
        return list(zip(self._of(LINK, "key").tolist(), targets.tolist(), strict=True))

    def evidence(self) -> SiteEvidence:
        """What pages are judged by; what names it is still to be said (`version`)."""
        detector = self._judging.detector
        templates, sets = self._templates()
        found = {one.sketch for one in templates}
        decided = zip(*(self._of(DECIDED, name).tolist() for name in _COLUMNS[DECIDED]), strict=True)
        counted = {sketch: (pages, share) for sketch, pages, share in decided}
        for sketch, number in self._decided.items():
            if sketch not in found:
                templates.append(KnownTemplate(number, sketch, *counted.get(sketch, (0, 0.0)), None))
        hosts = dict(zip(self._of(HOST, "key").tolist(), self._of(HOST, "pages").tolist(), strict=True))
        counts = zip(self._names[TITLE], self._of(TITLE, "pages").tolist(), strict=True)
        titles = list(chain.from_iterable(repeat(*one) for one in counts))
        return SiteEvidence(
            sorted(templates, key=lambda one: (-one.pages, one.template)),
            sets.__getitem__,
            SupportTables(*self._tables()),
            hosts,
            min_pages=detector.min_pages,
            block_share=detector.block_share,
            rejected=self._judging.decided,
            changing=Changing.none(),
            affixes=affixes(titles, detector.min_pages),
        )

    def version(self, learned: bytes) -> str:
        """Names what is known, as a store of the same pages names it; takes the name of what was learned."""
        detector = self._judging.detector
        templates, sets = self._templates()
        names = [page_set_name(pages) for pages in sets]
        found = [
            (one.sketch, b"" if one.page_set is None else names[one.page_set], one.pages, one.share)
            for one in templates
            if one.sketch not in self._judging.decided
        ]
        sizes = sorted(zip(self._names[HOST], self._of(HOST, "pages").tolist(), strict=True))
        judged_by = (detector.min_pages, detector.block_share, detector.judgement)
        evidence = evidence_name(support_name(self._tables(), sizes), b"", learned, judged_by)
        return site_version(templates_name(found, self._judging.decisions), evidence)

    def _tables(self) -> list[CountTable]:
        tables = []
        for kind in (BLOCK, PLACED, TAG_PATH):
            keys = self._of(kind, "key")
            order = np.argsort(keys)
            values = [self._of(kind, name)[order] for name in _COLUMNS[kind][1:]]
            tables.append(CountTable(keys[order], np.array(values, np.float32)))
        return tables

    def _templates(self) -> tuple[list[KnownTemplate], list[NDArray[np.int64]]]:
        """The templates in the order of sketches and of the first of their pages, and the sets of pages that
        they are on.
        """
        columns = [self._of(TEMPLATE, name) for name in _COLUMNS[TEMPLATE]]
        order = np.lexsort((columns[3], columns[0]))
        sketches, counts, *others = (column[order].tolist() for column in columns)
        rows = zip(self._ids(sketches, counts), sketches, counts, *others, strict=True)
        sets = self._page_sets()
        numbers = {name: number for number, name in enumerate(sets)}
        templates = [
            KnownTemplate(template, sketch, pages, share, numbers.get((page_set, component)))
            for template, sketch, pages, share, _, page_set, component in rows
        ]
        return templates, list(sets.values())

    def _ids(self, sketches: Sequence[int], pages: Sequence[int]) -> list[int]:
        """The ids of templates, as the first crawl of a store gives them: of those of a sketch that people
        decided on, that on most pages goes on with its id.
        """
        going_on: dict[int, int] = {}
        for place, sketch in enumerate(sketches):
            if sketch in self._decided and pages[place] > pages[going_on.setdefault(sketch, place)]:
                going_on[sketch] = place
        new = count(len(self._decided) + 1)
        return [
            self._decided[sketch] if going_on.get(sketch) == place else next(new)
            for place, sketch in enumerate(sketches)
        ]

    def _page_sets(self) -> dict[tuple[int, int], NDArray[np.int64]]:
        pages, *names = (self._of(MEMBER, name) for name in _COLUMNS[MEMBER])
        order = np.lexsort((pages, names[1], names[0]))
        pages, first, second = pages[order], names[0][order], names[1][order]
        bounds = np.flatnonzero((first[1:] != first[:-1]) | (second[1:] != second[:-1])) + 1
        parts = np.split(pages, bounds) if len(pages) else []
        starts = [0, *bounds.tolist()]
        return {
            (int(first[start]), int(second[start])): part for start, part in zip(starts, parts, strict=False)
        }


def runs_of(values: Sequence[Any] | NDArray[Any]) -> list[tuple[int, int]]:
    """Where equal values stand together: (begin, stop) of each run."""
    column = np.asarray(values)
    bounds = [0, *(np.flatnonzero(column[1:] != column[:-1]) + 1).tolist(), len(column)]
    return [(begin, stop) for begin, stop in pairwise(bounds) if stop > begin]
