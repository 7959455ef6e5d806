"""Measures the inserted boilerplate that methods leave on the made sites, and the losses of their listings.

Run as a module with names of methods, it prints the figures of each.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy.settings import Settings

from crawler.configuration.judgement import config_for
from evaluation.corpora import evaluate
from evaluation.gold import find_archives
from evaluation.scoring import summary, words
from pagelets.text.words import tokens
from tests.quality import annotated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.scoring import Result
    from tests.quality.gold import AnnotatedPage

LISTING: Final = "listing"
MOST_SURVIVING: Final = 0.05
"""The aim: no kind of boilerplate survives on a larger share of the pages that have it."""
MOST_LOST: Final = 0.02
"""The aim: no listing loses a larger share of its words."""


@dataclass(slots=True, frozen=True)
class Damage:
    """The damage that a method did to a site.

    ``surviving`` is the share of the pages with a kind of boilerplate on which some of it is left, by kind;
    ``lost`` the share of its words that a listing lost, by URL; ``f1`` the mean over all pages.
    """

    surviving: Mapping[str, float]
    lost: Mapping[str, float]
    f1: float


def project_settings() -> Settings:
    """The settings of a crawl that is given no others."""
    settings = Settings()
    settings.setmodule("settings.base", priority="project")
    return settings


def survivors(page: AnnotatedPage, text: str) -> set[str]:
    """The kinds of boilerplate of which a text of the page holds a piece.

    It holds a piece if it has more than half of its pairs of neighbouring words, and these are not pairs of
    the gold text. Words count for one piece: a title in two boxes survives twice only if it is there twice.
    """
    left = _pairs(text) - _pairs(page.text)
    pieces = [(kind, _pairs(piece)) for kind, piece in page.inserted]
    # The fullest first: a title that the text has as part of one piece is not taken for one of another.
    pieces.sort(key=lambda piece: (piece[1] & left).total() / piece[1].total(), reverse=True)
    found = set()
    for kind, pairs in pieces:
        shared = pairs & left
        if 2 * shared.total() > pairs.total():
            found.add(kind)
            left -= shared
    return found


def lost(page: AnnotatedPage, text: str) -> float:
    """The share of the page's gold words that a text of it lacks."""
    wanted = words(page.text)
    return (wanted - words(text)).total() / wanted.total()


def damage(pages: Sequence[AnnotatedPage], result: Result) -> Damage:
    """Compares a site's pages with the texts that a method made of them."""
    texts = {page.gold.url: page.text or "" for page in result.pages}
    having = Counter(kind for page in pages for kind in {kind for kind, _ in page.inserted})
    left = Counter(kind for page in pages for kind in survivors(page, texts[page.url]))
    return Damage(
        surviving={kind: left[kind] / count for kind, count in sorted(having.items())},
        lost={page.url: lost(page, texts[page.url]) for page in pages if page.group == LISTING},
        f1=summary([result])["f1"],
    )


def measured(folder: Path, methods: Sequence[str], settings: Settings) -> dict[str, dict[str, Damage]]:
    """Judges the made sites by methods; returns the damage by method and site.

    Args:
        folder: an empty folder for the sites' archives.
        methods: the names of methods.
        settings: the project's settings, which say how methods judge.

    """
    annotated.write(folder, annotated.MADE)
    results = evaluate(find_archives([folder]), methods, partial(config_for, settings=settings))
    found: dict[str, dict[str, Damage]] = {method: {} for method in methods}
    for result in results:
        found[result.method][result.archive] = damage(annotated.MADE[result.archive](), result)
    return found


def floors(sites: Mapping[str, Damage]) -> dict[str, float]:
    """The figures of one method as shares that are to rise: of clean pages, of words that are kept."""
    values = {}
    for site, found in sorted(sites.items()):
        values[f"F1 {site}"] = found.f1
        values |= {f"clean {site}: {kind}": 1 - share for kind, share in found.surviving.items()}
        values[f"kept {site}: worst listing"] = 1 - max(found.lost.values())
    return values


def table(sites: Mapping[str, Damage]) -> str:
    """The figures of one method, a line each; those that miss the aim end in an asterisk."""
    lines = []
    for site, found in sorted(sites.items()):
        lines.append(f"{site}: F1 {found.f1:.3f}")
        lines += [
            f"  {share:7.1%} of pages keep {kind}{' *' * (share > MOST_SURVIVING)}"
            for kind, share in found.surviving.items()
        ]
        worst, over = max(found.lost.values()), sum(share > MOST_LOST for share in found.lost.values())
        lines.append(
            f"  {worst:7.1%} of its words lost by the worst listing; "
            f"{over} of {len(found.lost)} lose more than {MOST_LOST:.0%}{' *' * (worst > MOST_LOST)}"
        )
    return "\n".join(lines)


def _pairs(text: str) -> Counter[tuple[str, str]]:
    return Counter(pairwise(tokens(text)))


def main(methods: Sequence[str]) -> None:
    """Prints the figures of methods."""
    settings = project_settings()
    with tempfile.TemporaryDirectory() as folder:
        for method, sites in measured(Path(folder), methods or [settings["METHOD"]], settings).items():
            print(f"{method}\n{table(sites)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
