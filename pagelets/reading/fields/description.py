"""The description of one field of a site: where its value is found on a page, and of what type it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, Self

from pagelets.fields import FIELD_TYPES, FieldColumn
from pagelets.metadata.dates import normalised
from pagelets.reading.fields.sources import SOURCES, SourcePage
from pagelets.reading.fields.values import LAST_DAY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import regex

    from pagelets.page import Page

KEYS: Final = (*SOURCES, "regex", "type", "many", "default", "required")
MAX_DEFAULT: Final = 1_000
_SHOWN: Final = 200
_IS_ATTRIBUTE: Final = re.compile(r"::attr\([^)]*\)\s*\Z|(?:@|attribute::)[\w:*.-]+\s*\Z")


class WrongField(ValueError):
    """The description of a field cannot be used; the message names the reason and the mend."""


@dataclass(slots=True, frozen=True, eq=False)
class ExtractedField:
    """A field that is taken from pages as ``find`` says; ``given`` is its description.

    ``pattern`` is what of a found text is the value: its group, or all of it. Without ``many`` the first
    value counts that is of the ``type``; ``is_data`` tells that texts are written for programs. The
    ``default`` is the value of a page without one; with ``required`` that page is flagged.
    """

    name: str
    given: Mapping[str, Any]
    find: Callable[[SourcePage], Iterable[Any]]
    pattern: regex.Pattern[str] | None
    type: str
    many: bool
    default: Any
    required: bool
    is_data: bool

    @classmethod
    def of(cls, name: str, given: object) -> Self:
        """The field of a description: a dict of `KEYS`, or a CSS selector. Raises WrongField."""
        table: Any = {"css": given} if isinstance(given, str) else given
        if not isinstance(table, dict):
            raise WrongField('is no field; write "CSS::text", or { css = "CSS::text", type = "number" }')
        for key in table:
            if key not in KEYS:
                raise WrongField(f"unknown key {key!r}; {_nearest(str(key), KEYS)}")
        sources = [key for key in SOURCES if key in table]
        if len(sources) != 1:
            why = f"has {' and '.join(sources)}" if sources else "says not where its value is"
            raise WrongField(f"{why}; give one of {', '.join(SOURCES)}")
        kind, many = table.get("type", "text"), _flag(table, "many")
        if kind not in FIELD_TYPES:
            raise WrongField(f"type {kind!r} does not exist; {_nearest(str(kind), FIELD_TYPES)}")
        return cls(
            name=name,
            given=dict(table),
            find=_compiled(sources[0], table[sources[0]]),
            pattern=_pattern(table.get("regex")),
            type=kind,
            many=many,
            default=_default(table.get("default"), kind, many=many),
            required=_flag(table, "required"),
            is_data=sources[0] not in ("css", "xpath") or _IS_ATTRIBUTE.search(table[sources[0]]) is not None,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Its description goes to another process, and is compiled there."""
        return ExtractedField.of, (self.name, self.given)

    @property
    def column(self) -> FieldColumn:
        """The field as tables and indexes have it."""
        return FieldColumn(self.name, self.type, many=self.many)

    @property
    def missing(self) -> Any:
        """The value of a page that is not asked for the field."""
        return [] if self.many else None

    def value(self, page: Page, document: Mapping[str, Any]) -> Any:
        """The field of a page that was read."""
        del document
        return page.extracted.values.get(self.name, self.missing)


def _nearest(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"


def _flag(given: Mapping[str, Any], key: str) -> bool:
    value = given.get(key, False)
    if not isinstance(value, bool):
        raise WrongField(f"{key} {value!r}: write true or false")
    return value


def _compiled(source: str, text: object) -> Callable[[SourcePage], Iterable[Any]]:
    if not isinstance(text, str) or not text.strip():
        raise WrongField(f"{source} is empty or no text; write it in quotes")
    try:
        return SOURCES[source](text)
    except ValueError as error:
        raise WrongField(f"{source} {text[:_SHOWN]!r} {error}") from error


def _pattern(text: object) -> regex.Pattern[str] | None:
    if text is None:
        return None
    try:
        # A package that only such fields need: its searches take a time limit.
        import regex
    except ImportError as error:
        raise WrongField("a regex needs the package regex; install it: pip install regex") from error
    try:
        pattern = regex.compile(text) if isinstance(text, str) else None
    except (regex.error, RecursionError, OverflowError) as error:
        raise WrongField(f"regex {str(text)[:_SHOWN]!r} is wrong: {error}; mend it") from error
    if pattern is None or pattern.groups > 1:
        raise WrongField(f"regex {text!r:.{_SHOWN}}: give a text with one group at most, (?:…) groups too")
    return pattern


def _default(value: Any, kind: str, *, many: bool) -> Any:
    if value is None:
        return [] if many else None
    # TOML has dates without quotes.
    values = [
        str(each) if isinstance(each, date) else each
        for each in (value if many and isinstance(value, list) else [value])
    ]
    for each in values:
        if isinstance(each, list | dict) or not _fits(each, kind):
            wanted = {"number": "a number", "boolean": "true or false", "date": "a date such as '2026-01-31'"}
            hint = wanted.get(kind, "a text")
            raise WrongField(f"default {each!r:.{_SHOWN}} is no {kind}; give {hint}{' or a list' * many}")
    return values if many else values[0]


def _fits(value: Any, kind: str) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "number":
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and abs(value) < float("inf")
    if not isinstance(value, str) or len(value) > MAX_DEFAULT:
        return False
    return kind != "date" or normalised(value, LAST_DAY, earliest=date.min) == value
