"""Labels beside values: ``dt`` and ``dd``, ``th`` and ``td``, "Label: value"."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from inspection.sampled_page import SampledPage, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagelets.reading import Element

_LABEL: Final = re.compile(r"[^\W\d_][^:\n\"\\]{1,38}\Z")
_LINE: Final = re.compile(r"([^\W\d_][^:\n\"\\]{1,38}):\s+(\S.*)\Z")
_NUMBER: Final = re.compile(r"[^\d\w]{0,3}(?:[A-Z]{3} )?[\d.,' ]*\d[^\d\w]{0,3}[A-Z]{0,3}\Z")
_LINES: Final = ("li", "p", "span", "div", "td")
_BEFORE_COLON: Final = 60


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
