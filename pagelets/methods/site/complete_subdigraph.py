"""Pages that all link to each other: the complete subdigraphs of a site, which menus make.

Alarte, Insa, Silva & Tamarit, Web Template Extraction Based on Hyperlink Analysis, 2014, Section 4.1.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

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

    Algorithm 1. Takes the addresses that the key page links to, in order, and the pages that each page links
    to. Looks at the links one after the other, and stops at the first that makes a set of n; where none does,
    it returns the largest set, the first of those that are as large.
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
        found = _largest(link, mutual, graph, n, steps)
        if len(found) > len(best):
            best = found
        if len(best) == n:
            break
    return best


def _largest(
    link: str, mutual: set[str], graph: Mapping[str, AbstractSet[str]], n: int, steps: Iterator[int]
) -> list[str]:
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
