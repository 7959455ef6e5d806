"""The names of months, by the file beside this module."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from unicodedata import combining, normalize


def month_of(text: str, language: str = "") -> int:
    """Returns the month of a number or a word, 1 to 12; 0 for any other word.

    ``language`` is the one that a page declares, a BCP 47 tag: "listopad" is October in Croatian, and
    November in Polish and Czech.
    """
    if text.isdecimal():
        return int(text)
    word, numbers = _folded(text), _numbers()
    own = numbers.get(f"{language[:2].lower()}:{word}")
    return own or numbers.get(word) or numbers.get(f"{word}月", 0)


def _folded(word: str) -> str:
    """A word without case and accents, for comparison; the Turkish dotless i is an i."""
    parts = normalize("NFKD", word.lower())
    return "".join(part for part in parts if not combining(part)).replace("ı", "i")


@cache
def _numbers() -> dict[str, int]:
    """The months of words, and of words with the language before them."""
    numbers: dict[str, int] = {}
    for line in files(__package__).joinpath("months.txt").read_text("utf-8").splitlines():
        language, _, names = line.partition(": ")
        if not names or line.startswith("#"):
            continue
        for number, words in enumerate(names.split(";"), start=1):
            for word in map(_folded, words.split()):
                numbers[f"{language}:{word}"] = number
                numbers.setdefault(word, number)
    return numbers
