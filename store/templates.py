"""Templates of the site, and decisions on them: the tables TEMPLATES and PAGE_SETS."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pagelets.judging.decisions import REJECTED
from pagelets.judging.naming import page_set_name, site_version, templates_name
from pagelets.sketch import fingerprint
from store.meta import EVIDENCE_VERSION, TEMPLATE_VERSION, Meta
from store.occurrences import Occurrence, occurrences
from store.states import FETCHED
from store.support import steady
from store.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from pagelets.detection import Algorithm, Templates

FOUND: Final = "found"
"""The state of a template that nobody decided on; others have one of `pagelets.judging.decisions`."""

DECIDED: Final = "decision"
"""The algorithm of a template that the last detection has not found: people decided on it."""

ETDM: Final = "etdm"
"""The algorithm of a template that a key page has shown (`crawler.spiders.template`)."""

_EVERYWHERE: Final = 1 << 31


@dataclass(slots=True, frozen=True)
class Template:
    """A template as stored: ``page_set`` is None if all pages with its sketch have it.

    One of a key page (`ETDM`) has that for its sample, as long as detection knows fewer pages than it needs.
    One that people decided on stays where detection does not find it: ``algorithm`` is `DECIDED` then,
    ``sample_page`` is 0 where it never stood on any page, ``last_run`` 0 where it was never found.
    ``judged_pages`` and ``judged_share`` are the support that pages are judged by (`store.support.steady`).
    """

    template: int
    sketch: int
    page_set: int | None
    algorithm: str
    pages: int
    share: float
    sample_page: int
    sample_position: int
    state: str
    first_run: int
    last_run: int
    judged_pages: int
    judged_share: float


class TemplateTable(Table):
    """Reads and writes what detection found; writes belong to the caller's transaction."""

    def replace(
        self, detected: Templates, algorithm: Algorithm, min_pages: int, min_share: float, run: int
    ) -> None:
        """Stores the templates ``detected`` by a detection of a ``run`` with an ``algorithm``, ``min_pages``
        and ``min_share``, in place of the earlier ones.

        A template takes the id of the previous one with the same sketch and the largest overlap of pages,
        else a new one. One that people decided on stays, with its id, even if it is not found; and so does
        one of a key page, in place of those found with its sketch, if it stands on a page and its host has so
        few pages that ``min_pages`` of them are a larger share than ``min_share``.
        """
        shown = self._shown(min_pages, min_share)
        continued = self._continued(detected)
        self._execute("DELETE FROM page_sets")
        self._executemany(
            "INSERT INTO page_sets VALUES (?, ?)",
            ((number, pages.astype("<i4").tobytes()) for number, pages in enumerate(detected.groups)),
        )
        known, sketches = set(shown.values()), detected.sketch.tolist()
        self._keep_decided({*sketches, *known}, shown)
        rows = [row for row, sketch in enumerate(sketches) if sketch not in known]
        # Those that keep their id first: a new id may not take one of theirs.
        order = sorted(rows, key=lambda row: row not in continued)
        columns = detected.pages, detected.share, detected.sample_page, detected.sample_position
        found = list(zip(sketches, detected.group.tolist(), *(one.tolist() for one in columns), strict=True))
        self._executemany(
            "INSERT INTO templates (template, first_run, sketch, page_set, pages, share, sample_page, "
            "sample_position, algorithm, min_pages, min_share, last_run) "
            "VALUES (?, ?, ?, nullif(?, -1), ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (*continued.get(row, (None, run)), *found[row], algorithm, min_pages, min_share, run)
                for row in order
            ),
        )
        self._follow_decisions()

    def _note_support(self) -> None:
        """Notes by which support of each template pages are judged: what has hardly moved stays."""
        self._execute("DELETE FROM judged_support WHERE template NOT IN (SELECT template FROM templates)")
        rows = self._execute(
            "SELECT template, templates.pages, templates.share, coalesce(judged.pages, -1), "
            "coalesce(judged.share, -1) FROM templates LEFT JOIN judged_support AS judged USING (template)"
        ).fetchall()
        values = np.array([row[1:] for row in rows], float).reshape(-1, 4)
        size = self._number("SELECT coalesce(sum(pages), 0) FROM hosts")
        stays = np.all(steady(values[:, 2:], values[:, :2], size), axis=1).tolist()
        self._executemany(
            "INSERT OR REPLACE INTO judged_support VALUES (?, ?, ?)",
            [row[:3] for row, stay in zip(rows, stays, strict=True) if not stay],
        )

    def show(self, page: int, positions: Mapping[int, int], run: int) -> bool:
        """Stores the pagelets of a key ``page`` that its template has, in place of the earlier ones; known
        templates stay as they are. Takes sketches and ``positions`` on the page, and the ``run``; returns
        True if anything has changed. The next detection counts their support.
        """
        sketches = json.dumps(list(positions))
        gone = self._execute(
            "UPDATE templates SET algorithm = ? WHERE algorithm = ? AND sample_page = ? "
            "AND sketch NOT IN (SELECT value FROM json_each(?))",
            (DECIDED, ETDM, page, sketches),
        ).rowcount
        self._executemany(
            "UPDATE templates SET sample_position = ? WHERE sketch = ? AND algorithm = ? AND sample_page = ?",
            [(position, sketch, ETDM, page) for sketch, position in positions.items()],
        )
        known = set(self._each(int, "SELECT sketch FROM templates"))
        new = [
            (sketch, ETDM, page, position, FOUND, run, run)
            for sketch, position in positions.items()
            if sketch not in known
        ]
        self._executemany("INSERT INTO templates VALUES (NULL, ?, NULL, ?, 0, 0, 0, 0, ?, ?, ?, ?, ?)", new)
        if gone or new:
            self._follow_decisions()
        return bool(gone or new)

    def _shown(self, min_pages: int, min_share: float) -> dict[int, int]:
        """Template -> sketch of those of key pages that detection knows too few pages for."""
        rows = self._execute(
            "SELECT template, sketch FROM templates JOIN pages ON page = sample_page JOIN hosts USING (host) "
            "WHERE algorithm = ? AND hosts.pages * ? < ?",
            (ETDM, min_share or 1.0, min_pages),
        ).fetchall()
        # Looking for none takes as long as looking for some.
        held = self.held([sketch for _, sketch in rows]) if rows else set()
        return {template: sketch for template, sketch in rows if sketch in held}

    def _keep_decided(self, sketches: Collection[int], shown: Collection[int]) -> None:
        """Removes the templates of the detection before, but for those ``shown``, and those of decided
        sketches that are not found any more: of each the one that was on most pages.
        """
        kept: dict[int, int] = {}
        decided = "SELECT template, sketch FROM templates JOIN decisions USING (sketch)"
        for template, sketch in self._execute(f"{decided} ORDER BY pages DESC, template"):
            if sketch not in sketches:
                kept.setdefault(sketch, template)
        self._execute(
            "DELETE FROM templates WHERE template NOT IN (SELECT value FROM json_each(?))",
            (json.dumps([*kept.values(), *shown]),),
        )
        self._execute(
            "UPDATE templates SET page_set = NULL, algorithm = ? "
            "WHERE template IN (SELECT value FROM json_each(?))",
            (DECIDED, json.dumps(list(kept.values()))),
        )

    def follow_decisions(self) -> None:
        """Brings the templates in line with the table DECISIONS, and the version of the site's evidence."""
        self._follow_decisions()
        self.renew_version()

    def _follow_decisions(self) -> None:
        """Every decided sketch has a template. The support of one that detection has not found, and of one of
        a key page, is counted over the pages that hold it.
        """
        self._execute(
            "DELETE FROM templates WHERE algorithm = ? AND sketch NOT IN (SELECT sketch FROM decisions)",
            (DECIDED,),
        )
        self._execute(
            "UPDATE templates SET state = coalesce("
            "(SELECT state FROM decisions WHERE decisions.sketch = templates.sketch), ?)",
            (FOUND,),
        )
        rows = self._execute(
            "SELECT sketch, decisions.state, template FROM decisions LEFT JOIN templates USING (sketch) "
            "WHERE template IS NULL OR algorithm = ?1 "
            "UNION ALL SELECT sketch, state, template FROM templates WHERE algorithm = ?2 ORDER BY sketch",
            (DECIDED, ETDM),
        ).fetchall()
        places = occurrences(self._connection, [sketch for sketch, _, _ in rows])
        for sketch, state, template in rows:
            place = places.get(sketch, Occurrence(0, 0.0, 0, 0))
            if template is None:
                self._execute(
                    "INSERT INTO templates VALUES (NULL, ?, NULL, ?, 0, 0, ?, ?, ?, ?, ?, 0, 0)",
                    (sketch, DECIDED, place.pages, place.share, place.page, place.position, state),
                )
            else:
                # Its sample stays that of a key page, or the one that it had where it stands on no page.
                self._execute(
                    "UPDATE templates SET pages = ?1, share = ?2, "
                    "sample_page = iif(?1 AND algorithm != ?6, ?3, sample_page), "
                    "sample_position = iif(?1 AND algorithm != ?6, ?4, sample_position) WHERE template = ?5",
                    (place.pages, place.share, place.page, place.position, template, ETDM),
                )
        self._note_support()

    def renew_version(self) -> None:
        """Names the site's evidence anew, in the meta value ``template_version``, from the first detection
        on.
        """
        meta = Meta(self._connection)
        named = meta.get(EVIDENCE_VERSION)
        if named is not None:
            meta.set(TEMPLATE_VERSION, site_version(self.digest(), named))

    def all(self) -> Iterator[Template]:
        """The templates, those on most pages first."""
        return self._each(
            Template,
            "SELECT template, sketch, page_set, algorithm, templates.pages, templates.share, sample_page, "
            "sample_position, state, first_run, last_run, coalesce(judged.pages, templates.pages), "
            "coalesce(judged.share, templates.share) "
            "FROM templates LEFT JOIN judged_support AS judged USING (template) "
            "ORDER BY templates.pages DESC, template",
        )

    def sample_chars(self) -> dict[int, int]:
        """Returns the characters of each template's sample, of those that stand on a page now."""
        rows = self._execute(
            "SELECT template, chars FROM templates JOIN pagelets ON pagelets.page = sample_page "
            "AND position = sample_position JOIN fragments USING (fragment)"
        )
        return dict(rows.fetchall())

    def places(self, sketches: Collection[int]) -> dict[int, tuple[int, int]]:
        """Sketch -> the page and the position of a sample, of sketches of templates and of any pagelet."""
        known = {row.sketch: (row.sample_page, row.sample_position) for row in reversed(list(self.all()))}
        placed = {sketch: known[sketch] for sketch in sketches if sketch in known}
        others = occurrences(self._connection, [sketch for sketch in sketches if sketch not in placed])
        return placed | {sketch: (place.page, place.position) for sketch, place in others.items()}

    def held(self, sketches: Collection[int]) -> set[int]:
        """Returns those of some sketches that are on a page of the site."""
        return set(occurrences(self._connection, list(sketches)))

    def count(self) -> int:
        """Counts the templates, without those that people rejected."""
        return self._count("templates WHERE state != ?", REJECTED)

    def page_set(self, number: int) -> NDArray[np.int32]:
        """The pages of a set, as sorted ids."""
        return self._get(_unpacked, "SELECT pages FROM page_sets WHERE page_set = ?", number)

    def digest(self) -> bytes:
        """Names the templates and the decisions: equal ones have equal names, whatever ids they bear. A set
        of pages is named after their URLs.
        """
        sets: dict[int, bytes] = {}
        if self._any("page_sets"):
            fingerprints = np.zeros(self._number("SELECT max(page) + 1 FROM pages"), np.int64)
            for page, url in self._execute(f"SELECT page, url FROM pages WHERE {FETCHED}"):
                fingerprints[page] = fingerprint((url,))
            sets = {number: page_set_name(fingerprints[pages]) for number, pages in self._page_sets()}
        rows = self._execute(
            "SELECT sketch, page_set, judged.pages, judged.share FROM templates "
            "LEFT JOIN judged_support AS judged USING (template) WHERE state = ?",
            (FOUND,),
        )
        templates = ((sketch, sets.get(page_set, b""), *support) for sketch, page_set, *support in rows)
        return templates_name(templates, self._execute("SELECT sketch, state FROM decisions ORDER BY sketch"))

    def _continued(self, detected: Templates) -> dict[int, tuple[int, int]]:
        """The id and first run of the previous template that a found one continues, by row of ``detected``.

        Of the pairs of a sketch, those that overlap most come first; a previous template is continued once.
        """
        previous: dict[int, list[tuple[int, int | None, int]]] = defaultdict(list)
        known = self._execute("SELECT template, sketch, page_set, first_run FROM templates ORDER BY template")
        for template, sketch, page_set, first_run in known:
            previous[sketch].append((template, page_set, first_run))
        sets = dict(self._page_sets())
        continued = {}
        # The rows of a sketch stand together.
        for sketch, group in groupby(range(len(detected)), key=lambda row: int(detected.sketch[row])):
            before, rows = previous.get(sketch), list(group)
            if before is None:
                continue
            if len(before) == len(rows) == 1 and before[0][1] is None and detected.group[rows[0]] < 0:
                continued[rows[0]] = before[0][0], before[0][2]
                continue
            old = [None if page_set is None else sets[page_set] for _, page_set, _ in before]
            groups = detected.group[rows].tolist()
            new = [None if group < 0 else detected.groups[group] for group in groups]
            taken: set[int] = set()
            for _, index, place in sorted(_overlaps(old, new)):
                if index not in taken and rows[place] not in continued:
                    taken.add(index)
                    continued[rows[place]] = before[index][0], before[index][2]
        return continued

    def _page_sets(self) -> Iterator[tuple[int, NDArray[np.int32]]]:
        for number, pages in self._execute("SELECT page_set, pages FROM page_sets"):
            yield number, _unpacked(pages)


