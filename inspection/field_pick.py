"""Fields of a site: selectors of a text that a person points at, and the values that a new field has."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from inspection.pages import FoundPage, version_of, with_body
from inspection.sampled_page import (
    SampledPage,
    are_all,
    is_stable,
    labels_of,
    name_of,
    rank,
    selectors_of,
    steps_of,
)
from inspection.site_file import field_line, fields_with
from inspection.teaching import Tell, folded
from pagelets.reading import Element, read
from pagelets.reading.fields import Extraction, WrongField
from pagelets.reading.fields.description import ExtractedField
from pagelets.selector import selector_of
from settings.errors import ConfigurationError
from store.listing import PageList

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pagelets.judging.config import JudgeConfig
    from pagelets.page import Page
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
SHOWN: Final = 20
"""Number of pages whose values are shown; after so many there is a first preview."""
STEP: Final = 300
_CHARS: Final = 300
_BEGINS: Final = re.compile(r"[/?&]")
_ENDS: Final = re.compile(r"[/?&=_-]")
_WORDS: Final = 3
"""Number of words of a path in a part."""
_LEAST: Final = 2
"""Number of pages that tell a part from the address of one page."""
_HALF: Final = 0.5


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
    first = found_on[given.index(candidates[0].given)][number][0]
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
) -> list[Mapping[str, Any]]:
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
    unique: dict[str, Mapping[str, Any]] = {}
    for one in found:
        # Names in hostile tags and labels make wrong selectors.
        with contextlib.suppress(WrongField):
            ExtractedField.of("field", one)
            unique[json.dumps(one, sort_keys=True)] = one
    return list(unique.values())[: 2 * _TRIED]


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
            with contextlib.suppress(WrongField):
                return registry.check_new_field(name_of(text))
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


@dataclass(slots=True, frozen=True)
class PageValue:
    """The value of a field on a page."""

    url: str
    value: Any


@dataclass(slots=True, frozen=True)
class FieldPreview:
    """A field as the pages of a site have it.

    ``line`` describes it in ``[extract]``. Of the site's ``documents`` ``looked_at`` were read; of these
    ``found`` have a value, such as ``values``, and ``missing`` lack one, such as the pages ``without``.
    ``match`` is a part of URLs that the pages with a value have and most others lack, empty without one.
    """

    line: str
    documents: int
    looked_at: int
    found: int
    missing: int
    values: Sequence[PageValue]
    without: Sequence[str]
    match: str = ""


def check_field(config: JudgeConfig, name: str, given: Mapping[str, Any], match: str = "") -> None:
    """Checks a field that is to be added to those of a site.

    Args:
        config: the rules of the site.
        name: the field's name.
        given: its description.
        match: the part of URLs that its pages have, empty for all pages.

    Raises:
        ConfigurationError: the name is not free, or the description is wrong.

    """
    before = config.extraction
    try:
        config.registry.check_new_field(name)
        Extraction(fields_with(before.given, name, given, match), before.overrides)
    except WrongField as error:
        raise ConfigurationError(str(error)) from error


def field_previews(
    store: Store, name: str, given: Mapping[str, Any], pages: Sequence[int], tell: Tell, match: str = ""
) -> Iterator[FieldPreview]:
    """Takes the values of a field from pages; yields what was found so far after the first `SHOWN` pages,
    after each `STEP`, and at the end.

    Args:
        store: the store.
        name: the name of the field, which is free (`check_field`).
        given: its description.
        pages: the pages to read.
        tell: called after each page.
        match: the part of URLs that its pages have; others are passed over. Empty for all pages.

    Raises:
        ConfigurationError: the description is wrong.

    """
    extraction, line = extraction_of(fields_with({}, name, given, match)), field_line(name, given, match)
    documents, values = store.documents.count(), list[PageValue]()
    urls: dict[bool, list[str]] = {True: [], False: []}

    def found(part: str = "") -> FieldPreview:
        counts = len(urls[True]), len(urls[False])
        return FieldPreview(line, documents, sum(counts), *counts, [*values], urls[False][:SHOWN], part)

    for done, page in enumerate(pages, 1):
        url = store.frontier.url(page)
        if extraction.of_url(url):
            value = taken(store, page, extraction).get(name)
            has_value = value is not None and value != []
            urls[has_value].append(url)
            if has_value and len(values) < SHOWN:
                values.append(PageValue(url, _short(value)))
        tell(done, len(pages))
        if (done == SHOWN or done % STEP == 0) and done < len(pages):
            yield found()
    yield found("" if match else part_of_urls(urls[True], urls[False]))


def extraction_of(given: Mapping[str, Any]) -> Extraction:
    """Returns what takes fields from pages. Raises ConfigurationError for a wrong description."""
    try:
        return Extraction(given)
    except WrongField as error:
        raise ConfigurationError(str(error)) from error


def taken(store: Store, page: int, extraction: Extraction) -> Mapping[str, Any]:
    """Returns the values that stored pages have of fields; empty for one that lost its body meanwhile.

    Args:
        store: the store.
        page: the id of the page.
        extraction: takes the values.

    """
    try:
        source = store.bodies.get(page).source()
    except KeyError:
        return {}
    values: Mapping[str, Any] = read(source, store.frontier.url(page), extraction=extraction).extracted.values
    return values


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(one) for one in value]
    return value[:_CHARS] if isinstance(value, str) else value


def part_of_urls(wanted: Sequence[str], others: Sequence[str]) -> str:
    """Returns the part of path and query that all ``wanted`` URLs have and fewest others, the shortest of
    several; empty if more than a half of the others have it, or all are wanted.
    """
    if len(wanted) < _LEAST or not others:
        return ""
    texts, lacking = ([_text(url) for url in urls] for urls in (wanted, others))
    common = [part for part in dict.fromkeys(_parts(texts[0])) if all(part in text for text in texts)]
    counted = [(sum(part in text for text in lacking), len(part), part) for part in common]
    count, _, part = min(counted, default=(len(lacking), 0, ""))
    return part if count <= _HALF * len(lacking) else ""


def _text(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _parts(text: str) -> Iterator[str]:
    for begin in _BEGINS.finditer(text):
        ends = [one.end() for one in _ENDS.finditer(text, begin.end())]
        yield from (text[begin.start() : end] for end in ends[:_WORDS] if end - begin.start() > _LEAST)
