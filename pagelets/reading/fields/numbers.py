"""Numbers as people write them: of any locale's form and script, with a currency or a unit beside them."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_PLAIN: Final = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
"""As programs write numbers, in JSON and in attributes."""
_GROUPED: Final = re.compile(r"[+-]?[0-9]{1,3}\.[0-9]{3}")
_WRITTEN: Final = re.compile(
    r"""
    (?<!\d) (?P<groups> \d{1,3} (?: (?P<mark>[.,'\ ]) \d{3} (?!\d) ) (?: (?P=mark) \d{3} (?!\d) ){0,8}
      | \d{1,2} (?: ,\d\d ){1,8} ,\d{3} (?!\d)
      | \d{1,30} (?!\d) )
    (?P<decimals> [.,] \d{1,30} (?!\d) )?
    | (?<![\w.,]) (?P<below> [.,] \d{1,30} )
    """,
    re.VERBOSE,
)
_APART: Final = re.compile(r"(?<!\w)")
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
    text = unicodedata.normalize("NFKC", text).translate(_SAME)
    match = next((each for each in _WRITTEN.finditer(text) if _APART.match(text, each.start())), None)
    match = match or _WRITTEN.search(text)
    if match is None:
        return None
    negative = match.start() > 0 and _is_negative(text, match.start())
    whole, decimals = _parted(match, language.partition("-")[0].lower())
    value = _made(f"{whole}.{decimals}" if decimals else whole, bool(decimals))
    return -value if negative and value is not None else value


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
