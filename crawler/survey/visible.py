"""CSS selectors for values that pages show: such as hold on all pages, and are likely to next year."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final

from crawler.survey.sample import MAX_TEXT, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crawler.survey.sample import SampledPage
    from pagelets.reading import Element

FEWEST_PAGES: Final = 3
"""Pages whose values an element has to show: on fewer it may do so by chance."""
_CANDIDATES: Final = 60
"""Selectors that are tried on all pages."""
_CHILDREN: Final = 3
_ATTRIBUTES: Final = 30
_AROUND: Final = 4
_SKIPPED: Final = frozenset({"script", "style", "template", "noscript", "option", "body"})
_SAYS_MUCH: Final = ("time", "h1", "ins")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z_-]{1,40}\Z", re.ASCII)
_PARTS: Final = re.compile(r"[-_]+|(?<=[a-z])(?=[A-Z])")
_DIGITS: Final = re.compile(r"\d[\d.,' ]*")
_VOWEL: Final = re.compile(r"[aeiouy]", re.IGNORECASE)
_VALUE_ATTRIBUTE: Final = re.compile(r"(?:content|datetime|href|src|value|data-[a-z-]+)\Z")


def is_stable(name: str) -> bool:
    """Returns true if a class or id looks as if a person had named it: without digits, and no hash."""
    if not _NAME.match(name):
        return False
    parts = [part for part in _PARTS.split(name) if part]
    odd = sum(len(part) < 3 for part in parts)
    return (
        all(len(part) < 5 or _VOWEL.search(part) for part in parts)
        and (odd < 2 or odd * 2 <= len(parts))
        and not any(re.search(r"[a-z][A-Z]{2,}[a-z]", part) for part in parts)
    )


def selector_for(
    pages: Sequence[SampledPage], declared: Mapping[int, Sequence[Any]], field: Mapping[str, Any]
) -> str | None:
    """Finds a selector that has exactly the declared values on the pages that declare them, and no value on
    the others.

    Args:
        pages: the sample.
        declared: the values by the places of the pages.
        field: its ``type``, and ``many`` if it has several values.

    Returns:
        The selector; None without a fitting one, or without enough pages.

    """
    if len(declared) < FEWEST_PAGES or len({tuple(values) for values in declared.values()}) < 2:
        return None
    counts: Counter[str] = Counter()
    for place, values in declared.items():
        counts.update(set(_candidates(pages[place], values, field)))
    shown = [selector for selector, count in counts.items() if count == len(declared)]
    for selector in sorted(shown, key=_rank)[:_CANDIDATES]:
        own = {"css": selector, **field}
        if all(same(page.values(own), declared.get(place, ())) for place, page in enumerate(pages)):
            return selector
    return None


def same(found: Sequence[Any], declared: Sequence[Any]) -> bool:
    """Returns true if two fields have the same values, in whatever order."""
    return sorted(map(repr, found)) == sorted(map(repr, declared))


def _candidates(page: SampledPage, values: Sequence[Any], field: Mapping[str, Any]) -> Iterator[str]:
    kind = field.get("type", "text")
    for element in page.elements:
        if element.tag in _SKIPPED or not isinstance(element.tag, str):
            continue
        ends = []
        # Of addresses the attributes below say more.
        is_one = len(element) <= _CHILDREN and kind != "url"
        if is_one and kind == "number":
            is_one = len(_DIGITS.findall(value_text(element))) == 1
        if is_one and page.typed(element, kind, is_data=False) in values:
            ends.append("" if len(element) else "::text")
        for name, value in islice(_attributes(element), _ATTRIBUTES):
            is_short = _VALUE_ATTRIBUTE.match(name) and 0 < len(value) <= MAX_TEXT
            if is_short and page.typed(value, kind) in values:
                ends.append(f"::attr({name})")
        if ends:
            # Of pictures and links a page has many beside the one that it declares.
            steps = (
                _selectors(element)
                if kind != "url"
                else (one for one in _steps(element) if "itemprop" in one)
            )
            for selector in steps:
                yield from (selector + end for end in ends)


def _attributes(element: Element) -> Iterator[tuple[str, str]]:
    return ((str(name), str(value)) for name, value in element.attrib.items())


def _selectors(element: Element) -> Iterator[str]:
    own = [*_steps(element)]
    yield from own
    # A tag alone is of many elements: next year of others.
    inner = [*own, *([str(element.tag)] if element.tag in _SAYS_MUCH else [])]
    for around in islice(element.iterancestors(), _AROUND):
        if around.tag in ("body", "html"):
            return
        for outer in _steps(around):
            yield from (f"{outer} {step}" for step in inner)


def _steps(element: Element) -> Iterator[str]:
    """Selectors of an element by what it is itself, without its tag where that says nothing more."""
    for name in (element.get("itemprop") or "").split()[:2]:
        if re.fullmatch(r"[A-Za-z][\w-]*", name, re.ASCII):
            yield f"[itemprop={name}]"
    if is_stable(identifier := (element.get("id") or "").strip()):
        yield f"#{identifier}"
    classes = [name for name in (element.get("class") or "").split()[:8] if is_stable(name)]
    for name in classes:
        yield f".{name}"
        yield f"{element.tag}.{name}"
    yield from (f".{one}.{other}" for one, other in pairwise(classes))
    if element.get("rel") in ("tag", "author", "bookmark", "category"):
        yield f"{element.tag}[rel={element.get('rel')}]"


def _rank(selector: str) -> tuple[int, int, int, str]:
    said = "[itemprop" not in selector and "[rel" not in selector
    odd = selector.count(" ") + ("::attr(data" in selector) + ("::" not in selector)
    return said, odd, len(selector), selector
