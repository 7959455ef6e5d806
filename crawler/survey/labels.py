"""Fields that a site's pages show beside a label: ``dt`` and ``dd``, ``th`` and ``td``, "Label: value"."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crawler.survey.declared import ProposedField, fewest, proposed
from crawler.survey.sample import MAX_TEXT, value_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from crawler.survey.declared import Values
    from crawler.survey.sample import SampledPage
    from pagelets.reading import Element

MOST: Final = 8
"""Fields that are proposed for labels."""
_MOST_LABELS: Final = 300
"""Labels of a page that are looked at."""
_LABEL: Final = re.compile(r"[^\W\d_][^:\n\"\\]{1,38}\Z")
_LINE: Final = re.compile(r"([^\W\d_][^:\n\"\\]{1,38}):\s+(\S.*)\Z")
_NUMBER: Final = re.compile(r"[^\d\w]{0,3}(?:[A-Z]{3} )?[\d.,' ]*\d[^\d\w]{0,3}[A-Z]{0,3}\Z")
_LINES: Final = ("li", "p", "span", "div", "td")
_BEFORE_COLON: Final = 60
_LEAST_SHARE: Final = 0.2


class _Label(NamedTuple):
    """A label: the XPath of its value, the pattern that takes this out of what is found, and its kind."""

    xpath: str
    regex: str
    label: str
    how: str

    @property
    def given(self) -> dict[str, Any]:
        """The field as a site file describes it."""
        return {"xpath": self.xpath} | ({"regex": self.regex} if self.regex else {})


def labelled_fields(pages: Sequence[SampledPage], taken: Collection[ProposedField]) -> list[ProposedField]:
    """Returns the fields that stand beside labels, those of the most pages first.

    Args:
        pages: the sample.
        taken: fields that are proposed already; none is proposed again.

    """
    found: defaultdict[_Label, Values] = defaultdict(dict)
    for place, page in enumerate(pages):
        seen: defaultdict[_Label, list[str]] = defaultdict(list)
        for label, value in _labels(page):
            seen[label].append(value)
        for label, texts in seen.items():
            if len(texts) == 1:
                found[label][place] = list(texts)
    least = max(fewest(pages), 2, _LEAST_SHARE * len(pages))
    names = {one.name for one in taken}
    shown = {one.samples for one in taken}
    fields: list[ProposedField] = []
    for label, values in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        name = name_of(label.label)
        if len(values) < least or not name or name in names or len(fields) == MOST:
            continue
        field = _field(name, label, values, pages)
        if field is not None and field.samples not in shown:
            names.add(name)
            shown.add(field.samples)
            fields.append(field)
    return fields


def name_of(label: str) -> str:
    """Returns the name of a field for a label, empty if its letters make none."""
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40]
    return name if re.match(r"[a-z]{2}", name) else ""


def _field(name: str, label: _Label, values: Values, pages: Sequence[SampledPage]) -> ProposedField | None:
    found = {place: pages[place].values(label.given) for place in values}
    texts = [text for own in found.values() for text in own]
    if any(list(map(_letters, found[place])) != list(map(_letters, values[place])) for place in values):
        return None
    # What every page has may be the site's address, which a typing error makes two.
    if len(set(texts)) < (2 if len(found) < len(pages) else 3):
        return None
    kind = next((kind for kind in ("number", "date") if _are(kind, texts, pages[0])), "text")
    given = label.given | ({"type": kind} if kind != "text" else {})
    found = {place: pages[place].values(given) for place in values}
    return proposed(name, given, found, f"{label.how} {label.label!r}")


def _are(kind: str, texts: Sequence[str], page: SampledPage) -> bool:
    """Returns true if all texts are values of a type, and of nothing else."""
    if kind == "number" and not all(_NUMBER.match(text) for text in texts):
        return False
    return all(page.typed(text, kind, is_data=False) is not None for text in texts)


def _labels(page: SampledPage) -> Iterator[tuple[_Label, str]]:
    left = _MOST_LABELS
    for element in page.elements:
        for label, value in _label(element, page):
            if value and len(value) < MAX_TEXT // 2:
                left -= 1
                if left < 0:
                    return
                yield label, value


def _label(element: Element, page: SampledPage) -> Iterator[tuple[_Label, str]]:
    """The labels that an element is, or has."""
    if element.tag == "dt":
        value = next(element.itersiblings(), None)
        text = _text(element, page)
        if value is not None and value.tag == "dd" and (said := _said(text)):
            path = f"//dt[normalize-space() = {_quoted(text)}]/following-sibling::dd[1]"
            yield _Label(path, "", said, "dt"), _text(value, page)
    elif element.tag == "tr":
        cells = [cell for cell in element if cell.tag in ("th", "td")]
        if len(cells) == 2 and cells[1].tag == "td":
            text = _text(cells[0], page)
            if (said := _said(text)) and (cells[0].tag == "th" or text.endswith(":")):
                path = f"//tr[{cells[0].tag}[normalize-space() = {_quoted(text)}]]/td[last()]"
                yield _Label(path, "", said, str(cells[0].tag)), _text(cells[1], page)
    elif element.tag in _LINES and len(element) <= 3 and not element.xpath("self::td/following-sibling::td"):
        match = _LINE.match(_text(element, page)) if ":" in value_text(element)[:_BEFORE_COLON] else None
        if match is not None and len(match[2]) <= 80 and (said := _said(match[1])):
            path = f"//{element.tag}[starts-with(normalize-space(), {_quoted(match[1] + ':')})]"
            yield _Label(path, f"{_escaped(match[1])}:\\s+(.+)", said, "label"), match[2]


def _letters(text: str) -> str:
    """A text without white space, which elements inside of it may part or not."""
    return "".join(text.split())


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
