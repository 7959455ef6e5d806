"""Global template detection (Bar-Yossef & Rajagopalan, WWW 2002, Section 3.2, Figure 5).

A template is made by one hand, and its pages are linked with each other: the pages that share a sketch are
cut into the connected components of their links, and each component with enough support is a template.

Figure 5 works on all pages: duplicates are not eliminated here, because a mirror that nobody links with its
original falls into another component anyway, and one that is linked with it belongs to the site.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pagelets.detection.base import PageSets, Templates
from pagelets.detection.links import MOST_QUERIES, ComponentFinder, LinkGraph
from pagelets.detection.portions import arranged, batches, bounds_of, entries_of
from pagelets.detection.relations import find_candidates, numbered_pages, page_ranges, pages_by_ordinal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.detection.tables import Tables

ALL_PAGES = "SELECT page, host, ordinal FROM detection_pages"

# G_s by s: a set of pages is known by its size and two sums of random numbers, one pair a page, so that
# sketches on the same pages (all pages, all pages of a section) share one search for components.
GROUPS = """
SELECT
    template_candidates.sketch AS sketch,
    COUNT(*) AS pages,
    SUM(CAST(detection_keys.one AS DECIMAL(38, 0))) AS one,
    SUM(CAST(detection_keys.other AS DECIMAL(38, 0))) AS other
FROM template_candidates
JOIN detection_keys ON detection_keys.ordinal = template_candidates.ordinal
GROUP BY template_candidates.sketch
HAVING COUNT(*) >= ?
"""

SETS = """
SELECT pages, one, other, MIN(sketch) AS sketch
FROM template_groups
GROUP BY pages, one, other
"""

SKETCHES_OF_SETS = """
SELECT template_groups.sketch AS sketch, template_sets.page_set AS page_set
FROM template_groups
JOIN template_sets
    ON template_sets.pages = template_groups.pages
    AND template_sets.one = template_groups.one
    AND template_sets.other = template_groups.other
"""

MEMBERS_OF_SETS = """
SELECT template_sets.page_set AS page_set, template_candidates.ordinal AS ordinal
FROM template_sets
JOIN template_candidates ON template_candidates.sketch = template_sets.sketch
WHERE template_sets.page_set >= ? AND template_sets.page_set <= ?
"""

SAMPLES = """
SELECT template_samples.template AS template, template_candidates.position AS position
FROM template_samples
JOIN template_candidates
    ON template_candidates.sketch = template_samples.sketch
    AND template_candidates.ordinal = template_samples.ordinal
