"""Fields of a site: values that pages have at places which the site's file names, as an index wants them.

They are taken from a page's tree when it is read. What a page holds is hostile: as many values are taken, of
such length, and no page costs more than its size allows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pagelets.fields import REPLACEABLE
from pagelets.judging.by_url import UrlOverride
from pagelets.page import Extracted, Page, digest
from pagelets.patterns import Pattern, PatternError
from pagelets.reading import read
from pagelets.reading.fields.description import ExtractedField, WrongField
from pagelets.reading.fields.sources import SourcePage
from pagelets.reading.fields.values import Making
from pagelets.render import Rendering

if TYPE_CHECKING:
    from lxml.etree import _Element

    from pagelets.reading.references import References

__all__ = ["NO_FIELDS", "Extraction", "WrongField", "check_name", "extraction_of", "match_of"]

VERSION: Final = 7
"""Counts the changes of what values a page has: what a store has taken otherwise is taken again."""
MAX_VALUES: Final = 100
"""Values of one field of a page."""
MAX_FOUND: Final = 10_000
"""Places of one field that are looked at."""
MAX_FIELDS: Final = 200
RESERVED: Final = frozenset({"match", "pages"})
"""Keys of the tables of fields that cannot name a field."""

MISSING: Final = "missing_field"
"""Flag: a page lacks a required field."""
UNREAD: Final = "json_ld_unread"
"""Flag: JSON-LD is broken or too long."""
CUT: Final = "fields_cut"
"""Flag: there are more or longer values than are taken, or the page would cost too much."""


@dataclass(slots=True, frozen=True)
class Extraction:
    """The fields of a site; those are equal by which the same values are taken from every page.

    Of several descriptions of one field that of the matching pattern with the highest priority counts; among
    equals the longest pattern decides, then the order of type and text. A field of all pages comes last.

    Args:
        given: name -> description (`ExtractedField.of`), of all pages; under ``pages`` a list of such dicts,
            each with ``match``: a part of the URLs of its pages, or a dict of ``type``, ``pattern``,
            ``priority`` (0) as overrides have them.
        overrides: overrides by URL, of which ``extract`` counts here.

    Raises:
        WrongField: a field cannot be used; the text names it.

    """

    given: Mapping[str, Any] = field(default_factory=dict, compare=False)
    overrides: Sequence[Mapping[str, Any]] = field(default=(), compare=False)
    fields: Mapping[str, ExtractedField] = field(init=False, repr=False, compare=False)
    fingerprint: str = field(init=False)
    _every: Mapping[str, ExtractedField] = field(init=False, repr=False, compare=False)
    _rules: Sequence[UrlOverride] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        every = dict(_fields({key: entry for key, entry in self.given.items() if key != "pages"}, ""))
        rules = sorted(_rules(self.given.get("pages", ()), self.overrides), key=lambda rule: rule.rank)
        fields = dict(_same_columns([every, *(rule.values for rule in rules)]))
        rules_given = [
            [rule.rank, {name: entry.given for name, entry in rule.values.items()}] for rule in rules
        ]
        all_said = [VERSION, {name: entry.given for name, entry in every.items()}, rules_given]
        values = {
            "fields": fields,
            "fingerprint": digest(all_said) if fields else "",
            "_every": every,
            "_rules": rules,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Its descriptions go to another process, and are compiled there."""
        return Extraction, (self.given, self.overrides)

    def __bool__(self) -> bool:
        """True if there is any field."""
        return bool(self.fields)

    def of_url(self, url: str) -> Mapping[str, ExtractedField]:
        """The fields of the page of a canonical URL."""
        fields = dict(self._every)
        for rule in reversed(self._rules):
            if rule.pattern.matches(url):
                fields.update(rule.values)
        return fields

    def take(self, root: _Element, page: Page, references: References) -> None:
        """Takes the values of a page into its ``extracted``. Never raises.

        Args:
            root: the tree as it was parsed.
            page: the page, of which URL, base and flat tree are known.
            references: makes its addresses absolute.

        """
        values = {name: wanted.missing for name, wanted in self.fields.items()}
        filled: list[str] = []
        flags: set[str] = set()
        sources = SourcePage(root, page.tree)
        clean = partial(_cleaned, url=page.base or page.url)
        making = Making(sources, root.get("lang") or "", references, clean)
        for name, wanted in self.of_url(page.url).items():
            taken = _taken(wanted, sources, making, flags)
            if taken:
                filled.append(name)
                values[name] = taken if wanted.many else taken[0]
            else:
                values[name] = wanted.default
                flags |= {MISSING} if wanted.required else set()
        if making.cut:
            flags.add(CUT)
        if sources.has_unread_json_ld:
            flags.add(UNREAD)
        page.extracted = Extracted(values, tuple(filled), tuple(sorted(flags)))


