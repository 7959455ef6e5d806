"""From what a selector finds to the value of a field: text, number, date, boolean, address or HTML."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from pagelets.metadata.dates import normalised
from pagelets.reading.fields.nodes import Node, Nodes
from pagelets.reading.fields.numbers import number_of
from pagelets.text.surrogates import LONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pagelets.reading.references import References

MAX_CHARS: Final = 10_000
"""Characters of a value; of HTML `MAX_HTML`. What is longer is cut."""
MAX_HTML: Final = 100_000
MAX_ALL_HTML: Final = 1_000_000
"""Characters of the HTML that is made into values on one page."""

_LAST_DAY: Final = date(9999, 12, 30)
_LETTERS: Final = re.compile(r"[\W_]+")
_NO: Final = frozenset(
    "0 false no n off none null nein non nee nej nie нет não outofstock soldout discontinued backorder "
    "unavailable notavailable".split()
)
"""What says no, without spaces and in lower case; all else that is there says yes."""
_OF_TYPE: Final = {"url": ("href", "src", "content", "data"), "date": ("datetime", "content")}
"""Attributes that hold the value of an element, by the type of the field."""


class Making:
    """Makes values of what is found on one page.

    Args:
        page: its elements.
        language: the one that it declares.
        references: makes addresses absolute.
        clean: makes HTML safe.

    """

    def __init__(
        self, page: Nodes, language: str, references: References, clean: Callable[[str], str]
    ) -> None:
        self._page = page
        self._language = language
        self._references = references
        self._clean = clean
        self._written = language
        self._html_left = MAX_ALL_HTML
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
        self, item: Any, kind: str, pattern: re.Pattern[str] | None, *, is_data: bool
    ) -> Iterator[Any]:
        """Yields the values that an element, text, number or boolean holds.

        Args:
            item: what the selector has found.
            kind: the type of the values; what does not fit is left out.
            pattern: what in it is a value, None for all of it.
            is_data: texts are written for programs, not in the page's language.

        """
        make, self._written = self._makers[kind], self._language
        if is_data and isinstance(item, str):
            self._written = ""
        if pattern is None:
            value = make(item)
            if value is not None:
                yield value
            return
        # Of HTML the pattern sees the source, else the text.
        text = self._source(item) if kind == "html" else self._shown(item, kind)
        for match in pattern.finditer(text):
            value = make(match[1] if match.re.groups else match[0]) if match[match.re.groups and 1] else None
            if value is not None:
                yield value

    def _shown(self, item: Any, kind: str = "text") -> str:
        if isinstance(item, str):
            return self._bounded(item)
        if not isinstance(item, Node):
            return str(item).lower() if isinstance(item, bool) else repr(item)
        for name in _OF_TYPE.get(kind, ()):
            if (value := self._page.get(item.number, name)) is not None:
                return self._bounded(value)
        text = self._page.text(item.number, 2 * MAX_CHARS)
        self.cut |= self._page.steps_left <= 0
        return self._bounded(text)

    def _bounded(self, text: str, most: int = MAX_CHARS) -> str:
        if len(text) > most:
            self.cut = True
        return LONE.sub("\ufffd", text[:most].replace("\0", "\ufffd"))

    def _text(self, item: Any) -> str | None:
        return " ".join(self._shown(item).split()) or None

    def _number(self, item: Any) -> float | int | None:
        if isinstance(item, bool):
            return int(item)
        return number_of(self._shown(item), self._written)

    def _date(self, item: Any) -> str | None:
        text = " ".join(self._shown(item, "date").split())
        return normalised(text, _LAST_DAY, self._language, earliest=date.min)

    def _boolean(self, item: Any) -> bool:
        if isinstance(item, bool):
            return item
        word = self._shown(item).strip().rpartition("schema.org/")[2]
        return _LETTERS.sub("", word).lower() not in _NO

    def _url(self, item: Any) -> str | None:
        text = self._shown(item, "url").strip()
        return self._references.absolute(text) if text else None

    def _html(self, item: Any) -> str | None:
        source = self._source(item)
        if self._html_left <= 0:
            self.cut = True
            return None
        self._html_left -= max(len(source), 1)
        return self._clean(source) or None

    def _source(self, item: Any) -> str:
        if not isinstance(item, Node):
            return self._bounded(item, MAX_HTML) if isinstance(item, str) else self._shown(item)
        if self._html_left <= 0:
            return ""
        source = self._page.html(item.number)
        self._html_left -= len(source)
        return self._bounded(source, MAX_HTML)
