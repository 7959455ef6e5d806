"""A page's title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Final
from urllib.parse import unquote, urlsplit

from pagelets.judging.title import clean
from pagelets.metadata.declarations import MAX_ITEMS, Declarations, element_text, runs_of, with_kept_text
from pagelets.metadata.json_ld import as_list

_CUT: Final = re.compile(r"\s*(?:\.\.\.|…)\Z")
_LEAST_CUT: Final = 60
"""Characters of a title that is cut without a sign of it, as search engines would cut it."""
_FIRST: Final = re.compile(r"/?|/(?:index|default)\.[\w.]{3,9}")

_ADDRESS: Final = re.compile(r"(?=[^_:/]*[_:/])[\w.:/-]+")

MAX_CHARS: Final = 300
"""Of a title that does not come from the page's ``title`` element."""


def find_title(page: Declarations, mask: Sequence[bool], affixes: frozenset[str]) -> str:
    """Returns a page's title without the parts at its ends that name the site, or that the page declares as
    the site's name, unless it is the first page.

    If its ``title`` is missing, a part of its address, or no more than the name of the site although the page
    is not the site's first, the title is taken from ``og:title``, its JSON-LD, or the one ``h1`` of its
    content. A title that was cut is taken in full from an ``h1`` that begins with it.

    Args:
        page: the declarations of the page.
        mask: its blocks that are content.
        affixes: parts of titles that name the site.

    """
    is_first = _is_first(page.page.url)
    if not is_first:
        affixes = affixes.union(name.strip() for name in page.meta.get("og:site_name", ()))
    title = clean(page.page.title, affixes)
    if title and (is_first or not (_names_site(page, title, affixes) or _is_address(page.page.url, title))):
        return _in_full(page, mask, title)
    for other in _others(page, mask):
        candidate = clean(" ".join(other.encode("utf-8", "replace").decode().split()), affixes)
        if candidate and len(candidate) <= MAX_CHARS and not _names_site(page, candidate, affixes):
            return candidate
    return title


def _in_full(page: Declarations, mask: Sequence[bool], title: str) -> str:
    start = _CUT.sub("", title)
    if start == title and len(title) < _LEAST_CUT:
        return title
    # A date or a link may stand beside the title in a heading of several texts.
    headings = [h1 for h1 in page.tree.of_tag("h1")[:MAX_ITEMS] if len(runs_of(page.tree, h1)) == 1]
    for heading in _headings(page, mask, headings):
        text = " ".join(heading.split())
        if len(title) < len(text) <= MAX_CHARS and text.casefold().startswith(start.casefold()):
            return text
    return title


def _is_first(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return _FIRST.fullmatch(parts.path) is not None and not parts.query


def _is_address(url: str, title: str) -> bool:
    """Returns True for a part of a page's address ("guide:first_steps"), as wikis write it into titles."""
    return _ADDRESS.fullmatch(title) is not None and title in unquote(url)


def _names_site(page: Declarations, title: str, affixes: frozenset[str]) -> bool:
    names = {*affixes, *page.meta.get("og:site_name", ()), *page.meta.get("application-name", ())}
    return title.casefold() in {name.strip().casefold() for name in names}


def _others(page: Declarations, mask: Sequence[bool]) -> Iterator[str]:
    yield from page.meta.get("og:title", [])[:1]
    headlines = as_list(page.json_ld.works[0].get("headline")) if len(page.json_ld.works) == 1 else []
    yield from (unescape(headline) for headline in headlines[:1] if isinstance(headline, str))
    if len(headings := list(_headings(page, mask, page.tree.of_tag("h1")[:MAX_ITEMS]))) == 1:
        yield from headings


def _headings(page: Declarations, mask: Sequence[bool], headings: list[int]) -> Iterator[str]:
    """The texts of those of a page's headings that are content."""
    texts = {block.node: block.text for block in page.page.blocks}
    # A block's text is without what a heading shows of itself as a link.
    for heading in with_kept_text(page.page, mask, headings):
        yield texts.get(heading) or element_text(page.tree, heading)
