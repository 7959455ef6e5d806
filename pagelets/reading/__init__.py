"""From decoded HTML to a `Page`: parsed once, flattened, and read as blocks and links."""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from lxml import etree

from pagelets.compiled import chosen
from pagelets.overrides import NO_SELECTORS, NOSNIPPET, Selectors
from pagelets.page import Link, Override, Page
from pagelets.reading import plain
from pagelets.reading.attributes import are_too_many, without_too_many
from pagelets.reading.counts import counted
from pagelets.reading.elements import UNREAD_TAGS, elements, to_unhide, unhidden
from pagelets.reading.formulas import as_tex, copies
from pagelets.reading.head import read_head
from pagelets.reading.line_numbers import line_numbers
from pagelets.reading.permalinks import EDITS, edit_mark, is_permalink
from pagelets.reading.plain import is_utf8
from pagelets.reading.spelling import INVISIBLE, spell

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from lxml.etree import _Element

    from pagelets.reading.references import References
    from pagelets.tree import Tree

__all__ = ["MAX_DEPTH", "WALK_VERSION", "deciding_selectors", "is_utf8", "parse", "read", "version"]

WALK_VERSION: Final = 15
"""Counts the changes of what blocks and links a page has: what a store has derived of others is derived
again.
"""

MAX_DEPTH: Final = 2040
"""libxml2 stops reading a document, without an error, where elements are nested deeper than 2,048."""

Element: TypeAlias = etree._Element
"""An element of a parsed page, by a public name."""

_BREAK: Final = re.compile(rb"</[bB][rR]\s*/?>")
_FALLBACK: Final = re.compile(rb"<(/?)no(?:frames|embed)\b", re.IGNORECASE)
_PARSER: Final = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True, collect_ids=False)
"""Reads as parsel's selectors do; without ``huge_tree`` long texts vanish in silence. Nobody asks for ids."""
_STARTS_TEXT: Final = bytes(33 <= byte < 127 for byte in range(256))
_NOT_FOLLOWED: Final = frozenset({"nofollow", "none"})
_FRAMES: Final = {"frame": "src", "iframe": "src", "area": "href"}
_LINK: Final = partial(tuple.__new__, Link)
"""Makes a `Link` of a tuple, as its ``_make`` does, without a function of Python's."""

flatten = chosen("pagelets.reading.native", plain.flatten)
walk = chosen("pagelets.reading.native_walk", plain.walk)


class Extracts(Protocol):
    """Takes values from a page: `pagelets.reading.fields.Extraction`."""

    def take(self, root: _Element, page: Page, references: References) -> None:
        """Takes the values of a page into its ``extracted``.

        Args:
            root: the tree as it was parsed.
            page: the page, of which URL, base and flat tree are known.
            references: makes its addresses absolute.

        """


def read(
    source: str | bytes,
    url: str,
    selectors: Selectors = NO_SELECTORS,
    deciding: Selectors | None = None,
    extraction: Extracts | None = None,
) -> Page:
    """Reads the page of HTML at an address, as a store records it and as it is judged.

    Characters that no document may hold (NUL, lone surrogates) are replaced. Hidden text (``hidden``, inline
    ``display:none``, ``template``, ``noscript``) does not count as visible; hidden links are links. A page
    that hides much of its text is read with that text visible (`pagelets.reading.elements.to_unhide`). Linear
    in the size of the text.

    Args:
        source: decoded text of any kind, or, which is faster, its bytes in faultless UTF-8 (`is_utf8`).
        url: its address.
        selectors: elements that they match are blocks of their own, as are those marked ``data-nosnippet``.
        deciding: the selectors that keep and drop, if they differ.
        extraction: takes values from the page.

    """
    root = parse(source)
    tree = flatten(root, UNREAD_TAGS)
    spell(tree)
    selectors, deciding = selectors.of(url), deciding and deciding.of(url)
    page = Page(url, tree, read_by=version(selectors, deciding))
    page.overridden, page.met = _overrides(tree, root, selectors)
    page.overrides = page.overridden
    if deciding is not None and deciding != selectors:
        page.overrides, _ = _overrides(tree, root, deciding)
    references = read_head(page, source)
    if extraction:
        extraction.take(root, page, references)
    # While it is in the processor's caches: later it takes twice as long.
    del root
    _read_blocks(page, references)
    page.truncated = bool(len(tree)) and sum(1 for _ in tree.ancestors(len(tree) - 1)) >= MAX_DEPTH
    return page


@lru_cache(maxsize=64)
def version(selectors: Selectors = NO_SELECTORS, deciding: Selectors | None = None) -> bytes:
    """Returns a name for the way in which `read` makes pages with these selectors: 16 bytes.

    The selectors are those of a page: overrides by URL are left out. ``deciding`` equal to ``selectors`` make
    no difference.
    """
    deciding = selectors if deciding is None else deciding
    ways = [WALK_VERSION, *((each.keep, each.drop) for each in (selectors, deciding))]
    return hashlib.blake2b(json.dumps(ways).encode(), digest_size=16).digest()


