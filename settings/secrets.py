"""Secrets in settings and keys of a site file, and how they are shown.

The schema says it of each key by its type (`settings.types.Hidden`); of settings that have no key, Scrapy's
and those of extensions, the name tells.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, get_args
from urllib.parse import unquote, urlsplit

from settings.schema import SCHEMA, Schema, table_of
from settings.types import Hidden, SchemaTable
from settings.values import json_of, masked

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from settings.locate import Place

HIDDEN: Final = "(hidden)"
"""What is shown in place of a secret."""

_BY_NAME: Final = re.compile(
    r"PASS|SECRET|TOKEN|CREDENTIAL|_KEY|API_?KEY|AUTHORIZATION|COOKIE\Z|_DSN\Z|_WEBHOOK\Z|_USER\Z|AUTH\Z"
)
_SHORTEST: Final = 6
"""Characters of a secret that is looked for in texts: shorter ones stand in many of them by chance."""
_PAIR: Final = re.compile(r"password\s*=\s*('(?:[^'\\]|\\.)*'|\S+)")


def _holds(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, SchemaTable):
        return any(map(_field_holds, annotation.model_fields.values()))
    return isinstance(annotation, Hidden) or any(map(_holds, get_args(annotation)))


def _field_holds(field: FieldInfo) -> bool:
    return _holds(field.annotation) or any(map(_holds, field.metadata))


def holds_secret(place: Place, schema: Schema = SCHEMA) -> bool:
    """Returns True if a place in a site file of the schema holds a secret, or a table around it does that has
    no such key.
    """
    table: type[SchemaTable] = schema.table
    field: FieldInfo | None = None
    for name in place:
        if isinstance(name, int):
            continue
        if place[0] == "settings" and len(place) > 1:
            return is_secret(str(place[1]), schema)
        field = table.model_fields.get(name)
        if field is None:
            return table is not schema.table and _holds(table)
        inner = table_of(field.annotation)
        if inner is None:
            break
        table = inner
    return field is not None and _field_holds(field)


def is_secret(setting: str, schema: Schema = SCHEMA) -> bool:
    """Returns True if a setting, which a key of the schema may set, holds a secret: a text,
    ``{"env": "VARIABLE"}``, or a dict of these.
    """
    key = schema.key_of.get(setting)
    return bool(_BY_NAME.search(setting)) if key is None else holds_secret(tuple(key.split(".")), schema)


def without_secrets(setting: str, value: Any, schema: Schema = SCHEMA) -> Any:
    """Returns the ``value`` of a ``setting`` as it may be shown, of plain types; of a secret by the
    ``schema`` it tells which variable it is in.
    """
    if _is_table(value) and is_secret(setting, schema):
        return {
            name: _origin(item) if _is_part(setting, name, schema) else _plain(item)
            for name, item in value.items()
        }
    return _origin(value) if value and is_secret(setting, schema) else _plain(value)


def secrets_in(setting: str, value: Any, schema: Schema = SCHEMA) -> list[Any]:
    """Returns the secret parts of a ``setting``'s ``value``, also in JSON; the ``schema`` has the keys."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):
            value = json_of(value)
    if _is_table(value):
        return [item for name, item in value.items() if _is_part(setting, name, schema)]
    return [value] if is_secret(setting, schema) else []


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) != {"env"}


def _is_part(setting: str, name: str, schema: Schema) -> bool:
    key = schema.key_of.get(setting)
    if key is None:
        return bool(_BY_NAME.search(setting) or _BY_NAME.search(str(name).upper()))
    return holds_secret((*key.split("."), name), schema)


def secret_texts(
    settings: Mapping[str, Any], environ: Mapping[str, str], schema: Schema = SCHEMA
) -> set[str]:
    """Returns what is secret by the ``schema`` of the ``settings``' values and of the variables of
    ``environ`` that they name, and the passwords in it, but the shortest.
    """
    texts: set[str] = set()
    for name in settings:
        for secret in secrets_in(name, settings[name], schema):
            for text in _leaves(secret, environ):
                texts |= {text, *_passwords(text)}
    return {text for text in texts if len(text) >= _SHORTEST}


def _leaves(value: Any, environ: Mapping[str, str]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and set(value) == {"env"}:
        yield environ.get(str(value["env"]), "")
    elif hasattr(value, "values"):
        for item in value.values():
            yield from _leaves(item, environ)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item, environ)


def _passwords(text: str) -> Iterator[str]:
    """The passwords in an address or in a connection string."""
    for value in _PAIR.findall(text):
        yield value.strip("'")
    try:
        password = urlsplit(text).password or ""
    except ValueError:
        return
    yield password
    yield unquote(password)


def _origin(secret: object) -> str:
    if isinstance(secret, dict) and set(secret) == {"env"}:
        return f"from environment variable {secret['env']}"
    return HIDDEN


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {
            masked(str(key)): HIDDEN if item and _BY_NAME.search(str(key).upper()) else _plain(item)
            for key, item in value.items()
        }
    if hasattr(value, "copy_to_dict"):
        return _plain(value.copy_to_dict())
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)
