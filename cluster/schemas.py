"""The columns of what stages hand on, as Arrow has them; Spark's are made of these."""

from __future__ import annotations

from typing import Final

import pyarrow as pa


def _rows_of(*names: str) -> pa.ListType:
    """Rows of numbers inside of a row."""
    return pa.list_(pa.struct([(name, pa.int64()) for name in names]))


_TYPES: Final = {
    "numbers": pa.list_(pa.int64()),
    "fragments": _rows_of("fragment", "sketch"),
    "fragment_blocks": _rows_of("fragment", "block", "tag_path_key", "placed"),
    "fragment_links": _rows_of("fragment", "target", "normal", "canonical"),
}
"""The types of columns that Arrow has no word for."""


def _schema(columns: str) -> pa.Schema:
    """Returns the schema of columns, each a name with its type."""
    pairs = (column.split() for column in columns.split(","))
    return pa.schema([(name, _TYPES.get(kind) or pa.type_for_alias(kind)) for name, kind in pairs])


RECORDS: Final = _schema(
    "kind int8, site int64, site_name binary, file int32, place int32, date int64, url binary, page int64, "
    "normal int64, refers_to int64, host int64, host_name binary, status int32, fingerprint int64, "
    "shingle int64, title binary, flags string, source binary, sketches numbers, keys binary, "
    "pagelets numbers, fragments fragments, fragment_blocks fragment_blocks, fragment_links fragment_links"
)
"""One row a record of an archive (`cluster.records`): a page with all that its site counts it by."""

PAGE: Final = 0
"""A page of HTML."""
ANSWER: Final = 1
"""Another answer at an address: a redirect, an error, an image."""
REVISIT: Final = 2
"""A record that says that a page is as another archive has it, at the address ``refers_to``."""
SKIPPED: Final = 3
"""A record that cannot be used; ``flags`` says why, ``url`` names it if known."""

KNOWN: Final = _schema(
    "site int64, kind int8, url binary, key int64, pages int64, share float64, singletons float64, "
    "frequency float64, first int64, page_set int64, component int64, name binary, date int64, "
    "status int32, host int64, flags string, source binary, sketches numbers, keys binary"
)
"""What judging a site takes, in the order of kinds: what the site knows, and then its pages by address."""

HOST, BLOCK, PLACED, TAG_PATH, TEMPLATE, MEMBER, TITLE, LINK, DECIDED, OF_PAGE = range(10)
"""Kinds of rows of `KNOWN`."""

DOCUMENTS: Final = _schema(
    "site binary, url binary, line binary, chars int64, chars_kept int64, fault string"
)
"""One row a page that was judged: its Document as a line of JSON, or ``fault`` says why it has none."""
