"""What the shop Teekontor Wittmoor says: its goods, its recipes and the words of its template."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tests.quality.texts import Texts


class Review(NamedTuple):
    author: str
    date: str
    stars: int
    text: str


@dataclass(frozen=True)
class Product:
    """What the shop sells; ``facts`` are the rows of its table, ``sizes`` the choices of its form."""

    number: str
    category: str
    name: str
    price: str
    per_unit: str
    delivery: str
    sizes: list[str]
    body: str
    facts: list[tuple[str, str]]
    reviews: list[Review] = field(default_factory=list)
    stars: str = ""


class Category(NamedTuple):
    name: str
    intro: str


_TEXTS = Texts("wittmoor")

CATEGORIES = _TEXTS.read("categories", dict[str, Category])
FOOD_NOTICE = _TEXTS.read("food_notice", str)
HERB_NOTICE = _TEXTS.read("herb_notice", str)
PRODUCTS = _TEXTS.read("products", list[Product])
RECIPES = _TEXTS.read("recipes", str)
WATER = _TEXTS.read("water", str)
SHIPPING = _TEXTS.read("shipping", str)
IMPRINT = _TEXTS.read("imprint", str)
HOME = _TEXTS.read("home", str)
