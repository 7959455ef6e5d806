"""Figures 4 and 5 in plain Python, step by step over small relations: what detection must agree with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import duckdb
import numpy as np

if TYPE_CHECKING:
    from pagelets.detection import Templates


@dataclass
class Relations:
    pages: list[tuple[int, int, str, int]] = field(default_factory=list)
    pagelets: list[tuple[int, int, int]] = field(default_factory=list)
    fragments: list[tuple[int, int]] = field(default_factory=list)
    fragment_links: list[tuple[int, int]] = field(default_factory=list)

    def load(self, con: duckdb.DuckDBPyConnection) -> None:
        """Makes the relations on the connection, in place of those that were there."""
        for name, types in TYPES.items():
            rows = getattr(self, name)
            columns = ", ".join(f"UNNEST(CAST(? AS {kind}[])) AS {column}" for column, kind in types.items())
            values = [[row[i] for row in rows] for i in range(len(types))]
            con.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT {columns}", values)


TYPES = {
    "pages": {"page": "BIGINT", "host": "BIGINT", "url": "VARCHAR", "fingerprint": "BIGINT"},
    "pagelets": {"page": "BIGINT", "position": "INTEGER", "fragment": "BIGINT"},
    "fragments": {"fragment": "BIGINT", "sketch": "BIGINT"},
    "fragment_links": {"fragment": "BIGINT", "target": "BIGINT"},
}


def connect() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    con.execute("SET preserve_insertion_order = false")
    con.execute("SET threads = 2")
    return con


@dataclass(frozen=True)
class Template:
    sketch: int
    pages: int
    share: float
    group: frozenset[str] | None
    sample_url: str
    sample_position: int


def _template(relations, sketch, on, counted, group) -> Template:
    """`on`: pages of the template; `counted`: pages that count for a host's size."""
    url = {page: url for page, _, url, _ in relations.pages}
    host = {page: host for page, host, _, _ in relations.pages}
    sketch_of = dict(relations.fragments)
    hosts = {host[page] for page in on}
    sample = min(on, key=url.__getitem__)
    return Template(
        sketch,
        len(on),
        len(on) / sum(host[page] in hosts for page in counted),
        frozenset(url[page] for page in group) if group is not None else None,
        url[sample],
        min(
            at
            for page, at, fragment in relations.pagelets
            if page == sample and sketch_of[fragment] == sketch
        ),
    )


def _pages_by_sketch(relations, pages) -> dict[int, set[int]]:
    sketch_of = dict(relations.fragments)
    groups: dict[int, set[int]] = {}
    for page, _, fragment in relations.pagelets:
        if page in pages:
            groups.setdefault(sketch_of[fragment], set()).add(page)
    return groups


def naive_local(relations: Relations, min_pages: int, min_share: float) -> list[Template]:
    first: dict[tuple[int, int], tuple[str, int]] = {}
    for page, host, url, fingerprint in relations.pages:
        key = host, fingerprint
        first[key] = min(first.get(key, (url, page)), (url, page))
    counted = {page for _, page in first.values()}
    found = [
        _template(relations, sketch, on, counted, None)
        for sketch, on in _pages_by_sketch(relations, counted).items()
        if len(on) >= 2
    ]
    found = [template for template in found if template.pages >= min_pages and template.share >= min_share]
    return sorted(found, key=lambda template: template.sketch)


def naive_global(relations: Relations, min_pages: int, min_share: float) -> list[Template]:
    known = {page for page, _, _, _ in relations.pages}
    targets: dict[int, set[int]] = {}
    for fragment, target in relations.fragment_links:
        targets.setdefault(fragment, set()).add(target)
    links = {
        (page, target)
        for page, _, fragment in relations.pagelets
        for target in targets.get(fragment, ())
        if page in known and target in known and page != target
    }
    found = []
    for sketch, group in _pages_by_sketch(relations, known).items():
        left = set(group)
        while left:
            component, queue = set(), [left.pop()]
            while queue:
                page = queue.pop()
                component.add(page)
                reached = {other for other in left if (page, other) in links or (other, page) in links}
                left -= reached
                queue.extend(reached)
            if len(component) >= 2:
                found.append(_template(relations, sketch, component, known, component))
    found = [template for template in found if template.pages >= min_pages and template.share >= min_share]
    return sorted(found, key=lambda template: (template.sketch, template.sample_url))


def readable(relations: Relations, templates: Templates) -> list[Template]:
    """The arrays as objects that name pages by URL; checks what the arrays promise of themselves."""
    url = {page: url for page, _, url, _ in relations.pages}
    assert templates.sketch.dtype == np.int64
    assert templates.share.dtype == np.float64
    assert templates.sample_page.dtype == np.int64
    for column in (templates.pages, templates.group, templates.sample_position):
        assert column.dtype == np.int32
        assert len(column) == len(templates)
    assert templates.groups.pages.dtype == np.int64
    assert set(templates.group[templates.group >= 0].tolist()) == set(range(len(templates.groups)))
    for group in templates.groups:
        assert (np.diff(group) > 0).all()
    assert len({group.tobytes() for group in templates.groups}) == len(templates.groups)
    return [
        Template(
            sketch,
            pages,
            share,
            frozenset(url[page] for page in templates.groups[group].tolist()) if group >= 0 else None,
            url[page],
            position,
        )
        for sketch, pages, share, group, page, position in zip(
            templates.sketch.tolist(),
            templates.pages.tolist(),
            templates.share.tolist(),
            templates.group.tolist(),
            templates.sample_page.tolist(),
            templates.sample_position.tolist(),
            strict=True,
        )
    ]
