"""The author of a page."""

from __future__ import annotations

import re
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, Final

from pagelets.metadata.declarations import MAX_ITEMS, MAX_VALUE, Declarations, element_text, is_aside, runs_of
from pagelets.metadata.json_ld import Main, as_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pagelets.tree import Tree

MAX_CHARS: Final = 200

_META: Final = """
    citation_author citation_authors author article:author og:article:author parsely-author sailthru.author
    cxenseparse:author dc.creator dcterms.creator byl og:author authors creator
    """.split()
_SURNAME_FIRST: Final = frozenset({"citation_author", "citation_authors", "dc.creator", "dcterms.creator"})
_REVERSED: Final = re.compile(r"([^\d,;]{2,40}), ([^\d,;]{1,40})\Z")
_BY: Final = re.compile(
    r"\A(?:(?:(?:analysis|article|posted|published|review|story|text|words|written)\s+)?by(?:[:\s]\s*|\Z)|"
    r"(?:aut(?:h?or|eur|ore)|text[eo]?|автор|текст|yazan|penulis|作者|撰文|文|記者|글)\s*[:：]\s*)",
    re.IGNORECASE,
)
_JOINERS: Final = "\u200c\u200d"
_NO_NAME: Final = re.compile(
    r"://|^www\.|@|[<>{}\[\]=\\]|^[\W\d_]*$|%[a-z]|"
    r"^[a-z0-9.-]+\.(?:com|net|org|info|biz|edu|gov|blog|shop|site|online|[a-z]{2})(?:/\S*)?$",
    re.IGNORECASE,
)
"""Addresses, handles, markup, what a template did not fill in, and what has no letter."""
_NOBODY: Final = frozenset(
    """
    admin administrator anonymous author authors blogger contributor default editor guest moderator n/a na
    nobody none null owner root site-admin staff superuser support system test undefined unknown user username
    webmaster wordpress wpadmin wp-admin
    """.split()
)
_MARKS: Final = re.compile(r"(?<!\S)(?:p-author|author\s+vcard|vcard\s+author)(?!\S)")
"""Classes of authors in h-entry and hAtom."""
_PERSON: Final = re.compile(r"(?=.{3,60}\Z)[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,4}", re.UNICODE)


def name(text: str) -> str | None:
    """A name as a page declares it, with its white space folded and without a "By" before it.

    Returns None for anything else: an address, a handle, a placeholder, a text longer than `MAX_CHARS`.
    """
    if len(text) > MAX_VALUE:
        return None
    folded = unescape(text).encode("utf-8", "replace").decode()
    folded = "".join(c if c.isprintable() or c in _JOINERS else " " for c in folded)
    folded = _BY.sub("", " ".join(folded.split()), count=1)
    folded = folded.strip(' ,;:|·•-–—"“”„')
    if not folded or len(folded) > MAX_CHARS or _NO_NAME.search(folded) or folded.lower() in _NOBODY:
        return None
    return folded


def joined(texts: Iterable[str]) -> str | None:
    """The names among texts, each once, parted by ``", "``: as many as `MAX_CHARS` characters hold."""
    names = dict.fromkeys(author for text in texts if (author := name(text)) is not None)
    chars = 0
    fitting: list[str] = []
    for each in names:
        chars += len(each) + 2 * bool(fitting)
        if chars > MAX_CHARS:
            break
        fitting.append(each)
    return ", ".join(fitting) or None


def find_author(page: Declarations) -> str | None:
    """The authors whom a page names, by the first of its sources that holds a name; or None.

    Its JSON-LD comes first, then its meta elements, its microdata, its microformats, and its
    links to its author.
    """
    return _first(_sources(page))


def find_declared_author(page: Declarations) -> str | None:
    """The authors whom a page names outside of its text, in JSON-LD or meta elements; or None."""
    return _first(_declared(page))


def _first(sources: Iterable[Iterable[str]]) -> str | None:
    return next((authors for texts in sources if (authors := joined(texts)) is not None), None)


def _sources(page: Declarations) -> Iterator[Iterable[str]]:
    yield from _declared(page)
    yield from (
        [_name_of(page.tree, each.node) for each in page.properties(role)] for role in ("author", "creator")
    )
    classes = page.tree.attribute("class").items()
    marked = (node for node, value in classes if "author" in value and _MARKS.search(value, 0, MAX_VALUE))
    yield _of_one(page, marked, _name_of)
    links = (
        node
        for node, relation in page.tree.attribute("rel").items()
        if page.tree.tags[node] == "a" and "author" in relation[:MAX_VALUE].lower().split()
    )
    linked = _of_one(page, links, element_text)
    # "Read more about the author" is no name.
    yield [each for each in linked if _PERSON.fullmatch(each) and not each.split()[-1].islower()]


def _declared(page: Declarations) -> Iterator[Iterable[str]]:
    described = page.json_ld
    for nodes in (described.works, described.pages):
        authors = [list(_authors(node, described)) for node in nodes]
        named = [texts for texts in authors if texts]
        if all(texts == named[0] for texts in named):
            yield from named[:1]
    for source in _META:
        texts = page.meta.get(source, [])
        yield [_REVERSED.sub(r"\2 \1", text.strip()) for text in texts] if source in _SURNAME_FIRST else texts


def _authors(node: dict[str, object], described: Main) -> Iterator[str]:
    for author in described.values(node.get("author") or node.get("creator")):
        if isinstance(author, dict):
            parts = (author.get("givenName"), author.get("familyName"))
            whole = " ".join(part for part in parts if isinstance(part, str))
            for value in as_list(author.get("name") or whole)[:1]:
                if isinstance(value, str):
                    yield value
        elif isinstance(author, str):
            yield author


def _name_of(tree: Tree, node: int) -> str:
    """Returns the name in a microdata property: its value, its item's name, or its text of a single run."""
    if content := tree.get(node, "content"):
        return content
    link: int | None = None
    for inner in range(node + 1, min(int(tree.last[node]), node + MAX_ITEMS) + 1):
        if "name" in (tree.get(inner, "itemprop") or "")[:MAX_VALUE].split():
            return tree.get(inner, "content") or element_text(tree, inner)
        if tree.tags[inner] == "a" and link is None:
            link = inner
    # A job, a date or a biography may stand beside the name.
    runs = [run for run in runs_of(tree, node) if not _BY.fullmatch(run)]
    return runs[0] if len(runs) == 1 else element_text(tree, link) if link is not None else ""


def _of_one(page: Declarations, nodes: Iterable[int], name_of: Callable[[Tree, int], str]) -> list[str]:
    """Returns the name in elements, but for those beside the content, if all of them have the same.

    Else the page lists works, or they belong to comments.
    """
    shown = (node for node in islice(nodes, MAX_ITEMS) if not is_aside(page.tree, node))
    names = {name(name_of(page.tree, node)) for node in shown}
    author = names.pop() if len(names) == 1 else None
    return [author] if author else []
