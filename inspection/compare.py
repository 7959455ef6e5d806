"""Methods on a page: what several keep of it side by side, and the curve of one along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inspection.scratch import Tell, learned
from pagelets.methods import COMPARED, has_curve
from pagelets.methods.base import Curve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspection.pages import FoundPage, JudgeIn
    from store.site import Store


@dataclass(slots=True, frozen=True)
class ComparedMethod:
    """The part of a page that a method keeps: blocks, characters, and the share of the page's characters
    that these are. ``agreement`` tells of each of the methods, in their order, on what share of the
    characters both say the same.
    """

    name: str
    blocks_kept: int
    chars_kept: int
    share: float
    agreement: Sequence[float]


@dataclass(slots=True, frozen=True)
class ComparedBlock:
    """A block of a page, and whether each of the methods keeps it, in their order."""

    text: str
    kept: Sequence[bool]


@dataclass(slots=True, frozen=True)
class Comparison:
    """A page as several methods judge it; ``chars`` counts the characters of all its blocks."""

    url: str
    site: str
    chars: int
    methods: Sequence[ComparedMethod]
    blocks: Sequence[ComparedBlock]


def compare(
    store: Store, judge_in: JudgeIn, page: FoundPage, methods: Sequence[str] | None, tell: Tell
) -> Comparison:
    """What each method keeps of a page that has a document. Keep, drop and what else people decide count as
    they do in a crawl.

    Args:
        store: of the site.
        judge_in: makes what judges the pages of a store.
        page: the page.
        methods: their names; None stands for the page's own method and `COMPARED`.
        tell: is told how far the judging of pages is.

    Raises what `inspection.scratch.learned` does.
    """
    url = page.known.url
    names = list(dict.fromkeys([judge_in(store).named(url), *COMPARED] if methods is None else methods))
    with learned(store, judge_in, url, names, tell) as judge:
        judged = [judge.judge(page.known.page, name) for name in names]
    texts = [block.text for block in judged[0].page.blocks]
    masks = np.array([result.selection.mask for result in judged], bool).reshape(len(names), len(texts))
    chars = np.array([len(text) for text in texts], np.int64)
    total = int(chars.sum())
    # A page without text is one that all agree on.
    weights = chars / total if total else np.zeros(len(texts))
    agreement = [[1 - float((weights * (mask ^ other)).sum()) for other in masks] for mask in masks]
    return Comparison(
        url,
        page.site,
        total,
        [
            ComparedMethod(
                name, int(mask.sum()), int(chars[mask].sum()), float(weights[mask].sum()), agreement[place]
            )
            for place, (name, mask) in enumerate(zip(names, masks, strict=True))
        ],
        [ComparedBlock(text, kept) for text, kept in zip(texts, masks.T.tolist(), strict=True)],
    )


@dataclass(slots=True, frozen=True)
class Plot:
    """The curve of a page by which a method judges it, or the scores of its blocks."""

    url: str
    site: str
    method: str
    curve: Curve


def plot(store: Store, judge_in: JudgeIn, page: FoundPage, method: str | None, tell: Tell) -> Plot:
    """Returns the curve of the page ``page``, which has a document, by a ``method``, None for the page's
    own.

    Takes ``store``, ``judge_in`` and ``tell`` as `inspection.scratch.learned` does, and raises as it does.
    """
    url = page.known.url
    name = judge_in(store).named(url) if method is None else method
    with learned(store, judge_in, url, [name], tell) as judge:
        subject = judge.subject(page.known.page)
        judges = judge.method(name, page.known.page)
        if has_curve(judges):
            curve = judges.curve(subject)
        else:
            verdict = judges.judge(subject)
            curve = Curve("blocks", "score", verdict.scores, None, verdict.mask)
    return Plot(url, page.site, name, curve)
