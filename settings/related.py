"""Mistakes between settings that are right, each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pagelets.judging.by_url import conflicts, override_of
from pagelets.reading.fields import WrongField, extraction_of
from settings.mistakes import Wrong
from settings.values import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from settings.locate import Place


class Related(NamedTuple):
    """A mistake in a setting, at a place within it as a site file has it, that another setting makes one."""

    setting: str
    within: Place
    wrong: Wrong


def related(settings: Mapping[str, Any]) -> Iterator[Related]:
    """Compares settings in their normal form. Of those that are not given nothing is known."""
    yield from _templates(settings)
    yield from _bounds(settings)
    yield from _overrides(settings)
    yield from _credentials(settings)
    yield from _extract(settings)


def _templates(settings: Mapping[str, Any]) -> Iterator[Related]:
    pinned = set(settings.get("PINNED_TEMPLATES", ()))
    for number, name in enumerate(settings.get("REJECTED_TEMPLATES", ())):
        if name in pinned:
            wrong = Wrong(shown(name), "is pinned as well; take it from one of the lists")
            yield Related("REJECTED_TEMPLATES", (number,), wrong)


def _bounds(settings: Mapping[str, Any]) -> Iterator[Related]:
    least, most = settings.get("REVISIT_MIN"), settings.get("REVISIT_MAX")
    wrong = _bounded(least, most)
    if wrong is not None:
        yield Related("REVISIT_MAX" if most else "REVISIT_MIN", (), wrong)
    for number, override in enumerate(settings.get("OVERRIDES", ())):
        if not override.get("revisit_min") and not override.get("revisit_max"):
            continue
        # The whole site has a bound that an override lacks.
        wrong = _bounded(override.get("revisit_min", least), override.get("revisit_max", most))
        if wrong is not None:
            name = "max" if override.get("revisit_max") else "min"
            yield Related("OVERRIDES", (number, "revisit", name), wrong)


def _bounded(least: float | None, most: float | None) -> Wrong | None:
    if least and most == 0:
        return Wrong(None, f"min {least:g} s says nothing without max; give max, the longest time")
    if least and most and least > most:
        return Wrong(None, f"max {most:g} s is less than min {least:g} s; give two that fit")
    return None


def _overrides(settings: Mapping[str, Any]) -> Iterator[Related]:
    for first, second, key in conflicts([override_of(table) for table in settings.get("OVERRIDES", ())]):
        within = ("revisit", key.removeprefix("revisit_")) if key.startswith("revisit_") else (key,)
        what = f"conflicts with overrides[{first}], which has the same pattern and priority; "
        wrong = Wrong(None, f"{what}give one of them a higher priority")
        yield Related("OVERRIDES", (second, *within), wrong)


def _extract(settings: Mapping[str, Any]) -> Iterator[Related]:
    """Descriptions of one field that do not go together."""
    given, overrides = settings.get("EXTRACT") or {}, settings.get("OVERRIDES") or ()
    try:
        extraction_of(given, overrides)
    except WrongField as error:
        yield Related("EXTRACT" if given else "OVERRIDES", (), Wrong(None, str(error)))


def _credentials(settings: Mapping[str, Any]) -> Iterator[Related]:
    first: dict[str, str] = {}
    for name in settings.get("REQUEST_HEADERS", ()):
        before = first.setdefault(name.lower(), name)
        if before != name:
            wrong = Wrong(None, f"is the same header as {before!r}; keep one")
            yield Related("REQUEST_HEADERS", (name,), wrong)
    if "authorization" in first and settings.get("REQUEST_AUTH"):
        wrong = Wrong(None, "is what auth sends; keep one of the two")
        yield Related("REQUEST_HEADERS", (first["authorization"],), wrong)
