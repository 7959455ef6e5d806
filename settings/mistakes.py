"""Mistakes in values of settings, and between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from pagelets.judging.by_url import conflicts, override_of
from pagelets.reading.fields import WrongField, extraction_of
from settings.errors import WrongSetting, removed
from settings.secrets import HIDDEN, holds_secret
from settings.tables import SCHEMA, Schema, SiteTable, table_of
from settings.types import SchemaTable, plain
from settings.values import Place, key_text, nearest, shown

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_TABLE: Final = "is no table; write NAME = VALUE lines below a [header], or {{ NAME = VALUE }}"
_WANTED: Final = {
    "bool_type": "is not true or false; write one of them, without quotes",
    "int_type": "is no integer; give a whole number such as 5, without quotes",
    "float_type": "is no number; give one such as 0.5, without quotes",
    "string_type": 'is no text; write it in quotes: "..."',
    "list_type": 'is no list; write ["one", "two"]',
    "dict_type": "is no table; write NAME = VALUE lines below a [header]",
    "model_type": _TABLE,
    "model_attributes_type": _TABLE,
    "finite_number": "is no finite number; give one such as 0.5",
    "too_short": "is empty; give at least one",
    "greater_than_equal": "is too small; give at least {ge}",
    "greater_than": "is too small; give more than {gt}",
    "less_than_equal": "is too large; give at most {le}",
    "value_error": "{error}",
}
"""Messages by pydantic's types of mistakes, with the fields of their contexts."""
_NO_OVERRIDE: Final = {"type": "begins", "pattern": "/"}


def validated(
    values: Mapping[str, Any], environ: Mapping[str, str] | None, schema: Schema
) -> tuple[SiteTable, dict[Place, str]]:
    """Returns the right keys of ``values`` by the ``schema`` and ``environ``, and mistakes by place."""
    context = {"environ": environ, "registry": schema.registry, "extracted": _extracted(values)}
    try:
        return schema.table.model_validate(dict(values), context=context), {}
    except ValidationError as error:
        wrong = _mistakes(error, values, schema)
    return schema.table.model_validate(_without(values, wrong), context=context), wrong


def checked(setting: str, value: Any, schema: Schema, environ: Mapping[str, str] | None = None) -> Any:
    """Returns the normal form of a ``value`` of a ``setting`` of the ``schema``; variables that it names have
    to be in ``environ``, if that is given. Raises ValueError.
    """
    try:
        context = {"registry": schema.registry, "environ": environ}
        return plain(_adapter(schema.fields[setting]).validate_python(value, context=context))
    except ValidationError as error:
        root = schema.place_of(setting)
        place, mistake = next(iter(_mistakes(error, value, schema, root).items()))
        within = key_text(place[len(root) :])
        raise ValueError(f"{within}: {mistake}" if within else mistake) from None


@cache
def _adapter(field: FieldInfo) -> TypeAdapter[Any]:
    config = None if table_of(field.annotation) is field.annotation else ConfigDict(strict=True)
    kind: Any = Annotated[field.annotation, *field.metadata, None]
    return TypeAdapter(kind, config=config)


def _mistakes(error: ValidationError, values: Any, schema: Schema, root: Place = ()) -> dict[Place, str]:
    """Returns mistakes in the values at ``root`` by place; at the root itself without the value."""
    wrong: dict[Place, str] = {}
    for detail in error.errors(include_url=False):
        place = (*root, *_reached(detail, values))
        wrong.setdefault(place, _message(detail, place, schema) if place != root else _what(detail))
    return wrong


def _extracted(values: Mapping[str, Any]) -> set[str]:
    """The names of the fields that a site file extracts."""
    extract = values.get("extract")
    tables = [extract, *(override.get("extract") for override in _tables(values.get("overrides")))]
    tables += _tables(extract.get("pages")) if isinstance(extract, dict) else []
    return {name for table in tables if isinstance(table, dict) for name in table}


