"""Sources of the values of a field: CSS, XPath, JSON-LD, meta elements, microdata."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from lxml import etree

from pagelets.metadata.json_ld import MAX_CHARS, load, tops
from pagelets.reading.fields.css import finding
from pagelets.reading.fields.nodes import Node, Nodes

if TYPE_CHECKING:
    from pagelets.tree import Tree

MAX_META: Final = 1_000
MAX_COST: Final = 20_000_000
"""The cost of a page beyond which no CSS with pseudo-classes is asked of it: they look at other elements."""
MAX_PATH_COST: Final = 2_000_000_000
"""The same for an XPath, times the elements: it may compare each that it finds with all it has found."""
_COMPARED: Final = 5
"""The cost of an XPath that comes to each element once: these times the square of the elements."""

_SHOWN: Final = 200
_EXACT: Final = 1 << 53
_NAME: Final = re.compile(r"[\w:-]+(?:\.[\w:-]+)*\Z")
_PSEUDO_CLASS: Final = re.compile(r"(?<!:):(?!:)")
_LITERAL: Final = re.compile(r"\"[^\"]*\"|'[^']*'")
_FUNCTION: Final = re.compile(r"(?<![\w.:-])([A-Za-z_][\w.-]*(?::[\w.-]+)?)\s*\(|\$")
_FUNCTIONS: Final = frozenset(
    "and boolean ceiling comment concat contains count div false floor id lang last local-name mod name "
    "namespace-uri node normalize-space not number or position processing-instruction round starts-with "
    "string string-length substring substring-after substring-before sum text translate true".split()
)
"""What stands before brackets in XPath 1.0."""
_COSTLY_AXIS: Final = re.compile(r"\b(?:preceding|following)\s*::")
_DOWN: Final = re.compile(r"//|\bdescendant\b")
_WIDE: Final = re.compile(r"\bancestor\b|-sibling\s*::(?!\s*[\w:*-]+\[1\])")
"""Axes by which a path may come to an element many times; ``following-sibling::dd[1]`` ends at the first."""
_UP: Final = re.compile(r"\.\.|\bparent\b|-sibling\b")
_FROM_ROOT: Final = re.compile(r"(?:^|[\[(,=<>|+*]|\b(?:and|or|div|mod)\s|\s-)\s*/")
_OF_ITEM: Final = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict.fromkeys(("a", "area", "link"), "href"),
    **dict.fromkeys(("data", "meter"), "value"),
    "meta": "content",
    "object": "data",
    "time": "datetime",
}
"""Attributes that are the value of a microdata property, by tags (HTML, section 5.2.4)."""

MAX_JSON_NODES: Final = 200
"""Nodes of a page that are asked."""
MAX_JSON_STEPS: Final = 100_000
"""Objects and lists of a page that paths go through."""
_MAX_DEPTH: Final = 20
_PATH: Final = re.compile(r"@?[A-Za-z_]\w*(?:\.@?[A-Za-z_]\w*)*\Z", re.ASCII)
_REFERENCE: Final = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]\w{1,31});", re.ASCII)
_TAG: Final = re.compile(r"</?[A-Za-z]")


class TooCostly(Exception):
    """Raised by the source of a field on a page on which it may take too long."""


class JsonLd:
    """The nodes of a page's ``application/ld+json`` scripts, those of lists and of ``@graph`` each.

    ``is_unread`` is True if a script is broken, or all of them are too long.
    """

    def __init__(self, tree: Tree) -> None:
        self.is_unread, self._left = False, MAX_JSON_STEPS
        values, chars = [], MAX_CHARS
        for node in tree.of_tag("script"):
            if "ld+json" not in (tree.get(node, "type") or "").lower():
                continue
            text = tree.text(node)
            if not text.strip():
                continue
            chars -= len(text)
            value = load(text) if chars >= 0 else None
            self.is_unread |= value is None
            values.append(value)
        self.nodes: list[dict[str, Any]] = list(islice(tops(values), MAX_JSON_NODES))

    def walk(self, value: object, path: Sequence[str]) -> Iterator[object]:
        """Yields what a path leads to from a value, through each item of a list, and to the node that an
        ``@id`` names.
        """
        self._left -= 1
        if self._left < 0:
            self.is_unread = True
        elif isinstance(value, list):
            for each in value:
                yield from self.walk(each, path)
        elif isinstance(value, dict) and (step := path[0] if path else "name") not in value:
            other = self._named.get(str(value.get("@id")), {})
            if not path or step in other:
                yield from self.walk(other[step], path[1:]) if step in other else (value,)
        elif path and isinstance(value, dict):
            yield from self.walk(value[path[0]], path[1:])
        elif not path:
            yield value

    @cached_property
    def _named(self) -> dict[str, dict[str, Any]]:
        return {identity: node for node in self.nodes if isinstance(identity := node.get("@id"), str)}


class SourcePage(Nodes):
    """A page as the sources of fields see it; what several of them ask for is made once."""

    @cached_property
    def cost(self) -> int:
        """The most that selectors may have to look at: pairs of elements of which one holds the other, or
        stands beside it, and characters in all elements around them.
        """
        tree, count = self.tree, len(self.tree)
        nodes = np.arange(count, dtype=np.int64)
        siblings = np.bincount(tree.parent[1:], minlength=1).astype(np.int64)
        ended = np.concatenate(([0], np.cumsum(np.bincount(tree.last, minlength=count))[:-1]))
        lengths = np.fromiter(map(len, tree.texts), np.int64, len(tree.texts))
        chars = int((lengths * (nodes - ended)[tree.holder]).sum()) if len(lengths) else 0
        return int((tree.last - nodes).sum()) + int((siblings * siblings).sum()) // 2 + chars

    @cached_property
    def json_ld(self) -> JsonLd:
        """Its JSON-LD."""
        return JsonLd(self.tree)

    @property
    def has_unread_json_ld(self) -> bool:
        """True if it was asked for JSON-LD, some of which could not be read."""
        return "json_ld" in self.__dict__ and self.json_ld.is_unread

    @cached_property
    def meta(self) -> Mapping[str, list[str]]:
        """Lower-cased ``property`` or ``name`` of its meta elements -> contents."""
        by_name: dict[str, list[str]] = {}
        attribute = self.tree.attribute
        contents = attribute("content")
        named = [attribute(name) for name in ("property", "name", "itemprop", "http-equiv")]
        for node in self.tree.of_tag("meta")[:MAX_META]:
            name = next((names[node] for names in named if node in names), None)
            if name and (content := contents.get(node)):
                by_name.setdefault(name[:_SHOWN].strip().lower(), []).append(content)
        return by_name


def css(selector: str) -> Callable[[SourcePage], Iterable[Any]]:
    """Returns what finds the elements, texts (``::text``) or attributes (``::attr(NAME)``) of a CSS selector.

    Raises ValueError.
    """
    try:
        find = finding(selector)
    except ValueError as error:
        why = f"is no CSS selector: {str(error)[:_SHOWN]}"
        raise ValueError(f"{why}; write one such as '.price::text' or 'a.more::attr(href)'") from error
    is_costly = _PSEUDO_CLASS.search(_LITERAL.sub("", selector)) is not None

    def of(page: SourcePage) -> Iterable[Any]:
        if is_costly and page.cost > MAX_COST:
            raise TooCostly
        return find(page)

    return of


def xpath(path: str) -> Callable[[SourcePage], Iterable[Any]]:
    """Returns what finds the elements, texts, attributes, or the one value, of an XPath.

    Raises ValueError if it is wrong, or asks for time that grows with the square of a page's size.
    """
    try:
        compiled = etree.XPath(path, regexp=False, smart_strings=False)
        compiled(etree.Element("html"))
    except (etree.XPathError, ValueError) as error:
        why = f"is no XPath 1.0: {str(error)[:_SHOWN]}"
        raise ValueError(f"{why}; write one such as //span[@class='price']/text()") from error
    bare = _LITERAL.sub("''", path)
    # libxml2 sees what is wrong inside of [...] on pages alone, and there only where it gets so far.
    for match in _FUNCTION.finditer(bare):
        if match[1] is None:
            raise ValueError("has a $, and paths have no variables here; write the value itself")
        if match[1] not in _FUNCTIONS:
            raise ValueError(
                f"{match[1]}() does not exist in XPath 1.0; take contains(), starts-with(), or the key regex"
            )
    if _COSTLY_AXIS.search(bare):
        raise ValueError(
            "preceding:: and following:: look at all of a page for each element; name what is around"
        )
    inside = "".join(_predicates(bare))
    if _FROM_ROOT.search(inside):
        raise ValueError(
            "a path from the root inside of [...] looks at all of a page for each element; begin it with ./"
        )

    is_wide = bool(len(_DOWN.findall(bare)) > 1 or _WIDE.search(bare) or _UP.search(inside))

    def find(page: SourcePage) -> Iterable[Any]:
        count = len(page.tree)
        is_cheap = not is_wide and page.cost <= MAX_COST
        if (_COMPARED * count if is_cheap else page.cost) * count > MAX_PATH_COST:
            raise TooCostly
        result: Any = compiled(page.root)
        if isinstance(result, float):
            return _of_number(result)
        if not isinstance(result, list):
            return (result,)
        if result and isinstance(result[0], etree._Element):
            return map(Node, page.numbers(result))
        return result

    return find


def _of_number(value: float) -> Iterable[float]:
    """A number of XPath, which knows no integers, as others write it; without NaN and infinity."""
    if not math.isfinite(value):
        return ()
    return (int(value) if value.is_integer() and abs(value) < _EXACT else value,)


def _predicates(path: str) -> Iterator[str]:
    """The characters of a path that stand in brackets, and the brackets."""
    depth = 0
    for character in path:
        depth += (character == "[") - (character == "]")
        if depth > 0:
            yield character


def json_ld(expression: str) -> Callable[[SourcePage], Iterable[Any]]:
    """Returns what finds the values of a JMESPath expression in a page's JSON-LD. Raises ValueError."""
    find = _asking(expression)
    return lambda page: find(page.json_ld)