"""


class Components(NamedTuple):
    """Components of page sets, one row each: the set, support, share; the members as ascending ordinals."""

    page_set: NDArray[np.int32]
    pages: NDArray[np.int64]
    share: NDArray[np.float64]
    members: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Hosts:
    """Hosts without holes in their numbers: `of_page` int64[pages] by ordinal, `pages` int64[hosts]."""

    of_page: NDArray[np.int64]
    pages: NDArray[np.int64]

    @classmethod
    def read(cls, tables: Tables) -> Hosts:
        """Reads the hosts of the pages in `detection_sources`."""
        rows = tables.read("SELECT ordinal, host FROM detection_sources")
        _, number, sizes = np.unique(rows["host"], return_inverse=True, return_counts=True)
        return cls(arranged(rows["ordinal"], number), sizes)


def find_global(tables: Tables, min_pages: int, min_share: float, batch_rows: int) -> Templates:
    """Finds templates as (sketch, component of the pages that carry it): `group` is the component's page set.

    Links count in both directions, whatever pagelet they are in; a link to a page that was not partitioned
    joins nothing.

    Args:
        tables: the relations, and where tables on the way are kept.
        min_pages: a component is a template from so many pages on,
        min_share: and from this share of the pages of the hosts that it touches.
        batch_rows: about so many rows are in memory at once.

    """
    with numbered_pages(tables):
        find_candidates(tables, ALL_PAGES, page_ranges(tables, batch_rows))
        page_ids = pages_by_ordinal(tables)
        # Drawn anew each time, so that nobody can write pages whose sets collide; no result shows them.
        keys = np.random.default_rng().integers(0, 1 << 62, size=(2, len(page_ids)), dtype=np.int64)
        columns = {"ordinal": np.arange(len(page_ids), dtype=np.int32), "one": keys[0], "other": keys[1]}
        with tables.lent("detection_keys", columns):
            tables.keep("template_groups", GROUPS, min_pages)
        # The largest sets first: a range of set numbers is then a batch of like sets.
        tables.number("template_sets", "*", f"({SETS})", "pages DESC, sketch", "page_set")
        graph = LinkGraph.read(tables, page_ids, batch_rows)
        components = find_components(tables, graph, Hosts.read(tables), min_pages, min_share, batch_rows)
        del graph
        return assemble(tables, components, page_ids, keys.view(np.uint64), batch_rows)


def find_components(
    tables: Tables,
    graph: LinkGraph,
    hosts: Hosts,
    min_pages: int,
    min_share: float,
    batch_rows: int,
) -> Components:
    """Returns the components with enough support of all rows of `template_sets`, in any order.

    Args:
        tables: where `template_sets` are kept.
        graph: the links between the pages.
        hosts: the host of each page, and the pages of each host.
        min_pages: the least pages of a component.
        min_share: their least share of the pages of the hosts that it touches.
        batch_rows: about so many rows are in memory at once.

    """
    rows = tables.read("SELECT page_set, pages FROM template_sets")
    sizes = arranged(rows["page_set"], rows["pages"])
    finder = ComponentFinder(graph, batch_rows)
    empty = np.empty(0, np.int32)
    parts = [Components(empty, empty.astype(np.int64), empty.astype(np.float64), empty)]
    rows_of_sets = bounds_of(sizes)
    for begin, stop in batches(rows_of_sets, max(batch_rows, int(rows_of_sets[-1]) // MOST_QUERIES)):
        rows = tables.read(MEMBERS_OF_SETS, begin, stop - 1)
        pairs = (rows["page_set"].astype(np.int64) << 32) | rows["ordinal"]
        del rows
        pairs.sort()
        page_set, page = split(pairs)
        held = sizes[begin:stop]
        bounds = bounds_of(held)
        for first, last in finder.rounds(held):
            members = slice(bounds[first], bounds[last])
            labels = finder.components(held[first:last], page[members])
            parts.append(supported(page_set[members], page[members], labels, hosts, min_pages, min_share))
    return Components(*map(np.concatenate, zip(*parts, strict=True)))


def supported(
    sets: NDArray[np.int32],
    pages: NDArray[np.int32],
    labels: NDArray[np.int32],
    hosts: Hosts,
    min_pages: int,
    min_share: float,
) -> Components:
    """Returns the components with enough support.

    Args:
        sets: the set of each of n members, sorted.
        pages: the page of each member, sorted within its set.
        labels: the component of each member.
        hosts: the host of each page, and the pages of each host.
        min_pages: the least pages of a component.
        min_share: their least share of the pages of the hosts that it touches.

    """
    large = np.flatnonzero((np.bincount(labels) >= min_pages)[labels])
    order = large[np.argsort(labels[large], kind="stable")]
    _, first, component, sizes = np.unique(
        labels[order], return_index=True, return_inverse=True, return_counts=True
    )
    touched = np.unique(component * len(hosts.pages) + hosts.of_page[pages[order]])
    around = np.bincount(
        touched // len(hosts.pages), weights=hosts.pages[touched % len(hosts.pages)], minlength=len(sizes)
    )
    share = sizes / around
    shared = share >= min_share
    return Components(
        page_set=sets[order[first]][shared],
        pages=sizes[shared],
        share=share[shared],
        members=pages[order[shared[component]]],
    )


def assemble(
    tables: Tables,
    components: Components,
    page_ids: NDArray[np.int64],
    keys: NDArray[np.uint64],
    batch_rows: int,
) -> Templates:
    """Makes the templates: every sketch of a set with every component of the set.

    Args:
        tables: those with `template_groups`, `template_sets` and `template_candidates`.
        components: what has the support.
        page_ids: the page at each ordinal, int64[pages].
        keys: two random numbers a page, uint64[2, pages]; their sums tell equal page sets.
        batch_rows: about so many members of components are handled at once.

    """
    first_page = components.members[bounds_of(components.pages)[:-1]]
    sketch, component = pair_sketches(tables, components.page_set, first_page)
    group, first_row = number_by_appearance(same_members(components, keys, batch_rows)[component])
    return Templates(
        sketch=sketch,
        pages=components.pages[component].astype(np.int32),
        share=components.share[component],
        group=group,
        sample_page=page_ids[first_page[component]],
        sample_position=first_positions(tables, sketch, first_page[component]),
        groups=page_sets(components, component[first_row], page_ids, batch_rows),
    )


def split(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The high and the low half of integers that are pairs: these sort in place, two columns do not."""
    return (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)


