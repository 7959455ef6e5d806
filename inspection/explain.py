"""Explains a page: the verdict on each of its pagelets, and its reasons."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pagelets.judging.decisions import sketch_name
from pagelets.overrides import DROPPED, KEPT, Selectors
from pagelets.reading import deciding_selectors
from pagelets.selector import BlockSelectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspection.pages import FoundPage
    from pagelets.judging.engine import JudgedPage
    from store.judging import StoredJudge
    from store.site import Store


@dataclass(slots=True, frozen=True)
class Explanation:
    """The knowledge of a store about a URL.

    ``title``, ``stats`` and ``pagelets`` are fields of the page's Document, None and empty without a page;
    each pagelet has a ``name`` too, by which it can be decided on, and each block a ``selector``, by which a
    site file can keep or drop it, None if it would take other blocks too. A block that a selector has kept or
    dropped has that selector (``kept_by``, ``dropped_by``), and the pattern of its override by URL
    (``override``; None for the site's own). ``block_pages`` counts the pages with the text of each block, in
    the order of the page, ``counters`` has the share of pages with each counter; ``fields`` are the values of
    the site's fields.
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
    deciding = iter(_deciding(store, page, judged, rules, reasons))
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
    )


def _deciding(
    store: Store, page_id: int, judged: JudgedPage, selectors: Selectors, reasons: Sequence[str]
) -> Sequence[Mapping[str, str | None]]:
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
        return [{}] * len(page.blocks)
    texts = deciding_selectors(store.bodies.get(page_id).source(), page.url, selectors)
    deciding: list[Mapping[str, str | None]] = []
    for block, reason in zip(page.blocks, reasons, strict=True):
        name = names.get(reason)
        if name is None:
            deciding.append({})
            continue
        holder = next((holder for text, holder in block.runs if not text.isspace()), block.node)
        around = (holder, *page.tree.ancestors(holder))
        pattern = selectors.decides(page.url, keep=name == "kept_by")
        of = None if pattern is None else f"{pattern.type} {pattern.text!r}"
        deciding.append({name: next((texts[node] for node in around if node in texts), None), "override": of})
    return deciding
