"""A generated site in two editions: as it was, and after some of its pages have changed."""

from __future__ import annotations

import random
import re
from typing import Final

from demo.site import pages as demo_pages

A_SECTION: Final = 100
CHANGED, NEW, GONE = 0.03, 0.01, 0.01
"""Shares of the pages that differ between the editions."""


def words() -> list[str]:
    """The words of the demo site: drawn from running text, they are as frequent as in it."""
    text = " ".join(
        re.sub(r"<[^>]+>", " ", answer.body.decode())
        for answer in demo_pages("http://recrawl.example").values()
        if answer.is_html
    )
    return re.findall(r"[a-z]{2,}", text)


class ChangingSite:
    """A site of articles in sections, in a template with menus, related links and a footer.

    ``edition`` 1 is as it was first, 2 as it is after the changes.
    """

    def __init__(self, size: int, edition: int, seed: int = 1) -> None:
        self._seed = seed
        rng = random.Random(seed)
        self._words = words()
        count = max(1, round(size / A_SECTION))
        self._sections = [f"/{_slug(self._sample(rng, 2))}/" for _ in range(count)]
        fixed = 2 + count
        numbers = list(range(size - fixed))
        chosen = rng.sample(numbers, round(size * (CHANGED + GONE)))
        changed, gone = chosen[: round(size * CHANGED)], set(chosen[round(size * CHANGED) :])
        self._edited = frozenset(changed) if edition == 2 else frozenset()
        if edition == 2:
            numbers = [n for n in range(size - fixed + round(size * NEW)) if n not in gone]
        self._articles: dict[str, list[int]] = {section: [] for section in self._sections}
        for number in numbers:
            self._articles[self._sections[number % count]].append(number)
        self._brand = self._sample(rng, 2).title()
        self._frame = self._menu(rng), self._footer(rng)

    def contents(self) -> dict[str, str]:
        """Returns the content of each page, without its template, as HTML by path."""
        pages = {"/": self._home(), "/about": self._paragraphs(random.Random(f"{self._seed} about"), 8)}
        for section, numbers in self._articles.items():
            pages[section] = self._listing(section, numbers)
            for number in numbers:
                pages[self._path(number)] = self._article(number)
        return pages

    def pages(self) -> dict[str, bytes]:
        """The HTML of each page by path."""
        return {path: self._page(path, main).encode() for path, main in self.contents().items()}

    def _path(self, number: int) -> str:
        section = self._sections[number % len(self._sections)]
        return f"{section}{number}-{_slug(self._title(number))}.html"

    def _title(self, number: int) -> str:
        return self._sample(random.Random(f"{self._seed} title {number}"), 5).capitalize()

    def _home(self) -> str:
        rng = random.Random(f"{self._seed} home")
        return f"<h1>{self._brand}</h1>{self._paragraphs(rng, 6)}"

    def _article(self, number: int) -> str:
        rng = random.Random(f"{self._seed} {number} {number in self._edited}")
        parts = [
            f"<h2>{self._sample(rng, 4).capitalize()}</h2>{self._paragraphs(rng, rng.randint(2, 5))}"
            for _ in range(rng.randint(2, 4))
        ]
        return f"<h1>{self._title(number)}</h1>{self._paragraphs(rng, 2)}{''.join(parts)}"

    def _listing(self, section: str, numbers: list[int]) -> str:
        rng = random.Random(f"{self._seed} {section}")
        items = "".join(
            f'<article><h3><a href="{self._path(number)}">{self._title(number)}</a></h3>'
            f"<p>{self._sentence(random.Random(f'{self._seed} teaser {number}'))}</p></article>"
            for number in numbers
        )
        return f"<h1>{_name(section)}</h1>{self._paragraphs(rng, 1)}{items}"

    def _page(self, path: str, main: str) -> str:
        menu, footer = self._frame
        section = next((name for name in self._sections if path.startswith(name)), self._sections[0])
        rng = random.Random(f"{self._seed} beside {section}")
        related = "".join(
            f'<li><a href="{other}">{_name(other)}</a> {self._sentence(rng)}</li>'
            for other in rng.sample(self._sections, min(5, len(self._sections)))
        )
        title = re.sub(r"<[^>]+>", "", main.partition("</h1>")[0]) or "About"
        crumbs = f'<a href="/">Home</a> / <a href="{section}">{_name(section)}</a>'
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            f"<title>{title} | {self._brand}</title>"
            f'<link rel="stylesheet" href="/main.css"></head><body>{menu}'
            f'<div class="crumbs">{crumbs}</div><main class="content">{main}</main>'
            f'<aside class="sidebar"><h2>More to read</h2><ul>{related}</ul>'
            '<form action="/search"><input name="q"><button>Search</button></form></aside>'
            f"{footer}</body></html>"
        )

    def _menu(self, rng: random.Random) -> str:
        links = "".join(f'<li><a href="{path}">{_name(path)}</a></li>' for path in self._sections)
        return (
            f'<header><a class="logo" href="/">{self._brand}</a><nav><ul><li><a href="/">Home</a></li>'
            f'{links}<li><a href="/about">About us</a></li></ul></nav>'
            f'<p class="notice">{self._sentence(rng)}</p></header>'
        )

    def _footer(self, rng: random.Random) -> str:
        columns = "".join(
            f"<div><h4>{self._sample(rng, 2).capitalize()}</h4><ul>"
            + "".join(
                f'<li><a href="{path}">{_name(path)}</a></li>'
                for path in rng.sample(self._sections, min(4, len(self._sections)))
            )
            + "</ul></div>"
            for _ in range(3)
        )
        return (
            f"<footer>{columns}<p>{self._sentence(rng)}</p><p>Copyright 2026 {self._brand}. "
            'All rights reserved. <a href="/about">Imprint</a></p></footer>'
        )

    def _paragraphs(self, rng: random.Random, count: int) -> str:
        return "".join(
            f"<p>{' '.join(self._sentence(rng) for _ in range(rng.randint(2, 6)))}</p>" for _ in range(count)
        )

    def _sentence(self, rng: random.Random) -> str:
        return f"{self._sample(rng, rng.randint(7, 20)).capitalize()}."

    def _sample(self, rng: random.Random, count: int) -> str:
        return " ".join(rng.choices(self._words, k=count))


def _slug(text: str) -> str:
    return text.lower().replace(" ", "-")


def _name(path: str) -> str:
    return path.strip("/").replace("-", " ").capitalize()