def _unpacked(pages: bytes) -> NDArray[np.int32]:
    return np.frombuffer(pages, "<i4")


def _overlaps(
    old: Sequence[NDArray[np.integer[Any]] | None], new: Sequence[NDArray[np.integer[Any]] | None]
) -> list[tuple[int, int, int]]:
    """(pages shared, negative; index in old; index in new) of the sets that share pages; None is everywhere.

    The sets of either side share no page with each other.
    """
    overlaps: list[tuple[int, int, int]] = []
    for index, there in enumerate(old):
        if there is None:
            sizes = [_EVERYWHERE if here is None else len(here) for here in new]
            overlaps += [(-size, index, place) for place, size in enumerate(sizes)]
    for place, here in enumerate(new):
        if here is None:
            overlaps += [(-len(there), index, place) for index, there in enumerate(old) if there is not None]
    pages, owners = _flat(old)
    new_pages, new_owners = _flat(new)
    _, left, right = np.intersect1d(pages, new_pages, assume_unique=True, return_indices=True)
    pairs, shared = np.unique(owners[left] * len(new) + new_owners[right], return_counts=True)
    counts = zip(pairs.tolist(), shared.tolist(), strict=True)
    return overlaps + [(-count, *divmod(pair, len(new))) for pair, count in counts]


def _flat(sets: Sequence[NDArray[np.integer[Any]] | None]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pages of the sets, one after the other, and the index of the set of each."""
    known = {number: pages for number, pages in enumerate(sets) if pages is not None}
    pages = np.concatenate([np.empty(0, np.int64), *known.values()])
    return pages, np.repeat(np.array([*known], np.int64), [len(part) for part in known.values()])