def number_by_appearance(values: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Numbers equal values alike, from 0 as they first appear: int32[n], and the first row of each number."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return arranged(order, np.arange(len(order)), np.int32)[inverse], first[order]


def pair_sketches(
    tables: Tables, page_set: NDArray[np.int32], first_page: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs each sketch with the components of its set: (sketch int64[n], index of the component int64[n]).

    Args:
        tables: where the sketches of sets are kept.
        page_set: the set of each component, int32.
        first_page: the first page of each component, int32.

    Returns:
        The pairs, sorted by sketch, then by first page.

    """
    by_set = np.argsort(page_set, kind="stable")
    rows = tables.read(SKETCHES_OF_SETS)
    begin = np.searchsorted(page_set, rows["page_set"], side="left", sorter=by_set)
    count = np.searchsorted(page_set, rows["page_set"], side="right", sorter=by_set) - begin
    sketch = np.repeat(rows["sketch"], count)
    component = by_set[entries_of(begin, count)]
    order = np.lexsort((first_page[component], sketch))
    return sketch[order], component[order]


def same_members(components: Components, keys: NDArray[np.uint64], batch_rows: int) -> NDArray[np.int64]:
    """Returns a number for each component, int64[components], equal for equal members.

    As in GROUPS, members are compared by the sums of their keys.

    Args:
        components: the components.
        keys: two random numbers for each page, uint64[2, pages].
        batch_rows: about so many members are in memory at once.

    """
    bounds = bounds_of(components.pages)
    sums = np.empty((2, len(components.pages)), dtype=np.uint64)
    for begin, stop in batches(bounds, batch_rows):
        members = components.members[bounds[begin] : bounds[stop]]
        for key, total in zip(keys, sums, strict=True):
            np.add.reduceat(key[members], bounds[begin:stop] - bounds[begin], out=total[begin:stop])
    number, other = (np.unique(total, return_inverse=True)[1] for total in sums)
    return (number << 32) | other


def page_sets(
    components: Components, chosen: NDArray[np.int64], page_ids: NDArray[np.int64], batch_rows: int
) -> PageSets:
    """Returns the page sets of some components, as page ids.

    Args:
        components: all components.
        chosen: the wanted ones, in the order of the result.
        page_ids: the id of each page.
        batch_rows: about so many members are in memory at once.

    """
    starts, lengths = bounds_of(components.pages)[chosen], components.pages[chosen]
    bounds = bounds_of(lengths)
    pages = np.empty(bounds[-1], dtype=np.int64)
    # Sorted by their ranks, which have room beside the number of a set as ids have not.
    by_id = np.argsort(page_ids)
    ranks = arranged(by_id, np.arange(len(by_id)))
    for begin, stop in batches(bounds, batch_rows):
        rows = slice(begin, stop)
        pairs = np.repeat(np.arange(stop - begin, dtype=np.int64) << 32, lengths[rows])
        pairs |= ranks[components.members[entries_of(starts[rows], lengths[rows])]]
        pairs.sort()
        pages[bounds[begin] : bounds[stop]] = page_ids[by_id[split(pairs)[1]]]
    return PageSets(pages, bounds)


def first_positions(
    tables: Tables, sketch: NDArray[np.int64], ordinal: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Returns the first position of each ``sketch`` on the page at the ``ordinal`` next to it, int32[n], by
    the rows in ``tables``.
    """
    wanted: dict[str, NDArray[Any]] = {
        "template": np.arange(len(sketch), dtype=np.int32),
        "sketch": sketch,
        "ordinal": ordinal,
    }
    with tables.lent("template_samples", wanted):
        rows = tables.read(SAMPLES)
    return arranged(rows["template"], rows["position"], np.int32)
