"""Augmentation by insertion: copies of sites whose pages carry further boilerplate, labelled exactly.

Boxes of related entries, counters, notices, comments and the like change from page to page, so that a site's
repetition does not give them away, and few sites of a corpus show them. They are put into the HTML of all
pages of a site before it is read, so that the site's evidence sees them as it would see those of a real site.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from lxml import html

from training.boxes import SENTENCE, box
from training.styles import CONTENT, KINDS, MARK, PHRASES, Entry, Style

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.page import Page

LISTINGS: Final = frozenset({"home", "listing"})
"""Types of pages whose entries are content."""
_SHOPS: Final = frozenset({"product"})
_POSTS: Final = frozenset({"forum"})
"""Types of pages on which comments would be content."""
_OUTSIDE: Final = frozenset({"beside", "before", "outside", "bottom", "start"})
"""Places that do not lie among the main text."""
_HOLDERS: Final = frozenset("div section article main td body center form blockquote li dd".split())
_SHARE: Final = 0.75
"""The least part of its parent's gold characters that a main container holds."""
_LEAST: Final = 25
_SPACE: Final = re.compile(r"\s+")


@dataclass(slots=True, frozen=True)
class SitePage:
    """A page of a site: its HTML, its gold text and its type."""

    url: str
    html: str
    gold: str
    group: str


@dataclass(slots=True, frozen=True)
class _Plan:
    """A kind of box on a site: how it is written, where, and on what share of the pages."""

    style: Style
    place: str
    share: float
    most: int
    same: bool


def augmented(pages: Sequence[SitePage], name: str, language: str) -> list[str]:
    """The HTML of a site's pages with insertions, in the same order.

    Args:
        pages: the site's pages.
        name: the site's name, the seed of all chances.
        language: of the phrases, as BCP 47; English where no phrase is of it.
    """
    draw = Random(name)  # noqa: S311
    language = language.partition("-")[0] if language.partition("-")[0] in PHRASES else "en"
    shop = any(page.group in _SHOPS for page in pages)
    plans = [
        _plan(name, language, draw, shop=shop) for name, kind in KINDS.items() if draw.random() < kind.chance
    ]
    if draw.random() < 0.3:
        plans.append(_plan("related", language, draw, shop=shop))
    entries = [entry for page in pages if page.group not in LISTINGS and (entry := _entry(page))]
    return [_inserted(page, plans, entries, Random(f"{name} {page.url}")) for page in pages]  # noqa: S311


