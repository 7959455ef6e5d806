"""Secrets among settings, which are not shown: the schema tells them by the types of keys
(`settings.types.Hidden`); of settings without a key, Scrapy's and those of extensions, the name does.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args
from urllib.parse import unquote, urlsplit

from pydantic.fields import FieldInfo

from settings.tables import SCHEMA, Schema
from settings.types import Hidden, SchemaTable
from settings.values import Place, json_of, masked

HIDDEN: Final = "(hidden)"
"""What is shown in place of a secret."""
_BY_NAME: Final = re.compile(
    r"PASS|SECRET|TOKEN|CREDENTIAL|_KEY|API_?KEY|AUTHORIZATION|COOKIE\Z|_DSN\Z|_WEBHOOK\Z|_USER\Z|AUTH\Z"
)
_SHORTEST: Final = 6
"""Characters of a secret that is looked for in texts: shorter ones stand in many of them by chance."""
_PAIR: Final = re.compile(r"password\s*=\s*('(?:[^'\\]|\\.)*'|\S+)")


def _holds(kind: Any) -> bool:
    parts: Any = get_args(kind)
    if isinstance(kind, FieldInfo):
        parts = (kind.annotation, *kind.metadata)
    elif isinstance(kind, type) and issubclass(kind, SchemaTable):
        parts = kind.model_fields.values()
    return isinstance(kind, Hidden) or any(map(_holds, parts))


def holds_secret(place: Place, schema: Schema = SCHEMA) -> bool:
    """Returns True if a place in a site file, or the table around an unknown one, holds a secret."""
    names = [part for part in place if isinstance(part, str)]
    if len(names) > 1 and names[0] == "settings":
        return is_secret(names[1], schema)
    while names and ".".join(names) not in schema.keys:
        names.pop()
    return bool(names) and _holds(schema.keys[".".join(names)])


def is_secret(setting: str, schema: Schema = SCHEMA, *within: str) -> bool:
    """Returns True if a ``setting``, or a part ``within``, is secret by the ``schema`` or its name."""
    key = schema.key_of.get(setting)
    if key is None:
        return any(_BY_NAME.search(name.upper()) for name in (setting, *within))
    return holds_secret((*key.split("."), *within), schema)


def without_secrets(setting: str, value: Any, schema: Schema = SCHEMA) -> Any:
    """Returns the ``value`` of a ``setting`` as it may be shown by the ``schema``, of plain types."""
    if not value or not is_secret(setting, schema):
        return _plain(value)
    if not _is_table(value):
        return _origin(value)
    return {
        name: _origin(item) if is_secret(setting, schema, str(name)) else _plain(item)
        for name, item in value.items()
    }


def secrets_in(setting: str, value: Any, schema: Schema = SCHEMA) -> list[Any]:
    """Returns the secret parts of a ``setting``'s ``value``, also in JSON; the ``schema`` has the keys."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):
            value = json_of(value)
    if _is_table(value):
        return [
            item
            for name, item in value.items()
            # The order of a component is not secret, whatever the name of its class.
            if not (isinstance(item, int) and "." in str(name)) and is_secret(setting, schema, str(name))
        ]
    return [value] if is_secret(setting, schema) else []


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) != {"env"}


def secret_texts(
    settings: Mapping[str, Any], environ: Mapping[str, str], schema: Schema = SCHEMA
) -> set[str]:
    """Returns the longer secrets in ``settings`` by the ``schema``, with those in ``environ``."""
    secrets = (secret for name in settings for secret in secrets_in(name, settings[name], schema))
    whole = {text for secret in secrets for text in _leaves(secret, environ)}
    texts = whole.union(*map(_passwords, whole))
    return {text for text in texts if len(text) >= _SHORTEST}


def _leaves(value: Any, environ: Mapping[str, str]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and set(value) == {"env"}:
        yield environ.get(str(value["env"]), "")
    elif hasattr(value, "values") or isinstance(value, list | tuple):
        for item in value.values() if hasattr(value, "values") else value:
            yield from _leaves(item, environ)


def _passwords(text: str) -> Iterator[str]:
    """The passwords in an address or in a connection string."""
    yield from (value.strip("'") for value in _PAIR.findall(text))
    with contextlib.suppress(ValueError):
        password = urlsplit(text).password or ""
        yield from (password, unquote(password))


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
