"""All that is shown of a page: its blocks with verdict and reason, what holds them, and its document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from inspection.explain import Explanation, block_words, explained, weighed_words
from inspection.pages import FoundPage, version_of, with_body
from inspection.shown_page import KEPT, MOST_BLOCKS, REMOVED, UNSURE, ShownPage, shown_page
from pagelets.block_keys import block_fingerprint
from pagelets.containers import Containers
from pagelets.document import FIELDS, BlockSelection
from pagelets.extraction import extract
from settings.errors import ConfigurationError
from store.listing import PageList

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pagelets.judging.engine import JudgedPage
    from pagelets.page import Page
    from store.judging import StoredJudge
    from store.site import Store


_DOUBT: Final = 0.25
"""A block is unsure whose score is nearer than this to the half."""
MOST_ALIKE: Final = 200
_TEXT: Final = 400
_LABEL: Final = 60
_PAGE: Final = """<html lang="en"><head><title>Oak</title></head>
<body><nav><a href="/">Home</a></nav><main><h1>Oak</h1>
<p>In the corner of the shed stands oak that was felled seven winters ago, dry enough by now for a chair.</p>
<p>It was cut into boards in the winter after, and the boards lie on each other with laths between them, so
that the wind goes through. Whoever wants a bench of it has to wait until the summer is over.</p>
<p>By Ada Sawyer, 3 March 2024</p></main></body></html>"""


@dataclass(slots=True, frozen=True)
class ViewedBlock:
    """A block of a page.

    ``text`` is its beginning. ``why`` says its reason in words, ``evidence`` what speaks for and against it.
    ``container`` is the place of the innermost element that holds it in the view's containers.
    """

    text: str
    kept: bool
    unsure: bool
    why: str
    evidence: str
    score: float
    pages: int
    pagelet: int
    selector: str | None
    container: int


@dataclass(slots=True, frozen=True)
class ViewedContainer:
    """An element that holds the blocks ``start`` to ``stop``; ``parent`` is the place of the one around it;
    the outermost has its own.
    """

    label: str
    parent: int
    start: int
    stop: int


@dataclass(slots=True, frozen=True)
class PageView:
    """A page that has a document.

    ``explanation`` is without pagelets. ``version`` names its blocks: a correction of other blocks is
    refused. ``before`` and ``after`` are the URLs of the neighbouring pages, None at the ends.
    """

    explanation: Explanation
    version: str
    method: str
    blocks: Sequence[ViewedBlock]
    containers: Sequence[ViewedContainer]
    document: Mapping[str, Any]
    before: str | None
    after: str | None


def page_view(store: Store, judge: StoredJudge, found_page: FoundPage) -> PageView:
    """Returns all that is shown of a page that has a document.

    Args:
        store: the store.
        judge: judges its pages.
        found_page: the page.

    Raises:
        ConfigurationError: the page has no body.

    """
    number = found_page.known.page
    judged = _judged(judge, found_page)
    explanation = explained(store, judged, found_page, judge.config.selectors)
    page, containers = judged.page, Containers.of(judged.page)
    before, after = PageList(store.connection).neighbours(number)
    return PageView(
        # The view has its blocks.
        replace(explanation, pagelets=(), block_pages=()),
        version_of(page),
        judge.named(page.url),
        list(_blocks(explanation, containers.of_block.tolist(), judged.selection)),
        _containers(page, containers),
        judged.document((*FIELDS, *judge.config.extraction.fields), store.duplicates.marked(number)),
        before,
        after,
    )


def frame_of(
    store: Store, judge: StoredJudge, page: FoundPage, *, images: bool = False, styles: bool = True
) -> ShownPage:
    """Returns the page as a browser would show it, each block with its verdict.

    Args:
        store: the store.
        judge: judges its pages.
        page: the page, which has a document.
        images: as in `shown_page`.
        styles: as in `shown_page`.

    Raises:
        ConfigurationError: the page has no body.

    """
    judged = _judged(judge, page)
    source = store.bodies.get(page.known.page).source()
    return shown_page(source, judged.page, verdicts(judged.selection), images=images, styles=styles)


def pages_with_block(
    store: Store, judge: StoredJudge, page: FoundPage, position: int
) -> tuple[str, list[str]]:
    """Returns the text of a block, and the URLs of other pages that have it.

    Args:
        store: the store.
        judge: judges its pages.
        page: the page.
        position: the block's position.

    Raises:
        ConfigurationError: the page has no such block, or no body.

    """
    blocks = _judged(judge, page).page.blocks
    if position >= len(blocks) or not blocks[position].text:
        raise ConfigurationError(f"{page.known.url}: block {position} has no text; load the page again")
    text = blocks[position].text
    urls = PageList(store.connection).with_block(block_fingerprint(text), MOST_ALIKE + 1)
    return text, [url for url in urls if url != page.known.url][:MOST_ALIKE]


def _judged(judge: StoredJudge, page: FoundPage) -> JudgedPage:
    with with_body(page.known.url):
        return judge.judge(page.known.page)


def verdicts(selection: BlockSelection) -> list[str]:
    """Returns the verdict of each block, as `shown_page` takes them."""
    return [
        f"{KEPT if keep else REMOVED}{f' {UNSURE}' if _is_unsure(score) else ''}"
        for keep, score in zip(selection.mask, selection.scores, strict=True)
    ]


def _is_unsure(score: float) -> bool:
    return abs(score - 0.5) < _DOUBT


def _blocks(
    explanation: Explanation, containers: Sequence[int], selection: BlockSelection
) -> Iterable[ViewedBlock]:
    rows = ((pagelet, block) for pagelet in explanation.pagelets for block in pagelet["blocks"])
    for place, (pagelet, block) in enumerate(rows):
        if place == MOST_BLOCKS:
            break
        pages, support = explanation.block_pages[place], pagelet["support"]
        why = block_words(block, (pages, explanation.counters[place]))
        if support is not None:
            why += f"; template {pagelet['name']} on {support['pages']} pages ({support['share']:.0%})"
        score = float(selection.scores[place])
        yield ViewedBlock(
            block["text"][:_TEXT],
            block["kept"],
            _is_unsure(score),
            why,
            weighed_words(block),
            block["score"],
            pages,
            pagelet["index"],
            block["selector"],
            containers[place],
        )


def _containers(page: Page, containers: Containers) -> list[ViewedContainer]:
    classes, ids = page.tree.attribute("class"), page.tree.attribute("id")
    arrays = containers.nodes, containers.parent, containers.start, containers.stop
    rows = zip(containers.tags, *(array.tolist() for array in arrays), strict=True)
    return [
        ViewedContainer(_label(tag, ids.get(node), classes.get(node)), parent, start, stop)
        for tag, node, parent, start, stop in rows
        if start < MOST_BLOCKS
    ]


def _label(tag: str, identifier: str | None, classes: str | None) -> str:
    named = f"#{identifier.strip()}" if identifier else ""
    return "".join([tag, named, *(f".{name}" for name in (classes or "").split())])[:_LABEL]


def warm() -> None:
    """Makes a document of a made page: what that loads, the first page of a site finds loaded."""
    extract(_PAGE, "https://shed.example/", format="document")
