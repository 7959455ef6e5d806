"""Documents as columns: the type of each field of a Document, for tables of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import pyarrow as pa

from pagelets.fields import DocumentField, moment_of
from pagelets.frames import arrow_types
from pagelets.registry import OURS, Registry
from pagelets.text.surrogates import replaced

_MOMENT: Final = pa.timestamp("ms", "UTC")
_TEXT, _NUMBER, _COUNT, _WEIGHTS = pa.string(), pa.float64(), pa.int32(), pa.map_(pa.string(), pa.float64())
_BLOCK: Final = pa.struct(
    {"text": _TEXT, "kept": pa.bool_(), "reason": _TEXT, "score": _NUMBER, "evidence": _WEIGHTS}
)
_SUPPORT: Final = pa.struct({"pages": _COUNT, "share": _NUMBER})
_PAGELET: Final = pa.struct(
    {"index": _COUNT, "path": _TEXT, "text": _TEXT, "kept": _NUMBER, "reason": _TEXT, "template": _COUNT}
    | {"support": _SUPPORT, "blocks": pa.list_(_BLOCK)}
)
_TYPES: Final[Mapping[str, pa.DataType]] = {
    **arrow_types(),
    "fetched_at": _MOMENT,
    "pagelets": pa.list_(_PAGELET),
}
"""The types of a Document's fields that are no texts."""
_OF_COLUMNS: Final[Mapping[str, pa.DataType]] = {"boolean": pa.bool_(), "number": _NUMBER, "date": _MOMENT}
"""The types of fields that are not ours and no texts."""


def schema_of(names: Collection[str], registry: Registry = OURS) -> pa.Schema:
    """The columns of these fields, which the registry knows."""
    added = {field.name: _type(field) for field in registry.fields_for(names)}
    return pa.schema([(name, ({**_TYPES, **added}).get(name, pa.string())) for name in names])


def _type(added: DocumentField) -> pa.DataType:
    kind = pa.int64() if added.type is int else _OF_COLUMNS.get(added.column.type, pa.string())
    return pa.list_(kind) if added.column.many else kind


def as_column(value: Any, kind: pa.DataType) -> Any:
    """Returns the value of a field as a column of a type holds it.

    A date without a time zone is in UTC; None stands in place of a malformed one, and of a whole number of
    more than 64 bits.
    """
    if pa.types.is_list(kind) and isinstance(value, list) and pa.types.is_timestamp(kind.value_type):
        return [item for item in (as_column(item, kind.value_type) for item in value) if item is not None]
    if pa.types.is_timestamp(kind):
        return moment_of(value or "")
    if pa.types.is_int64(kind) and value is not None and not -(1 << 63) <= value < 1 << 63:
        return None
    return replaced(value)
