"""Fields that a site's pages declare, by JSON-LD, microdata and meta elements, proposed for its file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crawler.survey.visible import same, selector_for
from inspection.sampled_page import SampledPage, item_value, kinds_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pagelets.reading import Element

VOCABULARY: Final = Path(__file__).with_name("vocabulary.toml")
SAMPLES: Final = 3
"""Values of a field that are shown."""
_MANY: Final = 5
"""In a sample of so many pages one page alone proposes nothing."""
_SAYS_LITTLE: Final = frozenset({"currency", "availability"})
"""Fields that are of use where all pages say the same."""

Values = dict[int, list[Any]]
"""The values of a field by the places of the pages in the sample."""


@dataclass(slots=True, frozen=True)
class ProposedField:
    """A field for the table ``[extract]`` of a site file.

    ``given`` describes it as that table does; ``pages`` of the sample have it, with such values.
    ``why`` is the evidence for it in words; ``source`` is where things of the ``kind`` declare its values.
    """

    name: str
    given: Mapping[str, Any]
    pages: int
    samples: tuple[str, ...]
    why: str
    source: tuple[str, str] | None = None
    kind: str = ""


def fewest(pages: Sequence[SampledPage]) -> int:
    """The fewest pages of a sample that have to have a field."""
    return 1 if len(pages) < _MANY else 2


def proposed(
    name: str, given: Mapping[str, Any], by_place: Values, why: str, source: tuple[str, str] | None = None
) -> ProposedField:
    """Returns a field with what it was found on.

    Args:
        name: its name.
        given: its description.
        by_place: its values on the sample.
        why: what it was found by.
        source: where the values are declared.

    """
    shown = dict.fromkeys(_shown(value) for values in by_place.values() for value in values[:1])
    return ProposedField(name, given, len(by_place), tuple(shown)[:SAMPLES], why, source)


def _shown(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


@cache
def vocabulary() -> Mapping[str, Any]:
    """The kinds of things and their fields."""
    return tomllib.loads(VOCABULARY.read_text(encoding="utf-8"))


def declared_fields(pages: Sequence[SampledPage]) -> list[ProposedField]:
    """Returns the fields that pages declare, those of the most pages first."""
    fields: dict[str, ProposedField] = {}
    for kind, table in vocabulary().items():
        things = [_Things(page, frozenset(table["types"]), kind) for page in pages]
        if not any(thing.are_there for thing in things):
            continue
        for name, entry in table.items():
            if name != "types" and (field := _field(name, entry, things)) is not None:
                before = fields.get(name)
                if before is None or before.pages < field.pages:
                    fields[name] = replace(field, kind=kind)
    return sorted(fields.values(), key=lambda field: -field.pages)


def agreements(field: ProposedField, pages: Sequence[SampledPage]) -> list[bool]:
    """Compares a proposal with the pages that declare its field: returns True for each that has the same."""
    table = vocabulary()[field.kind]
    things = [_Things(page, frozenset(table["types"]), field.kind) for page in pages]
    assert field.source is not None
    declared = _declared(things, field.source, field.given)
    return [same(pages[place].values(field.given), values) for place, values in declared.items()]


class _Things:
    """Declarations of a page about the one thing of a kind that it presents."""

    def __init__(self, page: SampledPage, types: frozenset[str], kind: str) -> None:
        self.page = page
        self.nodes = [
            node for node in page.nodes if not types.isdisjoint(kind.lower() for kind in kinds_of(node))
        ]
        self.items = [
            element
            for element in page.elements
            if "itemscope" in element.attrib
            and _last(element.get("itemtype") or "") in types
            and element.get("itemprop") is None
        ]
        meta = page.meta
        self.is_meta = kind in "".join(meta.get("og:type", [])[:1]).lower() or any(
            name.startswith(f"{kind}:") for name in meta
        )

    @property
    def are_there(self) -> bool:
        """True if the page declares such a thing."""
        return bool(self.nodes or self.items or self.is_meta)

    def json_ld(self, path: str) -> list[Any]:
        """Returns the values of a path; none if the page presents several things."""
        return list(walk(self.nodes[0], tuple(path.split(".")))) if len(self.nodes) == 1 else []

    def microdata(self, path: str) -> list[Any]:
        """The same of microdata."""
        if len(self.items) != 1:
            return []
        items = self.items
        for part in path.split("."):
            items = [element for item in items for element in _properties(item, part)]
        return [item_value(element) for element in items if "itemscope" not in element.attrib]

    def meta(self, name: str) -> list[Any]:
        """The contents of meta elements, where the page is about such a thing."""
        return self.page.meta.get(name, []) if self.are_there else []


def _last(kind: str) -> str:
    return kind[-100:].strip().rpartition("/")[2].lower()


def _properties(item: Element, name: str) -> Iterator[Element]:
    for element in item.iter("*"):
        if element is not item and name in (element.get("itemprop") or "").split():
            scope = next((each for each in element.iterancestors() if "itemscope" in each.attrib), None)
            if scope is item:
                yield element


def _field(name: str, entry: Mapping[str, Any], things: Sequence[_Things]) -> ProposedField | None:
    """The proposal of a field that enough pages declare."""
    pages = [thing.page for thing in things]
    field = {key: entry[key] for key in ("type", "many") if key in entry}
    sources = [(key, path) for key in ("json_ld", "microdata") for path in entry.get("paths", ())]
    sources += [("meta", meta) for meta in entry.get("meta", ())]
    best: tuple[tuple[str, str], Values] | None = None
    for source in sources:
        declared = _declared(things, source, field)
        if best is None or len(declared) > len(best[1]):
            best = source, declared
    if best is None or len(best[1]) < fewest(pages):
        return None
    (key, path), declared = best
    if (
        len(declared) >= 3
        and name not in _SAYS_LITTLE
        and len({tuple(taken) for taken in declared.values()}) == 1
    ):
        return None
    why = {"json_ld": "JSON-LD", "microdata": "microdata", "meta": "meta elements"}[key]
    selector = selector_for(pages, declared, field)
    if selector is not None:
        return proposed(name, {"css": selector, **field}, declared, f"shown, and declared by {why}", best[0])
    for given in _asked(key, path, things):
        description = {**given, **field}
        if all(same(page.values(description), declared.get(place, [])) for place, page in enumerate(pages)):
            return proposed(name, description, declared, f"declared by {why}", best[0])
    description = {key: path, **field}
    if all(same(pages[place].values(description), values) for place, values in declared.items()):
        return proposed(name, description, declared, f"declared by {why}", best[0])
    return None


def _declared(things: Sequence[_Things], source: tuple[str, str], field: Mapping[str, Any]) -> Values:
    key, path = source
    by_place: Values = {}
    for place, thing in enumerate(things):
        raw = getattr(thing, key)(path)
        values = (thing.page.typed(item, field.get("type", "text")) for item in raw)
        taken = [value for value in values if value is not None]
        if taken:
            by_place[place] = taken if field.get("many") else taken[:1]
    return by_place


def _asked(key: str, path: str, things: Sequence[_Things]) -> Iterator[dict[str, str]]:
    """The ways to ask for what is declared, the plainest first."""
    yield {key: path}
    if key == "json_ld":
        kinds = {kind for thing in things for node in thing.nodes for kind in kinds_of(node)}
        first, _, rest = path.partition(".")
        for kind in sorted(kind for kind in kinds if kind.isalnum())[:5]:
            for flat in ("", "[]") if rest else ("",):
                end = f"{first}{flat}.{rest}" if rest else first
                yield {key: f"""[?"@type" && contains("@type", '{kind}')].{end}"""}
