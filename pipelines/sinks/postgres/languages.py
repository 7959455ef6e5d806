"""Which text search configuration of PostgreSQL's a document has: that of its language, without accents."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, LiteralString

from psycopg import DataError, NotSupportedError, ProgrammingError, sql
from psycopg.errors import FeatureNotSupported, InsufficientPrivilege, ReadOnlySqlTransaction, UndefinedFile

from pipelines.sinks.postgres.server import Unfit

if TYPE_CHECKING:
    from collections.abc import Mapping

    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

AUTO: Final = "auto"
_PREFIX: Final = "pagelets_"
_SIMPLE: Final = "simple"
_NAMES: Final = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish", "nl": "dutch",
    "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "no": "norwegian", "nb": "norwegian", "nn": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""The configurations that PostgreSQL comes with, by the primary subtag of BCP 47. Which of them there are
depends on the server."""

_UNACCENT: Final = """
SELECT n.nspname, d.dictname
FROM pg_catalog.pg_ts_dict d
JOIN pg_catalog.pg_ts_template t ON t.oid = d.dicttemplate
JOIN pg_catalog.pg_namespace n ON n.oid = d.dictnamespace
WHERE t.tmplname = 'unaccent' ORDER BY 1, 2 LIMIT 1
"""
_CONFIGURATIONS: Final = """
SELECT c.cfgname, quote_ident(n.nspname) || '.' || quote_ident(c.cfgname)
FROM pg_catalog.pg_ts_config c JOIN pg_catalog.pg_namespace n ON n.oid = c.cfgnamespace
WHERE n.nspname = %s
"""
_NAMED: Final = """
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.cfgname)
FROM pg_catalog.pg_ts_config c JOIN pg_catalog.pg_namespace n ON n.oid = c.cfgnamespace
WHERE c.oid = %s::regconfig
"""
_DICTIONARY: Final = """
SELECT n.nspname, d.dictname
FROM pg_catalog.ts_token_type('default') k
JOIN pg_catalog.pg_ts_config c ON c.cfgname = %s AND c.cfgnamespace = 'pg_catalog'::regnamespace
JOIN pg_catalog.pg_ts_config_map m ON m.mapcfg = c.oid AND m.maptokentype = k.tokid
JOIN pg_catalog.pg_ts_dict d ON d.oid = m.mapdict
JOIN pg_catalog.pg_namespace n ON n.oid = d.dictnamespace
WHERE k.alias = %s ORDER BY m.mapseqno LIMIT 1
"""
_TOKENS: Final[tuple[tuple[LiteralString, LiteralString], ...]] = (
    ("word", "word, hword, hword_part"),
    ("numword", "numword, numhword"),
)
"""Kinds of token that may have accents, by one that has the same dictionary."""


@dataclass(slots=True, frozen=True)
class Languages:
    """The configuration of each language, by primary subtag; ``other`` is that of the rest. The names are as
    SQL has them, with the schema where one is needed.

    ``trouble`` says why accents make a difference in them, where that need not be.
    """

    names: Mapping[str, str]
    other: str
    trouble: str | None = None

    def configuration(self, language: str | None) -> str:
        """The configuration of a BCP 47 tag."""
        return self.names.get((language or "").lower().replace("_", "-").partition("-")[0], self.other)


def languages_of(connection: Connection, schema: str, language: str) -> Languages:
    """The languages that a server knows: by the document (`AUTO`), or one configuration for all.

    Makes configurations of our own in the schema, which take accents off before the stemmer does its work;
    where the extension unaccent or a permission is missing, the server's own do (`Languages.trouble`). Raises
    Unfit, whose text is the mend, where there is no configuration of the name.
    """
    known = {_SIMPLE, *_NAMES.values()}
    if language != AUTO and language not in known:
        return Languages({}, _named(connection, language))
    there = {name for name, _ in connection.execute(_CONFIGURATIONS, ("pg_catalog",))}
    wanted = there & known if language == AUTO else {language}
    if not wanted <= there:
        raise Unfit(f"this server has no text search configuration {language!r}; write 'auto'")
    configurations, trouble = _without_accents(connection, schema, wanted)
    if language != AUTO:
        return Languages({}, configurations[language], trouble)
    names = {tag: configurations[name] for tag, name in _NAMES.items() if name in configurations}
    return Languages(names, configurations[_SIMPLE], trouble)


def _named(connection: Connection, name: str) -> str:
    """The full name of a configuration that somebody else has made."""
    found = None
    with contextlib.suppress(DataError, ProgrammingError, NotSupportedError), connection.transaction():
        found = connection.execute(_NAMED, (name,)).fetchone()
    if found is None:
        raise Unfit(
            f"there is no text search configuration {name!r}; write 'auto', or a name that \\dF of psql lists"
        )
    return str(found[0])


def _without_accents(
    connection: Connection, schema: str, wanted: set[str]
) -> tuple[dict[str, str], str | None]:
    """The full name of the configuration that stands for each of PostgreSQL's, and why they are these."""
    there = {name for name, _ in connection.execute(_CONFIGURATIONS, (schema,))}
    missing = sorted(name for name in wanted if _PREFIX + name not in there)
    if missing:
        try:
            with connection.transaction():
                _make(connection, schema, missing)
        except (InsufficientPrivilege, FeatureNotSupported, UndefinedFile, ReadOnlySqlTransaction) as error:
            return {name: name for name in wanted}, (
                f"searches tell accents apart: {error.diag.message_primary}; let an administrator run CREATE "
                f"EXTENSION unaccent, and GRANT CREATE ON SCHEMA {schema} to the role"
            )
    full: dict[str, str] = dict(connection.execute(_CONFIGURATIONS, (schema,)).fetchall())
    return {name: full[_PREFIX + name] for name in wanted}, None


def _make(connection: Connection, schema: str, names: list[str]) -> None:
    unaccent = _unaccent(connection, schema)
    for name in names:
        own = sql.Identifier(schema, _PREFIX + name)
        copied = sql.Identifier("pg_catalog", name)
        connection.execute(sql.SQL("CREATE TEXT SEARCH CONFIGURATION {} (COPY = {})").format(own, copied))
        for token, tokens in _TOKENS:
            dictionary = connection.execute(_DICTIONARY, (name, token)).fetchone()
            assert dictionary is not None, "PostgreSQL's configurations know every kind of word"
            connection.execute(
                sql.SQL("ALTER TEXT SEARCH CONFIGURATION {} ALTER MAPPING FOR {} WITH {}, {}").format(
                    own, sql.SQL(tokens), unaccent, sql.Identifier(*dictionary)
                )
            )


def _unaccent(connection: Connection, schema: str) -> sql.Identifier:
    """The dictionary that takes accents off."""
    found = connection.execute(_UNACCENT).fetchone()
    if found is None:
        extension = sql.SQL("CREATE EXTENSION unaccent WITH SCHEMA {}").format(sql.Identifier(schema))
        connection.execute(extension)
        found = connection.execute(_UNACCENT).fetchone()
    assert found is not None, "the extension brings the dictionary"
    return sql.Identifier(*found)
