"""The layout of units in a tantivy index: fields, words, and queries over them."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import tantivy

from search.columns import shown
from search.query import Hit, Occur, Query, day_of, language_prefixes, path_of
from search.sink import Unit, unit_id
from search.sinks.text.snippets import snippet
from search.sinks.text.words import VERSION as WORDS_VERSION
from search.sinks.text.words import normalised, words
from settings.errors import WrongSetting
from settings.values import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from search.sinks.embedded.layout import Layout, Place

VERSION: Final = f"1.{WORDS_VERSION}"
"""Of the fields below: indexes of another one are made anew."""

LANGUAGES: Final = {
    "ar": "arabic", "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish", "fr": "french",
    "de": "german", "el": "greek", "hu": "hungarian", "it": "italian", "no": "norwegian", "nb": "norwegian",
    "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
"""Those that tantivy has a stemmer for, by their tags."""
AUTO: Final = "auto"
"""The language of most documents of the first batch that an index is given."""

_SPECIAL: Final = re.compile(r"[\\.+*?()|\[\]{}^$&~#-]")
"""What means something in a regular expression of tantivy's."""
_COLUMNS: Final = ("id_high", "id_low", "hash_high", "hash_low", "position")
_DIGITS: Final = re.compile(r"[0-9a-f]{32}")
_PATTERN_BYTES: Final = 400
"""Of a path as a regular expression: tantivy takes at most a thousand states."""
_WORD_CHARS: Final = 255
_TOKENIZER: Final = "words"
_BOOSTS: Final = {"title": 1.5, "headings": 1.2, "text": 1.0}
"""BM25 of the fields is summed, and in a short one a word counts for more: what is added beyond this finds
titles no better, and sentences worse (docs/benchmarks.md).
"""


def language_option(value: str) -> str:
    """A language that words are stemmed in, "" for none, or `AUTO`. Raises WrongSetting."""
    language = value.strip().lower()
    names = [AUTO, *dict.fromkeys(LANGUAGES.values())]
    if language and language not in names:
        begun = next((name for name in names if name.startswith(language)), language)
        raise WrongSetting("TANTIVY.language", f"unknown language {value!r}; {nearest(begun, names)}")
    return language


def language_of(tags: Iterable[str | None]) -> str:
    """Returns the language to stem documents of these tags in: that of more than half of them, or ""."""
    counts = Counter((language_prefixes(tag) or [""])[0] for tag in tags)
    tag, count = max(counts.items(), key=itemgetter(1), default=("", 0))
    return LANGUAGES.get(tag, "") if 2 * count > counts.total() else ""


