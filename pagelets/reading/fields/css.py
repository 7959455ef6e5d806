"""CSS selectors of elements, texts (``::text``) and attributes (``::attr(NAME)``), as parsel has them.

What libxml2 does with the steps of a path from one element to another takes time that grows with the cube of
a page's size. So only what is said of one element is asked of it; how elements stand to each other is looked
up here, in time that grows with their number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from cssselect import HTMLTranslator, SelectorError, parse
from cssselect.parser import CombinedSelector, FunctionalPseudoElement
from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cssselect.parser import Selector
    from lxml.etree import _Element

    Find: TypeAlias = Callable[[_Element], Sequence[_Element]]

_TRANSLATOR: Final = HTMLTranslator()


def finding(text: str) -> Callable[[_Element], Iterator[Any]]:
    """Returns what finds what a selector matches below a root, in the order of the page, and of several
    selectors each element for each. Raises ValueError if the text is no selector.
    """
    try:
        selectors = parse(text)
        found = [(_elements(each.parsed_tree), _taking(each)) for each in selectors]
        for find, _ in found:
            find(etree.Element("html"))
    except (SelectorError, etree.XPathError, RecursionError) as error:
        raise ValueError(str(error)) from error

    def of(root: _Element) -> Iterator[Any]:
        matches = [(element, take) for find, take in found for element in find(root)]
        if len(found) > 1:
            wanted = {element for element, _ in matches}
            places = {element: place for place, element in enumerate(root.iter()) if element in wanted}
            matches.sort(key=lambda match: places[match[0]])
        for element, take in matches:
            yield from take(element)

    return of


def _taking(selector: Selector) -> Callable[[_Element], Iterator[Any]]:
    """Returns what takes the text or attribute that a selector asks for from an element, or the element."""
    pseudo = selector.pseudo_element
    if pseudo is None:
        return lambda element: iter((element,))
    if pseudo == "text":
        return _texts
    if isinstance(pseudo, FunctionalPseudoElement) and pseudo.name == "attr":
        if pseudo.argument_types() not in (["IDENT"], ["STRING"]):
            raise ValueError("::attr() takes one name")
        name = str(pseudo.arguments[0].value).lower()
        return lambda element: iter(() if (value := element.get(name)) is None else (value,))
    said = getattr(pseudo, "name", pseudo)
    raise ValueError(f"::{said} is unknown; there are ::text and ::attr(NAME)")


def _texts(element: _Element) -> Iterator[str]:
    if element.text:
        yield element.text
    for child in element:
        if child.tail:
            yield child.tail


def _elements(tree: Any) -> Find:
    """Returns what finds the elements that a selector matches, in the order of the page."""
    if not isinstance(tree, CombinedSelector):
        path = etree.XPath(f"descendant-or-self::{_TRANSLATOR.xpath(tree)}", regexp=False)
        return lambda root: cast("list[_Element]", path(root))
    left, right = _elements(tree.selector), _elements(tree.subselector)
    stands = {" ": _below, ">": _in, "+": _after, "~": _behind}[tree.combinator]
    return lambda root: stands(left(root), right(root))


def _below(around: Sequence[_Element], found: Sequence[_Element]) -> Sequence[_Element]:
    """Those elements that lie in others, however deep."""
    known: dict[_Element | None, bool] = {None: False}
    holders = set(around)
    kept = []
    for element in found:
        above, climbed = element.getparent(), []
        while above is not None and above not in known:
            if above in holders:
                known[above] = True
            else:
                climbed.append(above)
                above = above.getparent()
        known.update(dict.fromkeys(climbed, known[above]))
        if known[above]:
            kept.append(element)
    return kept


def _in(around: Sequence[_Element], found: Sequence[_Element]) -> Sequence[_Element]:
    """Those elements that lie directly in others."""
    holders = set(around)
    return [element for element in found if element.getparent() in holders]


def _after(before: Sequence[_Element], found: Sequence[_Element]) -> Sequence[_Element]:
    """Those elements that follow others at once."""
    others = set(before)
    return [element for element in found if next(element.itersiblings("*", preceding=True), None) in others]


def _behind(before: Sequence[_Element], found: Sequence[_Element]) -> Sequence[_Element]:
    """Those elements that follow others in the same element."""
    first: dict[_Element | None, _Element] = {}
    for element in before:
        first.setdefault(element.getparent(), element)
    wanted = {element.getparent() for element in found} & first.keys()
    behind = {element for holder in wanted for element in first[holder].itersiblings("*")}
    return [element for element in found if element in behind]
