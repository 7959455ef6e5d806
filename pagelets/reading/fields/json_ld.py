"""Values in the JSON-LD of a page, by path or JMESPath."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from pagelets.metadata.json_ld import MAX_CHARS, load, tops

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pagelets.tree import Tree

MAX_NODES: Final = 200
"""Nodes of a page that are asked."""
MAX_STEPS: Final = 100_000
"""Objects and lists of a page that paths go through."""
_MAX_DEPTH: Final = 20
_PATH: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\Z", re.ASCII)


class JsonLd:
    """The nodes of a page's ``application/ld+json`` scripts, those of lists and of ``@graph`` each.

    ``is_unread`` is True if a script is broken, or all of them are too long.
    """

    def __init__(self, tree: Tree) -> None:
        self.is_unread, self._left = False, MAX_STEPS
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
        self.nodes: list[dict[str, Any]] = [
            node for node, _ in zip(tops(values), range(MAX_NODES), strict=False)
        ]

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


def asking(expression: str) -> Callable[[JsonLd], Iterator[Any]]:
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
        held = (value.get(name) for name in ("@value", "name", "url", "@id"))
        yield from (item for item in (next(filter(None, held), None),) if isinstance(item, str | int | float))
    elif isinstance(value, str | int | float):
        yield value
