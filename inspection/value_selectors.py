"""CSS selectors of elements that hold values: such as are likely to hold on other pages, and next year."""

from __future__ import annotations

import re
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagelets.reading import Element

_AROUND: Final = 4
_SAYS_MUCH: Final = ("time", "h1", "ins")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z_-]{1,40}\Z", re.ASCII)
_PARTS: Final = re.compile(r"[-_]+|(?<=[a-z])(?=[A-Z])")
_VOWEL: Final = re.compile(r"[aeiouy]", re.IGNORECASE)


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


def selectors_of(element: Element) -> Iterator[str]:
    """Yields selectors of an element: by itself, and within the elements around it."""
    own = [*steps_of(element)]
    yield from own
    # A tag alone is of many elements: next year of others.
    inner = [*own, *([str(element.tag)] if element.tag in _SAYS_MUCH else [])]
    for around in islice(element.iterancestors(), _AROUND):
        if around.tag in ("body", "html"):
            return
        for outer in steps_of(around):
            yield from (f"{outer} {step}" for step in inner)


def steps_of(element: Element) -> Iterator[str]:
    """Yields selectors of an element by its own names, with its tag where that says more."""
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


def rank(selector: str) -> tuple[int, int, int, str]:
    """Returns the sort key of a selector: the plainest comes first."""
    said = "[itemprop" not in selector and "[rel" not in selector
    odd = selector.count(" ") + ("::attr(data" in selector) + ("::" not in selector)
    return said, odd, len(selector), selector