def parse(source: str | bytes) -> _Element:
    """The tree of an HTML document, as Scrapy's ``response.selector`` parses it, of lxml's plain elements;
    but an end tag of ``br`` is a line break, as in browsers (HTML Standard, 13.2.6.4.7), ``noframes`` and
    ``noembed`` become ``noscript``: libxml2 reads their markup as text; and ``xmp``, ``listing`` and
    ``plaintext`` become ``pre``.

    Takes what `read` takes.
    """
    body = source.encode(errors="replace") if isinstance(source, str) else source
    body = body.replace(b"\0", b"").strip()
    if body and not (_STARTS_TEXT[body[0]] and _STARTS_TEXT[body[-1]]):
        # White space of other scripts, or none.
        body = body.decode().strip().encode()
    body = _BREAK.sub(b"<br>", body)
    if are_too_many(body):
        body = without_too_many(body)
    root = etree.fromstring(body, _PARSER) if body else None
    if root is not None and next(root.iter("noframes", "noembed"), None) is not None:
        root = etree.fromstring(_FALLBACK.sub(rb"<\1noscript", body), _PARSER)
    if root is None or not isinstance(root.tag, str):
        # A page of nothing but a comment has no element.
        return etree.fromstring("<html/>", _PARSER)
    # Of what follows </html> the parser makes trees of their own.
    root.extend([*root.itersiblings("html")])
    for element in root.iter("listing", "plaintext", "xmp"):
        element.tag = "pre"
    return root


def _overrides(
    tree: Tree, root: _Element, selectors: Selectors
) -> tuple[dict[int, Override], frozenset[str]]:
    """The overridden elements of a page, and the selectors that match any."""
    matched: dict[_Element, Override] = {}
    met = set()
    for selector, override, hits in selectors.matched(root):
        matched.update(dict.fromkeys(hits, override))
        if hits:
            met.add(selector)
    overrides = dict.fromkeys(tree.attribute("data-nosnippet"), NOSNIPPET)
    if matched:
        overrides.update(
            (node, matched[element]) for node, element in enumerate(root.iter("*")) if element in matched
        )
    return overrides, frozenset(met)


def deciding_selectors(source: str | bytes, url: str, selectors: Selectors) -> dict[int, str]:
    """Returns the text of the selector that decides on each element that one matches.

    Args:
        source: the page, as `read` takes it.
        url: its address.
        selectors: those of its site.

    """
    root = parse(source)
    matched: dict[_Element, str] = {}
    for text, _, hits in selectors.of(url).matched(root):
        matched.update(dict.fromkeys(hits, text))
    return {node: matched[element] for node, element in enumerate(root.iter("*")) if element in matched}


def _read_blocks(page: Page, references: References) -> None:
    tree = page.tree
    addresses = references.of_links(tree)
    own_address = f"{page.url.partition('#')[0]}#"
    muted = [
        node
        for node, address in addresses.items()
        if address.startswith(own_address) and is_permalink(tree, node)
    ]
    edits = [node for node, address in addresses.items() if EDITS in address]
    muted += [mark for node in edits if (mark := edit_mark(tree, node))]
    muted += [*line_numbers(tree), *copies(tree)]
    kinds, hides = elements(tree, [*page.overridden, *counted(tree)], muted, as_tex(tree))
    linked = bytearray(len(tree))
    for node in addresses:
        linked[node] = 1
    walked = walk(tree, kinds, hides, bytes(linked))
    if walked.hidden and (what := to_unhide(tree, walked.hidden, walked.blocks, kinds)) is not None:
        page.unhidden = True
        kinds, hides = unhidden(tree, kinds, hides, noscript=what == "noscript")
        walked = walk(tree, kinds, hides, bytes(linked))
    for block in walked.blocks:
        if not block.text.isprintable() and not block.text.strip(INVISIBLE):
            block.text = ""
    page.blocks, page.parted = walked.blocks, walked.parted
    page.links = _links(page, walked, addresses)
    page.follow += _frames(tree, references, kinds)


def _links(page: Page, walked: plain.Walked, addresses: dict[int, str]) -> list[Link]:
    relations = page.tree.attribute("rel")
    if not _NOT_FOLLOWED.isdisjoint(page.robots):
        advised: Container[int] = addresses
    else:
        advising = {each for each in set(relations.values()) if "nofollow" in each.lower().split()}
        advised = {node for node, relation in relations.items() if relation in advising}
    return [_LINK((addresses[node], text, node in advised, block)) for node, block, text in walked.links]


def _frames(tree: Tree, references: References, kinds: Sequence[int]) -> list[str]:
    """The addresses of frames, whose pages are their own, and of areas of pictures; not of those inside of
    what is skipped.
    """
    sources = [
        source
        for node in sorted(node for tag in _FRAMES for node in tree.of_tag(tag))
        if (source := tree.get(node, _FRAMES[tree.tags[node]]))
        and not any(kinds[above] == plain.SKIPPED for above in tree.ancestors(node))
    ]
    return [address for address in references.addresses(sources) if address is not None]
