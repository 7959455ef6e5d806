"""Queries over the tables of the SQLite index, and what is shown of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crawler.indexing.search import HEADINGS_BOOST, TITLE_BOOST, Found, Occur, language_prefixes
from pipelines.sinks.embedded.shown import hit
from pipelines.sinks.text.snippets import wanted
from pipelines.sinks.text.words import words

if TYPE_CHECKING:
    import sqlite3

    from crawler.indexing.search import Query

_MATCHING: Final = "(SELECT rowid FROM words WHERE words MATCH ?)"
_LARGEST: Final = 2**31
_SCORE: Final = f"-bm25(words, {TITLE_BOOST}, {HEADINGS_BOOST}, 1.0)"


def find(connection: sqlite3.Connection, query: Query) -> Found:
    """The hits of a query, best first. Raises sqlite3.Error."""
    said: dict[Occur, list[str]] = {occur: [] for occur in Occur}
    for clause in query.clauses:
        if phrase := words(clause.text):
            # Words have no character that FTS5 takes for one of its own.
            said[clause.occur].append(f'"{" ".join(phrase)}"')
    if not any(said.values()):
        return Found()
    where, values = _filters(query)
    scored = said[Occur.MUST] + said[Occur.MAY]
    if scored:
        # Rows of units are long, and read only where a filter asks for them.
        tables = "words JOIN units ON units.id = words.rowid" if where else "words"
        row, score = "words.rowid", _SCORE
        # Of what must be and what may be, all counts for the score: the former is asked for once more below.
        where.insert(0, "words MATCH ?")
        values.insert(0, " OR ".join(scored))
    else:
        tables, row, score = "units", "id", "0.0"
    if said[Occur.MUST]:
        # The plus keeps SQLite from running the first match once for each row of this one.
        where.append(f"+{row} IN {_MATCHING}")
        values.append(" AND ".join(said[Occur.MUST]))
    if said[Occur.NOT]:
        where.append(f"+{row} NOT IN {_MATCHING}")
        values.append(" OR ".join(said[Occur.NOT]))
    source = f"FROM {tables} WHERE {' AND '.join(where)}"
    total = int(connection.execute(f"SELECT count(*) {source}", values).fetchone()[0])
    best = connection.execute(
        f"SELECT {row} AS id, {score} AS score {source} ORDER BY score DESC, id LIMIT ? OFFSET ?",
        [*values, *(max(0, min(number, _LARGEST)) for number in (query.limit, query.offset))],
    ).fetchall()
    phrases = wanted(query, words)
    hits = []
    for unit, worth in best:
        shown, text = connection.execute("SELECT shown, text FROM units WHERE id = ?", (unit,)).fetchone()
        hits.append(hit(shown, text, worth, phrases, words))
    return Found(hits, total)


def _filters(query: Query) -> tuple[list[str], list[Any]]:
    where: list[str] = []
    values: list[Any] = []
    for comparison, day in ((">=", query.since), ("<=", query.until)):
        if day is not None:
            where.append(f"day {comparison} ?")
            values.append(day.toordinal())
    if query.language:
        tag = (language_prefixes(query.language) or [""])[-1]
        where.append("substr(language || '-', 1, ?) = ?")
        values += [len(tag) + 1, f"{tag}-"]
    if query.path:
        where.append("substr(path, 1, ?) = ?")
        values += [len(query.path), query.path]
    return where, values
