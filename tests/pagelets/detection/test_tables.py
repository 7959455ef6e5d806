"""Detection asks in words that DuckDB and Spark share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import sqlglot
from sqlglot import exp

from pagelets.detection import find_templates, tables
from pagelets.detection.blocks import find_repeated_blocks
from tests.pagelets.detection.naive_detection import connect
from tests.pagelets.detection.test_blocks import MENU, site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every SELECT that detection makes from now on."""
    selects: list[str] = []

    def noted(method: Callable[..., Any], at: int) -> Callable[..., Any]:
        def noting(self: tables.Tables, *given: Any, first: dict[str, str] | None = None) -> Any:
            selects.extend([given[at], *(first or {}).values()])
            return method(self, *given, **({"first": first} if first else {}))

        return noting

    for name, at in (("keep", 1), ("read", 0)):
        monkeypatch.setattr(tables.Tables, name, noted(getattr(tables.Tables, name), at))
    gather = tables.Tables.gather

    def gathered(self: tables.Tables, name: str, given: Iterable[str]) -> None:
        gather(self, name, (selects.append(select) or select for select in given))

    monkeypatch.setattr(tables.Tables, "gather", gathered)
    # Rows are numbered in another way by each.
    number = tables.Tables.number

    def numbered(self: tables.Tables, *given: str) -> None:
        before = len(selects)
        number(self, *given)
        selects[before:] = [f"SELECT {given[1]} FROM {given[2]}"]

    monkeypatch.setattr(tables.Tables, "number", numbered)
    return selects


def as_read(select: str, dialect: str) -> exp.Expression:
    """A SELECT without what the two make differently of numbers that are none, of zero, and of integers that
    are divided.
    """
    read = sqlglot.parse_one(select, dialect=dialect)
    for division in read.find_all(exp.Div):
        assert all(part.is_type("double") for part in (division.left, division.right)), select
    for part in read.walk():
        for flag in ("typed", "safe", "big_int"):
            part.args.pop(flag, None)
    return read.transform(lambda part: exp.Cast(**part.args) if isinstance(part, exp.TryCast) else part)


def test_every_select_is_read_alike_by_duckdb_and_spark(asked: list[str]) -> None:
    with connect() as con:
        site(*[[MENU]] * 4).load(con)
        for batch_rows in (1, 1000):
            for algorithm in ("local", "global"):
                find_templates(con, algorithm, batch_rows=batch_rows)
            find_repeated_blocks(con, batch_rows=batch_rows)
    for select in set(asked):
        read = as_read(select, "duckdb")
        assert isinstance(read, exp.Query)
        assert read == as_read(select, "spark"), select
        # Spark has one task do these; and neither skips row groups by what lies between 64-bit integers.
        assert not [window for window in read.find_all(exp.Window) if not window.args.get("partition_by")]
        assert not [*read.find_all(exp.Between)], select
