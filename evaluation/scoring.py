"""Agreement of an extracted text with a reference: the overlap of their words, as multisets.

Order does not count, repetition does: a text that holds a menu once too often scores less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from pagelets.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from store.judging import StoredJudge
    from store.site import Store


class Score(NamedTuple):
    """Agreement of a text with its reference, each measure from 0 to 1."""

    f1: float
    precision: float
    recall: float


def score(text: str, reference: str) -> Score:
    """Compares the words of a text with those of its reference, as multisets.

    Precision is the share of the text's words that the reference has too, recall the share of the reference's
    words that the text has; F1 is their harmonic mean. Two texts without words agree wholly; one without
    words and one with some not at all.
    """
    text_words, wanted = words(text), words(reference)
    if not text_words or not wanted:
        agreement = float(text_words == wanted)
        return Score(agreement, agreement, agreement)
    shared = (text_words & wanted).total()
    precision, recall = shared / text_words.total(), shared / wanted.total()
    return Score(2 * shared / (text_words.total() + wanted.total()), precision, recall)


def words(text: str) -> Counter[str]:
    """Counts each word of a text; see `pagelets.text.words.tokens`."""
    return Counter(tokens(text))


def mean(scores: Iterable[Score]) -> Score:
    """The mean of each measure. Raises ValueError where there is nothing to take it of."""
    columns = list(zip(*scores, strict=True))
    if not columns:
        raise ValueError("no scores to take a mean of")
    return Score(*(sum(column) / len(column) for column in columns))


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
