"""The documentation of Ferrule, a program that collects the readings of field loggers."""

from __future__ import annotations

from typing import NamedTuple

from tests.quality.texts import Texts


class Chapter(NamedTuple):
    """A page of running text; ``group`` is its page type."""

    name: str
    section: str
    title: str
    body: str
    group: str = "documentation"


class Function(NamedTuple):
    """An entry of the API: parameters and errors are pairs of a name and an explanation."""

    name: str
    signature: str
    summary: str
    parameters: list[tuple[str, str, str]]
    returns: str
    raises: list[tuple[str, str]]


_TEXTS = Texts("ferrule")

INTRODUCTION = _TEXTS.read("introduction", str)
CHAPTERS = _TEXTS.read("chapters", list[Chapter])
FUNCTIONS = _TEXTS.read("functions", list[Function])
