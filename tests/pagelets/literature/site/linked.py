"""A host whose pages link to each other, without a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.hosts import subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pagelets.methods.base import Subject

BASE = "https://site.example/"


class LinkedHost:
    """Takes the HTML of its pages by their paths."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self._pages = {BASE + path: subject(html, BASE + path) for path, html in sorted(pages.items())}
        self.asked: list[str] = []

    def links(self) -> Iterator[tuple[str, str]]:
        found = {(url, link.url) for url, one in self._pages.items() for link in one.page.links}
        return iter(sorted(link for link in found if link[1] in self._pages))

    def pages(self, urls: Iterable[str]) -> Iterator[Subject]:
        for url in urls:
            self.asked.append(url)
            if url in self._pages:
                yield self._pages[url]

    def sample(self, size: int) -> Iterator[Subject]:
        return iter([*self._pages.values()][:size])
