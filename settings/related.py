"""Mistakes between settings that are right, each by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pagelets.judging.by_url import conflicts, override_of
from pagelets.reading.fields import WrongField, extraction_of
from settings.values import shown

if TYPE_CHECKING:
    from settings.locate import Place


class Related(NamedTuple):
    """A mistake in a setting, at a place within it as a site file has it, that another setting makes one."""

    setting: str
    within: Place
    text: str


def related(settings: Mapping[str, Any]) -> Iterator[Related]:
    """Compares settings in their normal form. Of those that are not given nothing is known."""
    overrides = settings.get("OVERRIDES") or ()
    pinned = settings.get("PINNED_TEMPLATES", ())
    for number, name in enumerate(settings.get("REJECTED_TEMPLATES", ())):
        if name in pinned:
            what = f"value {shown(name)}: is pinned as well; take it from one of the lists"
            yield Related("REJECTED_TEMPLATES", (number,), what)
    yield from _bounds(settings, overrides)
    for first, second, key in conflicts([override_of(table) for table in overrides]):
        within = ("revisit", key.removeprefix("revisit_")) if key.startswith("revisit_") else (key,)
        what = f"conflicts with overrides[{first}], which has the same pattern and priority"
        yield Related("OVERRIDES", (second, *within), f"{what}; give one of them a higher priority")
    yield from _credentials(settings)
    extract = settings.get("EXTRACT") or {}
    try:
        extraction_of(extract, overrides)
    except WrongField as error:
        yield Related("EXTRACT" if extract else "OVERRIDES", (), str(error))


def _bounds(settings: Mapping[str, Any], overrides: Sequence[Mapping[str, Any]]) -> Iterator[Related]:
    least, most = settings.get("REVISIT_MIN"), settings.get("REVISIT_MAX")
    if what := _out_of_bounds(least, most):
        yield Related("REVISIT_MAX" if most else "REVISIT_MIN", (), what)
    for number, override in enumerate(overrides):
        if not override.get("revisit_min") and not override.get("revisit_max"):
            continue
        # The whole site has a bound that an override lacks.
        if what := _out_of_bounds(override.get("revisit_min", least), override.get("revisit_max", most)):
            name = "max" if override.get("revisit_max") else "min"
            yield Related("OVERRIDES", (number, "revisit", name), what)


def _out_of_bounds(least: float | None, most: float | None) -> str | None:
    if least and most == 0:
        return f"min {least:g} s says nothing without max; give max, the longest time"
    if least and most and least > most:
        return f"max {most:g} s is less than min {least:g} s; give two that fit"
    return None


def _credentials(settings: Mapping[str, Any]) -> Iterator[Related]:
    first: dict[str, str] = {}
    for name in settings.get("REQUEST_HEADERS", ()):
        if (before := first.setdefault(name.lower(), name)) != name:
            yield Related("REQUEST_HEADERS", (name,), f"is the same header as {before!r}; keep one")
    if "authorization" in first and settings.get("REQUEST_AUTH"):
        yield Related("REQUEST_HEADERS", (first["authorization"],), "is what auth sends; keep one of the two")
