"""Runs that have ended, for tests of what is told of them."""

from __future__ import annotations

from typing import Any

from store.runs import Run


def ended(number: int = 9, outcome: str | None = "complete", **counts: Any) -> Run:
    """A run of the night of that day, which took 40 s; ``__`` in the name of a count stands for ``/``."""
    return Run(
        number,
        f"2026-11-{number:02}T02:00:00+00:00",
        f"2026-11-{number:02}T02:00:40+00:00",
        outcome,
        {"spider": "site"},
        {},
        {name.replace("__", "/"): count for name, count in counts.items()},
    )
