"""What the town of Brévonne-les-Étangs tells its inhabitants."""

from __future__ import annotations

from typing import NamedTuple

from tests.quality.texts import Texts


class Service(NamedTuple):
    """A page on what the town does for people; ``card`` are the rows of its table of facts."""

    slug: str
    title: str
    updated: str
    card: list[tuple[str, str]]
    body: str


class News(NamedTuple):
    slug: str
    title: str
    date: str
    rubric: str
    body: str


class Event(NamedTuple):
    day: str
    title: str
    place: str
    text: str


class Association(NamedTuple):
    name: str
    field: str
    text: str
    contact: str


_TEXTS = Texts("brevonne")

DISCLAIMER = _TEXTS.read("disclaimer", str)
SERVICES = _TEXTS.read("services", list[Service])
NEWS = _TEXTS.read("news", list[News])
EVENTS = _TEXTS.read("events", list[Event])
ASSOCIATIONS = _TEXTS.read("associations", list[Association])
WELCOME = _TEXTS.read("welcome", str)
CONTACT = _TEXTS.read("contact", str)
