"""Content systems that a survey recognises, and what may be dropped and denied on their sites."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, cast

from inspection.sampled_page import SampledPage, compiled
from pagelets import Site
from pagelets.patterns import Pattern
from pagelets.reading import Element

SYSTEMS: Final = Path(__file__).with_name("systems.toml")
MOST_SHARE: Final = 0.15
"""Share of the words of a document that a selector may drop; what drops more may drop content."""
_FEW_WORDS: Final = 12
"""So many words may go from any document."""
_ADDRESSES: Final = 2_000
_PIECES: Final = 200
_CONTENT: Final = "h1, main, article, [itemprop=articleBody], [role=main]"
"""What pages call their content: no element that holds it is dropped."""


@dataclass(slots=True, frozen=True)
class ProposedDrop:
    """A selector to drop, and what it would change on the sample: documents, and words that would go."""

    selector: str
    documents: int
    words: int


@dataclass(slots=True, frozen=True)
class ProposedDeny:
    """A rule that denies, and how many of the URLs that the sample's pages name it would spare."""

    type: str
    pattern: str
    urls: int


@dataclass(slots=True, frozen=True)
class Recognised:
    """The content systems of a site, with the drops and denials that they propose."""

    systems: tuple[str, ...] = ()
    drop: tuple[ProposedDrop, ...] = ()
    deny: tuple[ProposedDeny, ...] = ()


def recognised(pages: Sequence[SampledPage], urls: Collection[str], wanted: Collection[str]) -> Recognised:
    """Returns the content systems of a site, and what they propose.

    Args:
        pages: the sample.
        urls: the URLs in scope that its pages name.
        wanted: URLs that are pages to have, as a sitemap lists them; no rule denies one.

    """
    matching = [system for system in systems() if _is_of(system, pages)]
    if not matching:
        return Recognised()
    selectors = dict.fromkeys(selector for system in matching for selector in system.get("drop", ()))
    deny = dict.fromkeys(rule for system in matching for rule in system.get("deny", ()))
    return Recognised(
        tuple(system["name"] for system in matching),
        tuple(_drops(pages, list(selectors))),
        tuple(_denies(deny, urls, {*wanted, *(page.url for page in pages)})),
    )


@cache
def systems() -> list[dict[str, Any]]:
    """Returns the systems that are known."""
    known: list[dict[str, Any]] = tomllib.loads(SYSTEMS.read_text(encoding="utf-8"))["systems"]
    return known


def _is_of(system: Mapping[str, Any], pages: Sequence[SampledPage]) -> bool:
    """Returns true if the generator of a page says so, or classes or paths of half of the pages."""
    generator = system.get("generator")
    if generator and any(
        text.strip().lower().startswith(generator)
        for page in pages
        for text in page.meta.get("generator", ())
    ):
        return True
    classes, paths = set(system.get("classes", ())), system.get("paths", ())
    showing = sum(
        not classes.isdisjoint(_classes(page)) or any(path in _embedded(page) for path in paths)
        for page in pages
    )
    return showing * 2 >= max(len(pages), 1)


def _classes(page: SampledPage) -> set[str]:
    elements = [page.root, *page.elements[:1]]
    return {name.lower() for element in elements for name in (element.get("class") or "").split()[:50]}


def _embedded(page: SampledPage) -> str:
    """The addresses of scripts and style sheets."""
    urls = (element.get("src") or element.get("href") or "" for element in page.root.iter("script", "link"))
    return "\n".join(address[:300] for address in islice(urls, _ADDRESSES))


def _drops(pages: Sequence[SampledPage], selectors: Sequence[str]) -> Iterator[ProposedDrop]:
    met = [
        selector
        for selector in selectors
        if any(_matched(selector, page) for page in pages)
        and not any(compiled(_CONTENT)(dropped) for page in pages for dropped in _matched(selector, page))
    ]
    if not met:
        return
    texts = _texts(pages, ())
    before = {url: Counter(text.split()) for url, text in texts.items()}
    for selector in met:
        if not any(
            _shows(element, texts[page.url]) for page in pages for element in _matched(selector, page)
        ):
            continue
        after = _texts(pages, (selector,))
        gone = [words - Counter(after.get(url, "").split()) for url, words in before.items()]
        harms = any(
            lost.total() > max(_FEW_WORDS, MOST_SHARE * words.total())
            for lost, words in zip(gone, before.values(), strict=True)
        )
        changed = [lost for lost in gone if lost]
        if changed and not harms:
            yield ProposedDrop(selector, len(changed), sum(lost.total() for lost in changed))


def _matched(selector: str, page: SampledPage) -> list[Element]:
    return cast("list[Element]", compiled(selector)(page.root))


def _shows(element: Element, text: str) -> bool:
    """Returns true if a document may have something of an element."""
    pieces = (piece for inner in islice(element.iter(), _PIECES) for piece in (inner.text, inner.tail))
    return any(piece.strip() and " ".join(piece.split()) in text for piece in pieces if piece)


def _texts(pages: Sequence[SampledPage], drop: Collection[str]) -> dict[str, str]:
    """The texts of the documents of the sample."""
    with Site(drop=drop) as site:
        for page in pages:
            site.add(page.url, page.source)
        return {document["url"]: document["text"] for document in site.documents(["url", "text"])}


def _denies(rules: Collection[str], urls: Collection[str], wanted: Collection[str]) -> Iterator[ProposedDeny]:
    left = set(urls)
    for rule in rules:
        kind, _, text = rule.partition(" ")
        pattern = Pattern.of(kind, text)
        spared = {url for url in left if pattern.matches(url)}
        if spared and not any(map(pattern.matches, wanted)):
            left -= spared
            yield ProposedDeny(kind, text, len(spared))
