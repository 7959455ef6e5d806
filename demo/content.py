"""The content of the demo site: the TOML files in content/, read into plain records."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "content"


@dataclass(frozen=True, slots=True)
class Article:
    """One piece of the magazine. `body` is HTML; `listed` is false where no page links to the article."""

    slug: str
    topic: str
    title: str
    author: str
    date: date
    tags: list[str]
    summary: str
    body: str
    listed: bool = True
    printable: bool = False

    @property
    def path(self) -> str:
        return f"/magazine/{self.slug}/"


@dataclass(frozen=True, slots=True)
class Product:
    """One thing that the shop sells. `price` in pence, `description` in paragraphs, `specs` in pairs."""

    slug: str
    category: str
    name: str
    number: str
    price: int
    description: list[str]
    specs: list[list[str]]

    @property
    def path(self) -> str:
        return f"/shop/{self.category}/{self.slug}/"

    @property
    def picture(self) -> str:
        return f"/img/products/{self.number.lower()}.svg"


@dataclass(frozen=True, slots=True)
class Guide:
    """A page of running text outside the magazine: help or company. `body` is HTML."""

    path: str
    group: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class DemoSection:
    """A topic of the magazine or a category of the shop."""

    slug: str
    name: str
    intro: str


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of the template besides the content, in the tables of their file; of several each page takes
    one.
    """

    name: str
    tagline: str
    generated: date
    navigation: list[list[str]]
    home: dict[str, str]
    popular: dict[str, list[str]]
    newsletter: dict[str, list[str]]
    promotion: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Content:
    """All of it. Articles are in order of date, newest first; everything else as in its file. ``files`` are
    the types of what is no page, by path.
    """

    wording: Wording
    topics: list[DemoSection]
    categories: list[DemoSection]
    articles: list[Article]
    products: list[Product]
    guides: list[Guide]
    per_page: int
    files: dict[str, str]

    @property
    def listed(self) -> list[Article]:
        """The articles that the magazine's listings show."""
        return [article for article in self.articles if article.listed]

    @property
    def tags(self) -> list[str]:
        """The tags that have a page of their own: those of at least three listed articles."""
        tags = [tag for article in self.listed for tag in article.tags]
        return sorted({tag for tag in tags if tags.count(tag) >= 3})


@cache
def load() -> Content:
    """Returns the content of the demo site; raises TypeError or KeyError where a file has a wrong key."""
    site = _read("site.toml")
    topics = [DemoSection(**table) for table in site.pop("topic")]
    categories = [DemoSection(**table) for table in site.pop("category")]
    per_page, files = site.pop("per_page"), site.pop("files")
    articles = [
        Article(topic=topic.slug, **table)
        for topic in topics
        for table in _read(f"articles/{topic.slug}.toml")["article"]
    ]
    return Content(
        wording=Wording(**site),
        topics=topics,
        categories=categories,
        articles=sorted(articles, key=lambda article: article.date, reverse=True),
        products=[Product(**table) for table in _read("products.toml")["product"]],
        guides=[Guide(**table) for table in _read("guides.toml")["guide"]],
        per_page=per_page,
        files=files,
    )


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))
