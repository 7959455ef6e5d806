"""Corrections of pages of a site in memory, and the weights that follow."""

from __future__ import annotations

from heapq import nsmallest
from typing import TYPE_CHECKING

import numpy as np

from pagelets.judging.teaching import OTHERS, TaughtPage, learn
from pagelets.methods import teachable
from pagelets.patterns import drawn_by
from pagelets.site.arguments import texts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from pagelets.judging.engine import Judge
    from pagelets.methods.base import Subject
    from pagelets.site.workers import WaitingPage


class Lessons:
    """The texts that pages should keep and drop, by URL."""

    def __init__(self) -> None:
        self._said: dict[str, dict[str, bool]] = {}

    def __bool__(self) -> bool:
        # A page without corrections alone teaches nothing.
        return any(self._said.values())

    def add(self, url: str, keep: Collection[str], drop: Collection[str]) -> None:
        """Notes corrections of a page; the newest word on a text counts.

        Args:
            url: the address of the page.
            keep: texts of blocks that are content, or parts of these.
            drop: the same of other blocks.

        Raises:
            ValueError: a text is empty, or in both.
            TypeError: a text is of another type.

        """
        corrections: dict[str, bool] = {}
        for name, texts, is_content in (("keep", keep, True), ("drop", drop, False)):
            for text in texts_of(name, texts):
                folded = " ".join(text.split())
                if not folded or corrections.get(folded, is_content) != is_content:
                    raise ValueError(f"{text!r}: give the text of a block, in keep or in drop")
                corrections[folded] = is_content
        self._said.setdefault(url, {}).update(corrections)

    def learned(
        self,
        judge: Judge,
        urls: Iterable[str],
        page_of: Callable[[str], WaitingPage],
        subject: Callable[[WaitingPage], Subject],
    ) -> dict[str, float]:
        """Returns the weights that were learned.

        Args:
            judge: judges the pages of the site without what was taught.
            urls: the URLs of all pages.
            page_of: returns the page of a URL.
            subject: reads a page.

        Raises:
            ValueError: a page has no such block; the text is forgotten.

        """
        pages = []
        for url, corrections in self._said.items():
            page = page_of(url)
            seen = subject(page)
            texts = [" ".join(block.text.split()) for block in seen.page.blocks]
            judged = judge.judge(seen, page.known.host, page.origin)
            method = judge.methods.of(judge.named(url), page.known.host)
            mask = judged.selection.mask
            labels = np.array([keep if text else -1 for keep, text in zip(mask, texts, strict=True)], np.int8)
            for text, is_content in corrections.items():
                spoken = [place for place, block_text in enumerate(texts) if text in block_text]
                if not spoken:
                    # Else the site would judge no page any more: there is no other way to take it back.
                    self._forget(url, text)
                    raise ValueError(f"{url}: no block has the text {text[:80]!r}")
                labels[spoken] = is_content
            pages.append(TaughtPage.of(seen, method.judge(seen), labels))
        others = []
        for url in nsmallest(OTHERS, (url for url in urls if url not in self._said), drawn_by):
            page = page_of(url)
            seen, method = subject(page), judge.methods.of(judge.named(url), page.known.host)
            if teachable(method):
                others.append(TaughtPage.of(seen, method.judge(seen)))
        return learn(pages, others)

    def _forget(self, url: str, text: str) -> None:
        del self._said[url][text]
        if not self._said[url]:
            del self._said[url]
