"""Asks a table of units in PostgreSQL what a query finds."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from psycopg import sql

from crawler.indexing.search import HEADINGS_BOOST, TITLE_BOOST, Found, Hit, NoIndex, Occur, readable_path
from crawler.indexing.sink import SinkDown
from pipelines.sinks.postgres.server import Unfit
from pipelines.sinks.postgres.table import SiteRow, check, find
from pipelines.sinks.postgres.units import kept, words
from pipelines.sinks.text.snippets import snippet
from pipelines.sinks.text.words import RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import psycopg

    from crawler.indexing.search import Query
    from pipelines.sinks.postgres.table import Names

    Connection = psycopg.Connection[tuple[Any, ...]]

_MOST: Final = max(TITLE_BOOST, HEADINGS_BOOST, 1.0)
_WEIGHTS: Final = [1 / _MOST, 1 / _MOST, HEADINGS_BOOST / _MOST, TITLE_BOOST / _MOST]
"""How much a word counts with the weights D, C, B and A."""
_LENGTH: Final = 1
"""The normalisation of `ts_rank`: divided by 1 + the logarithm of the length."""
_READ_CHARS: Final = 100_000
"""How much of a text a snippet may be from."""
_MAX_BIGINT: Final = (1 << 63) - 1

_QUERIES: Final = """
WITH clause AS (
    SELECT configuration, occur, phraseto_tsquery(configuration::regconfig, words) AS query
    FROM unnest(%(configurations)s::text[]) AS configuration,
        unnest(%(words)s::text[], %(occurs)s::text[]) AS said (words, occur)
)
SELECT configuration,
    array_agg(query::text) FILTER (WHERE occur = '' AND numnode(query) > 0),
    array_agg(query::text) FILTER (WHERE occur = '+' AND numnode(query) > 0),
    array_agg(query::text) FILTER (WHERE occur = '-' AND numnode(query) > 0)
FROM clause GROUP BY configuration
"""
_SELECT: Final = """
SELECT found.rank, found.total, unit.id, unit.document, unit.url, unit.title, unit.headings,
    left(unit.text, %(read)s), unit.language, unit.published_as_declared, unit.fetched_at, unit.configuration
