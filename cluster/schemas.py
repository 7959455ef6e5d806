"""The columns of what stages hand on, as Arrow has them; Spark's are made of these."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

NUMBERS: Final = pa.list_(pa.int64())


def _rows_of(*names: str) -> pa.ListType:
    """Rows of numbers inside of a row."""
    return pa.list_(pa.struct([(name, pa.int64()) for name in names]))


RECORDS: Final = pa.schema(
    [
        ("kind", pa.int8()),
        ("site", pa.int64()),
        ("site_name", pa.binary()),
        ("file", pa.int32()),
        ("place", pa.int32()),
        ("date", pa.int64()),
        ("url", pa.binary()),
        ("page", pa.int64()),
        ("normal", pa.int64()),
        ("refers_to", pa.int64()),
        ("host", pa.int64()),
        ("host_name", pa.binary()),
        ("status", pa.int32()),
        ("fingerprint", pa.int64()),
        ("shingle", pa.int64()),
        ("title", pa.binary()),
        ("flags", pa.string()),
        ("source", pa.binary()),
        ("sketches", NUMBERS),
        ("keys", pa.binary()),
        ("pagelets", NUMBERS),
        ("fragments", _rows_of("fragment", "sketch")),
        ("fragment_blocks", _rows_of("fragment", "block", "tag_path_key", "placed")),
        ("fragment_links", _rows_of("fragment", "target", "normal", "canonical")),
    ]
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

KNOWN: Final = pa.schema(
    [
        ("site", pa.int64()),
        ("kind", pa.int8()),
        ("url", pa.binary()),
        ("key", pa.int64()),
        ("pages", pa.int64()),
        ("share", pa.float64()),
        ("singletons", pa.float64()),
        ("frequency", pa.float64()),
        ("first", pa.int64()),
        ("page_set", pa.int64()),
        ("component", pa.int64()),
        ("name", pa.binary()),
        ("date", pa.int64()),
        ("status", pa.int32()),
        ("host", pa.int64()),
        ("flags", pa.string()),
        ("source", pa.binary()),
        ("sketches", NUMBERS),
        ("keys", pa.binary()),
    ]
)
"""What judging a site takes, in the order of kinds: what the site knows, and then its pages by address."""

HOST, BLOCK, PLACED, TAG_PATH, TEMPLATE, MEMBER, TITLE, LINK, DECIDED, OF_PAGE = range(10)
"""Kinds of rows of `KNOWN`."""

DOCUMENTS: Final = pa.schema(
    [
        ("site", pa.binary()),
        ("url", pa.binary()),
        ("line", pa.binary()),
        ("chars", pa.int64()),
        ("chars_kept", pa.int64()),
        ("fault", pa.string()),
    ]
)
"""One row a page that was judged: its Document as a line of JSON, or ``fault`` says why it has none."""