def schema(layout: Layout) -> tantivy.Schema:
    """The fields, with those of a layout. What tells the units that are held is in columns: terms that no two
    units share are what costs most in an index. The text is stored as it is, beside its words.
    """
    builder = tantivy.SchemaBuilder()
    for name in ("document", "path", "language"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in _BOOSTS:
        builder.add_text_field(name, tokenizer_name=_TOKENIZER, index_option="position")
    builder.add_integer_field("day", fast=True)
    for name in _COLUMNS:
        builder.add_unsigned_field(name, fast=True)
    builder.add_bytes_field("shown", stored=True)
    builder.add_bytes_field("original", stored=True)
    layout.add_fields(builder)
    return builder.build()


class Analyzer:
    """The words of texts and queries in an index of a language."""

    def __init__(self, language: str) -> None:
        # Stemmers know words with their accents, so that these go after it.
        self._stems = bool(language)
        builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
        builder = builder.filter(tantivy.Filter.remove_long(_WORD_CHARS))
        if language:
            builder = builder.filter(tantivy.Filter.stemmer(language)).filter(tantivy.Filter.ascii_fold())
        self._analyzer = builder.build()

    def register(self, index: tantivy.Index) -> None:
        """Makes the index part its texts in this way."""
        index.register_tokenizer(_TOKENIZER, self._analyzer)

    def normalised(self, text: str) -> str:
        """Returns a text as the index takes it."""
        return normalised(text, accents=self._stems)

    def words(self, text: str) -> list[str]:
        """The words that the index makes of a text."""
        if not self._stems and len(text) <= _WORD_CHARS:
            return words(text)
        return self._analyzer.analyze(self.normalised(text))


def _columns(unit: Unit) -> Iterator[int]:
    """Yields an id and a hash of 32 hexadecimal digits as two numbers each, and the unit's position. Raises
    ValueError for other texts.
    """
    for digits in (unit.document, unit.content_hash):
        if not _DIGITS.fullmatch(digits):
            raise ValueError(f"{digits[:40]!r} is no fingerprint of 32 hexadecimal digits")
        yield from (int(digits[:16], 16), int(digits[16:], 16))
    yield unit.position


def held(searcher: tantivy.Searcher, units: str) -> Iterator[tuple[str, str]]:
    """The id and the content hash of each entry, from the columns alone."""
    if not searcher.num_docs:
        return
    addresses = [address for _, address in searcher.search(tantivy.Query.all_query(), searcher.num_docs).hits]
    hashes = (searcher.fast_field_values(name, addresses) for name in ("hash_high", "hash_low"))
    for (document, position), high, low in zip(places(searcher, addresses), *hashes, strict=True):
        yield unit_id(document, units, position), f"{high:016x}{low:016x}"


def places(searcher: tantivy.Searcher, addresses: list[tantivy.DocAddress]) -> list[tuple[str, int]]:
    """The document's id and the position of entries, from the columns alone."""
    values = (searcher.fast_field_values(name, addresses) for name in ("id_high", "id_low", "position"))
    return [(f"{high:016x}{low:016x}", position) for high, low, position in zip(*values, strict=True)]


def entry(unit: Unit, analyzer: Analyzer, layout: Layout) -> tantivy.Document:
    """Returns the entry of a unit.

    Args:
        unit: the unit.
        analyzer: knows the words of the index.
        layout: the columns of the entry.

    Raises:
        ValueError: an id of the unit is malformed.

    """
    document = tantivy.Document()
    document.add_text("document", unit.document)
    for name, value in zip(_COLUMNS, _columns(unit), strict=True):
        document.add_unsigned(name, value)
    document.add_text("path", path_of(unit.url))
    for tag in language_prefixes(unit.language):
        document.add_text("language", tag)
    document.add_text("title", analyzer.normalised(unit.title))
    if unit.headings:
        document.add_text("headings", analyzer.normalised("\n".join(unit.headings)))
    document.add_text("text", analyzer.normalised(unit.text))
    day = day_of(unit.published, unit.fetched_at)
    if day is not None:
        document.add_integer("day", day.toordinal())
    document.add_bytes("shown", _packed(unit).encode())
    document.add_bytes("original", unit.text.encode())
    layout.add_values(document, unit)
    return document


def _packed(unit: Unit) -> str:
    """All that is shown of a unit but its text."""
    names = ("document", "url", "title", "headings", "language", "published", "fetched_at")
    kept: dict[str, Any] = {"unit": unit.id, **{name: getattr(unit, name) for name in names}}
    if unit.fields:
        kept["fields"] = {name: shown(value) for name, value in unit.fields.items()}
    return json.dumps(kept, ensure_ascii=False)


def original(stored: tantivy.Document) -> str:
    """The text of an entry."""
    return bytes(stored.get_first("original") or b"").decode()


@dataclass(slots=True, frozen=True)
class Searched:
    """An index that is searched, as it is now: its fields, words and columns."""

    searcher: tantivy.Searcher
    fields: tantivy.Schema
    analyzer: Analyzer
    layout: Layout

    def hit(
        self, place: Place, score: float, phrases: Sequence[tuple[str, ...]], text: str | None = None
    ) -> Hit:
        """Returns the hit for the entry at a ``place`` with its ``score``, the ``phrases`` marked; the
        snippet is of its own text unless another ``text`` is given.
        """
        stored = self.searcher.doc(place)
        text = original(stored) if text is None else text
        shown: dict[str, Any] = json.loads(bytes(stored.get_first("shown") or b"{}"))
        headings, marked = tuple(shown.pop("headings")), snippet(text, phrases, self.analyzer.words)
        return Hit(score=score, headings=headings, snippet=marked, **shown)

    def compiled(self, query: Query) -> tantivy.Query | None:
        """A query in tantivy's terms, None where it finds nothing."""
        parts: dict[Occur, list[tantivy.Query]] = {occur: [] for occur in Occur}
        for clause in query.clauses:
            if phrase := self.analyzer.words(clause.text):
                parts[clause.occur].append(self._anywhere(phrase, clause.weight))
        if not any(parts.values()) and not query.everything:
            return None
        # Conditions do not change the score.
        filters = (tantivy.Query.const_score_query(condition, 0.0) for condition in self._filters(query))
        clauses = [(tantivy.Occur.Must, part) for part in [*parts[Occur.MUST], *filters]]
        may = [(tantivy.Occur.Should, part) for part in parts[Occur.MAY]]
        if parts[Occur.MUST]:
            clauses += may
        elif may:
            clauses.append((tantivy.Occur.Must, tantivy.Query.boolean_query(may)))
        else:
            clauses.append((tantivy.Occur.Must, tantivy.Query.all_query()))
        clauses += [(tantivy.Occur.MustNot, part) for part in parts[Occur.NOT]]
        return tantivy.Query.boolean_query(clauses)

    def within(self, query: tantivy.Query, documents: Iterable[str]) -> tantivy.Query:
        """Limits a ``query`` to entries of some ``documents``, by their ids."""
        of_these = tantivy.Query.term_set_query(self.fields, "document", list(documents))
        unscored = tantivy.Query.const_score_query(of_these, 0.0)
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, unscored)])

    def _anywhere(self, phrase: list[str], weight: float) -> tantivy.Query:
        """Words one after the other, in any of the fields."""
        parts = []
        for name, boost in _BOOSTS.items():
            if len(phrase) == 1:
                part = tantivy.Query.term_query(self.fields, name, phrase[0], "freq")
            else:
                part = tantivy.Query.phrase_query(self.fields, name, list(phrase))
            parts.append((tantivy.Occur.Should, tantivy.Query.boost_query(part, boost * weight)))
        return tantivy.Query.boolean_query(parts)

    def _filters(self, query: Query) -> Iterator[tantivy.Query]:
        if query.since or query.until:
            since = query.since.toordinal() if query.since else None
            until = query.until.toordinal() if query.until else None
            integer = tantivy.FieldType.Integer
            yield tantivy.Query.range_query(self.fields, "day", integer, since, until)
        if query.language:
            tag = language_prefixes(query.language)[-1:] or [""]
            yield tantivy.Query.term_query(self.fields, "language", tag[0], "basic")
        if query.path:
            yield self._below(query.path)
        if query.where is not None:
            yield self.layout.condition(query.where, self.fields, self.searcher)

    def _below(self, path: str) -> tantivy.Query:
        """Returns the query for paths that begin so."""
        if len(path.encode()) > _PATTERN_BYTES:
            # Few paths have so long a beginning in common.
            paths = [term for term, _ in self.searcher.terms_with_prefix("path", path)]
            return tantivy.Query.term_set_query(self.fields, "path", paths)
        pattern = _SPECIAL.sub(r"\\\g<0>", path)
        return tantivy.Query.regex_query(self.fields, "path", f"{pattern}(.|\n)*")
