"""A site's index for OpenSearch and Elasticsearch: its names, its mapping, and its entries."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from typing import TYPE_CHECKING, Any, Final

from search.columns import as_moment, as_rows, keys, one_or_many, shown
from search.sink import PAGELETS, Unit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagelets.fields import FieldColumn

VERSION: Final = 1
"""Of the index template: goes up where the mapping changes."""

PREFIX: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,49}\Z")
"""What index names may begin with, with room for the rest of the 255 bytes that they may have."""

_PRIORITY: Final = 200
"""Of the index template: above those that the servers bring along (100)."""
_MADE: Final = r"-\d{14}-[0-9a-f]{8}"
"""The end of an index's name after its alias."""
_PLAIN: Final = re.compile(r"[a-z0-9._-]{1,120}\Z")
_LIKE_AN_INDEX: Final = re.compile(rf".*{_MADE}\Z")
_LONGEST_SITE: Final = 120

# A term has at most 32,766 bytes, and a character four at most.
_KEYWORD: Final = {"type": "keyword", "ignore_above": 8191}
_DATE: Final = {"type": "date", "format": "strict_date_optional_time", "ignore_malformed": True}
_TEXT: Final = {"type": "text", "analyzer": "standard"}

_OF_TYPES: Final = {
    "number": {"type": "double"},
    "date": {"type": "date", "format": "strict_date_optional_time"},
    "boolean": {"type": "boolean"},
    "html": _TEXT,
}
"""The mappings of fields that are not compared as texts."""

MAPPINGS: Final[dict[str, Any]] = {
    "dynamic": False,
    "properties": {
        "document": {"type": "keyword"},
        "position": {"type": "integer"},
        "url": {
            **_KEYWORD,
            "fields": {"tree": {"type": "text", "analyzer": "url_tree", "search_analyzer": "keyword"}},
        },
        "site": _KEYWORD,
        "title": _TEXT,
        "headings": _TEXT,
        "text": _TEXT,
        "language": _KEYWORD,
        "author": {**_TEXT, "fields": {"keyword": _KEYWORD}},
        "published": _DATE,
        "canonical_url": _KEYWORD,
        "fetched_at": _DATE,
        "content_hash": {"type": "keyword", "index": False, "doc_values": False},
    },
}

SETTINGS: Final[dict[str, Any]] = {
    "index": {
        "number_of_shards": 1,
        "analysis": {
            "tokenizer": {"url_levels": {"type": "path_hierarchy"}},
            "filter": {
                # A URL of ten thousand slashes has as many levels, of fifty million characters together.
                "url_depth": {"type": "limit", "max_token_count": 32},
                "url_length": {"type": "truncate", "length": 1024},
            },
            "analyzer": {
                "url_tree": {
                    "type": "custom",
                    "tokenizer": "url_levels",
                    "filter": ["url_depth", "url_length"],
                }
            },
        },
    }
}


def template_name(prefix: str) -> str:
    """The name of the index template for a prefix."""
    return f"{prefix}units"


def template(prefix: str) -> dict[str, Any]:
    """The composable index template for all indexes whose names begin with a prefix.

    Of two prefixes one of which begins with the other the longer one counts: servers refuse templates that
    match the same names with the same priority.
    """
    return {
        "index_patterns": [f"{prefix}*"],
        "priority": _PRIORITY + len(prefix),
        "version": VERSION,
        "_meta": {"description": "units of crawled sites"},
        "template": {"settings": SETTINGS, "mappings": MAPPINGS},
    }


def alias_of(prefix: str, site: str) -> str:
    """The alias of a site's index: the prefix and the site's name, in lower case. No two sites share one.

    A name that cannot be part of an index's name as it is, or that could be an index's, gets a ``~``, which
    no site has, and a fingerprint after it.
    """
    if _PLAIN.match(site) and not _LIKE_AN_INDEX.match(site):
        return prefix + site
    safe = re.sub(r"[^a-z0-9._-]", "-", site.lower())[:_LONGEST_SITE]
    return f"{prefix}{safe}~{hashlib.blake2b(site.encode(), digest_size=8).hexdigest()}"


def new_index(alias: str) -> str:
    """A name for a new index behind an alias."""
    return f"{alias}-{time.strftime('%Y%m%d%H%M%S', time.gmtime())}-{secrets.token_hex(4)}"


def is_index_of(alias: str, name: str) -> bool:
    """Returns True if a name is one of `new_index` for the alias."""
    return re.fullmatch(re.escape(alias) + _MADE, name) is not None


OF_PAGELETS: Final[dict[str, Any]] = {"pagelet": _TEXT}
"""What an index of pagelets has beside `MAPPINGS`: their texts. A field is counted by itself: in one with the
pages', no word would be as rare and no text as long as it is among pages.
"""


def mapped(columns: Iterable[FieldColumn]) -> dict[str, Any]:
    """The mapping of fields that are not ours."""
    return {column.name: _OF_TYPES.get(column.type, _KEYWORD) for column in columns}


def value_of(column: FieldColumn, value: Any) -> Any:
    """A field's value as an entry has it: a text whole, others as they are compared; None without one."""
    values: list[Any] = list(keys(column, value))
    if column.type == "date":
        values = [as_moment(item).isoformat(timespec="milliseconds") for item in values]
    elif column.type in ("text", "url", "html"):
        texts = shown(value)
        values = [item for item in (texts if isinstance(texts, list) else [texts]) if isinstance(item, str)]
    return one_or_many(column, values)


def entries_version(units: str, columns: Iterable[FieldColumn] = ()) -> str:
    """A fingerprint of what makes entries differ: the units, and how their fields are mapped."""
    added = as_rows(columns)
    shape = json.dumps([units, SETTINGS, MAPPINGS, *([added] if added else [])], sort_keys=True)
    return hashlib.blake2b(shape.encode(), digest_size=8).hexdigest()


def source(unit: Unit, units: str, columns: Iterable[FieldColumn] = ()) -> dict[str, Any]:
    """Returns an entry without its id.

    Args:
        unit: the unit.
        units: what units there are.
        columns: the fields that are not ours.

    """
    entry = {name: getattr(unit, name) for name in MAPPINGS["properties"]}
    # An empty text is no date, and not every version passes over one.
    entry |= {"headings": list(unit.headings), "fetched_at": unit.fetched_at or None}
    if units == PAGELETS and unit.position:
        entry["pagelet"] = entry.pop("text")
    there = (column for column in columns if column.name in unit.fields)
    return entry | {column.name: value_of(column, unit.fields[column.name]) for column in there}
