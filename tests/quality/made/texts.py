"""Texts without a meaning but with the shape of real ones: the same key gives the same text at each call."""

from __future__ import annotations

import tomllib
from pathlib import Path
from random import Random
from typing import Final

_WORDS: Final = {
    kind: words.split("|")
    for kind, words in tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8")).items()
}
_SENTENCES: Final = (
    "{openers}, the {qualities} {things} near {places} was {acts} {times}.",
    "{people} {acts} the {things} {times}, {reasons}.",
    "{opinions}, and the {qualities} {things} of {places} is the proof.",
    "Nobody at {places} had {acts} a {qualities} {things} before, {reasons}.",
    "{openers}, {people} calls it the {qualities} {things}, and has {acts} it {times}.",
    "The {things} was {qualities}, the {things} was {acts}, and the {things} had to wait.",
    "“I {acts} it {times},” says {people}, “{reasons}.”",
    "Between the {things} and the {things} there are {number} steps, {reasons}.",
    "Of {number} people who were asked {times}, {number} had {acts} a {things} themselves.",
)
_TITLES: Final = (
    "The {qualities} {things} of {places}",
    "{people} {acts} a {things}",
    "What a {qualities} {things} can teach a {things}",
    "Why the {things} was {acts} {times}",
    "A {qualities} {things} and a {qualities} {things}",
    "How {places} {acts} its {things}",
    "{number} things to know about a {qualities} {things}",
)


class Writer:
    """Writes texts; what is asked for in the same order is the same for the same key."""

    def __init__(self, key: str) -> None:
        self.random = Random(key)

    def word(self, kind: str) -> str:
        """A word or phrase of a kind in ``words.toml``."""
        return self.random.choice(_WORDS[kind])

    def title(self) -> str:
        """A headline."""
        return self._filled(_TITLES)

    def sentence(self) -> str:
        """A sentence with its full stop."""
        return self._filled(_SENTENCES)

    def paragraph(self, least: int = 2, most: int = 6) -> str:
        """Sentences in a row."""
        return " ".join(self.sentence() for _ in range(self.random.randint(least, most)))

    def source(self, paragraphs: int) -> str:
        """A text as `tests.quality.prose` reads it: paragraphs, some headings, a list, a quotation."""
        blocks = []
        for number in range(paragraphs):
            if number and number % 4 == 0:
                blocks.append(f"## {self.title()}")
            blocks.append(self.paragraph())
            if number % 5 == 3:
                blocks.append("\n".join(f"- {self.sentence()}" for _ in range(self.random.randint(3, 6))))
            elif number % 7 == 4:
                blocks.append(f"> {self.sentence()}")
        return "\n\n".join(blocks)

    def date(self) -> str:
        """A day of the years 2021 to 2024."""
        return f"{self.word('months')} {self.random.randint(1, 28)}, {self.random.randint(2021, 2024)}"

    def count(self, most: int = 90_000) -> str:
        """A number of readers or the like, with a comma between thousands."""
        return f"{self.random.randint(12, most):,}"

    def price(self) -> str:
        """An amount of pounds."""
        return f"£{self.random.randint(3, 240)}.{self.random.choice(['00', '50', '95', '99'])}"

    def _filled(self, patterns: tuple[str, ...]) -> str:
        text = self.random.choice(patterns)
        while "{" in text:
            kind = text[text.index("{") + 1 : text.index("}")]
            value = str(self.random.randint(2, 60)) if kind == "number" else self.word(kind)
            text = text.replace("{" + kind + "}", value, 1)
        return text[0].upper() + text[1:]
