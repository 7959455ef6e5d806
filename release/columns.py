"""Documents as columns: the type of each field of a Document, for tables of them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pagelets.fields import TEXTS
from pagelets.registry import OURS, Registry

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pagelets.fields import DocumentField

LONE: Final = re.compile("[\ud800-\udfff]")
"""Finds surrogates without their other half, which no file in UTF-8 holds."""

_TEXTS: Final = pa.list_(pa.string())
_BLOCK: Final = pa.struct(
    [
        ("text", pa.string()),
        ("kept", pa.bool_()),
        ("reason", pa.string()),
        ("score", pa.float64()),
        ("evidence", pa.map_(pa.string(), pa.float64())),
    ]
)
_TYPES: Final[Mapping[str, pa.DataType]] = {
    "sections": pa.list_(pa.struct([("heading", _TEXTS), ("text", pa.string())])),
    "links": pa.list_(pa.struct([("url", pa.string()), ("text", pa.string()), ("template", pa.bool_())])),
    "status": pa.int32(),
    "fetched_at": pa.timestamp("ms", "UTC"),
    "stats": pa.struct(
        [
            *((name, pa.int64()) for name in ("chars", "chars_kept", "blocks", "blocks_kept")),
            *((name, pa.int64()) for name in ("pagelets", "pagelets_template")),
            ("flags", _TEXTS),
        ]
    ),
    "passages": _TEXTS,
    "pagelets": pa.list_(
        pa.struct(
            [
                ("index", pa.int32()),
                ("path", pa.string()),
                ("text", pa.string()),
                ("kept", pa.float64()),
                ("reason", pa.string()),
                ("template", pa.int32()),
                ("support", pa.struct([("pages", pa.int32()), ("share", pa.float64())])),
                ("blocks", pa.list_(_BLOCK)),
            ]
        )
    ),
}
"""The types of a Document's fields that are no texts."""
_OF_ADDED: Final[Mapping[Any, pa.DataType]] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    TEXTS: _TEXTS,
    "boolean": pa.bool_(),
    "number": pa.float64(),
}


def schema_of(names: Collection[str], registry: Registry = OURS) -> pa.Schema:
    """The columns of these fields, which the registry knows."""
    added = {one.name: _type(one) for one in registry.fields_for(names)}
    return pa.schema([(name, ({**_TYPES, **added}).get(name, pa.string())) for name in names])


def _type(added: DocumentField) -> pa.DataType:
    kind = _OF_ADDED.get(added.type, pa.string())
    return pa.list_(kind) if added.column.many and kind != _TEXTS else kind


def as_column(name: str, value: Any) -> Any:
    """The value of a field as its column holds it."""
    return datetime.fromisoformat(value) if value and name == "fetched_at" else replaced(value, LONE)


def replaced(value: Any, wrong: re.Pattern[str]) -> Any:
    """A value with what a format does not have as U+FFFD, in all its texts."""
    if isinstance(value, str):
        return wrong.sub("\ufffd", value)
    if isinstance(value, list):
        return [replaced(one, wrong) for one in value]
    if isinstance(value, dict):
        return {key: replaced(one, wrong) for key, one in value.items()}
    return value
