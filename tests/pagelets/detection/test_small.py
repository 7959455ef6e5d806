"""Small sites are counted in memory as DuckDB counts them, bit for bit."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.detection import find_templates
from pagelets.detection.base import PageSets
from pagelets.detection.blocks import find_repeated_blocks
from pagelets.detection.small import SmallSite
from tests.pagelets.detection.naive_detection import connect
from tests.pagelets.detection.test_blocks import Keyed, keyed_relations

RELATIONS = ("pages", "pagelets", "fragments", "fragment_blocks")


def in_memory(con) -> dict[str, dict[str, np.ndarray]]:
    return {name: con.execute(f"SELECT * FROM {name}").fetchnumpy() for name in RELATIONS}


def columns(found) -> dict[str, object]:
    """The bytes of all columns, with their types."""
    if isinstance(found, PageSets):
        return {"pages": len(found.pages), "sets": len(found)}
    if isinstance(found, np.ndarray):
        return {"bytes": found.tobytes(), "type": found.dtype}
    return {field.name: columns(getattr(found, field.name)) for field in dataclasses.fields(found)}


@pytest.fixture(scope="module")
def con():
    with connect() as con:
        yield con


@given(
    relations=keyed_relations(),
    min_pages=st.integers(2, 4),
    min_share=st.sampled_from([0.0, 0.4, 0.5, 2 / 3]),
)
@settings(deadline=None, max_examples=settings.default.max_examples // 2)
def test_agrees_with_duckdb(con, relations, min_pages, min_share) -> None:
    relations.fragments = [(fragment, fragment % 3) for fragment, _ in relations.fragments]
    relations.load(con)
    site = SmallSite(in_memory(con))
    found = find_templates(con, "local", min_pages, min_share)
    assert columns(site.templates(min_pages, min_share)) == columns(found)
    assert columns(site.repeated_blocks()) == columns(find_repeated_blocks(con))
    rows = "SELECT count(*) FROM pagelets JOIN fragment_blocks USING (fragment)"
    assert site.rows <= con.execute(rows).fetchall()[0][0]


def test_a_site_without_pages(con) -> None:
    Keyed().load(con)
    site = SmallSite(in_memory(con))
    assert columns(site.templates(2, 0.0)) == columns(find_templates(con, "local"))
    assert columns(site.repeated_blocks()) == columns(find_repeated_blocks(con))
