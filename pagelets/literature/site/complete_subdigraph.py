"""Pages that all link to each other: the complete subdigraphs of a site, which menus make.

Alarte, Insa, Silva & Tamarit, Web Template Extraction Based on Hyperlink Analysis, 2014, Section 4.1.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from _typeshed import SupportsRichComparison

Answers: TypeAlias = "Mapping[int, tuple[int, Iterable[int]] | None]"
Asking: TypeAlias = "Generator[list[int], Answers, None]"
"""Yields the address of a page that is wanted, any number, and is sent the address that the page has and
those that it links to; None where there is no page. It has another address where that one redirects, or where
another page has the same text.
"""

T = TypeVar("T", bound="SupportsRichComparison")

_STEPS: Final = 20_000
"""So many sets of pages are tried at most: in some graphs the largest one is hard to find."""


def link_graph(links: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """The pages that each page links to, itself left out; takes the links of a host."""
    graph: defaultdict[str, set[str]] = defaultdict(set)
    for source, target in links:
        if source != target:
            graph[source].add(target)
    return dict(graph)


def complete_subdigraph(links: Iterable[str], graph: Mapping[str, AbstractSet[str]], n: int) -> list[str]:
    """Pages that a key page links to and that all link to each other: n of them, or the most there are.

    Algorithm 1. Looks at the links one after the other, and stops at the first that makes a set of n. Without
    such a set it returns the largest, the first of several.

    Args:
        links: the addresses that the key page links to, in order.
        graph: the pages that each page links to.
        n: the pages that are wanted.

    """
    best: list[str] = []
    processed: set[str] = set()
    none: frozenset[str] = frozenset()
    steps = iter(range(_STEPS))
    for link in links:
        if link in processed:
            continue
        mutual = {page for page in graph.get(link, none) & processed if link in graph.get(page, none)}
        processed.add(link)
        largest = _largest(link, mutual, graph, n, steps)
        if len(largest) > len(best):
            best = largest
        if len(best) == n:
            break
    return best


class SubdigraphSearch:
    """Looks for a complete subdigraph among the links of a key page, and loads few pages for that.

    Algorithm 1, but for the order: the paper takes the links as they stand on the page. Here next is the one
    that most of the pages loaded so far have as well, of these the first, as links of a menu stand on all
    pages that have it. After ``most`` links the search is over. Its steps depend on what it was sent alone:
    sent the same again, it comes to the same point.

    ``pages`` are the addresses of the largest set so far, in no order that says anything, ``tried`` those of
    the links that were followed, in order. ``key`` is the key page, None where it could not be had.
    """

    def __init__(self, n: int, most: int) -> None:
        self._n = n
        self._most = most
        self.key: int | None = None
        self.pages: list[int] = []
        self.tried: list[int] = []

    def run(self, key: int) -> Asking:
        """The search, from a key page on."""
        answer = (yield [key])[key]
        if answer is None:
            return
        self.key, links = answer
        left = [link for link in dict.fromkeys(links) if link not in (key, self.key)]
        graph: dict[int, set[int]] = {}
        ends: dict[int, int] = {}
        steps = iter(range(_STEPS))
        while left and len(self.tried) < self._most and len(self.pages) < self._n:
            link = max(left, key=lambda node: sum(node in linked for linked in graph.values()))
            left.remove(link)
            self.tried.append(link)
            answer = (yield [link])[link]
            if answer is None:
                continue
            page, links = answer
            ends[link] = page
            left = [node for node in left if node != page]
            if page == self.key or page in graph:
                continue
            graph[page] = set(links)
            # What leads to a page by way of a redirect links to it as well.
            linked = {node: {ends.get(link, link) for link in graph[node]} - {node} for node in graph}
            mutual = {node for node in linked[page] & linked.keys() if page in linked[node]}
            largest = _largest(page, mutual, linked, self._n, steps)
            if len(largest) > len(self.pages):
                self.pages = largest


def _largest(
    link: T, mutual: set[T], graph: Mapping[T, AbstractSet[T]], n: int, steps: Iterator[int]
) -> list[T]:
    """The largest set of pages that holds a link and of those that it is ``mutual`` with, of n at most.

    It looks no further than steps go.
    """
    best = [link]
    stack = [([link], sorted(mutual, reverse=True))]
    while stack and len(best) < n and next(steps, None) is not None:
        pages, candidates = stack[-1]
        if not candidates or len(pages) + len(candidates) <= len(best):
            stack.pop()
            continue
        page = candidates.pop()
        rest = [other for other in candidates if other in graph[page] and page in graph[other]]
        if len(pages) + 1 > len(best):
            best = [*pages, page]
        stack.append(([*pages, page], rest))
    return best
