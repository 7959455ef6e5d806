"""Teaching a site: pages to correct, the weights that follow from corrected pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inspection.lessons import folded
from inspection.taught_sheet import SheetBlock, SheetPage, WrongSheet, merged, placed, sheet_text
from pagelets.block_keys import tag_path_keys
from pagelets.judging.teaching import Candidate, TaughtPage, choose_pages, labels_of, learn
from pagelets.methods import DEFAULT, teachable
from pagelets.text.words import tokens
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from inspection.lessons import Blocks
    from inspection.taught_sheet import Line
    from pagelets.judging.engine import JudgedPage
    from store.judging import StoredJudge
    from store.site import Store

    Tell = Callable[[int, int], None]
    """Takes how many pages are done, and how many there are."""


@dataclass(slots=True, frozen=True)
class Learned:
    """The result of learning from corrected pages.

    ``pages`` counts those learned from. ``missing`` are the URLs of those without a document now. ``decided``
    counts blocks on which selectors or decisions on templates overrule the correction.
    """

    weights: Mapping[str, float]
    pages: int
    missing: Sequence[str]
    decided: int


def check_teachable(judge: StoredJudge, site: str) -> None:
    """Raises ConfigurationError where no method of a site weighs what is taught."""
    if not any(teachable(judge.config.registry.factory(name)()) for name in judge.config.methods):
        raise ConfigurationError(
            f"site {site!r} is judged by {judge.config.method!r}, which cannot be taught; crawl it with "
            f"-a method={DEFAULT}"
        )


def telling_pages(
    store: Store, judge: StoredJudge, pages: Sequence[int], count: int, taught: Iterable[str], tell: Tell
) -> list[int]:
    """Returns the pages whose correction tells most.

    Args:
        store: the store.
        judge: judges its pages.
        pages: the pages to choose from.
        count: how many to choose.
        taught: the URLs of pages that were corrected before, which are not chosen again.
        tell: called after each page.

    """
    before = {page for url in taught if (page := current_page(store, url)) is not None}
    candidates: dict[int, Candidate] = {}
    everything = list(dict.fromkeys([*pages, *before]))
    for done, page in enumerate(everything, 1):
        candidate = _candidate(judge, page)
        if candidate is not None:
            candidates[page] = candidate
        tell(done, len(everything))
    numbers = {candidate.url: page for page, candidate in candidates.items()}
    new = [candidate for page, candidate in candidates.items() if page not in before]
    old = [candidate for page, candidate in candidates.items() if page in before]
    return [numbers[url] for url in choose_pages(new, count, old)]


def _candidate(judge: StoredJudge, page: int) -> Candidate | None:
    """A page that may be corrected; None where its method cannot be taught, or its page cannot be judged."""
    try:
        subject = judge.subject(page)
        name = judge.named(subject.page.url)
        if not teachable(judge.config.registry.factory(name)()):
            return None
        likely = judge.method(name, page).judge(subject).scores
    except (OSError, MemoryError):
        raise
    except Exception:
        # One page that cannot be judged is not corrected, and costs no other its place.
        return None
    words = [len(tokens(block.text)) for block in subject.page.blocks]
    paths = tag_path_keys(subject.page, subject.containers).tolist()
    return Candidate(subject.page.url, paths, words, likely.tolist())


def current_page(store: Store, url: str) -> int | None:
    """Returns the page of a URL, None where it has no document."""
    page = store.frontier.find(url)
    return page if page is not None and store.documents.is_current(page) else None


def sheet_page(judge: StoredJudge, page: int) -> SheetPage:
    """Returns a page as a sheet has it."""
    judged = judge.judge(page)
    return SheetPage(judged.page.url, [block for block in _sheet_blocks(judged) if block.text])


def _sheet_blocks(judged: JudgedPage) -> list[SheetBlock]:
    selection = judged.selection
    rows = zip(judged.page.blocks, selection.mask, selection.scores, strict=True)
    return [SheetBlock(keep, float(score), sheet_text(block.text)) for block, keep, score in rows]


def corrected(
    store: Store,
    judge: StoredJudge,
    sheet: Mapping[str, tuple[int, Sequence[Line]]],
    known: Mapping[str, Blocks],
) -> dict[str, Blocks]:
    """Returns the pages of a sheet with the sign of each block.

    Args:
        store: the store.
        judge: judges its pages as they are judged now.
        sheet: the sheet (`inspection.taught_sheet.parsed`).
        known: what earlier sheets say.

    Raises:
        WrongSheet: a page or a block of the sheet is not in the store.

    """
    by_url: dict[str, Blocks] = {}
    for url, (number, lines) in sheet.items():
        page = current_page(store, url)
        if page is None:
            raise WrongSheet(number, f"no page is stored at {url}; write the sheet anew")
        judged = judge.judge(page)
        by_url[url] = signed(judged, dict(placed(lines, _sheet_blocks(judged))), known.get(url, ()))
    return by_url


def signed(judged: JudgedPage, signs: Mapping[int, bool], earlier: Blocks) -> Blocks:
    """Returns the blocks of a page that have a text, each with whether it is content.

    Args:
        judged: the page as it is judged now, which decides where nobody has spoken of a block.
        signs: position -> what people say now.
        earlier: what they said before.

    """
    texts = [folded(block.text) for block in judged.page.blocks]
    keep = merged(signs, labels_of(texts, earlier).tolist(), np.array(judged.selection.mask, bool).tolist())
    return [(text, sign) for text, sign in zip(texts, keep, strict=True) if text]


def learned(store: Store, judge: StoredJudge, pages: Mapping[str, Blocks]) -> Learned:
    """Learns weights on selectors.

    Args:
        store: the store.
        judge: judges its pages without what was taught.
        pages: what people have said of pages, by URL.

    """
    rows: list[TaughtPage] = []
    missing: list[str] = []
    decided = 0
    for url, blocks in pages.items():
        page = current_page(store, url)
        name = judge.named(url)
        if page is None or not teachable(judge.config.registry.factory(name)()):
            missing.append(url)
            continue
        judged, subject = judge.judge(page), judge.subject(page)
        texts = [folded(block.text) for block in subject.page.blocks]
        labels = labels_of(texts, blocks)
        overrides = judged.selection.overrides
        free = np.array(
            [override is None for override in overrides] if overrides else [True] * len(texts), bool
        )
        kept = np.array(judged.selection.mask, bool)
        decided += int(np.sum(~free & (labels >= 0) & (labels != kept)))
        labels = np.where(free, labels, np.int8(-1))
        likely = judge.method(name, page).judge(subject).scores
        words = np.array([len(tokens(text)) for text in texts], float)
        assert subject.evidence is not None
        rows.append(TaughtPage(subject.containers, subject.evidence, likely, words, labels))
    return Learned(learn(rows), len(rows), missing, decided)
