"""Selectors of values: CSS by the names of elements, XPath by the labels beside them."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from inspection.sampled_page import SampledPage, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagelets.reading import Element


_AROUND: Final = 4
_SAYS_MUCH: Final = ("time", "h1", "ins")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z_-]{1,40}\Z", re.ASCII)
_PARTS: Final = re.compile(r"[-_]+|(?<=[a-z])(?=[A-Z])")
_VOWEL: Final = re.compile(r"[aeiouy]", re.IGNORECASE)
_LABEL: Final = re.compile(r"[^\W\d_][^:\n\"\\]{1,38}\Z")
_LINE: Final = re.compile(r"([^\W\d_][^:\n\"\\]{1,38}):\s+(\S.*)\Z")
_NUMBER: Final = re.compile(r"[^\d\w]{0,3}(?:[A-Z]{3} )?[\d.,' ]*\d[^\d\w]{0,3}[A-Z]{0,3}\Z")
_LINES: Final = ("li", "p", "span", "div", "td")
_BEFORE_COLON: Final = 60


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


class Label(NamedTuple):
    """A label: the XPath of its value, the pattern that takes this out of what is found, and its kind."""

    xpath: str
    regex: str
    label: str
    how: str

    @property
    def given(self) -> dict[str, Any]:
        """The field as a site file describes it."""
        return {"xpath": self.xpath} | ({"regex": self.regex} if self.regex else {})


def name_of(label: str) -> str:
    """Returns the name of a field for a label, empty if its letters make none."""
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40]
    return name if re.match(r"[a-z]{2}", name) else ""


def are_all(kind: str, texts: Sequence[str], page: SampledPage) -> bool:
    """Returns true if all texts are values of a type, and of nothing else.

    Args:
        kind: the type.
        texts: the texts.
        page: the page that they stand on.

    """
    if kind == "number" and not all(_NUMBER.match(text) for text in texts):
        return False
    return all(page.typed(text, kind, is_data=False) is not None for text in texts)


def labels_of(element: Element, page: SampledPage) -> Iterator[tuple[Label, str]]:
    """Yields the labels that an element is, or has, each with the text of its value."""
    if element.tag == "dt":
        value = next(element.itersiblings(), None)
        text = _text(element, page)
        if value is not None and value.tag == "dd" and (said := _said(text)):
            path = f"//dt[normalize-space() = {_quoted(text)}]/following-sibling::dd[1]"
            yield Label(path, "", said, "dt"), _text(value, page)
    elif element.tag == "tr":
        cells = [cell for cell in element if cell.tag in ("th", "td")]
        if len(cells) == 2 and cells[1].tag == "td":
            text = _text(cells[0], page)
            if (said := _said(text)) and (cells[0].tag == "th" or text.endswith(":")):
                path = f"//tr[{cells[0].tag}[normalize-space() = {_quoted(text)}]]/td[last()]"
                yield Label(path, "", said, str(cells[0].tag)), _text(cells[1], page)
    elif element.tag in _LINES and len(element) <= 3 and not element.xpath("self::td/following-sibling::td"):
        match = _LINE.match(_text(element, page)) if ":" in value_text(element)[:_BEFORE_COLON] else None
        if match is not None and len(match[2]) <= 80 and (said := _said(match[1])):
            path = f"//{element.tag}[starts-with(normalize-space(), {_quoted(match[1] + ':')})]"
            yield Label(path, f"{_escaped(match[1])}:\\s+(.+)", said, "label"), match[2]


def _quoted(text: str) -> str:
    """A text as a string of XPath."""
    return f"'{text}'" if "'" not in text else f'"{text}"'


def _escaped(text: str) -> str:
    """A text as a regex, of which only what has to be is escaped."""
    return re.sub(r"[.^$*+?{}\[\]|()]", r"\\\g<0>", text)


def _text(element: Element, page: SampledPage) -> str:
    """The text of an element, as a field of it has it."""
    return page.typed(element, "text", is_data=False) or ""


def _said(text: str) -> str:
    """Returns a label without its colon, an empty text if it cannot be a label."""
    text = text.rstrip(": ")
    return text if _LABEL.match(text) else ""
