"""Judging a page by other rules at once: the other pages of its site count as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from inspection.pages import FoundPage, with_body
from pagelets.judging.engine import Judge, JudgedPage
from pagelets.judging.facts import RecordedPage
from pagelets.reading import read
from pagelets.record import record_of
from store.facts import facts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from inspection.scratch import Trial
    from pagelets.judging.config import JudgeConfig
    from pagelets.judging.page_facts import PageFacts
    from pagelets.page import Page
    from pagelets.partition import Pagelet
    from store.judging import StoredJudge
    from store.site import Store

_ESTIMATED: Final = -1
"""The id of a template that detection has not found."""
_ROUNDING: Final = 1e-6
"""Shares of blocks are kept in 32 bits."""


def judged_alone(
    store: Store, judge: StoredJudge, trial: Trial, found_page: FoundPage
) -> tuple[JudgedPage, JudgedPage, list[str]]:
    """Judges a page by the rules of a trial, and by what its site is known for now.

    Args:
        store: the store.
        judge: judges its pages by the present rules.
        trial: the new rules.
        found_page: the page, which has a document.

    Returns:
        The page as it is judged, and as the trial judges it; in words what of the latter only a trial on many
        pages finds out.

    Raises:
        ConfigurationError: the page has no body.
        NotLearned: a method has yet to learn of the site.

    """
    number = found_page.known.page
    with with_body(found_page.known.url):
        before = judge.judge(number)
        body = store.bodies.get(number)
    now, then = judge.config, trial.config
    page = read(body.source(), before.page.url, then.selectors, extraction=then.extraction)
    if trial.same:
        # It may have other fields.
        return before, replace(before, page=page), []
    record = record_of(page, then.partition(page))
    sketches = {one.fingerprint: one.sketch.key for one in record.fragments(record.fingerprints)}
    host = store.pages.host(number)
    known = RecordedPage(number, host, [sketches[one] for one in record.fingerprints], record.keys)
    tried = Judge(then, facts_of(store, then.detection, then.registry))
    subject = tried.subject(page, known, body.text)
    assert subject.evidence is not None
    subject.evidence = _with_templates(subject.evidence, page, subject.pagelets, now, then)
    return before, tried.judge(subject, host, before.origin), list(_approximated(now, then))


def _takes_all_known(now: JudgeConfig, then: JudgeConfig) -> bool:
    """True if each template of the trial is one that the site has now."""
    had, asked = now.detection, then.detection
    return (
        now.partition == then.partition
        and asked.min_pages >= had.min_pages
        and asked.min_share >= had.min_share
    )


def _with_templates(
    evidence: PageFacts, page: Page, pagelets: Sequence[Pagelet], now: JudgeConfig, then: JudgeConfig
) -> PageFacts:
    """Returns the facts of a page with the templates of a trial.

    Those that the site has are taken by the support that they have. Another pagelet is taken to stand on as
    many pages as that of its texts that stands on fewest.
    """
    if now.partition == then.partition and now.detection == then.detection:
        return evidence
    templates, pages, shares = (
        [*evidence.templates],
        [*evidence.pagelet_pages],
        [*evidence.pagelet_shares],
    )
    has_text = np.array([bool(block.text) for block in page.blocks], bool)
    for place, pagelet in enumerate(pagelets):
        if evidence.decided and evidence.decided[place] is not None:
            continue
        if not templates[place] and not _takes_all_known(now, then):
            own = np.flatnonzero(has_text[pagelet.start : pagelet.stop]) + pagelet.start
            if len(own):
                rarest = own[evidence.blocks.pages[own].argmin()]
                templates[place] = _ESTIMATED
                pages[place] = int(evidence.blocks.pages[rarest])
                shares[place] = float(evidence.blocks.shares[rarest])
        if pages[place] < then.detection.min_pages or shares[place] < then.detection.min_share - _ROUNDING:
            templates[place], pages[place], shares[place] = 0, 0, 0.0
    return replace(evidence, templates=templates, pagelet_pages=pages, pagelet_shares=shares)


def _approximated(now: JudgeConfig, then: JudgeConfig) -> Iterator[str]:
    if not _takes_all_known(now, then):
        yield "templates that the site lacks now are estimated, by how many pages have each text of a pagelet"
    if now.detection.algorithm != then.detection.algorithm:
        yield "templates are those of the present detection: another one is told by many pages alone"
    if now.selectors != then.selectors:
        yield "how many pages repeat a text is counted without the selector"
