"""Templates of sister sites: what the published tables of many stores tell together, and deciding on it."""

from __future__ import annotations

import logging
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inspection.templates import Choice, check_apart, decide, decided, sample_texts
from pagelets.detection.sites import SITE_BITS, SharedTemplate, find_over_sites, shared
from pagelets.judging.decisions import PINNED, REJECTED, sketch_name, sketch_of
from settings.errors import ConfigurationError
from store.database import FILE
from store.errors import SiteBusy, StoreError, StoreUnusable
from store.evidence import Answer, within_budgets
from store.lock import held
from store.multi_site import READ, Published, pages_of_sites, united
from store.site import TABLES, Store
from store.templates import FOUND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import duckdb

    from pagelets.detection import Algorithm
    from pagelets.partitions import Partition

    PartitionOf = Callable[[Store], Partition]
    """Tells how the pages of a store are cut."""

_MEND: Final = "name folders of tables, such as 'data/*/tables'"

logger = logging.getLogger(__name__)


@dataclass(slots=True, frozen=True)
class SisterTemplate:
    """A template that stands on pages of several sites: ``pages`` and ``share`` are its support over all of
    them, ``sites`` counts its pages on each. ``text`` and ``sample_url`` are from a sample, the text None if
    the store of its site is not beside the tables.
    """

    name: str
    pages: int
    share: float
    sites: dict[str, int]
    text: str | None
    sample_url: str
    algorithm: str


@dataclass(slots=True, frozen=True)
class Planned:
    """A template that gets a state in a site, and on how many pages of it the template stands, None where
    that was not asked.
    """

    name: str
    state: str
    site: str
    pages: int | None


def published(patterns: Iterable[str]) -> list[Published]:
    """Lists the folders of published tables that are named, or that patterns match, by their sites. Tables
    of a store that are missing, or older than it, are published first.

    Raises ConfigurationError for a missing one, and for two of one site.
    """
    sites: dict[str, Published] = {}
    for pattern in patterns:
        if Path(pattern).name == TABLES:
            for folder in _matched(Path(pattern).parent / FILE):
                _renew(folder.parent)
        for path in sorted(path.resolve() for path in _matched(Path(pattern))):
            if not path.is_dir():
                raise ConfigurationError(f"--over {pattern}: no such folder; {_MEND}")
            named = Published(path.parent.name, path)
            if not any(named.file(name).exists() for name in READ):
                raise ConfigurationError(
                    f"--over {pattern}: {path} has no published tables; {_MEND}, which scrapy publish SITE "
                    "writes"
                )
            if sites.setdefault(named.site, named) != named:
                raise ConfigurationError(
                    f"--over: {sites[named.site].tables} and {path} are both of site {named.site!r}; name one"
                )
    if not sites:
        raise ConfigurationError(f"--over: {_MEND}")
    return [sites[site] for site in sorted(sites)]


def _renew(home: Path) -> None:
    """Publishes what is read of the store in a folder, unless its tables are as new as the store."""
    files = [home / FILE, home / f"{FILE}-wal"]
    changed = max((file.stat().st_mtime_ns for file in files if file.exists()), default=0)
    tables = [home / TABLES / f"{name}.parquet" for name in READ]
    if not changed or all(table.exists() and table.stat().st_mtime_ns >= changed for table in tables):
        return
    try:
        with Store.open(home) as store:
            store.publish(names=tuple(READ))
    except (StoreError, OSError) as error:
        logger.warning("%s: %s; its tables are taken as they are", home, error)


def _matched(pattern: Path) -> list[Path]:
    """Returns the matches of a pattern, or the path itself; not the stores of crawls that have not ended."""
    if pattern.exists():
        return [pattern]
    start = Path(pattern.anchor)
    matches = start.glob(str(pattern.relative_to(start)))
    return [path for path in matches if not path.parent.name.startswith(".")] or [pattern]


