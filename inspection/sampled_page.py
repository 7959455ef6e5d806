"""A page as fields and selectors are looked for in it, by a survey and by people.

Selectors of values are CSS by the names of elements, or XPath by the labels beside them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cssselect import HTMLTranslator
from lxml import etree

from pagelets.metadata.json_ld import as_list
from pagelets.reading import Element, flatten, parse
from pagelets.reading.elements import UNREAD_TAGS
from pagelets.reading.fields.description import ExtractedField
from pagelets.reading.fields.nodes import MAX_STEPS, Node
from pagelets.reading.fields.sources import SourcePage, unescaped
from pagelets.reading.fields.values import Making
from pagelets.reading.references import References

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
_AROUND: Final = 4
_SAYS_MUCH: Final = ("time", "h1", "ins")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z_-]{1,40}\Z", re.ASCII)
_PARTS: Final = re.compile(r"[-_]+|(?<=[a-z])(?=[A-Z])")
_VOWEL: Final = re.compile(r"[aeiouy]", re.IGNORECASE)
_LABEL: Final = re.compile(r"[^\W\d_][^:\n\"\\]{1,38}\Z")
_LINE: Final = re.compile(r"([^\W\d_][^:\n\"\\]{1,38}):\s+(\S.*)\Z")
_NUMBER: Final = re.compile(r"[^\d\w]{0,3}(?:[A-Z]{3} )?[\d.,' ]*\d[^\d\w]{0,3}[A-Z]{0,3}\Z")
_LINES: Final = ("li", "p", "span", "div", "td")
_BEFORE_COLON: Final = 60


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
            yield unescaped(value)


def kinds_of(node: Mapping[str, Any]) -> list[str]:
    """Returns the types of a node, without the address of their vocabulary."""
    kinds = [kind for kind in as_list(node.get("@type"))[:10] if isinstance(kind, str)]
    return [kind[-100:].strip().rpartition("/")[2] for kind in kinds]


def is_stable(name: str) -> bool:
    """Returns true if a class or id looks as if a person had named it: without digits, and no hash."""
    if not _NAME.match(name):
        return False
    parts = [part for part in _PARTS.split(name) if part]
    odd = sum(len(part) < 3 for part in parts)
    return (
        all(len(part) < 5 or _VOWEL.search(part) for part in parts)
        and (odd < 2 or odd * 2 <= len(parts))
        and not any(re.search(r"[a-z][A-Z]{2,}[a-z]", part) for part in parts)
    )


def selectors_of(element: Element) -> Iterator[str]:
    """Yields selectors of an element: by itself, and within the elements around it."""
    own = [*steps_of(element)]
    yield from own
    # A tag alone is of many elements: next year of others.
    inner = [*own, *([str(element.tag)] if element.tag in _SAYS_MUCH else [])]
    for around in islice(element.iterancestors(), _AROUND):
        if around.tag in ("body", "html"):
            return
        for outer in steps_of(around):
            yield from (f"{outer} {step}" for step in inner)


def steps_of(element: Element) -> Iterator[str]:
    """Yields selectors of an element by its own names, with its tag where that says more."""
    for name in (element.get("itemprop") or "").split()[:2]:
        if re.fullmatch(r"[A-Za-z][\w-]*", name, re.ASCII):
            yield f"[itemprop={name}]"
    if is_stable(identifier := (element.get("id") or "").strip()):
        yield f"#{identifier}"
    classes = [name for name in (element.get("class") or "").split()[:8] if is_stable(name)]
    for name in classes:
        yield f".{name}"
        yield f"{element.tag}.{name}"
    yield from (f".{one}.{other}" for one, other in pairwise(classes))
    if element.get("rel") in ("tag", "author", "bookmark", "category"):
        yield f"{element.tag}[rel={element.get('rel')}]"


def rank(selector: str) -> tuple[int, int, int, str]:
    """Returns the sort key of a selector: the plainest comes first."""
    said = "[itemprop" not in selector and "[rel" not in selector
    odd = selector.count(" ") + ("::attr(data" in selector) + ("::" not in selector)
    return said, odd, len(selector), selector


class Label(NamedTuple):
    """A label: the XPath of its value, the pattern that takes this out of what is found, and its kind."""

    xpath: str
    regex: str
    label: str
    how: str

    @property
    def given(self) -> dict[str, Any]:
        """The field as a site file describes it."""
        return {"xpath": self.xpath} | ({"regex": self.regex} if self.regex else {})


def name_of(label: str) -> str:
    """Returns the name of a field for a label, empty if its letters make none."""
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40]
    return name if re.match(r"[a-z]{2}", name) else ""


def are_all(kind: str, texts: Sequence[str], page: SampledPage) -> bool:
    """Returns true if all texts are values of a type, and of nothing else.

    Args:
        kind: the type.
        texts: the texts.
        page: the page that they stand on.

    """
    if kind == "number" and not all(_NUMBER.match(text) for text in texts):
        return False
    return all(page.typed(text, kind, is_data=False) is not None for text in texts)


def labels_of(element: Element, page: SampledPage) -> Iterator[tuple[Label, str]]:
    """Yields the labels that an element is, or has, each with the text of its value."""
    if element.tag == "dt":
        value = next(element.itersiblings(), None)
        text = _text(element, page)
        if value is not None and value.tag == "dd" and (said := _said(text)):
            path = f"//dt[normalize-space() = {_quoted(text)}]/following-sibling::dd[1]"
            yield Label(path, "", said, "dt"), _text(value, page)
    elif element.tag == "tr":
        cells = [cell for cell in element if cell.tag in ("th", "td")]
        if len(cells) == 2 and cells[1].tag == "td":
            text = _text(cells[0], page)
            if (said := _said(text)) and (cells[0].tag == "th" or text.endswith(":")):
                path = f"//tr[{cells[0].tag}[normalize-space() = {_quoted(text)}]]/td[last()]"
                yield Label(path, "", said, str(cells[0].tag)), _text(cells[1], page)
    elif element.tag in _LINES and len(element) <= 3 and not element.xpath("self::td/following-sibling::td"):
        match = _LINE.match(_text(element, page)) if ":" in value_text(element)[:_BEFORE_COLON] else None
        if match is not None and len(match[2]) <= 80 and (said := _said(match[1])):
            path = f"//{element.tag}[starts-with(normalize-space(), {_quoted(match[1] + ':')})]"
            yield Label(path, f"{_escaped(match[1])}:\\s+(.+)", said, "label"), match[2]


def _quoted(text: str) -> str:
    """A text as a string of XPath."""
    return f"'{text}'" if "'" not in text else f'"{text}"'


def _escaped(text: str) -> str:
    """A text as a regex, of which only what has to be is escaped."""
    return re.sub(r"[.^$*+?{}\[\]|()]", r"\\\g<0>", text)


def _text(element: Element, page: SampledPage) -> str:
    """The text of an element, as a field of it has it."""
    return page.typed(element, "text", is_data=False) or ""


def _said(text: str) -> str:
    """Returns a label without its colon, an empty text if it cannot be a label."""
    text = text.rstrip(": ")
    return text if _LABEL.match(text) else ""
