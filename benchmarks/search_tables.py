"""The figures of search as Markdown tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.ranking import CUTOFF
from benchmarks.search_queries import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.search_figures import Figures, Means, Site


def tables(sites: Mapping[str, Site], means: Means) -> Iterator[str]:
    """Two tables of the means over sites; of the text alone, for each kind of query and for the sizes, one by
    site.

    Yields lines.
    """
    measures = [f"{kind}, {measure}@{CUTOFF}" for kind in KINDS for measure in ("MRR", "nDCG")]
    for what, of_methods in (("text alone", means.mean), ("text and title", means.mean_titled)):
        yield from _head([f"{what}, mean of sites", *measures, "size / raw", "µs a query"])
        for method, figures in of_methods.items():
            answers = [_number(of.get(kind)) for kind in KINDS for of in (figures.mrr, figures.ndcg)]
            yield _row([method, *answers, f"{figures.size_share:.2f}", f"{1000 * figures.query_ms:.0f}"])
        yield ""
    for kind in KINDS:
        yield from _head([f"{kind}: MRR@{CUTOFF} / nDCG@{CUTOFF}", "queries", *means.mean])
        for name, site in sites.items():
            cells = [_both(figures, kind) for figures in site.methods.values()]
            yield _row([_marked(name, site), str(site.queries[kind]), *cells])
        yield ""
    yield from _head(["index", "pages", "raw, KB", *means.mean])
    for name, site in sites.items():
        raw = next(figures.size / figures.size_share for figures in site.methods.values())
        shares = [f"{figures.size_share:.2f}" for figures in site.methods.values()]
        yield _row([_marked(name, site), str(site.pages), f"{raw / 1e3:.0f}", *shares])
    if any(site.seen for site in sites.values()):
        yield ""
        yield "* the model of `judged` was trained on pages of this site: there its figures are too good"


def _marked(name: str, site: Site) -> str:
    return f"{name}*" if site.seen else name


def _both(figures: Figures, kind: str) -> str:
    return f"{_number(figures.mrr.get(kind))} / {_number(figures.ndcg.get(kind))}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _head(titles: Sequence[str]) -> Iterator[str]:
    yield _row(titles)
    yield f"|---|{'---:|' * (len(titles) - 1)}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
