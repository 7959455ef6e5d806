"""Asking DuckDB, within limits."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import duckdb

from store.errors import NotEnoughMemory, StoreUnusable
from store.scratch import scratch

Answer = TypeVar("Answer")


@contextlib.contextmanager
def limited(folder: Path, *, memory: int, threads: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with so many MB of ``memory`` and so many ``threads``; what goes beyond the memory is in a
    folder meanwhile. Raises OSError.
    """
    with (
        scratch(folder) as spilled,
        duckdb.connect(
            config={"memory_limit": f"{memory}MiB", "threads": threads, "temp_directory": str(spilled)}
        ) as con,
    ):
        con.execute("SET preserve_insertion_order = false")
        yield con


def within_budgets(budgets: Sequence[int], ask: Callable[[int], Answer], folder: Path, wanted: str) -> Answer:
    """Returns what DuckDB answers with the first budget of memory that is enough.

    Args:
        budgets: MB of memory, one try after the other.
        ask: asks DuckDB, given one of them.
        folder: where DuckDB puts what does not fit into memory.
        wanted: the beginning of the sentence that says what takes more than the last budget.

    Raises:
        NotEnoughMemory: no budget was enough.
        StoreUnusable: the folder has no room.

    """
    for memory in budgets:
        try:
            return ask(memory)
        # The second is what a commit raises that has no memory.
        except (duckdb.OutOfMemoryException, duckdb.TransactionException):
            continue
        except duckdb.Error as error:
            said = str(error).partition("\n")[0]
            raise StoreUnusable(f"{folder}: {said}; see that it has room") from error
    raise NotEnoughMemory(
        f"{wanted} more than {budgets[-1]} MB of memory; give it more "
        f"(-s DETECTION_MEMORY={2 * budgets[-1]}), or name fewer sites"
    )
