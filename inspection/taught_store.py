"""Judging a store by other taught weights, without a crawl."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from inspection.change_preview import is_hit, union
from release.detection import Detector
from release.judging import PageJudge
from release.noting import ReleaseLedger
from store.judging import AT_MOST, StoredJudge
from store.meta import JUDGED_WITH, JUDGEMENT, TEMPLATE_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspection.teaching import Tell
    from store.site import Store

STEP = "judging"
_TURNS = 8


def judge_anew(store: Store, before: StoredJudge, weights: Mapping[str, float], tell: Tell) -> int:
    """Judges the pages of a store by other weights, and notes their documents; returns how many change.

    What changes is not delivered: the next run or ``scrapy redeliver`` does that. Pages that no selector
    matches have the document that they had. If it ends early, the next run judges the rest.

    Args:
        store: the store, which nobody else changes meanwhile.
        before: judges its pages as they were judged before.
        weights: the weights.
        tell: called after each page.

    """
    # Pages are as they were derived: other selectors in the site file wait for the next run.
    selectors = store.derivation.selectors
    config = replace(before.config, taught=weights, known_as="", selectors=selectors)
    run = store.runs.last()
    assert run is not None, "a store is made by its first run"
    both = union(before.config.taught, weights)
    pages = [page for page in store.documents.current() if _is_judged(store, page)]
    with store.transaction():
        Detector(config.detection, config.fingerprint).name(store)
        store.set_meta(JUDGEMENT, config.fingerprint)
    judge, page_judge = StoredJudge(store, config), PageJudge(store, config)
    duplicates = config.duplicates
    ledger = ReleaseLedger(store, run, similarity=duplicates.similarity, leaves_out=duplicates.left_out)

    def note(page: int) -> bool:
        before, sent = store.documents.get(page), store.documents.sent(page)
        record, _ = page_judge.judge(page)
        ledger.note(page, record)
        store.documents.keep_sent(page, sent)
        return before is None or before.content_hash != record.content_hash

    version, changed = store.meta(TEMPLATE_VERSION) or "", 0
    for done, page in enumerate(pages, 1):
        with store.transaction(), store.border(page, STEP):
            if is_hit(judge.subject(page), both):
                changed += note(page)
            else:
                waits = (store.documents.basis(page) or b"").startswith(AT_MOST)
                store.documents.renew(page, waits * AT_MOST + judge.basis(page), version)
        tell(done, len(pages))
    for _ in range(_TURNS):
        if not (pages := [page for page in ledger.marks_changed() if _is_judged(store, page)]):
            break
        for page in pages:
            with store.transaction(), store.border(page, STEP):
                changed += note(page)
    with store.transaction():
        judged_with = f"{config.judged_with(config.fingerprint)} {store.decisions.digest()}"
        store.set_meta(JUDGED_WITH, judged_with)
    return changed


def _is_judged(store: Store, page: int) -> bool:
    """Returns true if a page's document was made of the page as it is stored: else the next run makes it."""
    made = store.documents.made(page)
    return made is not None and made.present