FROM (
    SELECT site, document, position, {rank} AS rank, count(*) OVER () AS total
    FROM {table} WHERE {condition}
    ORDER BY rank DESC, url, position LIMIT %(limit)s OFFSET %(offset)s
) AS found
JOIN {table} AS unit USING (site, document, position)
ORDER BY found.rank DESC, unit.url, unit.position
"""
_LEXEMES: Final = """
SELECT configuration, run, tsvector_to_array(to_tsvector(configuration::regconfig, words))
FROM unnest(%s::text[], %s::text[], %s::text[]) AS run (configuration, run, words)
"""


class _Wanted(NamedTuple):
    """What the units of one configuration have to match, and what ranks them, as `tsquery`; None where the
    query only excludes.
    """

    configuration: str
    match: str
    rank: str | None


def search(connection: Connection, where: str, table: str, site: str, query: Query) -> Found:
    """What a query finds of a site in a table, inside a transaction. Raises NoIndex, SinkDown."""
    try:
        names, there = find(connection, table)
        if there:
            check(connection, names)
    except Unfit as error:
        raise SinkDown(f"{where}: {error}") from None
    here = SiteRow.read(connection, names, site) if there else None
    if here is None:
        raise NoIndex(f"{where} has no index of the site {site} in the table {table}")
    wanted = _wanted(connection, sorted(here.configurations), query)
    if not wanted:
        return Found()
    rows, total = _found(connection, names, site, query, wanted)
    return Found(_hits(connection, query, rows), total)


def _wanted(connection: Connection, configurations: list[str], query: Query) -> list[_Wanted]:
    """What the units of each configuration have to match; nothing where no word says anything in it."""
    parameters = {
        "configurations": configurations,
        "words": [words(clause.text) for clause in query.clauses],
        "occurs": [clause.occur.value for clause in query.clauses],
    }
    wanted = []
    for configuration, may, must, without in connection.execute(_QUERIES, parameters):
        asked = [_all(must or ()) or _any(may or ()), *(f"!({one})" for one in without or ())]
        match = " & ".join(f"({one})" for one in asked if one)
        if match:
            wanted.append(_Wanted(configuration, match, _any([*(may or ()), *(must or ())]) or None))
    return wanted


def _all(queries: Iterable[str]) -> str:
    return " & ".join(f"({query})" for query in queries)


def _any(queries: Iterable[str]) -> str:
    return " | ".join(f"({query})" for query in queries)


def _found(
    connection: Connection, names: Names, site: str, query: Query, wanted: Sequence[_Wanted]
) -> tuple[list[tuple[Any, ...]], int]:
    """The rows of the hits asked for, and how many hits there are."""
    parameters: dict[str, Any] = {
        "site": site,
        "read": _READ_CHARS,
        "limit": min(max(query.limit, 0), _MAX_BIGINT),
        "offset": min(max(query.offset, 0), _MAX_BIGINT),
        "weights": _WEIGHTS,
    }
    condition = _condition(query, wanted, parameters)
    statement = sql.SQL(_SELECT).format(
        rank=_rank(wanted, parameters), table=names.table, condition=condition
    )
    rows = connection.execute(statement, parameters).fetchall()
    if rows:
        return rows, rows[0][1]
    counted = sql.SQL("SELECT count(*) FROM {} WHERE {}").format(names.table, condition)
    count = connection.execute(counted, parameters).fetchone()
    return [], count[0] if count else 0


def _condition(query: Query, wanted: Sequence[_Wanted], parameters: dict[str, Any]) -> sql.Composed:
    # A condition for each configuration, with the query as a constant, lets the planner use the index.
    of_each = []
    for number, one in enumerate(wanted):
        name, match = f"configuration_{number}", f"match_{number}"
        parameters |= {name: one.configuration, match: one.match}
        of_each.append(
            sql.SQL("(configuration = {} AND tsv @@ {}::tsquery)").format(
                sql.Placeholder(name), sql.Placeholder(match)
            )
        )
    conditions: list[sql.Composable] = [
        sql.SQL("site = %(site)s"),
        sql.SQL("({})").format(sql.SQL(" OR ").join(of_each)),
    ]
    if query.since is not None:
        conditions.append(sql.SQL("day >= %(since)s"))
        parameters["since"] = query.since
    if query.until is not None:
        conditions.append(sql.SQL("day <= %(until)s"))
        parameters["until"] = query.until
    if query.language is not None:
        conditions.append(
            sql.SQL("starts_with(lower(replace(language, '_', '-')) || '-', %(language)s || '-')")
        )
        parameters["language"] = kept(query.language).lower().replace("_", "-")
    if query.path is not None:
        conditions.append(sql.SQL("starts_with(path, %(path)s)"))
        parameters["path"] = kept(readable_path(query.path))
    return sql.SQL(" AND ").join(conditions)


def _rank(wanted: Sequence[_Wanted], parameters: dict[str, Any]) -> sql.Composable:
    cases = []
    for number, one in enumerate(wanted):
        if one.rank is not None:
            parameters[f"rank_{number}"] = one.rank
            cases.append(
                sql.SQL("WHEN {} THEN ts_rank(%(weights)s::real[], tsv, {}::tsquery, {})").format(
                    sql.Placeholder(f"configuration_{number}"), sql.Placeholder(f"rank_{number}"), _LENGTH
                )
            )
    if not cases:
        return sql.SQL("0::real")
    return sql.SQL("CASE configuration {} ELSE 0 END").format(sql.SQL(" ").join(cases))


def _hits(connection: Connection, query: Query, rows: Sequence[tuple[Any, ...]]) -> list[Hit]:
    lexemes = _lexemes(connection, query, rows)
    hits = []
    for rank, _, unit, document, url, title, headings, text, language, published, fetched, name in rows:
        known = lexemes[name]

        def said(words: str, known: Mapping[str, Sequence[str]] = known) -> list[str]:
            return [word for run in RUN.findall(words) for word in known.get(run, ())]

        phrases = (tuple(said(one.text)) for one in query.clauses if one.occur is not Occur.NOT)
        hits.append(
            Hit(
                score=float(rank),
                unit=unit,
                document=document,
                url=url,
                title=title,
                headings=tuple(headings),
                snippet=snippet(text, list(dict.fromkeys(filter(None, phrases))), said),
                language=language,
                published=published,
                fetched_at=fetched and fetched.astimezone(UTC).isoformat(),
            )
        )
    return hits


def _lexemes(
    connection: Connection, query: Query, rows: Sequence[tuple[Any, ...]]
) -> dict[str, dict[str, list[str]]]:
    """What each word of the texts and of the query is to each configuration of them."""
    asked = {run for clause in query.clauses for run in RUN.findall(clause.text)}
    runs: dict[str, set[str]] = {}
    for row in rows:
        runs.setdefault(row[-1], set(asked)).update(RUN.findall(row[7]))
    pairs = [(configuration, run) for configuration, said in runs.items() for run in said]
    columns = [configuration for configuration, _ in pairs], [run for _, run in pairs]
    lexemes: dict[str, dict[str, list[str]]] = {configuration: {} for configuration in runs}
    parameters = (*columns, [words(run) for run in columns[1]])
    for configuration, run, found in connection.execute(_LEXEMES, parameters):
        lexemes[configuration][run] = found
    return lexemes
