"""Floors under figures of quality: no figure may fall below its floor, and no floor falls by itself."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SLACK: Final = 0.005
"""A floor lies so far below what was measured: as far as a change may lead to in passing."""
DIGITS: Final = 3
ADVICE: Final = (
    "Where that is meant: `pytest tests/quality/test_gate.py --pin-floors` raises the floors of figures\n"
    "that have risen, and pins those of new figures; with `--lower-floors` instead it also lowers the\n"
    "floors that figures fell below, and drops those without a figure. Both write\n"
    "tests/quality/floors.json: say in the commit why."
)


@dataclass(slots=True, frozen=True)
class Floors:
    """Of one sample of pages: the method whose figures are held, and the floor of each figure by its name."""

    method: str
    values: Mapping[str, float]


def floor_under(figure: float) -> float:
    """The floor to pin for a figure: rounded down, less `SLACK`, and not below 0."""
    scale = 10**DIGITS
    return max(0.0, round(math.floor(figure * scale) / scale - SLACK, DIGITS))


def complaints(measured: Floors, floors: Floors) -> list[str]:
    """What is wrong with the figures ``measured``, a line each; none where all hold."""
    found = []
    if floors.values and measured.method != floors.method:
        found.append(f"the floors are those of {floors.method!r}, and {measured.method!r} was measured")
    for name, figure in measured.values.items():
        floor = floors.values.get(name)
        if floor is None:
            found.append(f"{name}: measured {figure:.5f}, but has no floor")
        elif figure < floor:
            found.append(f"{name}: measured {figure:.5f}, below its floor of {floor:.{DIGITS}f}")
    found += [
        f"{name}: has a floor of {floor:.{DIGITS}f}, but was not measured"
        for name, floor in floors.values.items()
        if name not in measured.values
    ]
    return found


def pinned(measured: Floors, floors: Floors, *, lower: bool) -> Floors:
    """The floors after figures are pinned, in the order of the figures.

    New figures get a floor, and floors rise. With ``lower``, a floor that its figure fell below is lowered
    too, and one without a figure is dropped. A floor that still holds is never lowered.
    """
    values = {}
    for name, figure in measured.values.items():
        old, new = floors.values.get(name), floor_under(figure)
        values[name] = new if old is None or new > old or (lower and figure < old) else old
    if not lower:
        values.update({name: floor for name, floor in floors.values.items() if name not in values})
    return replace(floors, method=measured.method, values=values)


def hold(path: Path, sample: str, measured: Floors, *, pin: bool = False, lower: bool = False) -> str:
    """Says what is wrong with the figures of a sample, and what can be done; empty where all hold.

    With ``pin`` or ``lower``, the floors in the file are pinned first (see `pinned`).
    """
    floors = read(path, sample)
    if pin or lower:
        floors = pinned(measured, floors, lower=lower)
        write(path, sample, floors)
    found = complaints(measured, floors)
    return "\n".join([f"figures of the sample {sample!r}:", *found, ADVICE]) if found else ""


def read(path: Path, sample: str) -> Floors:
    """The floors of a sample; none where it has none yet."""
    floors = _content(path).get(sample, {"method": "", "floors": {}})
    return Floors(floors["method"], floors["floors"])


def write(path: Path, sample: str, floors: Floors) -> None:
    """Puts the floors of a sample in place of its former ones; all else in the file stays."""
    content = {**_content(path), sample: {"method": floors.method, "floors": dict(floors.values)}}
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _content(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
