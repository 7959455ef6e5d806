"""Queries to a search index and its answers, whichever index it is.

A query is plain text: words, any of which may do; ``"phrases"`` and ``+words``, which must be there;
``-words`` and ``-"phrases"``, which must not. Every text is a query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, runtime_checkable
from urllib.parse import unquote, urlsplit

from search.where import Where, columns_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from pagelets.fields import FieldColumn
    from search.columns import Sort

MAX_QUERY_CHARS: Final = 1000
"""What is longer is cut."""
MAX_CLAUSES: Final = 50
"""Words and phrases beyond these are passed over."""
_SHOWN: Final = "score url title headings snippet language published fetched_at fields".split()

_QUOTES: Final = str.maketrans("“”„‟«»＂＋－−", '"""""""+--')
_CLAUSE: Final = re.compile(r'([+-]?)(?:"([^"]*)"?|([^\s"]+))')


class NoIndex(Exception):
    """Raised where a site has no index yet that could be searched; the text is one line that names it."""


class Occur(Enum):
    """The kinds of clauses: a document may, must or must not match."""

    MAY = ""
    MUST = "+"
    NOT = "-"


class Clause(NamedTuple):
    """One word or phrase of a query. An index whose tokenizer sees several words in ``text`` looks for these
    one right after the other; where it sees none, the clause says nothing. ``weight`` is what it counts in
    the order of what is found.
    """

    text: str
    occur: Occur
    weight: float = 1.0


@dataclass(slots=True, frozen=True)
class Query:
    """A query.

    A unit is found where it has everything that it must, nothing that it must not, and, unless there is
    something that it must have, at least one of the words that it may. Where the clauses only exclude,
    everything else is found; without any clause, nothing is. Case and accents make no difference.

    ``since`` and ``until`` are days, both included, on `day_of` the unit, which has to have one then;
    ``language`` is a BCP 47 tag or the beginning of one (`language_prefixes`); ``path`` is what `path_of` the
    URL begins with. ``limit`` hits are asked for after the first ``offset``. With ``expand`` words of the
    best pagelets are looked for as well, by an index that holds pagelets. ``where`` is a condition on the
    columns of a unit, ``sort`` an order in place of the best first, ``counts`` are columns whose values are
    counted. With ``everything`` all is found that these and the filters leave, by URL.
    """

    clauses: tuple[Clause, ...]
    since: date | None = None
    until: date | None = None
    language: str | None = None
    path: str | None = None
    limit: int = 10
    offset: int = 0
    expand: bool = False
    where: Where | None = None
    sort: Sort | None = None
    counts: tuple[FieldColumn, ...] = ()
    everything: bool = False

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        since: date | None = None,
        until: date | None = None,
        language: str | None = None,
        path: str | None = None,
        limit: int = 10,
        offset: int = 0,
        expand: bool = False,
        where: Where | None = None,
        sort: Sort | None = None,
        counts: Sequence[FieldColumn] = (),
    ) -> Query:
        """Reads the query in a person's text. Raises nothing, whatever the texts.

        ``path`` may be percent-encoded, and may lack its first slash. An empty text finds everything if there
        is a condition (``where``), an order (``sort``), or something to count (``counts``). The others,
        ``since``, ``until``, ``language``, ``limit``, ``offset`` and ``expand``, mean the same as in `Query`.
        """
        language = _encodable(language or "").strip()
        if path:
            path = readable_path(_encodable(path))
            path = path if path.startswith("/") else f"/{path}"
        everything = not text.strip() and bool(where or sort or counts)
        filters = since, until, language or None, path or None
        asked = where, sort, tuple(counts), everything
        return cls(tuple(_clauses(text)), *filters, limit, offset, expand, *asked)


def check_columns(query: Query, columns: Collection[FieldColumn], mend: str) -> None:
    """Raises NoIndex, with the ``mend``, if a ``query`` names a column that is not among ``columns``."""
    lacking = next((column for column in asked_columns(query) if column not in columns), None)
    if lacking is not None:
        raise NoIndex(f"the index has no field {lacking.name} of this type; {mend}")


def asked_columns(query: Query) -> list[FieldColumn]:
    """The columns that a query asks for."""
    sorted_by = [query.sort.column] if query.sort else []
    return [*(columns_in(query.where) if query.where else ()), *sorted_by, *query.counts]


def _clauses(text: str) -> Iterable[Clause]:
    number = 0
    for sign, phrase, word in _CLAUSE.findall(_encodable(text).translate(_QUOTES)):
        words = " ".join((phrase or word).split())
        if any(map(str.isalnum, words)):
            occur = Occur(sign) if sign else Occur.MUST if phrase else Occur.MAY
            yield Clause(words, occur)
            number += 1
            if number == MAX_CLAUSES:
                return


def _encodable(text: str) -> str:
    """The beginning of a text, without what no index takes: NUL and lone surrogates."""
    return text[:MAX_QUERY_CHARS].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


class Piece(NamedTuple):
    """A part of a snippet; ``hit`` if it matches the query."""

    text: str
    hit: bool


@dataclass(slots=True, frozen=True)
class Hit:
    """A unit that a query finds. ``score`` compares hits of one query in one index and nothing else; it is 0
    in the order of a column. ``fields`` are the site's own. ``snippet`` is the place of the text that shows
    best why, as the text has it.
    """

    score: float
    unit: str
    document: str
    url: str
    title: str
    headings: tuple[str, ...] = ()
    snippet: tuple[Piece, ...] = ()
    language: str | None = None
    published: str | None = None
    fetched_at: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class Found:
    """The hits asked for, best first, and how many there are in ``total``; ``added`` are the words that were
    looked for beside those of the query; ``counts`` tell of each column of `Query.counts` which values all
    that is found has, and how many units have each, the most frequent first.
    """

    hits: list[Hit] = field(default_factory=list)
    total: int = 0
    added: tuple[str, ...] = ()
    counts: Mapping[str, Sequence[tuple[Any, int]]] = field(default_factory=dict)

    def rows(self) -> list[dict[str, Any]]:
        """Returns the hits for JSON."""
        return [
            {
                "rank": rank,
                **{name: getattr(hit, name) for name in _SHOWN},
                "snippet": [piece._asdict() for piece in hit.snippet],
                "id": hit.unit,
                "document": hit.document,
            }
            for rank, hit in enumerate(self.hits, 1)
        ]


@runtime_checkable
class Searchable(Protocol):
    """A sink whose index can be searched."""

    def search(self, query: Query) -> Found:
        """The hits of a query, best first. Needs no `Sink.open`, changes nothing, and works while another
        process writes. Raises NoIndex, SinkDown.
        """


@runtime_checkable
class Filtered(Searchable, Protocol):
    """A sink whose searches heed `Query.where`, `Query.sort` and `Query.counts`."""

    def searched_columns(self) -> tuple[FieldColumn, ...]:
        """The columns that a search can name, as the index has them now. Raises NoIndex, SinkDown."""


def day_of(published: str | None, fetched_at: str | None) -> date | None:
    """The day of a document: that on which it was published as the page declares it, in the time zone of the
    declaration; where the page declares none, that on which it was fetched, in UTC.
    """
    for moment in (published, fetched_at):
        if moment:
            try:
                return date.fromisoformat(moment[:10])
            except ValueError:
                continue
    return None


def language_prefixes(tag: str | None) -> list[str]:
    """The tags, lower-case, that find what is in a language: zh, zh-hant and zh-hant-tw ``zh-Hant-TW``."""
    parts = (tag or "").lower().replace("_", "-").split("-")
    return ["-".join(parts[:end]) for end in range(1, len(parts) + 1)] if parts[0] else []


def path_of(url: str) -> str:
    """The path of a URL, without percent-encoding, as people read and type it."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return "/"
    return readable_path(path) or "/"


def readable_path(path: str) -> str:
    """A path without percent-encoding; NUL and what is no UTF-8 in it become U+FFFD."""
    return (unquote(path) if "%" in path else path).replace("\0", "\ufffd")
