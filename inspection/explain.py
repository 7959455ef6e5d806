"""Explains a page: the verdict on each of its pagelets, and its reasons."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from pagelets.judging.decisions import sketch_name
from pagelets.methods.base import COUNTER, LIKELIEST, OTHER_PAGES, REPEATED, TAUGHT, TEMPLATE
from pagelets.overrides import DROPPED, KEPT, PINNED, Selectors
from pagelets.reading import deciding_selectors
from pagelets.selector import BlockSelectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from inspection.pages import FoundPage
    from pagelets.judging.engine import JudgedPage
    from store.judging import StoredJudge
    from store.site import Store

WEAK: Final = 0.1
CLEAR: Final = 0.5
STRONG: Final = 2.0


@dataclass(slots=True, frozen=True)
class Explanation:
    """The knowledge of a store about a URL.

    ``title``, ``stats`` and ``pagelets`` are fields of the page's Document, None and empty without a page;
    each pagelet has a ``name`` too, by which it can be decided on, and each block a ``selector``, by which a
    site file can keep or drop it, None if it would take other blocks too. A block that a selector has kept or
    dropped has that selector (``kept_by``, ``dropped_by``), and the pattern of its override by URL
    (``override``; None for the site's own). ``block_pages`` counts the pages with the text of each block, in
    the order of the page, ``counters`` has the share of pages with each counter; ``fields`` are the values of
    the site's fields. ``dropped`` is True if a pipeline has dropped the document.
    """

    url: str
    site: str
    state: str
    reason: str | None
    redirects_to: str | None
    attempts: int
    title: str | None = None
    stats: Mapping[str, Any] | None = None
    pagelets: Sequence[Mapping[str, Any]] = ()
    block_pages: Sequence[int] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    counters: Sequence[float] = ()
    dropped: bool = False


def state_of(page: FoundPage) -> Explanation:
    """Returns the state of a URL, without its page."""
    known = page.known
    return Explanation(known.url, page.site, known.state, known.reason, known.target, known.attempts)


def explain(store: Store, judge: StoredJudge, page: FoundPage) -> Explanation:
    """Explains each pagelet of the page ``page`` in a ``store``, which has a document, as ``judge`` judges
    it. Raises as `StoredJudge.judge`.
    """
    return explained(store, judge.judge(page.known.page), page, judge.config.selectors)


def explained(store: Store, judged: JudgedPage, found_page: FoundPage, rules: Selectors) -> Explanation:
    """Explains each pagelet of a page that was judged.

    Args:
        store: the store.
        judged: the page.
        found_page: the same, as it was found.
        rules: the selectors that keep and drop.

    """
    page = found_page.known.page
    document = judged.document(("title", "stats", "pagelets"))
    selectors = map(BlockSelectors(judged.page).of, range(len(judged.page.blocks)))
    names = [sketch_name(sketch) for sketch in store.pages.sketches(page)]
    # Reasons are costly: those of the document serve here too.
    reasons = [block["reason"] for row in document["pagelets"] for block in row["blocks"]]
    deciding = _deciding(store, page, judged, rules, reasons)
    return replace(
        state_of(found_page),
        title=document["title"],
        stats=document["stats"],
        pagelets=[
            {
                **row,
                "name": name,
                "blocks": [
                    {**block, "selector": next(selectors), **next(deciding)} for block in row["blocks"]
                ],
            }
            for row, name in zip(document["pagelets"], names, strict=True)
        ],
        block_pages=judged.evidence.blocks.pages.tolist(),
        fields=judged.page.extracted.values,
        counters=[round(share, 4) for share in judged.evidence.counters.tolist()],
        dropped=bool(store.documents.sent(page)[1]),
    )


def _deciding(
    store: Store, page_id: int, judged: JudgedPage, selectors: Selectors, reasons: Sequence[str]
) -> Iterator[Mapping[str, str | None]]:
    """The selector, and the override by URL, that has kept or dropped each block of a page.

    Args:
        store: the store.
        page_id: the id of the page.
        judged: the page.
        selectors: the selectors that keep and drop.
        reasons: the reason of each block.

    """
    page = judged.page
    names = {KEPT.reason: "kept_by", DROPPED.reason: "dropped_by"}
    if not any(reason in names for reason in reasons):
        yield from [{}] * len(page.blocks)
        return
    texts = deciding_selectors(store.bodies.get(page_id).source(), page.url, selectors)
    for block, reason in zip(page.blocks, reasons, strict=True):
        name = names.get(reason)
        if name is None:
            yield {}
            continue
        holder = next((holder for text, holder in block.runs if not text.isspace()), block.node)
        around = (holder, *page.tree.ancestors(holder))
        pattern = selectors.decides(page.url, keep=name == "kept_by")
        of = None if pattern is None else f"{pattern.type} {pattern.text!r}"
        yield {name: next((texts[node] for node in around if node in texts), None), "override": of}


def pagelet_words(row: Mapping[str, Any], of_blocks: tuple[int, float]) -> str:
    """Explains why a pagelet is kept or removed.

    Args:
        row: the pagelet as in the field ``pagelets`` of a Document.
        of_blocks: the largest support of one of its blocks, as of `block_words`.

    """
    support = row["support"]
    if support is None:
        return _reason_words(row["reason"], of_blocks)
    on_pages = f"template {row['template']} on {support['pages']} pages ({support['share']:.0%})"
    if row["reason"] == PINNED.reason:
        return f"pinned {on_pages}"
    return on_pages if row["reason"] == TEMPLATE else f"{row['reason']}, {on_pages}"


def block_words(block: Mapping[str, Any], support: tuple[int, float]) -> str:
    """Explains why a ``block`` of an `inspection.explain.Explanation` is kept or removed, with the selector
    that has decided on it. ``support`` is the number of pages with its text, and a counter's share of pages.
    """
    reason = _reason_words(block["reason"], support)
    selector = block.get("kept_by") or block.get("dropped_by")
    if selector is None:
        return reason
    return f"{reason} {selector!r}" + (f" of the override {block['override']}" if block["override"] else "")


def _reason_words(reason: str, support: tuple[int, float]) -> str:
    pages, share = support
    if reason == COUNTER:
        return f"a counter: the same text but for its digits on {share:.0%} of pages"
    if reason == OTHER_PAGES:
        return "in a box that names other pages of the site"
    if reason == LIKELIEST:
        return f"{reason}, where nothing is likely content"
    return f"{reason} on {pages} pages" if reason == REPEATED else reason


def weighed_words(block: Mapping[str, Any]) -> str:
    """Describes the probability of a block to be content, and the kinds of evidence; empty without any."""
    if "evidence" not in block:
        return ""
    parts = [
        f"{kind} {weight:+g}" if kind.startswith(TAUGHT) else f"{kind} {strength} {side}"
        for kind, weight in sorted(block["evidence"].items(), key=lambda item: -abs(item[1]))
        for strength, side in [(_strength(abs(weight)), "for" if weight > 0 else "against")]
        if strength
    ]
    return f"{block['score']:.0%} likely: {', '.join(parts) or 'nothing speaks for or against'}"


def _strength(weight: float) -> str | None:
    """A weight of log odds in words: at a half the odds are 1.6 times as high, at two seven times."""
    if weight < WEAK:
        return None
    if weight < CLEAR:
        return "a little"
    return "clearly" if weight < STRONG else "strongly"
