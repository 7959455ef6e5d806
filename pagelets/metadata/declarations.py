"""What a page declares of itself, gathered from its tree; each kind is read once, when it is asked for."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from lxml import etree

from pagelets.metadata import json_ld

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lxml.html import HtmlElement

    from pagelets.page import Page

TAGS: Final = ("h1", "meta", "script", "time")
MAX_META: Final = 1_000
MAX_ITEMS: Final = 50
MAX_VALUE: Final = 1_000
"""Characters. A page may hold any number of declarations of any length: so many are read, so much of each."""

_MAX_EVENTS: Final = 400
_MAX_AROUND: Final = 10
_ASIDES: Final = frozenset({"aside", "footer", "nav", "td"})
_ASIDE: Final = re.compile(
    r"comment|related|sidebar|widget|footer|respon|review|repl(?:y|ies)", re.IGNORECASE
)
_HAS_PROPERTY: Final = etree.XPath("//*[@itemprop]")
_PROPERTIES: Final = frozenset({"author", "creator", "dateCreated", "datePublished"})


class Property(NamedTuple):
    """A microdata property: its element, and the element of the item that it belongs to, if any."""

    element: HtmlElement
    item: HtmlElement | None


class Declarations:
    """The declarations of a page, which is not changed."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @cached_property
    def elements(self) -> dict[str, list[HtmlElement]]:
        """The page's elements of each tag of `TAGS`, in order: one look at the tree, which is large."""
        found: dict[str, list[HtmlElement]] = {tag: [] for tag in TAGS}
        for element in self.page.root.iter(*TAGS):
            found[element.tag].append(element)
        return found

    @cached_property
    def meta(self) -> dict[str, list[str]]:
        """Lower-cased ``property``, ``name`` or ``http-equiv`` of the page's meta elements -> contents."""
        found: dict[str, list[str]] = {}
        for element in self.elements["meta"][:MAX_META]:
            content = element.get("content")
            if not content or len(content) > MAX_VALUE:
                continue
            for attribute in ("property", "name", "http-equiv"):
                if name := element.get(attribute):
                    found.setdefault(name[:100].strip().lower(), []).append(content)
        return found

    @cached_property
    def json_ld(self) -> json_ld.Main:
        """What the page's JSON-LD says of the page."""
        scripts = (
            element.text
            for element in self.elements["script"]
            if element.text and "ld+json" in (element.get("type") or "").lower()
        )
        addresses = [self.page.url]
        if self.page.canonical_url:
            addresses.append(self.page.canonical_url)
        return json_ld.read(scripts, addresses)

    @cached_property
    def _properties(self) -> dict[str, list[Property]]:
        found: dict[str, list[Property]] = {}
        for element in cast("list[HtmlElement]", _HAS_PROPERTY(self.page.root)):
            for name in _PROPERTIES.intersection((element.get("itemprop") or "")[:MAX_VALUE].split()):
                properties = found.setdefault(name, [])
                if len(properties) <= MAX_ITEMS:
                    properties.append(Property(element, _item(element)))
        return found

    def properties(self, name: str) -> list[Property]:
        """The microdata properties of a name that belong to the page's one work, or to no item at all.

        None of them where more than one work has the property: the page lists works.
        """
        found = [
            each
            for each in self._properties.get(name, [])
            if (_is_work(each.item) if each.item is not None else not is_aside(each.element))
        ]
        return found if len({each.item for each in found}) == 1 else []


def with_kept_text(page: Page, mask: Sequence[bool], elements: Iterable[HtmlElement]) -> list[HtmlElement]:
    """Those elements that hold text of a block that the mask keeps."""
    kept = {holder for block, keep in zip(page.blocks, mask, strict=True) if keep for _, holder in block.runs}
    return [element for element in elements if not kept.isdisjoint(islice(element.iter(), MAX_ITEMS))]


def is_aside(element: HtmlElement) -> bool:
    """Whether an element stands in a comment, a list of other pages, or another place beside the content."""
    for each in (element, *islice(element.iterancestors(), _MAX_AROUND)):
        if each.tag in _ASIDES:
            return True
        if each.tag not in ("body", "html"):
            for value in (each.get("class"), each.get("id")):
                if value and _ASIDE.search(value[:MAX_VALUE]):
                    return True
    return False


def text_of(element: HtmlElement) -> str:
    """The text of an element with white space folded: its beginning, at most `MAX_VALUE` characters."""
    return " ".join("".join(_texts(element)).split())[:MAX_VALUE]


def runs_of(element: HtmlElement) -> list[str]:
    """The texts between the tags inside an element, white space folded, without the empty ones."""
    return [folded for text in _texts(element) if (folded := " ".join(text.split()))]


def _texts(element: HtmlElement) -> Iterator[str]:
    chars = 0
    for event, node in islice(etree.iterwalk(element, ("start", "end", "comment", "pi")), _MAX_EVENTS):
        # What a comment holds is no text; what follows it is.
        text = node.text if event == "start" else node.tail if node is not element else None
        if text:
            yield text[:MAX_VALUE]
            chars += len(text)
            if chars > MAX_VALUE:
                return


def _item(element: HtmlElement) -> HtmlElement | None:
    return next((around for around in element.iterancestors() if around.get("itemscope") is not None), None)


def _is_work(item: HtmlElement) -> bool:
    return json_ld.is_work((item.get("itemtype") or "")[:MAX_VALUE])
