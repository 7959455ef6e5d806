"""What the company Tanalog says: its offer, its customers, its open positions. Lines join without a space."""

from __future__ import annotations

from typing import NamedTuple

from tests.quality.texts import Texts


class Case(NamedTuple):
    """A story of a customer; ``facts`` are the pairs beside its title."""

    slug: str
    customer: str
    title: str
    date: str
    facts: list[tuple[str, str]]
    body: str


class Plan(NamedTuple):
    name: str
    price: str
    audience: str
    points: list[str]


class Resource(NamedTuple):
    kind: str
    title: str
    text: str
    length: str


class Job(NamedTuple):
    slug: str
    title: str
    place: str
    kind: str
    summary: str
    body: str


_TEXTS = Texts("tanalog")

HERO = _TEXTS.read("hero", str)
FEATURES = _TEXTS.read("features", list[tuple[str, str]])
CASES = _TEXTS.read("cases", list[Case])
PLANS = _TEXTS.read("plans", list[Plan])
PRICING_NOTES = _TEXTS.read("pricing_notes", str)
RESOURCES = _TEXTS.read("resources", list[Resource])
FAQ = _TEXTS.read("faq", list[tuple[str, str]])
JOBS = _TEXTS.read("jobs", list[Job])
COLUMN_DATE = _TEXTS.read("column_date", str)
COLUMN = _TEXTS.read("column", str)
CONTACT = _TEXTS.read("contact", str)
