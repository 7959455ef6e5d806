"""A page as fields and selectors are looked for in it, by a survey and by people."""

from __future__ import annotations

import json
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from cssselect import HTMLTranslator
from lxml import etree

from pagelets.metadata.json_ld import as_list
from pagelets.reading import Element, flatten, parse
from pagelets.reading.elements import UNREAD_TAGS
from pagelets.reading.fields.description import ExtractedField
from pagelets.reading.fields.nodes import MAX_STEPS, Node
from pagelets.reading.fields.sources import SourcePage
from pagelets.reading.fields.values import Making
from pagelets.reading.references import References

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pagelets.tree import Tree

MAX_SOURCE: Final = 2_000_000
"""Characters of a page. In a longer one nothing is looked for."""
MAX_ELEMENTS: Final = 20_000
MAX_TEXT: Final = 400
"""Characters of a value."""
_MAX_DEPTH: Final = 256
_MAX_LISTS: Final = 5
_MAX_FOUND: Final = 200
_MAX_PARTS: Final = 60
_ITEM_VALUES: Final = ("content", "datetime", "href", "src", "value", "data")


class SampledPage:
    """A page, and what is asked of it, made when it is asked for.

    Args:
        url: its address.
        source: its HTML.
        base: what its references are relative to, if that is not its address.

    """

    def __init__(self, url: str, source: str, base: str = "") -> None:
        self.url = url
        self.source = source
        self._base = base or url

    @cached_property
    def root(self) -> Element:
        """The tree."""
        return parse(self.source)

    @cached_property
    def is_usual(self) -> bool:
        """True unless it is so long or so deep that looking through it might take long."""
        if len(self.source) > MAX_SOURCE:
            return False
        depth = 0
        for count, (event, _) in enumerate(etree.iterwalk(self.root, events=("start", "end"))):
            depth += 1 if event == "start" else -1
            if depth > _MAX_DEPTH or count > 2 * MAX_ELEMENTS:
                return False
        return True

    @cached_property
    def elements(self) -> list[Element]:
        """The elements of its body."""
        body = self.root.find("body")
        return [] if body is None else list(islice(body.iter("*"), MAX_ELEMENTS))

    @cached_property
    def _tree(self) -> Tree:
        return flatten(self.root, UNREAD_TAGS)

    @property
    def sources(self) -> SourcePage:
        """The page as sources of fields see it."""
        # What may be asked of one is bounded, and more is asked for than a site's fields do.
        return SourcePage(self.root, self._tree)

    @cached_property
    def nodes(self) -> list[dict[str, Any]]:
        """The nodes of its JSON-LD."""
        return self.sources.json_ld.nodes

    @cached_property
    def meta(self) -> Mapping[str, list[str]]:
        """Lower-cased name or property of its meta elements -> contents."""
        return self.sources.meta

    @cached_property
    def _texts(self) -> SourcePage:
        return self.sources

    def _making(self, sources: SourcePage) -> Making:
        return Making(sources, self.root.get("lang") or "", self._references, str)

    @cached_property
    def _references(self) -> References:
        return References(self._base)

    def values(self, given: Mapping[str, Any]) -> list[Any]:
        """Returns the values of a field as a site file describes it: one at most unless it has many."""
        one, sources = _described(json.dumps(given)), self.sources
        making = self._making(sources)
        found = (
            value
            for place in islice(_places(one, sources), _MAX_FOUND)
            for value in making.values(place, one.type, one.pattern, is_data=one.is_data)
        )
        return list(islice(found, _MAX_FOUND if one.many else 1))

    def typed(self, found: Any, kind: str, *, is_data: bool = True) -> Any:
        """Converts an element or text to a value of a type.

        Args:
            found: the element or text.
            kind: the type, as fields name it.
            is_data: True for text that is written for programs.

        Returns:
            The value; None if the text does not have the type.

        """
        sources = self._texts
        sources.steps_left = MAX_STEPS
        if etree.iselement(found):
            found = Node(sources.numbers([found])[0])
        return next(self._making(sources).values(found, kind, None, is_data=is_data), None)


def _places(one: ExtractedField, sources: SourcePage) -> Iterator[Any]:
    try:
        yield from one.find(sources)
    except Exception:
        # Whatever stands on a page: where it costs too much, it has no value.
        return


@lru_cache(maxsize=4096)
def _described(given: str) -> ExtractedField:
    return ExtractedField.of("field", json.loads(given))


@lru_cache(maxsize=1024)
def compiled(css: str) -> etree.XPath:
    """Returns a CSS selector of elements."""
    return etree.XPath(HTMLTranslator().css_to_xpath(css))


def item_value(element: Element) -> Any:
    """Returns the value of a microdata property."""
    named = (element.get(name) for name in _ITEM_VALUES)
    return next((value for value in named if value is not None), element)


def value_text(element: Element) -> str:
    """Returns the beginning of an element's text with white space folded."""
    texts = [element.text or ""]
    for inner in islice(element.iter(), 1, _MAX_PARTS):
        texts += [inner.text or "" if isinstance(inner.tag, str) else "", inner.tail or ""]
    return " ".join(" ".join(text[:MAX_TEXT] for text in texts).split())[:MAX_TEXT]


def walk(value: Any, path: tuple[str, ...], depth: int = 0) -> Iterator[Any]:
    """Yields what a path of JSON-LD leads to, through each item of a list.

    Args:
        value: a node, or what it holds.
        path: the names of properties.
        depth: how many lists hold the value.

    """
    if isinstance(value, list):
        for each in value[:_MAX_FOUND] if depth < _MAX_LISTS else ():
            yield from walk(each, path, depth + 1)
    elif path:
        if isinstance(value, dict) and path[0] in value:
            yield from walk(value[path[0]], path[1:])
    else:
        if isinstance(value, dict):
            value = next(filter(None, map(value.get, ("@value", "name", "url", "@id"))), None)
        if isinstance(value, str | int | float):
            yield value


def kinds_of(node: Mapping[str, Any]) -> list[str]:
    """Returns the types of a node, without the address of their vocabulary."""
    kinds = [kind for kind in as_list(node.get("@type"))[:10] if isinstance(kind, str)]
    return [kind[-100:].strip().rpartition("/")[2] for kind in kinds]
