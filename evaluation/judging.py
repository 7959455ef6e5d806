"""Judging the gold pages of a crawled archive by a method: what one process does."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from evaluation.nodes import node_score
from evaluation.scoring import score
from evaluation.summary import ScoredPage
from pagelets.methods import extracts, learns
from store.errors import StoreError
from store.judging import StoredJudge
from store.learning import learn
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from evaluation.gold import GoldPage
    from evaluation.scoring import Score
    from pagelets.judging.config import JudgeConfig
    from pagelets.methods.base import Method, SiteMethod

    Making: TypeAlias = Callable[[int, GoldPage], tuple[str, float, Score | None]]

SITE: Final = "evaluated"
"""The name of the site that an archive is crawled as."""


@dataclass(slots=True, frozen=True)
class Task:
    """The pages of a store in a folder, to be judged by the method of a ``config``, whose detection has found
    the store's templates. With ``texts`` the texts are wanted beside their scores, with ``nodes`` the
    agreement on the nodes of templates.
    """

    store: Path
    config: JudgeConfig
    gold: Sequence[GoldPage]
    texts: bool = True
    nodes: bool = False

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.config.method


class Learning(NamedTuple):
    """The method begins to learn, from so many pages."""

    pages: int


class Ready(NamedTuple):
    """The method can judge, and has learned in so many seconds of CPU time; None where it does not learn."""

    learning: float | None


def judged(task: Task, start: int = 0) -> Iterator[Learning | Ready | ScoredPage]:
    """Judges the pages of a task from ``start`` on, and yields its progress: `Learning` if the method learns,
    `Ready`, then each page.

    An exception of a method on a page comes with the page, one while learning with all pages. Raises
    StoreError and sqlite3.Error if the store cannot be used.
    """
    method = task.config.registry.factory(task.method)()
    method.check()
    with Store.open(task.store) as store:
        if learns(method):
            yield Learning(_pages_to_learn_from(store, method))
        else:
            store.only_read()
        try:
            make, learning = _making(store, task, method)
        except (StoreError, sqlite3.Error):
            raise
        except Exception as failure:
            why = f"cannot learn: {type(failure).__name__}: {failure}"
            yield from (ScoredPage(gold, "", score("", gold.text), why) for gold in task.gold[start:])
            return
        yield Ready(learning)
        is_first = True
        for gold in task.gold[start:]:
            page = store.frontier.find(gold.url)
            if page is None or not store.documents.is_current(page):
                yield ScoredPage(gold, None, score("", gold.text))
                continue
            if is_first:
                # Modules and models that load on first use do not count in a page's time.
                _made(make, page, gold)
                is_first = False
            text, seconds, nodes, error = _made(make, page, gold)
            yield ScoredPage(gold, text if task.texts else "", score(text, gold.text), error, seconds, nodes)


def _pages_to_learn_from(store: Store, method: SiteMethod) -> int:
    return sum(min(method.sample, pages.size) for pages in store.learned.hosts().values())


def _making(store: Store, task: Task, method: Method | SiteMethod) -> tuple[Making, float | None]:
    """Returns a function that makes the text of a page, with the seconds it took and the agreement on the
    nodes of its template; and the seconds of learning.
    """
    if not learns(method) and extracts(method):

        def extract(page: int, gold: GoldPage) -> tuple[str, float, None]:
            html = store.bodies.get(page).text()
            started = time.process_time()
            return method.extract(html, gold.url), time.process_time() - started, None

        return extract, None
    partition = store.derivation.partition
    assert partition is not None
    config = replace(task.config, site=SITE, partition=partition, selectors=store.derivation.selectors)
    judge = StoredJudge(store, config)
    started = time.process_time()
    if learns(method):
        learn(store, judge.subject, [task.method], registry=config.registry)
    learning = time.process_time() - started if learns(method) else None

    def make(page: int, gold: GoldPage) -> tuple[str, float, Score | None]:
        started = time.process_time()
        judged = judge.judge(page)
        text: str = judged.document(("text",))["text"]
        seconds = time.process_time() - started
        return (
            text,
            seconds,
            node_score(judged.page, judged.selection.mask, gold.text) if task.nodes else None,
        )

    return make, learning


def _made(make: Making, page: int, gold: GoldPage) -> tuple[str, float | None, Score | None, str | None]:
    try:
        return *make(page, gold), None
    except (StoreError, sqlite3.Error):
        raise
    except Exception as failure:
        # Whatever a method raises on a page: it is measured with what it can do.
        return "", None, None, f"{type(failure).__name__}: {failure}"
