"""A host of some pages, without a store, as methods see it that learn of sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelets.methods import learns
from pagelets.methods.base import Subject
from pagelets.partition import partition
from pagelets.reading import read
from pagelets.registry import OURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagelets.methods.base import Method


def subject(html: str, url: str = "https://site.example/") -> Subject:
    """A page whose site is not known."""
    page = read(html, url)
    return Subject(page, partition(page), None, lambda: html)


class Host:
    """Pages without links between them; takes their HTML, or what was made of it."""

    def __init__(self, *pages: str | Subject) -> None:
        self._pages = [subject(page) if isinstance(page, str) else page for page in pages]

    def links(self) -> Iterator[tuple[str, str]]:
        return iter(())

    def pages(self, urls: Iterable[str]) -> Iterator[Subject]:
        return iter(())

    def sample(self, size: int) -> Iterator[Subject]:
        return iter(self._pages[:size])


def method_of(name: str, *pages: str | Subject) -> Method:
    """The method of a name; where it learns, it has learned of a host of these pages."""
    method = OURS.factory(name)()
    return method.learned(method.learn(Host(*pages))) if learns(method) else method