def _fields(given: object, where: str) -> Iterator[tuple[str, ExtractedField]]:
    if not isinstance(given, Mapping):
        raise WrongField(f"extract{where} is no table; write NAME = VALUE lines below a [header]")
    if len(given) > MAX_FIELDS:
        raise WrongField(f"extract{where}: {len(given)} fields are too many; give at most {MAX_FIELDS}")
    for name, entry in given.items():
        try:
            yield name, _field(name, entry)
        except WrongField as error:
            raise WrongField(f"extract{where}.{name}: {error}") from error


def _field(name: str, given: object) -> ExtractedField:
    field = ExtractedField.of(check_name(name), given)
    if name in REPLACEABLE and (field.type != "text" or field.many):
        raise WrongField("is a text of ours; leave out type and many")
    return field


def check_name(name: str) -> str:
    """A name that a field may have. Raises WrongField."""
    if name in RESERVED:
        raise WrongField(f"{name!r} is a key of the tables of fields; give the field another name")
    if not (name.isascii() and name.isidentifier()) or name.startswith("_") or len(name) > 60:
        raise WrongField(f"{name!r} cannot name a field; use letters, digits and _, first a letter")
    return name


def _rules(pages: object, overrides: Sequence[Mapping[str, Any]]) -> Iterator[UrlOverride]:
    if not isinstance(pages, list | tuple):
        raise WrongField("extract.pages is no list; write [[extract.pages]]")
    for number, given in enumerate(pages):
        where = f".pages[{number}]"
        if not isinstance(given, Mapping) or "match" not in given:
            raise WrongField(f'extract{where}: match is missing; write match = "/jobs/"')
        rest = {key: entry for key, entry in given.items() if key != "match"}
        try:
            yield _rule(match_of(given["match"]), dict(_fields(rest, where)))
        except PatternError as error:
            raise WrongField(f"extract{where}.match: {error}") from error
    for number, given in enumerate(overrides):
        if "extract" in given:
            try:
                yield _rule(given, dict(_fields(given["extract"], f" of overrides[{number}]")))
            except KeyError as error:
                raise WrongField(f"overrides[{number}]: {error.args[0]} is missing") from error
            except PatternError as error:
                raise WrongField(f"overrides[{number}]: {error}") from error


def match_of(given: object) -> Mapping[str, Any]:
    """Returns what ``match`` says in the form of overrides: a text is a part of URLs. Raises PatternError."""
    rule: Any = {"type": "contains", "pattern": given} if isinstance(given, str) else given
    required = {"type", "pattern"}
    if not isinstance(rule, Mapping) or not required <= rule.keys() <= {*required, "priority"}:
        raise PatternError("give a part of URLs, or a table of type, pattern and priority")
    if not isinstance(rule["pattern"], str) or type(rule.get("priority", 0)) is not int:
        raise PatternError("pattern is no text, or priority no whole number")
    Pattern.of(rule["type"], rule["pattern"])
    return rule


def _rule(given: Mapping[str, Any], fields: Mapping[str, ExtractedField]) -> UrlOverride:
    return UrlOverride(Pattern.of(given["type"], given["pattern"]), given.get("priority", 0), fields)


def _same_columns(tables: Iterable[Mapping[str, ExtractedField]]) -> Iterator[tuple[str, ExtractedField]]:
    """The fields of all tables by name; those of one name are of one type."""
    first: dict[str, ExtractedField] = {}
    for name, entry in ((name, entry) for table in tables for name, entry in table.items()):
        before = first.setdefault(name.lower(), entry)
        if before is entry:
            yield name, entry
        elif before.name != name:
            raise WrongField(f"extract: {name!r} and {before.name!r} differ in case alone; rename one")
        elif before.column != entry.column:
            raise WrongField(f"extract: {name!r} has another type, or many, for other pages; give it one")


def _taken(wanted: ExtractedField, sources: SourcePage, making: Making, flags: set[str]) -> list[Any]:
    """The values of a field on a page, one at most unless it may have many."""
    most = MAX_VALUES if wanted.many else 1
    taken: list[Any] = []
    try:
        places = wanted.find(sources)
        for place in islice(places, MAX_FOUND):
            values = making.values(place, wanted.type, wanted.pattern, is_data=wanted.is_data)
            taken += islice(values, most - len(taken) + 1)
            if len(taken) > most or (taken and not wanted.many):
                break
    except Exception:
        # Nothing that stands on a page ends its reading: what was found before counts.
        flags.add(CUT)
    if wanted.many and len(taken) > most:
        flags.add(CUT)
    return taken[:most]


def _cleaned(source: str, url: str) -> str:
    page = read(source, url)
    return Rendering(page, [True] * len(page.blocks)).html()


NO_FIELDS: Final = Extraction()


@lru_cache(maxsize=16)
def _extraction(text: str) -> Extraction:
    given, overrides = json.loads(text)
    return Extraction(given, overrides)


def extraction_of(given: Mapping[str, Any], overrides: Iterable[Mapping[str, Any]] = ()) -> Extraction:
    """Returns the fields that are given as `Extraction` takes them, compiled once. Raises WrongField."""
    rules = [override for override in overrides if isinstance(override, Mapping) and "extract" in override]
    return _extraction(json.dumps([dict(given), rules], default=str)) if given or rules else NO_FIELDS