class Sisters:
    """Sites that are looked at together, by their published tables.

    ``budgets`` are the MB of memory that DuckDB may take, one try after the other; what goes beyond them is
    in the folder ``spill`` meanwhile. Methods raise StoreError.
    """

    def __init__(self, sites: Sequence[Published], budgets: Sequence[int], spill: Path) -> None:
        self.sites = sites
        self._budgets, self._spill = budgets, spill

    def shared(self, algorithm: Algorithm, min_pages: int, min_share: float) -> list[SharedTemplate]:
        """Finds the templates on pages of two sites or more, with an ``algorithm``, ``min_pages`` and
        ``min_share``.
        """
        return self._asked(lambda con: shared(con, *find_over_sites(con, algorithm, min_pages, min_share)))

    def listed(
        self, templates: Sequence[SharedTemplate], algorithm: Algorithm, partition: PartitionOf
    ) -> list[SisterTemplate]:
        """Describes the templates ``templates`` by an ``algorithm`` for people, those on most sites first;
        ``partition`` tells how the pages of a store are cut.
        """
        texts = self._texts(templates, partition)
        whole = [
            SisterTemplate(
                sketch_name(template.sketch),
                template.pages,
                template.share,
                {self.sites[number].site: pages for number, pages in template.sites.items()},
                texts.get((template.sample_page >> SITE_BITS, template.sketch)),
                template.sample_url,
                algorithm,
            )
            for template in templates
        ]
        return sorted(
            whole,
            key=lambda template: (-len(template.sites), -template.pages, template.name, template.sample_url),
        )

    def _texts(
        self, templates: Sequence[SharedTemplate], partition: PartitionOf
    ) -> dict[tuple[int, int], str]:
        """The texts of samples, by the number of the site and the sketch, of sites whose stores are here."""
        sampled: dict[int, set[int]] = defaultdict(set)
        for template in templates:
            sampled[template.sample_page >> SITE_BITS].add(template.sketch)
        texts: dict[tuple[int, int], str] = {}
        for number, sketches in sampled.items():
            home = self.sites[number].home
            if (home / FILE).exists():
                with Store.open(home) as store, store.snapshot():
                    held = sample_texts(store, partition(store), sketches)
                texts |= {(number, sketch): text for sketch, text in held.items()}
        return texts

    def standing(self, sketches: Iterable[int]) -> dict[int, dict[str, int]]:
        """Sketch -> each site on whose pages it stands -> on how many of them."""
        wanted = sorted(sketches)
        by_sketch = self._asked(lambda con: pages_of_sites(con, wanted))
        return {
            sketch: {self.sites[number].site: pages for number, pages in sites.items()}
            for sketch, sites in by_sketch.items()
        }

    def _asked(self, ask: Callable[[duckdb.DuckDBPyConnection], Answer]) -> Answer:
        def ask_within(memory: int) -> Answer:
            with united(self.sites, memory=memory, threads=1, spill=self._spill) as con:
                return ask(con)

        wanted = f"detection over {len(self.sites)} sites takes"
        return within_budgets(self._budgets, ask_within, self._spill, wanted)


def planned_decisions(sisters: Sisters, choice: Choice) -> list[Planned]:
    """Plans the decisions of a choice of templates in each of the sites: those that have it on a page, and
    those to reset in all sites where people have decided on it.

    Raises ConfigurationError for a name that is invalid, unknown in all sites, or to be pinned and rejected;
    StoreError if a store is not beside its tables.
    """
    wanted = {
        state: {_named(name) for name in names}
        for state, names in ((PINNED, choice.pin), (REJECTED, choice.reject), (FOUND, choice.reset or ()))
    }
    if choice.reset == []:
        raise ConfigurationError("--reset: over several sites name what is to be left to detection")
    check_apart(wanted[PINNED], wanted[REJECTED])
    by_sketch = sisters.standing(wanted[PINNED] | wanted[REJECTED])
    planned = [
        Planned(sketch_name(sketch), state, site, pages)
        for state in (PINNED, REJECTED)
        for sketch in sorted(wanted[state])
        for site, pages in by_sketch.get(sketch, {}).items()
    ]
    if wanted[FOUND]:
        for entry in sisters.sites:
            with _store_of(entry) as store:
                reset = sorted(decided(store) & wanted[FOUND])
            planned += [Planned(sketch_name(sketch), FOUND, entry.site, None) for sketch in reset]
    known = {entry.name for entry in planned}
    for sketch in sorted(set().union(*wanted.values())):
        if (name := sketch_name(sketch)) not in known:
            raise ConfigurationError(
                f"unknown template {name!r}: none of {len(sisters.sites)} sites has it; "
                "scrapy templates --over lists those that several have"
            )
    homes = {entry.site: entry for entry in sisters.sites}
    for site in {entry.site for entry in planned}:
        _store_of(homes[site]).close()
    return planned


def decide_in(site: Published, planned: Iterable[Planned], partition: PartitionOf) -> bool:
    """Takes the ``planned`` decisions on templates in the store of ``site`` site, whose pages are cut by
    ``partition``. Returns True if a crawl is at work there, and takes them later.

    Raises ConfigurationError if one of them stands on no page of the store any more, and StoreError.
    """
    names: dict[str, list[str]] = defaultdict(list)
    for decision in planned:
        names[decision.state].append(decision.name)
    choice = Choice(names[PINNED], names[REJECTED], names[FOUND] or None)
    try:
        with _store_of(site) as store, held(site.home):
            decide(store, partition(store), choice)
    except SiteBusy:
        with _store_of(site) as store:
            decide(store, partition(store), choice, waits=True)
        return True
    return False


def _store_of(site: Published) -> Store:
    if not (site.home / FILE).exists():
        raise StoreUnusable(
            f"{site.home / FILE}: site {site.site!r} has tables here and no store; decide where its store is"
        )
    return Store.open(site.home)


def _named(name: str) -> int:
    try:
        return sketch_of(name)
    except ValueError as error:
        raise ConfigurationError(f"{error}; ids are of one site, names are the same in all") from error
