"""Figures of cross-validation as tables, and the data card that they go into."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Final

from training.corpus import SINGLE, Corpus

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from evaluation.scoring import Score


@dataclass(slots=True, frozen=True)
class Figures:
    """F1 of a way of judging: the mean over sites of means over pages, the worst site, the sites measured
    beside, the single pages and their types; each site and each type by name.
    """

    sites: float
    worst: float
    beside: float | None
    singles: float | None
    by_site: dict[str, float]
    by_type: dict[str, float]

    @classmethod
    def of(cls, scores: Mapping[str, Mapping[str, Score]], beside: Collection[str] = ()) -> Figures:
        """The figures of what `training.fit.scored` returns."""
        by_corpus = {name: score.f1 for name, score in scores["corpora"].items()}
        singles = by_corpus.pop(SINGLE, None)
        of_beside = [f1 for name, f1 in by_corpus.items() if name in beside]
        of_sites = [f1 for name, f1 in by_corpus.items() if name not in beside]
        by_type = {name: score.f1 for name, score in scores["groups"].items()}
        return cls(
            mean(of_sites), min(of_sites), mean(of_beside) if of_beside else None, singles, by_corpus, by_type
        )


CARD: Final = Path(__file__).with_name("card.md")
TITLES: Final = {"sites": "sites", "worst": "worst site", "beside": "sites beside", "singles": SINGLE}


def table(rows: Mapping[str, Figures]) -> str:
    """A Markdown table with a row for each way of judging."""
    types = sorted({name for figures in rows.values() for name in figures.by_type})
    titles = {
        measure: title
        for measure, title in TITLES.items()
        if any(getattr(figures, measure) is not None for figures in rows.values())
    }
    lines = []
    for name, figures in rows.items():
        cells = [getattr(figures, measure) for measure in titles]
        lines.append([name, *map(_cell, cells + [figures.by_type.get(kind) for kind in types])])
    return _lines(["", *titles.values(), *types], lines)


def by_site(rows: Mapping[str, Figures]) -> str:
    """A Markdown table with a row for each site, and a column for each way of judging."""
    names = sorted(next(iter(rows.values())).by_site)
    lines = [[name, *(_cell(figures.by_site[name]) for figures in rows.values())] for name in names]
    return _lines(["site", *rows], lines)


def card(corpus: Corpus, rows: Mapping[str, Figures], date: str, sizes: Mapping[str, int]) -> str:
    """The data card of a model, in Markdown: what it was made of, and how well it judges what it has not
    seen.

    Args:
        corpus: the pages that it was trained on.
        rows: the figures of each kind of evidence.
        date: the day, ISO 8601.
        sizes: the numbers of trees, features and blocks.
    """
    pages = Counter(sample.corpus for sample in corpus.samples if sample.inserted is None)
    sites = {name: count for name, count in pages.items() if name != SINGLE and name not in corpus.beside}
    listed = "\n".join(f"- {name}: {count} pages" for name, count in sorted(sites.items()))
    described = ", ".join(f"{value:,} {name}" for name, value in sizes.items())
    return CARD.read_text("utf-8").format(
        date=date,
        described=described,
        singles=pages[SINGLE],
        pages=sum(sites.values()),
        sites=len(sites),
        listed=listed,
        table=table(rows),
        by_site=by_site(rows),
    )


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    ruled = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in ruled)


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
