"""From what a selector finds to the value of a field: text, number, date, boolean, address or HTML."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from pagelets.metadata.dates import normalised
from pagelets.reading.fields.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lxml.etree import _Element

    from pagelets.reading.references import References

MAX_CHARS: Final = 10_000
"""Characters of a value; of HTML `MAX_HTML`. What is longer is cut."""
MAX_HTML: Final = 100_000
MAX_STEPS: Final = 300_000
"""Tags of a page that are passed for the texts of elements."""
MAX_ALL_HTML: Final = 1_000_000
"""Characters of the HTML that is made into values on one page."""

_LAST_DAY: Final = date(9999, 12, 30)
_LONE: Final = re.compile("[\ud800-\udfff]")
_LETTERS: Final = re.compile(r"[\W_]+")
_NO: Final = frozenset(
    "0 false no n off none null nein non nee nej nie нет não outofstock soldout discontinued backorder "
    "unavailable notavailable".split()
)
"""What says no, without spaces and in lower case; all else that is there says yes."""
_UNREAD: Final = frozenset({"script", "style", "template", "noscript"})
_INLINE: Final = frozenset(
    "a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strong sub sup "
    "time tt u var wbr".split()
)
_OF_TYPE: Final = {"url": ("href", "src", "content", "data"), "date": ("datetime", "content")}
"""Attributes that hold the value of an element, by the type of the field."""


class Making:
    """Makes values of what is found on one page.

    Args:
        language: the one that the page declares.
        references: makes addresses absolute.
        clean: makes HTML safe.

    """

    def __init__(self, language: str, references: References, clean: Callable[[str], str]) -> None:
        self._language = language
        self._references = references
        self._clean = clean
        self._written = language
        self._html_left, self._steps_left = MAX_ALL_HTML, MAX_STEPS
        self._makers: Mapping[str, Callable[[Any], Any]] = {
            "text": self._text,
            "number": self._number,
            "date": self._date,
            "boolean": self._boolean,
            "url": self._url,
            "html": self._html,
        }
        self.cut = False

    def values(
        self, found: Any, kind: str, pattern: re.Pattern[str] | None, *, is_data: bool
    ) -> Iterator[Any]:
        """Yields the values that an element, text, number or boolean holds.

        Args:
            found: what the selector has found.
            kind: the type of the values; what does not fit is none.
            pattern: what in it is a value, None for all of it.
            is_data: texts are written for programs, not in the page's language.

        """
        make, self._written = self._makers[kind], self._language
        if is_data and isinstance(found, str):
            self._written = ""
        if pattern is None:
            value = make(found)
            if value is not None:
                yield value
            return
        # Of HTML the pattern sees the source, else the text.
        text = self._source(found) if kind == "html" else self._shown(found, kind)
        for match in pattern.finditer(text):
            value = make(match[1] if match.re.groups else match[0]) if match[match.re.groups and 1] else None
            if value is not None:
                yield value

    def _shown(self, found: Any, kind: str = "text") -> str:
        if isinstance(found, str):
            return self._bounded(found)
        if not isinstance(found, etree._Element):
            return str(found).lower() if isinstance(found, bool) else repr(found)
        for name in _OF_TYPE.get(kind, ()):
            if (value := found.get(name)) is not None:
                return self._bounded(value)
        return self._bounded(self._text_of(found))

    def _bounded(self, text: str, most: int = MAX_CHARS) -> str:
        if len(text) > most:
            self.cut = True
        return _LONE.sub("\ufffd", text[:most].replace("\0", "\ufffd"))

    def _text(self, found: Any) -> str | None:
        return " ".join(self._shown(found).split()) or None

    def _number(self, found: Any) -> float | int | None:
        if isinstance(found, bool):
            return int(found)
        return number_of(self._shown(found), self._written)

    def _date(self, found: Any) -> str | None:
        text = " ".join(self._shown(found, "date").split())
        return normalised(text, _LAST_DAY, self._language, earliest=date.min)

    def _boolean(self, found: Any) -> bool:
        if isinstance(found, bool):
            return found
        word = self._shown(found).strip().rpartition("schema.org/")[2]
        return _LETTERS.sub("", word).lower() not in _NO

    def _url(self, found: Any) -> str | None:
        text = self._shown(found, "url").strip()
        return self._references.absolute(text) if text else None

    def _html(self, found: Any) -> str | None:
        source = self._source(found)
        if self._html_left <= 0:
            self.cut = True
            return None
        self._html_left -= max(len(source), 1)
        return self._clean(source) or None

    def _source(self, found: Any) -> str:
        if not isinstance(found, etree._Element):
            return self._bounded(found, MAX_HTML) if isinstance(found, str) else self._shown(found)
        if self._html_left <= 0:
            return ""
        source = etree.tostring(found, encoding="unicode", method="html", with_tail=False)
        self._html_left -= len(source)
        return self._bounded(source, MAX_HTML)

    def _text_of(self, element: _Element) -> str:
        """The text of an element, with spaces where other elements than inline ones begin and end."""
        found: list[str] = []
        chars, skipped = 0, None
        for event, each in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
            text = None
            if skipped is not None:
                if each is not skipped or event == "start":
                    continue
                skipped, text = None, each.tail
            elif event == "start" and each.tag in _UNREAD and each is not element:
                skipped = each
            else:
                if event in ("start", "end") and each.tag not in _INLINE:
                    found.append(" ")
                if event == "start" or each is not element:
                    text = each.text if event == "start" else each.tail
            if text:
                found.append(text)
                chars += len(text)
            self._steps_left -= 1
            if chars > 2 * MAX_CHARS or self._steps_left <= 0:
                self.cut |= self._steps_left <= 0
                break
        return "".join(found).strip()
