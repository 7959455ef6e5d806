"""The score of a site on the pages that people have corrected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.scoring import Score, score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from store.judging import StoredJudge
    from store.site import Store


def gold_text(blocks: Sequence[tuple[str, bool]]) -> str:
    """Returns the text of a corrected page: its blocks that are content, one a line."""
    return "\n".join(text for text, is_content in blocks if is_content)


def taught_scores(
    store: Store, judge: StoredJudge, pages: Mapping[str, Sequence[tuple[str, bool]]]
) -> dict[str, Score | None]:
    """Returns how well the documents of corrected pages agree with the corrections; None for a page
    that has no document now.

    Args:
        store: the store.
        judge: judges its pages.
        pages: by URL the texts of a page's blocks, each with whether it is content.

    """
    scores: dict[str, Score | None] = {}
    for url, blocks in sorted(pages.items()):
        page = store.frontier.find(url)
        scores[url] = None
        if page is not None and store.documents.is_current(page):
            text: str = judge.document(page, ("text",))["text"]
            scores[url] = score(text, gold_text(blocks))
    return scores