def _asking(expression: str) -> Callable[[JsonLd], Iterator[Any]]:
    """Returns what finds the values of an expression: of each node in turn, and where none has any, of the
    list of all nodes.

    It is a path such as ``author.name``, which goes through lists as if they were their items, or else an
    expression of JMESPath. Raises ValueError if it is neither, or the package jmespath is missing.
    """
    if _PATH.match(expression):
        path = expression.split(".")
        return lambda page: (
            value for node in page.nodes for result in page.walk(node, path) for value in _values(result)
        )
    search = _jmespath(expression)

    def find(page: JsonLd) -> Iterator[Any]:
        has_value = False
        for node in page.nodes:
            for value in _values(search(node)):
                has_value = True
                yield value
        if not has_value:
            yield from _values(search(page.nodes))

    return find


def _jmespath(expression: str) -> Callable[[object], Any]:
    try:
        # A package that only such expressions need.
        import jmespath
    except ImportError as error:
        raise ValueError("needs the package jmespath; install it: pip install jmespath") from error
    wrong = jmespath.exceptions.JMESPathError
    try:
        search = jmespath.compile(expression).search
    except (wrong, RecursionError) as error:
        why = " ".join(str(error).partition("\n")[0].split()).rstrip(":")
        raise ValueError(f"is no JMESPath expression: {why}; write one such as offers.price") from error

    def ask(data: object) -> Any:
        try:
            return search(data)
        except (wrong, RecursionError, ArithmeticError, TypeError, ValueError):
            # A function was given what it does not take.
            return None

    return ask


