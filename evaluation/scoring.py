"""Agreement of an extracted text with a reference, and the figures of a method over a corpus.

Agreement is the overlap of words, as multisets. Order does not count, repetition does: a text that holds a
menu once too often scores less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pagelets.text.words import tokens

if TYPE_CHECKING:
    from evaluation.gold import GoldPage
    from store.judging import StoredJudge
    from store.site import Store


class Score(NamedTuple):
    """Agreement of a text with its reference, each measure from 0 to 1."""

    f1: float
    precision: float
    recall: float

    @classmethod
    def of(cls, shared: int, found: int, wanted: int) -> Score:
        """The score where so many words or nodes are found, so many wanted, and ``shared`` of them both.

        Nothing found where nothing is wanted agrees wholly; where one of them is nothing, not at all.
        """
        if not found or not wanted:
            agreement = float(found == wanted)
            return cls(agreement, agreement, agreement)
        return cls(2 * shared / (found + wanted), shared / found, shared / wanted)


def score(text: str, reference: str) -> Score:
    """Compares the words of a text with those of its reference, as multisets.

    Precision is the share of the text's words that the reference has too, recall the share of the reference's
    words that the text has; F1 is their harmonic mean. Two texts without words agree wholly; one without
    words and one with some not at all.
    """
    found, wanted = words(text), words(reference)
    return Score.of((found & wanted).total(), found.total(), wanted.total())


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
        page = store.documents.page_of(url)
        scores[url] = None
        if page is not None:
            text: str = judge.document(page, ("text",))["text"]
            scores[url] = score(text, gold_text(blocks))
    return scores


@dataclass(slots=True, frozen=True)
class ScoredPage:
    """The result of a method on a page. ``text`` is None if the archive lacks the page, which then counts as
    empty; ``error`` says why the method failed on it. ``seconds`` is the CPU time of judging it, None if
    there was nothing to judge or it never ended; ``nodes`` the agreement on the nodes of its template, None
    if nobody asked for it or the method gives a text alone.
    """

    gold: GoldPage
    text: str | None
    score: Score
    error: str | None = None
    seconds: float | None = None
    nodes: Score | None = None


@dataclass(slots=True)
class Result:
    """The results of a method on an archive. ``learning`` is the CPU time in seconds in which it learned of
    the archive's hosts, None if it does not learn; ``memory`` is the peak of the processes that it judged in,
    in bytes.
    """

    archive: str
    method: str
    pages: list[ScoredPage] = field(default_factory=list)
    learning: float | None = None
    memory: int = 0


def summary(results: Sequence[Result]) -> dict[str, Any]:
    """The figures of one method over all archives.

    ``f1``, ``precision`` and ``recall`` are means over sites of means over pages, so that each site counts
    alike; ``ms_per_page`` and the counts of pages are of all, ``learning_seconds`` the sum and ``memory_mb``
    the most of all; ``nodes`` as ``f1`` and the two after it, of pages with such a score, None without any.
    ``sites`` holds the same of each site, ``groups`` the figures of the pages of each group,
    whatever their site; ``failures`` are the pages that the method failed on.
    """
    grouped: dict[str, list[ScoredPage]] = {}
    for result in results:
        for page in result.pages:
            grouped.setdefault(page.gold.group or "-", []).append(page)
    sites = {result.archive: {**_figures(result.pages), **_costs([result])} for result in results}
    over_sites = mean([mean([page.score for page in result.pages]) for result in results])
    nodes = [[page.nodes for page in result.pages if page.nodes is not None] for result in results]
    of_nodes = [mean(scores) for scores in nodes if scores]
    return {
        **over_sites._asdict(),
        "nodes": mean(of_nodes)._asdict() if of_nodes else None,
        **_costs(results),
        **_counts([page for result in results for page in result.pages]),
        "sites": sites,
        "groups": {group: _figures(grouped[group]) for group in sorted(grouped)},
        "failures": [
            {"site": result.archive, "url": page.gold.url, "error": page.error}
            for result in results
            for page in result.pages
            if page.error is not None
        ],
    }


def _figures(pages: Sequence[ScoredPage]) -> dict[str, Any]:
    return {**mean([page.score for page in pages])._asdict(), **_counts(pages)}


def _counts(pages: Sequence[ScoredPage]) -> dict[str, int]:
    return {
        "pages": len(pages),
        "absent": sum(page.text is None for page in pages),
        "failed": sum(page.error is not None for page in pages),
    }


def _costs(results: Sequence[Result]) -> dict[str, float | None]:
    judging = [page.seconds for result in results for page in result.pages if page.seconds is not None]
    learning = [result.learning for result in results if result.learning is not None]
    return {
        "ms_per_page": 1000 * sum(judging) / len(judging) if judging else None,
        "learning_seconds": sum(learning) if learning else None,
        "memory_mb": max(result.memory for result in results) / 1e6,
    }
