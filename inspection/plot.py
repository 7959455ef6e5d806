"""The curve of a method along a page, and its verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspection.scratch import learned
from pagelets.methods import has_curve
from pagelets.methods.base import Curve

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspection.pages import FoundPage
    from inspection.scratch import Tell
    from store.judging import StoredJudge
    from store.site import Store


@dataclass(slots=True, frozen=True)
class Plot:
    """The curve of a page by which a method judges it, or the scores of its blocks."""

    url: str
    site: str
    method: str
    curve: Curve


def plot(
    store: Store, judge_in: Callable[[Store], StoredJudge], page: FoundPage, method: str | None, tell: Tell
) -> Plot:
    """Returns the curve of the page ``page``, which has a document, by a ``method``, None for the page's
    own.

    Takes ``store``, ``judge_in`` and ``tell`` as `inspection.scratch.learned` does, and raises as it does.
    """
    url = page.known.url
    name = judge_in(store).named(url) if method is None else method
    with learned(store, judge_in, url, [name], tell) as (_, judge):
        subject = judge.subject(page.known.page)
        judges = judge.method(name, page.known.page)
        if has_curve(judges):
            curve = judges.curve(subject)
        else:
            verdict = judges.judge(subject)
            curve = Curve("blocks", "score", verdict.scores, None, verdict.mask)
    return Plot(url, page.site, name, curve)