def _tables(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _reached(detail: ErrorDetails, values: Any) -> Place:
    """The part of an error's place that is in the file: a text may stand for a list of one."""
    parts = [part for part in detail["loc"] if part != "[key]"]
    for length, part in enumerate(parts):
        there = values if isinstance(values, dict) else range(len(values)) if isinstance(values, list) else ()
        if part not in there:
            missing = detail["type"] == "missing" and isinstance(values, dict) and length + 1 == len(parts)
            return tuple(parts[: length + missing])
        values = values[part]
    return tuple(parts)


def _without(values: Mapping[str, Any], wrong: Mapping[Place, str]) -> dict[str, Any]:
    """The values without wrong ones: tables keep other keys, overrides their places; other lists go whole."""
    kept: dict[str, Any] = {}
    for key, value in values.items():
        inner = {place[1:]: text for place, text in wrong.items() if place[0] == key}
        if not inner:
            kept[key] = value
        elif () not in inner and isinstance(value, dict) and key != "auth":
            kept[key] = _without(value, inner)
        elif () not in inner and key == "overrides":
            places = {place[0] for place in inner}
            kept[key] = [_NO_OVERRIDE if place in places else item for place, item in enumerate(value)]
    return kept


def _message(detail: ErrorDetails, place: Place, schema: Schema) -> str:
    if detail["type"] == "extra_forbidden":
        gone = removed("key", ".".join(part for part in place if isinstance(part, str)))
        return gone or f"unknown key; {_nearest_key(place, schema)}"
    if detail["type"] == "missing":
        return "is missing; give it"
    return f"value {value_of(place, detail['input'], schema)}: {_what(detail)}"


def _what(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    if detail["type"] == "literal_error":
        names = [part.strip("' ") for part in context["expected"].replace(" or ", ", ").split(",")]
        return f"is none of {', '.join(names)}; {nearest(str(detail['input']), names)}"
    what = _WANTED.get(detail["type"]) or "{msg}; see docs/site-files.md"
    return what.format(**{**context, "msg": detail["msg"]})


def value_of(place: Place, value: Any, schema: Schema = SCHEMA) -> str:
    """Returns the ``value`` at a ``place`` for a message; hidden if the ``schema`` says that it is secret."""
    return HIDDEN if holds_secret(place, schema) else shown(value)


def _nearest_key(place: Place, schema: Schema) -> str:
    """The mend for a key that does not exist: the nearest of its table, else of the whole file."""
    *parents, name = place
    table: type[SchemaTable] = schema.table
    for part in parents:
        if isinstance(part, str):
            table = table_of(table.model_fields[part].annotation) or table
    elsewhere = {key.rpartition(".")[2]: key for key in reversed([*schema.keys])}
    near = get_close_matches(str(name), elsewhere, 1, 0.8)
    if near and (near[0] == name or not get_close_matches(str(name), table.model_fields, 1)):
        where = " before the first [table]" if parents and "." not in elsewhere[near[0]] else ""
        return f"did you mean {elsewhere[near[0]]!r}{where}?"
    return nearest(str(name), table.model_fields)


def related(settings: Mapping[str, Any]) -> Iterator[WrongSetting]:
    """Compares settings in their normal form. Of those that are not given nothing is known."""
    overrides = settings.get("OVERRIDES") or ()
    pinned = settings.get("PINNED_TEMPLATES", ())
    for number, name in enumerate(settings.get("REJECTED_TEMPLATES", ())):
        if name in pinned:
            what = f"value {shown(name)}: is pinned as well; take it from one of the lists"
            yield WrongSetting("REJECTED_TEMPLATES", what, number)
    yield from _bounds(settings, overrides)
    for first, second, key in conflicts([override_of(table) for table in overrides]):
        within = ("revisit", key.removeprefix("revisit_")) if key.startswith("revisit_") else (key,)
        what = f"conflicts with overrides[{first}], which has the same pattern and priority"
        yield WrongSetting("OVERRIDES", f"{what}; give one of them a higher priority", second, *within)
    yield from _credentials(settings)
    extract = settings.get("EXTRACT") or {}
    try:
        extraction_of(extract, overrides)
    except WrongField as error:
        yield WrongSetting("EXTRACT" if extract else "OVERRIDES", str(error))


def _bounds(settings: Mapping[str, Any], overrides: Sequence[Mapping[str, Any]]) -> Iterator[WrongSetting]:
    least, most = settings.get("REVISIT_MIN"), settings.get("REVISIT_MAX")
    if what := _out_of_bounds(least, most):
        yield WrongSetting("REVISIT_MAX" if most else "REVISIT_MIN", what)
    for number, override in enumerate(overrides):
        if not override.get("revisit_min") and not override.get("revisit_max"):
            continue
        # The whole site has a bound that an override lacks.
        if what := _out_of_bounds(override.get("revisit_min", least), override.get("revisit_max", most)):
            name = "max" if override.get("revisit_max") else "min"
            yield WrongSetting("OVERRIDES", what, number, "revisit", name)


def _out_of_bounds(least: float | None, most: float | None) -> str | None:
    if least and most == 0:
        return f"min {least:g} s says nothing without max; give max, the longest time"
    if least and most and least > most:
        return f"max {most:g} s is less than min {least:g} s; give two that fit"
    return None


def _credentials(settings: Mapping[str, Any]) -> Iterator[WrongSetting]:
    first: dict[str, str] = {}
    for name in settings.get("REQUEST_HEADERS", ()):
        if (before := first.setdefault(name.lower(), name)) != name:
            yield WrongSetting("REQUEST_HEADERS", f"is the same header as {before!r}; keep one", name)
    if "authorization" in first and settings.get("REQUEST_AUTH"):
        what = "is what auth sends; keep one of the two"
        yield WrongSetting("REQUEST_HEADERS", what, first["authorization"])
