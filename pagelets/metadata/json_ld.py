"""JSON-LD: what a page's ``application/ld+json`` scripts say of the page itself (schema.org's vocabulary)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from json import JSONDecoder
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

Node: TypeAlias = "dict[str, Any]"

MAX_CHARS: Final = 500_000
"""Of all scripts of a page together: what lies beyond is not read, as parsing it holds up the whole crawl."""
MAX_NODES: Final = 2_000
MAX_VALUES: Final = 100

_DECODER: Final = JSONDecoder(strict=False)
_START: Final = re.compile(r"\{|(?<!CDATA)\[(?!CDATA\[)")
_WANTED: Final = re.compile(r"datePublished|dateCreated|author|creator|headline")
_NAMES: Final = frozenset({"familyName", "givenName", "name"})
_ABOUT: Final = ("@graph", "mainEntity", "mainEntityOfPage")
_WORKS: Final = frozenset(
    "claimreview creativework criticreview howto podcastepisode question quotation recipe report".split()
)
"""Types, beside all articles and postings, that a page presents rather than mentions."""
_INDEX: Final = re.compile(r"/(?:index\.[a-z]{3,5})?\Z")


@dataclass(slots=True)
class Main:
    """Nodes about the page itself: the works that it presents (articles and the like), and it as a page.

    ``others`` are the values of its scripts, to find in them, when they are asked for, the nodes that have a
    name and an ``@id``.
    """

    works: list[Node] = field(default_factory=list)
    pages: list[Node] = field(default_factory=list)
    others: Callable[[], list[object]] = list
    _named: dict[str, Node] | None = None

    def values(self, value: object) -> Iterator[object]:
        """The values of a property, at most `MAX_VALUES`: named nodes in the place of references to them."""
        for item in as_list(value)[:MAX_VALUES]:
            if isinstance(item, dict) and "name" not in item and isinstance(identity := item.get("@id"), str):
                if self._named is None:
                    self._named = _named(self.others())
                yield self._named.get(identity, item)
            else:
                yield item


def read(scripts: Iterable[str], addresses: Iterable[str]) -> Main:
    """The nodes that describe the page itself, out of the contents of its scripts. Never raises.

    Of several works those count that name one of the page's ``addresses`` as their own, if any does.
    """
    wanted: list[str] = []
    others: list[str] = []
    for script in scripts:
        (wanted if _WANTED.search(script, 0, MAX_CHARS) else others).append(script)
    values = _loaded(wanted, MAX_CHARS)
    main = Main(others=lambda: [*values, *_loaded(others, MAX_CHARS - sum(map(len, wanted)))])
    more: dict[str, Node] = {}
    for node in tops(values):
        kinds = [kind for kind in as_list(node.get("@type"))[:10] if isinstance(kind, str)]
        if any(is_work(kind) for kind in kinds):
            main.works.append(node)
        elif any(kind[-4:].lower() == "page" for kind in kinds):
            main.pages.append(node)
        elif not kinds and isinstance(identity := node.get("@id"), str):
            more.setdefault(identity, node)
    # What has no type says more of the node that another script describes.
    main.works = [{**more.get(str(work.get("@id")), {}), **work} for work in main.works]
    if len(main.works) > 1:
        keys = {_key(address) for address in addresses}
        main.works = [work for work in main.works if not keys.isdisjoint(_addresses(work))] or main.works
    return main


def load(script: str) -> object:
    """Reads the value in a script, also with the usual slips; None if it has no value.

    Line ends inside strings are such slips, entities for quotation marks, and anything around the value (a
    comment, a CDATA section, a semicolon).
    """
    for text in (script, unescape(script) if "&quot;" in script else ""):
        if start := _START.search(text):
            try:
                return _DECODER.raw_decode(text, start.start())[0]
            except (ValueError, RecursionError):
                continue
    return None


def is_work(kind: str) -> bool:
    """Returns True for a type of works that a page presents (``Article``, ``https://schema.org/Article``)."""
    name = kind[-100:].strip().replace(":", "/").rpartition("/")[2].lower()
    return name.endswith(("article", "posting")) or name in _WORKS


def as_list(value: object) -> list[Any]:
    """A property's values: JSON-LD writes one value without a list."""
    return value if isinstance(value, list) else [value]


def _loaded(scripts: Iterable[str], chars: int) -> list[object]:
    """The values of scripts, of so many characters together."""
    values = []
    for script in scripts:
        chars -= len(script)
        if chars < 0:
            break
        values.append(load(script))
    return values


def tops(values: Iterable[object]) -> Iterator[Node]:
    """The nodes that stand for themselves: in no other one's property, unless as what the page is about."""
    nodes = MAX_NODES
    for script in values:
        queue = [script]
        for value in queue:
            if nodes <= 0:
                return
            if isinstance(value, list):
                queue.extend(value)
            elif isinstance(value, dict):
                nodes -= 1
                queue.extend(value[key] for key in _ABOUT if key in value)
                yield value


def _named(values: Iterable[object]) -> dict[str, Node]:
    """Returns the nodes that have a name, wherever they stand, by their ``@id``."""
    by_id: dict[str, Node] = {}
    queue, nodes = [*values], MAX_NODES
    for value in queue:
        if isinstance(value, list):
            queue.extend(value)
        elif isinstance(value, dict) and nodes > 0:
            nodes -= 1
            if _NAMES.intersection(value) and isinstance(identity := value.get("@id"), str):
                by_id.setdefault(identity, value)
            queue.extend(value.values())
    return by_id


def _addresses(node: Node) -> Iterator[str]:
    for value in (node.get("url"), node.get("@id"), node.get("mainEntityOfPage")):
        address = value.get("@id") if isinstance(value, dict) else value
        if isinstance(address, str):
            yield _key(address)


def _key(address: str) -> str:
    """An address without what differs between a page's own, its canonical one, and those in its scripts."""
    try:
        parts = urlsplit(address[:2_000].strip())
    except ValueError:
        return ""
    path = _INDEX.sub("", parts.path)
    return f"{parts.netloc.lower().removeprefix('www.')}{path}?{parts.query}"