def marked(page: Page, containers: Containers) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The blocks that were inserted as boilerplate, and those inserted as content: bool[blocks] each."""
    kinds = page.tree.attribute(MARK)
    content = [node for node, kind in kinds.items() if kind == CONTENT]
    others = [node for node, kind in kinds.items() if kind != CONTENT]
    return containers.mask(others), containers.mask(content)


def _plan(kind: str, language: str, draw: Random, *, shop: bool) -> _Plan:
    share = 1.0 if draw.random() < 0.6 else draw.uniform(0.3, 0.95)
    style = Style.drawn(kind, language, draw, shop=shop)
    most = draw.randint(1, KINDS[kind].most or 1)
    same = kind in ("popular", "recent") and draw.random() < 0.5
    return _Plan(style, draw.choice(KINDS[kind].places), share, most, same)


def _entry(page: SitePage) -> Entry | None:
    """Describes a page as other pages do: by the first line of its gold, and the start of a longer line."""
    lines = [line.strip() for line in page.gold.splitlines() if line.strip()]
    title = next((line for line in lines if 8 <= len(line) <= 110), "")
    if not title:
        return None
    texts = [line for line in lines if line != title and len(line) >= 70]
    start = texts[0][: 60 + len(page.url) * 7 % 160].rsplit(" ", 1)[0] if texts else ""
    return Entry(page.url, title, start, _spoken(texts[len(texts) // 2]) if texts else "")


def _spoken(text: str) -> str:
    """Returns some sentences of a text, without its first where it has more."""
    sentences = SENTENCE.findall(text)
    wanted = ""
    for sentence in sentences[1:] or sentences:
        if wanted and len(wanted + sentence) > 60 + len(text) * 7 % 400:
            break
        wanted += sentence
    return wanted.strip()


def _inserted(page: SitePage, plans: Sequence[_Plan], entries: Sequence[Entry], draw: Random) -> str:
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
    try:
        root = html.document_fromstring(page.html.encode("utf-8", "replace"), parser=parser)
    except (ValueError, html.etree.ParserError):
        return page.html
    body = root.find("body")
    if body is None:
        return page.html
    others = [entry for entry in entries if entry.url != page.url]
    title = next((entry.title for entry in entries if entry.url == page.url), "")
    main, children = _main(body, page.gold)
    for plan in plans:
        if draw.random() < plan.share and (made := _made(plan, page, title, others, draw)):
            _insert(plan.place, html.fragment_fromstring(made), body, main, children)
    return str(html.tostring(root.getroottree(), encoding="unicode"))


def _made(plan: _Plan, page: SitePage, title: str, others: Sequence[Entry], draw: Random) -> str:
    """Returns the markup of a box on a page; empty if the page gets no box."""
    kind, style, listing = plan.style.kind, plan.style, page.group in LISTINGS
    if kind == CONTENT and plan.place == "within":
        if not listing:
            return ""
    elif listing and plan.place not in _OUTSIDE and kind not in ("views", "share", "pages"):
        return ""
    if kind in ("call", "author", "comments", "contents", "minutes", CONTENT) and not (listing or title):
        return ""
    if kind in ("call", "author", "comments", "contents", "minutes", "inline", "neighbours") and listing:
        return ""
    if (kind == "comments" and page.group in _POSTS) or (kind == "reviews" and page.group not in _SHOPS):
        return ""
    if plan.same:
        entries = list(others[: plan.most])
    else:
        entries = draw.sample(others, min(len(others), draw.randint(max(1, plan.most // 2), plan.most)))
    if KINDS[kind].most and not entries:
        return ""
    if kind == CONTENT:
        return box(style if listing else style.plain(), entries, "" if listing else title, draw)
    return box(style, entries, title, draw)


def _main(body: HtmlElement, gold: str) -> tuple[HtmlElement, list[HtmlElement]]:
    """The innermost container of most of the gold text, and its children that have some of it."""
    wanted = _SPACE.sub(" ", gold)
    chars: Counter[HtmlElement] = Counter()
    for element in body.iter(html.etree.Element):
        for holder, text in ((element, element.text), (element.getparent(), element.tail)):
            folded = _SPACE.sub(" ", text or "").strip()
            if holder is None or len(folded) < _LEAST or folded not in wanted:
                continue
            while holder is not None:
                chars[holder] += len(folded)
                holder = holder.getparent()
    held, main = body, body
    while True:
        inner = max(held, key=chars.__getitem__, default=None)
        if inner is None or chars[inner] < _SHARE * max(chars[held], 1):
            break
        held = inner
        main = held if held.tag in _HOLDERS else main
    return main, [child for child in main if child in chars]


def _insert(
    place: str, made: HtmlElement, body: HtmlElement, main: HtmlElement, children: list[HtmlElement]
) -> None:
    """Puts an element into a page: into its body, around its main container, or among this one's children."""
    if place in ("start", "bottom") or (main is body and place in _OUTSIDE):
        body.insert(0 if place in ("start", "before") else len(body), made)
    elif place in ("before", "beside", "outside"):
        around = main.getparent()
        around.insert(around.index(main) + (place != "before"), made)
    elif not children or place == "end":
        main.append(made)
    elif place in ("after", "within"):
        main.insert(main.index(children[-1]) + 1, made)
    else:
        child = children[0] if place == "top" else children[(len(children) - 1) // 2]
        main.insert(main.index(child) + 1, made)
