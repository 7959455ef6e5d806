"""From what a selector finds to the value of a field: text, number, date, boolean, address or HTML.

Numbers are as people write them: of any locale's form and script, with a currency or a unit beside them.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from time import process_time
from typing import TYPE_CHECKING, Any, Final

from pagelets.metadata.dates import normalised
from pagelets.reading.fields.nodes import Node, Nodes
from pagelets.reading.spelling import INVISIBLE
from pagelets.text.surrogates import LONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import regex

    from pagelets.reading.references import References

MAX_CHARS: Final = 10_000
"""Characters of a value; of HTML `MAX_HTML`. What is longer is cut."""
MAX_HTML: Final = 100_000
MAX_ALL_HTML: Final = 1_000_000
"""Characters of the HTML that is made into values on one page."""
MAX_SECONDS: Final = 1.0
"""CPU time that the search for one pattern may take on one page: some try more ways than ever end."""

LAST_DAY: Final = date(9999, 12, 30)
_LETTERS: Final = re.compile(r"[\W_]+")
_NO: Final = frozenset(
    "0 false no n off none null nein non nee nej nie нет não outofstock soldout discontinued backorder "
    "unavailable notavailable".split()
)
"""What says no, without spaces and in lower case; all else that is there says yes."""
_OF_TYPE: Final = {"url": ("href", "src", "content", "data"), "date": ("datetime", "content")}
"""Attributes that hold the value of an element, by the type of the field."""

_PLAIN: Final = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
"""As programs write numbers, in JSON and in attributes."""
_GROUPED: Final = re.compile(r"[+-]?[0-9]{1,3}\.[0-9]{3}")
_WRITTEN: Final = re.compile(
    r"""
    (?<!\d) (?P<groups> \d{1,3} (?: (?P<mark>[.,'\ ]) \d{3} (?!\d) ) (?: (?P=mark) \d{3} (?!\d) ){0,8}
      | \d{1,2} (?: ,\d\d ){1,8} ,\d{3} (?!\d)
      | \d{1,30} (?!\d) )
    (?P<decimals> (?: [.,] \d{1,30} | [€$£] \d\d ) (?!\d) )?
    | (?<![\w.,]) (?P<below> [.,] \d{1,30} )
    """,
    re.VERBOSE,
)
_APART: Final = re.compile(r"(?<!\w)(?<!\d[.,])")
_SIGNS: Final = ("-", "\N{MINUS SIGN}")
_SAME: Final = str.maketrans(
    {
        "\N{ARABIC DECIMAL SEPARATOR}": ".",
        "\N{ARABIC THOUSANDS SEPARATOR}": "'",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{MODIFIER LETTER APOSTROPHE}": "'",
        "`": "'",
    }
)
_FRACTION: Final = re.compile(r"(?:(?<=\d)\s?)?([¼-¾⅐-⅞])")
_RAISED: Final = re.compile(r"[²³¹⁰⁴-⁹₀-₉]")
"""Digits of powers and footnotes."""
_POINT: Final = frozenset(
    "ar bn en fa fil ga gu he hi ja kn ko ml mr ms mt my ne pa si sw ta te th ur yo zh".split()
)
"""Languages that part decimals with a point; others do with a comma."""
_EXACT: Final = 1 << 53
_BESIDE: Final = 6
_CODE: Final = re.compile(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")


def number_of(text: str, language: str = "") -> float | int | None:
    """Returns the first number of a text, an int if it has no decimals; None for a text without a number.

    One separator before three digits parts thousands ("1,234"), unless the number begins with 0, or the
    ``language`` (a BCP 47 tag, as the page declares it) parts decimals with it. Where none is declared, that
    is the point, and only where no currency stands beside.
    """
    text = text.strip()
    if _PLAIN.fullmatch(text) and not (language and _GROUPED.fullmatch(text)):
        return _made(text, "e" in text.lower() or "." in text)
    text = _FRACTION.sub(_with_point, _RAISED.sub(" ", text))
    text = unicodedata.normalize("NFKC", text).translate(_SAME)
    match = next((each for each in _WRITTEN.finditer(text) if _APART.match(text, each.start())), None)
    match = match or _WRITTEN.search(text)
    if match is None:
        return None
    negative = match.start() > 0 and _is_negative(text, match.start())
    whole, decimals = _parted(match, language.partition("-")[0].lower())
    value = _made(f"{whole}.{decimals}" if decimals else whole, bool(decimals))
    return -value if negative and value is not None else value


def _with_point(fraction: re.Match[str]) -> str:
    """A fraction of one character as decimals: ``½``, alone or after a whole number."""
    decimals = str(unicodedata.numeric(fraction[1]))
    after = fraction.start() > 0 and fraction.string[fraction.start() - 1].isdecimal()
    return decimals[1:] if after else decimals


def _parted(match: re.Match[str], language: str) -> tuple[str, str]:
    """The digits before the decimals, and the decimals."""
    if match["below"]:
        return "0", match["below"][1:]
    groups, decimals, mark = match["groups"], (match["decimals"] or "")[1:], match["mark"]
    if mark in (".", ",") and not decimals and groups.count(mark) == 1:
        whole, _, rest = groups.partition(mark)
        if whole == "0" or _parts_decimals(mark, language, match):
            return whole, rest
    return re.sub(r"[^\d]", "", groups), decimals


def _parts_decimals(mark: str, language: str, match: re.Match[str]) -> bool:
    """True if a mark before three digits parts decimals."""
    if language:
        return (mark == ".") == (language in _POINT)
    around = match.string[max(0, match.start() - _BESIDE) : match.end() + _BESIDE]
    has_currency = any(unicodedata.category(char) == "Sc" for char in around) or _CODE.search(around)
    return mark == "." and not has_currency


def _is_negative(text: str, start: int) -> bool:
    """True if a minus stands before the number, or before the currency that does."""
    before = text[max(0, start - _BESIDE) : start].rstrip()
    while before and unicodedata.category(before[-1]) == "Sc":
        before = before[:-1].rstrip()
    return before[-1:] in _SIGNS and not before[-2:-1].isalnum()


def _made(text: str, has_decimals: bool) -> float | int | None:
    value = float(text)
    if not abs(value) < float("inf"):
        return None
    whole = not has_decimals and abs(value) < _EXACT
    return int(text) if whole else value


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
        self._seconds_left: dict[regex.Pattern[str], float] = {}
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
        self, item: Any, kind: str, pattern: regex.Pattern[str] | None, *, is_data: bool
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
        for match in self._matches(pattern, text):
            value = make(match[1] if match.re.groups else match[0]) if match[match.re.groups and 1] else None
            if value is not None:
                yield value

    def _matches(self, pattern: regex.Pattern[str], text: str) -> Iterator[regex.Match[str]]:
        left, started = self._seconds_left.get(pattern, MAX_SECONDS), process_time()
        if left <= 0:
            return
        try:
            yield from pattern.finditer(text, timeout=left)
        except TimeoutError:
            self.cut = True
            left = 0
        finally:
            self._seconds_left[pattern] = left - (process_time() - started)

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

    def _line(self, item: Any, kind: str = "text") -> str:
        """A text without line ends, and without what shows nothing around it."""
        return " ".join(self._shown(item, kind).split()).strip(INVISIBLE)

    def _text(self, item: Any) -> str | None:
        return self._line(item) or None

    def _number(self, item: Any) -> float | int | None:
        if isinstance(item, bool):
            return int(item)
        return number_of(self._shown(item), self._written)

    def _date(self, item: Any) -> str | None:
        line = self._line(item, "date")
        return normalised(line, LAST_DAY, self._language, earliest=date.min, among_words=True)

    def _boolean(self, item: Any) -> bool:
        if isinstance(item, int | float):
            return bool(item)
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
