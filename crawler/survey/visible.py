"""CSS selectors for values that pages show: such as hold on all pages, and are likely to next year."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from inspection.sampled_page import MAX_TEXT, SampledPage, rank, selectors_of, steps_of, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pagelets.reading import Element

FEWEST_PAGES: Final = 3
"""Pages whose values an element has to show: on fewer it may do so by chance."""
_CANDIDATES: Final = 60
"""Selectors that are tried on all pages."""
_CHILDREN: Final = 3
_ATTRIBUTES: Final = 30
_SKIPPED: Final = frozenset({"script", "style", "template", "noscript", "option", "body"})
_DIGITS: Final = re.compile(r"\d[\d.,' ]*")
_VALUE_ATTRIBUTE: Final = re.compile(r"(?:content|datetime|href|src|value|data-[a-z-]+)\Z")


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
    for selector in sorted(shown, key=rank)[:_CANDIDATES]:
        description = {"css": selector, **field}
        if all(same(page.values(description), declared.get(place, ())) for place, page in enumerate(pages)):
            return selector
    return None


def same(shown: Sequence[Any], declared: Sequence[Any]) -> bool:
    """Returns true if two fields have the same values, in whatever order."""
    return sorted(map(repr, shown)) == sorted(map(repr, declared))


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
                selectors_of(element)
                if kind != "url"
                else (step for step in steps_of(element) if "itemprop" in step)
            )
            for selector in steps:
                yield from (selector + end for end in ends)


def _attributes(element: Element) -> Iterator[tuple[str, str]]:
    return ((str(name), str(value)) for name, value in element.attrib.items())