def _values(value: object, depth: int = 0) -> Iterator[Any]:
    """Texts, numbers and booleans; of an object its name, or its address."""
    if isinstance(value, list) and depth < _MAX_DEPTH:
        for each in value:
            yield from _values(each, depth + 1)
    elif isinstance(value, dict):
        held = next(filter(None, map(value.get, ("@value", "name", "url", "@id"))), None)
        yield from () if isinstance(held, list | dict) else _values(held)
    elif isinstance(value, str | int | float):
        yield unescaped(value)


def unescaped(value: Any) -> Any:
    """Returns a text with characters for entities, which sites write where none belong; HTML as it is."""
    if not isinstance(value, str) or "&" not in value or _TAG.search(value):
        return value
    return _REFERENCE.sub(lambda reference: unescape(reference[0]), value)


def meta(name: str) -> Callable[[SourcePage], Iterable[Any]]:
    """Returns what finds the contents of the meta elements of a property or name, such as ``og:title``.

    Raises ValueError.
    """
    key = name.strip().lower()
    if not key or len(key) > _SHOWN:
        raise ValueError("cannot name a meta element; write one such as og:site_name")
    return lambda page: map(unescaped, page.meta.get(key, ()))


def microdata(name: str) -> Callable[[SourcePage], Iterable[Any]]:
    """Returns what finds the values of a microdata property; ``offers.price`` is one inside of another.

    Raises ValueError.
    """
    if not _NAME.match(name):
        raise ValueError("cannot name a property; write one such as price, or offers.price")
    find = finding(" ".join(f'[itemprop~="{part}"]' for part in name.split(".")))
    return lambda page: (_of_item(page, each.number) for each in find(page) if isinstance(each, Node))


def _of_item(page: SourcePage, node: int) -> Node | str:
    names = ("content", _OF_ITEM.get(page.tree.tags[node], "content"))
    return next((value for name in names if (value := page.get(node, name)) is not None), Node(node))


SOURCES: Final[Mapping[str, Callable[[str], Callable[[SourcePage], Iterable[Any]]]]] = {
    "css": css,
    "xpath": xpath,
    "json_ld": json_ld,
    "meta": meta,
    "microdata": microdata,
}
"""The keys that say where the values of a field are found, and what compiles what they say."""
