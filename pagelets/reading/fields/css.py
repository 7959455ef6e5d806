"""CSS selectors of elements, texts (``::text``) and attributes (``::attr(NAME)``), as parsel has them.

Tags, classes, attributes and the relations between elements are looked up in the page's flat tree, in time
that grows with its size. libxml2 answers for pseudo-classes.
"""

from __future__ import annotations

import re
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from cssselect import HTMLTranslator, SelectorError, parse, parser
from lxml import etree

from pagelets.reading.fields.nodes import Node, Nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lxml.etree import _Element

    from pagelets.reading.fields.nodes import Place
    from pagelets.tree import Tree

    Find: TypeAlias = Callable[[Nodes], Sequence[int]]
    Test: TypeAlias = Callable[[Tree], Iterable[int]]
    Take: TypeAlias = Callable[[Nodes, Sequence[int]], Iterable[tuple[Place, Node | str]]]

_TRANSLATOR: Final = HTMLTranslator()
_WHITE: Final = re.compile("[ \t\r\n\f]")


def finding(text: str) -> Callable[[Nodes], Iterator[Node | str]]:
    """Returns what finds all that a selector matches on a page, once each, in the order of the page. Raises
    ValueError if the text is no selector.
    """
    try:
        finders = [(_holders(each), _taking(each)) for each in parse(text)]
    except (SelectorError, etree.XPathError, RecursionError) as error:
        raise ValueError(str(error)) from error

    def of(page: Nodes) -> Iterator[Node | str]:
        found = merge(*(take(page, find(page)) for find, take in finders), key=itemgetter(0))
        return (next(same)[1] for _, same in groupby(found, key=itemgetter(0)))

    return of


def _taking(selector: parser.Selector) -> Take:
    """Returns what takes the texts or attributes that a selector asks for from elements, or these."""
    pseudo = selector.pseudo_element
    if pseudo is None:
        return lambda _, nodes: (((node, 1, ""), Node(node)) for node in nodes)
    if pseudo == "text":
        return lambda page, nodes: page.texts(nodes)
    if isinstance(pseudo, parser.FunctionalPseudoElement) and pseudo.name == "attr":
        if pseudo.argument_types() not in (["IDENT"], ["STRING"]):
            raise ValueError("::attr() takes one name")
        name = str(pseudo.arguments[0].value).lower()
        return lambda page, nodes: (
            ((node, 1, name), value) for node in nodes if (value := page.get(node, name)) is not None
        )
    pseudo_name = getattr(pseudo, "name", pseudo)
    raise ValueError(f"::{pseudo_name} is unknown; there are ::text and ::attr(NAME)")


def _holders(selector: parser.Selector) -> Find:
    """Returns what finds the elements whose texts or attributes a selector asks for, or that it matches.

    As in parsel, ``p ::text`` and ``p *::text`` are all texts of ``p``, its own too.
    """
    tree = selector.parsed_tree
    if (
        selector.pseudo_element is None
        or not isinstance(tree, parser.CombinedSelector)
        or str(tree.combinator) != " "
        or _tests(tree.subselector) != []
    ):
        return _nodes(tree)
    around = _nodes(tree.selector)

    def find(page: Nodes) -> Sequence[int]:
        holders = around(page)
        return sorted({*holders, *_below(page.tree, holders, range(len(page.tree)))})

    return find


def _nodes(tree: Any) -> Find:
    """Returns what finds the elements that a selector matches, in the order of the page."""
    if isinstance(tree, parser.CombinedSelector):
        left, right = _nodes(tree.selector), _nodes(tree.subselector)
        stands = {" ": _below, ">": _in, "+": _after, "~": _behind}[str(tree.combinator)]
        return lambda page: stands(page.tree, left(page), right(page))
    tests = _tests(tree)
    if tests is not None:
        return lambda page: _all(page.tree, tests)
    path = etree.XPath(f"descendant-or-self::{_TRANSLATOR.xpath(tree)}", regexp=False)
    path(etree.Element("html"))
    return lambda page: page.numbers(cast("list[_Element]", path(page.root)))


def _tests(tree: Any) -> list[Test] | None:
    """Tests for each part of a selector; None if a part concerns more than the element itself."""
    if isinstance(tree, parser.Element):
        if tree.namespace is not None:
            return None
        return [] if tree.element is None else [_of_tag(tree.element.lower())]
    if isinstance(tree, parser.Class):
        part = _attribute("class", "~=", tree.class_name)
    elif isinstance(tree, parser.Hash):
        part = _attribute("id", "=", tree.id)
    elif isinstance(tree, parser.Attrib) and tree.namespace is None and tree.operator not in ("|=", "!="):
        part = _attribute(tree.attrib.lower(), tree.operator, str(tree.value.value) if tree.value else "")
    else:
        return None
    others = _tests(tree.selector)
    return None if others is None else [part, *others]


def _of_tag(tag: str) -> Test:
    return lambda tree: tree.of_tag(tag)


def _attribute(name: str, operator: str, wanted: str) -> Test:
    tests: dict[str, Callable[[str], bool]] = {
        "exists": lambda _: True,
        "=": lambda value: value == wanted,
        "~=": lambda value: wanted in value and wanted in _WHITE.split(value),
        "^=": lambda value: bool(wanted) and value.startswith(wanted),
        "$=": lambda value: bool(wanted) and value.endswith(wanted),
        "*=": lambda value: bool(wanted) and wanted in value,
    }
    test = tests[operator]
    return lambda tree: [node for node, value in tree.attribute(name).items() if test(value)]


def _all(tree: Tree, tests: Sequence[Test]) -> Sequence[int]:
    """The elements that all tests find, each in the order of the page; all of them without a test."""
    if not tests:
        return range(len(tree))
    first, *others = (test(tree) for test in tests)
    for nodes in others:
        kept = set(nodes)
        first = [node for node in first if node in kept]
    return list(first)


def _below(tree: Tree, around: Sequence[int], nodes: Sequence[int]) -> Sequence[int]:
    """Returns the elements that lie in others, however deep."""
    inside = tree.inside(around)
    return [node for node in nodes if inside[node]]


def _in(tree: Tree, around: Sequence[int], nodes: Sequence[int]) -> Sequence[int]:
    """Returns the elements that lie directly in others."""
    parents, holders = tree.parents, set(around)
    return [node for node in nodes if parents[node] in holders]


def _after(tree: Tree, before: Sequence[int], nodes: Sequence[int]) -> Sequence[int]:
    """Returns the elements that follow others at once."""
    following = set(map(tree.next_sibling, before))
    return [node for node in nodes if node in following]


def _behind(tree: Tree, before: Sequence[int], nodes: Sequence[int]) -> Sequence[int]:
    """Returns the elements that follow others in the same element."""
    parents = tree.parents
    first: dict[int, int] = {}
    for node in before:
        first.setdefault(parents[node], node)
    return [node for node in nodes if first.get(parents[node], node) < node]
