"""Picking a field: from a text that a person points at to selectors that find it on other pages."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from inspection.field_preview import extraction_of, taken
from inspection.lessons import folded
from inspection.pages import FoundPage, version_of, with_body
from inspection.sampled_page import SampledPage
from inspection.value_selectors import are_all, is_stable, labels_of, name_of, rank, selectors_of, steps_of
from pagelets.reading.fields.description import ExtractedField, WrongField
from pagelets.selector import selector_of
from settings.errors import ConfigurationError
from store.listing import PageList

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from inspection.teaching import Tell
    from pagelets.page import Page
    from pagelets.reading import Element
    from pagelets.registry import Registry
    from store.judging import StoredJudge
    from store.site import Store

NEAR: Final = 20
"""Number of pages with neighbouring URLs, and of others all over the site, that selectors are compared on."""
MOST: Final = 6
"""Number of selectors that are offered."""
_TRIED: Final = 16
_VALUES: Final = 3
_AROUND: Final = 4
_LONGEST: Final = 40
"""Characters of a text that may be a number with words around it."""
_DIGITS: Final = re.compile(r"\d[\d.,' ]*")
_HEADING: Final = re.compile(r"h[1-6]\Z")


@dataclass(slots=True, frozen=True)
class Click:
    """The text that a person points at: the ``text`` of one element of a ``block``, empty for all of it.
    ``version`` names the page's blocks. ``type`` is the type of the field, empty to have it guessed.
    """

    version: str
    block: int
    text: str = ""
    type: str = ""


@dataclass(slots=True, frozen=True)
class FieldCandidate:
    """A way to find the value: ``given`` describes it as ``[extract]`` does. Of the compared pages ``pages``
    have a value, and ``places`` are found on all of them; ``values`` are some of the values.
    """

    given: Mapping[str, Any]
    pages: int
    places: int
    values: Sequence[Any]


@dataclass(slots=True, frozen=True)
class PickedField:
    """The field that a click asks for: its ``value`` there, a free ``name`` (empty if nothing suggests one),
    its ``type``, and the candidates, from narrow to wide, compared on ``pages`` pages.
    """

    value: Any
    name: str
    type: str
    pages: int
    candidates: Sequence[FieldCandidate]


def pick(store: Store, judge: StoredJudge, found: FoundPage, click: Click, tell: Tell) -> PickedField:
    """Returns the selectors of the text that a person points at.

    Args:
        store: the store.
        judge: judges its pages.
        found: the page.
        click: the text.
        tell: called after each page.

    Raises:
        ConfigurationError: the page has changed meanwhile or cannot be searched, or nothing finds the text.

    """
    number, url = found.known.page, found.known.url
    with with_body(url):
        page, source = judge.subject(number).page, store.bodies.get(number).text()
    if version_of(page) != click.version or not 0 <= click.block < len(page.blocks):
        raise ConfigurationError(f"{url}: the page has changed meanwhile; load it again, and click again")
    sampled = SampledPage(url, source, page.base)
    if not sampled.is_usual:
        raise ConfigurationError(f"{url}: the page is too long or too deep; write the selector by hand")
    elements = _elements(page, sampled, click)
    kind = click.type or _kind(elements[0], sampled)
    given = _candidates(page, sampled, elements, click.block, kind)
    wanted = {repr(value) for value in _wanted(sampled, elements, kind)}
    compared = _compared(store, number)
    found_on = _values(store, compared, given, tell)
    rows = [
        FieldCandidate(
            one, len(values), sum(map(len, values.values())), [own[0] for own in values.values()][:_VALUES]
        )
        for one, values in zip(given, found_on, strict=True)
        if number in values and repr(values[number][0]) in wanted
    ]
    # Those that find the same are one; the plainest comes first.
    alike = {(one.pages, one.places, repr(one.values)): one for one in reversed(rows)}
    candidates = sorted(alike.values(), key=lambda one: (one.places, one.pages))[:MOST]
    if not candidates:
        raise ConfigurationError(
            f"{url}: no selector of this text holds on other pages; write one by hand, or pick another text"
        )
    first = next(
        own[number][0] for one, own in zip(given, found_on, strict=True) if one is candidates[0].given
    )
    name = _name(elements, sampled, judge.config.registry)
    return PickedField(first, name, kind, len(compared), candidates)


def _elements(page: Page, sampled: SampledPage, click: Click) -> list[Element]:
    """The elements that a click may mean: that of the clicked text, and that of the whole block."""
    block = page.blocks[click.block]
    every = list(sampled.root.iter("*"))
    runs = [(text, holder) for text, holder in block.runs if text.strip()]
    clicked = [holder for text, holder in runs if folded(text) == folded(click.text)]
    # Equal texts of one block look alike here: the first is taken.
    nodes = [*clicked[:1], *(holder for _, holder in runs[:1]), block.node]
    usable = [every[node] for node in dict.fromkeys(nodes) if node < len(every)]
    if not runs or not usable or any(one.tag in ("body", "html") for one in usable[:1]):
        raise ConfigurationError(f"{page.url}: no element holds this text alone; pick another text")
    return [one for one in usable if one.tag not in ("body", "html")]


def _kind(element: Element, sampled: SampledPage) -> str:
    """The type that a text seems to have."""
    text = sampled.typed(element, "text", is_data=False) or ""
    if len(text) > _LONGEST or (isinstance(element.tag, str) and _HEADING.match(element.tag)):
        return "text"
    if sampled.typed(element, "date", is_data=False) is not None:
        return "date"
    is_number = are_all("number", [text], sampled) or len(_DIGITS.findall(text)) == 1
    return "number" if is_number and sampled.typed(element, "number", is_data=False) is not None else "text"


def _wanted(sampled: SampledPage, elements: Sequence[Element], kind: str) -> Iterator[Any]:
    """The values that a candidate may have on the clicked page."""
    for element in elements:
        yield sampled.typed(element, kind, is_data=False)
        for _, value in _labels(element, sampled):
            yield sampled.typed(value, kind, is_data=False)


def _candidates(
    page: Page, sampled: SampledPage, elements: Sequence[Element], block: int, kind: str
) -> list[dict[str, Any]]:
    """Descriptions of fields that may find what was clicked, the plainest first."""
    own = {"type": kind} if kind != "text" else {}
    found: list[dict[str, Any]] = []
    for element in elements:
        end = "" if len(element) or kind in ("html", "url") else "::text"
        named = sorted(dict.fromkeys(selectors_of(element)), key=rank)
        by_tag = (
            f"{outer} {element.tag}"
            for around in islice(element.iterancestors(), _AROUND)
            for outer in islice(steps_of(around), 2)
        )
        found += [{"css": selector + end, **own} for selector in [*named[:_TRIED], *islice(by_tag, _AROUND)]]
        found += [{**label.given, **own} for label, _ in _labels(element, sampled)]
    selector = selector_of(page, block)
    found += [{"css": selector, **own}] if selector else []
    unique = {json.dumps(one, sort_keys=True): one for one in found if _is_right(one)}
    return list(unique.values())[: 2 * _TRIED]


def _is_right(given: Mapping[str, Any]) -> bool:
    """Returns false for a selector that names in hostile tags and labels make wrong."""
    try:
        ExtractedField.of("field", given)
    except WrongField:
        return False
    return True


def _labels(element: Element, sampled: SampledPage) -> Iterator[tuple[Any, str]]:
    """The labels beside an element, and the texts that they name."""
    before = next(element.itersiblings(preceding=True), None)
    around = [one for one in (element, before, *islice(element.iterancestors(), 2)) if one is not None]
    text = folded(sampled.typed(element, "text", is_data=False) or "")
    for one in around:
        for label, value in labels_of(one, sampled):
            if value and (value in text or text in value):
                yield label, value


def _name(elements: Sequence[Element], sampled: SampledPage, registry: Registry) -> str:
    """A name for the field that is free, empty if nothing suggests one."""
    for element in elements:
        said = [label.label for label, _ in _labels(element, sampled)]
        said += (element.get("itemprop") or "").split()
        said += [one for one in (element.get("class") or "").split() if is_stable(one)]
        for text in said:
            try:
                return registry.check_new_field(name_of(text))
            except WrongField:
                continue
    return ""


def _compared(store: Store, page: int) -> list[int]:
    """The pages that selectors are compared on: the page, its neighbours, and others all over the site."""
    near = PageList(store.connection).around(page, NEAR // 2)
    every = list(store.documents.current())
    return list(dict.fromkeys([page, *near, *every[:: max(len(every) // NEAR, 1)][:NEAR]]))


def _values(
    store: Store, pages: Sequence[int], given: Sequence[Mapping[str, Any]], tell: Tell
) -> list[dict[int, list[Any]]]:
    """For each description the values that it finds, by page."""
    extraction = extraction_of({f"c{place}": {**one, "many": True} for place, one in enumerate(given)})
    found: list[dict[int, list[Any]]] = [{} for _ in given]
    for done, page in enumerate(pages, 1):
        for place, values in enumerate(taken(store, page, extraction).values()):
            if values:
                found[place][page] = values
        tell(done, len(pages))
    return found
