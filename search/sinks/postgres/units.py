"""Units as rows of PostgreSQL's, and as the words that its searches see."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from pagelets.fields import moment_of
from search.query import day_of, path_of
from search.sink import clean
from search.sinks.text.segmentation import segmented

if TYPE_CHECKING:
    from collections.abc import Iterable

    from search.sink import Unit

INSERT: Final = """
INSERT INTO {table} (site, document, position, id, url, path, title, headings, text, language, author,
    published, published_as_declared, canonical_url, fetched_at, day, content_hash, configuration,
    tsv{fields})
SELECT %(site)s, document, position, id, url, path, title, headings, text, language, author,
    published, published_as_declared, canonical_url, fetched_at, day, content_hash, configuration,
    ts_delete(
        setweight(to_tsvector(configuration::regconfig, title_words), 'A') || $$' ':1$$::tsvector
        || setweight(to_tsvector(configuration::regconfig, headings_words), 'B') || $$' ':1$$::tsvector
        || setweight(to_tsvector(configuration::regconfig, text_words), 'D'),
        ' '){values}
FROM json_to_recordset(%(rows)s::json) AS unit (document text, position integer, id text, url text, path text,
    title text, headings text[], text text, language text, author text, published timestamptz,
    published_as_declared text, canonical_url text, fetched_at timestamptz, day date, content_hash text,
    configuration text, title_words text, headings_words text, text_words text{types})
"""
"""Takes a site and rows as JSON, which is faster than a row at a time and needs no table to copy into.

No phrase goes from the title on into the text: a word is between them, which is taken out in the end."""

WORDS_LIMITS: Final = (1_000_000, 200_000, 40_000, 8_000)
"""How many characters of a unit's text searches see. PostgreSQL takes a megabyte of words and positions: what
has more different words than that fits with one of the smaller limits."""

_TRAPS: Final = re.compile(r"[/<>\xad]|-(?=\d)")


def row(unit: Unit, configuration: str, limit: int) -> dict[str, Any]:
    """Returns a unit's columns but for the site, and its words for a text search ``configuration``; of the
    text those in ``limit`` characters.
    """
    day = day_of(unit.published, unit.fetched_at)
    return {
        "document": unit.document,
        "position": unit.position,
        "id": unit.id,
        "url": kept(unit.url),
        "path": kept(path_of(unit.url)),
        "title": kept(unit.title),
        "headings": [kept(heading) for heading in unit.headings],
        "text": kept(unit.text),
        "language": _optional(unit.language),
        "author": _optional(unit.author),
        "published": _moment(unit.published),
        "published_as_declared": _optional(unit.published),
        "canonical_url": _optional(unit.canonical_url),
        "fetched_at": _moment(unit.fetched_at),
        "day": day and day.isoformat(),
        "content_hash": kept(unit.content_hash),
        "configuration": configuration,
        "title_words": words(unit.title[:limit]),
        "headings_words": words("\n".join(unit.headings)[:limit]),
        "text_words": words(unit.text[:limit]),
    }


def as_json(rows: Iterable[dict[str, Any]]) -> str:
    """Rows as `INSERT` takes them."""
    return json.dumps(list(rows), ensure_ascii=False)


def words(text: str) -> str:
    """A text in which PostgreSQL's parser sees every word, in lower case.

    As it is, the parser would take ``and/or`` for a file and ``<b>`` for a tag, read 1990-1999 as a number
    and a negative one, and a Chinese sentence as one word. Queries go the same way.
    """
    text = _TRAPS.sub(_untrapped, kept(text))
    if text.isascii():
        return text.lower()
    # İ in lower case is an i with a dot of its own, which no composed character stands for.
    text = unicodedata.normalize("NFKC", text).lower().replace("i\N{COMBINING DOT ABOVE}", "i")
    return segmented(text)


def _untrapped(match: re.Match[str]) -> str:
    return "" if match[0] == "\N{SOFT HYPHEN}" else " "


def kept(text: str) -> str:
    """A text as PostgreSQL can keep it: NUL and lone surrogates become U+FFFD."""
    return clean(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


def _optional(text: str | None) -> str | None:
    return None if text is None else kept(text)


def _moment(text: str | None) -> str | None:
    """A date or date-time of ISO 8601 as PostgreSQL reads it, in UTC where it names no time zone."""
    moment = moment_of(text or "")
    return None if moment is None else moment.isoformat()
