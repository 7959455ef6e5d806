"""Explains a page: the verdict on each of its pagelets, and its reasons."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pagelets.judging.decisions import sketch_name
from pagelets.selector import BlockSelectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspection.pages import FoundPage
    from store.judging import StoredJudge
    from store.site import Store


@dataclass(slots=True, frozen=True)
class Explanation:
    """The knowledge of a store about a URL.

    ``title``, ``stats`` and ``pagelets`` are fields of the page's Document, None and empty without a page;
    each pagelet has a ``name`` too, by which it can be decided on, and each block a ``selector``, by which a
    site file can keep or drop it, None if it would take other blocks too. ``block_pages`` counts the pages
    with the text of each block, in the order of the page; ``fields`` are the values of the site's
    fields.
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


def state_of(found: FoundPage) -> Explanation:
    """Returns the state of a URL, without its page."""
    known = found.known
    return Explanation(known.url, found.site, known.state, known.reason, known.target, known.attempts)


def explain(store: Store, judge: StoredJudge, found: FoundPage) -> Explanation:
    """Explains each pagelet of the page ``found`` in a ``store``, which has a document, as ``judge`` judges
    it. Raises as `StoredJudge.judge`.
    """
    page = found.known.page
    judged = judge.judge(page)
    document = judged.document(("title", "stats", "pagelets"))
    selectors = map(BlockSelectors(judged.page).of, range(len(judged.page.blocks)))
    names = [sketch_name(sketch) for sketch in store.pages.sketches(page)]
    return replace(
        state_of(found),
        title=document["title"],
        stats=document["stats"],
        pagelets=[
            {
                **row,
                "name": name,
                "blocks": [{**block, "selector": next(selectors)} for block in row["blocks"]],
            }
            for row, name in zip(document["pagelets"], names, strict=True)
        ],
        block_pages=judged.evidence.blocks.pages.tolist(),
        fields=judged.page.extracted.values,
    )
