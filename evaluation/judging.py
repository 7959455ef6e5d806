"""Judging the gold pages of a crawled archive by a method, in other processes.

No page may take longer than a limit. A page that a method never finishes, or that ends its process, costs no
other page its judgement. The memory of each method is measured by itself.
"""

from __future__ import annotations

import logging
import signal
import sqlite3
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from evaluation.scoring import Score, ScoredPage, score
from pagelets.containers import Containers
from pagelets.literature.baselines.alignment import aligned
from pagelets.literature.baselines.extractors import KEPT_SHARE
from pagelets.methods import extracts, learns
from pagelets.processes import ForkServer, unpacked
from settings.errors import ConfigurationError
from store.errors import StoreError
from store.judging import StoredJudge
from store.learning import learn
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from numpy.typing import ArrayLike, NDArray

    from evaluation.gold import GoldPage
    from pagelets.judging.config import JudgeConfig
    from pagelets.methods.base import Method, SiteMethod
    from pagelets.page import Page

    Making: TypeAlias = Callable[[int, GoldPage], tuple[str, float, Score | None]]

SITE: Final = "evaluated"
"""The name of the site that an archive is crawled as."""
LEARNING_SHARE: Final = 0.1
"""Learning may take this part of a page's time limit for each page that is learned from."""
START: Final = 60.0
"""Seconds that a process may take to open a store and load a method, where the limit of a page is no more."""


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
    method = task.config.registry.factory(task.config.method)()
    method.check()
    with Store.open(task.store) as store:
        if learns(method):
            yield Learning(sum(min(method.sample, host.size) for host in store.learned.hosts().values()))
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
            page = store.documents.page_of(gold.url)
            if page is None:
                yield ScoredPage(gold, None, score("", gold.text))
                continue
            if is_first:
                # Modules and models that load on first use do not count in a page's time.
                _made(make, page, gold)
                is_first = False
            text, seconds, nodes, error = _made(make, page, gold)
            yield ScoredPage(gold, text if task.texts else "", score(text, gold.text), error, seconds, nodes)


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
        learn(store, judge.subject, [task.config.method], registry=config.registry)
    learning = time.process_time() - started if learns(method) else None

    def make(page: int, gold: GoldPage) -> tuple[str, float, Score | None]:
        started = time.process_time()
        judged = judge.judge(page)
        text: str = judged.document(("text",))["text"]
        seconds = time.process_time() - started
        nodes = node_score(judged.page, judged.selection.mask, gold.text) if task.nodes else None
        return text, seconds, nodes

    return make, learning


def _made(make: Making, page: int, gold: GoldPage) -> tuple[str, float | None, Score | None, str | None]:
    try:
        return *make(page, gold), None
    except (StoreError, sqlite3.Error):
        raise
    except Exception as failure:
        # Whatever a method raises on a page: it is measured with what it can do.
        return "", None, None, f"{type(failure).__name__}: {failure}"


def node_score(page: Page, kept: ArrayLike, gold: str) -> Score:
    """Compares the nodes that a method takes for template with those that are it by the gold text, as Alarte
    et al. do (PROLE 2014).

    Their gold is the template of a page, marked by hand. Ours is the gold text of the content: a block is
    content where at least half of its words stand in that text, in order, and template otherwise. So all that
    the gold text leaves out counts as template, advertisements and related articles too.

    Nodes are the page's blocks and the elements that hold them; an element is template unless all of its
    blocks are content. Two templates without nodes agree wholly, one without and one with nodes not at all.

    Args:
        page: the page.
        kept: True for each block that the method keeps.
        gold: the gold text of the content.

    """
    containers = Containers.of(page)
    found = _template(containers, np.asarray(kept, bool))
    wanted = _template(containers, aligned([block.text for block in page.blocks], gold) >= KEPT_SHARE)
    return Score.of(*(int(nodes.sum()) for nodes in (found & wanted, found, wanted)))


def _template(containers: Containers, content: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the elements with a block of the template, and behind them its blocks."""
    sums = np.concatenate([[0], np.cumsum(~content)])
    return np.concatenate([sums[containers.stop] > sums[containers.start], ~content])


class Done(NamedTuple):
    """A task is over; its processes took so many bytes of memory at most."""

    memory: int


class _Trouble(NamedTuple):
    """A task cannot be done, for this reason."""

    why: str


def load() -> None:
    """Called in the process that others are forked from (`pagelets.processes.ForkServer`)."""
    # What a method has to say about a page shows in its figures.
    logging.disable(logging.CRITICAL)


def judged_within(server: ForkServer, task: Task, limit: float) -> Iterator[Ready | ScoredPage | Done]:
    """Has a task done, and gives what is judged as it comes; `Done` comes last.

    A page that takes longer than ``limit`` seconds, or that ends the process, has failed; another process
    goes on with the next one.

    Args:
        server: what forks the processes.
        task: the pages, and what they are judged by.
        limit: seconds for a page.

    Raises:
        ConfigurationError: the task cannot be done.

    """
    count, memory = 0, 0
    try:
        while count < len(task.gold):
            worker = server.start(_told, task, count)
            allowed, is_ready, failure = max(limit, START), False, ""
            try:
                while count < len(task.gold):
                    if not worker.connection.poll(allowed):
                        failure = f"took longer than {allowed:g} s"
                        break
                    message = unpacked(worker.connection.recv_bytes())
                    if isinstance(message, _Trouble):
                        raise ConfigurationError(f"{task.config.method} cannot be measured: {message.why}")
                    if isinstance(message, Learning):
                        allowed = limit * max(1.0, LEARNING_SHARE * message.pages)
                        continue
                    allowed, is_ready = limit, True
                    count += isinstance(message, ScoredPage)
                    yield message
            except (EOFError, OSError):
                failure = "its process ended ({})"
            finally:
                code, peak = worker.end()
            memory = max(memory, peak)
            if count < len(task.gold):
                why = failure.format(signal.Signals(-code).name if code < 0 else f"exit code {code}")
                left = task.gold[count : count + 1 if is_ready else None]
                why = why if is_ready else f"cannot begin: {why}"
                yield from (ScoredPage(gold, "", score("", gold.text), why) for gold in left)
                count += len(left)
    except (EOFError, OSError) as error:
        raise ConfigurationError(
            f"a process that judges by {task.config.method} has ended early, perhaps for want of memory; "
            "try fewer at once, --processes"
        ) from error
    yield Done(memory)


def _told(_: object, task: Task, start: int) -> Iterator[Learning | Ready | ScoredPage | _Trouble]:
    """Yields what `judged` does, in a process of its own; `_Trouble` in place of an exception."""
    try:
        yield from judged(task, start)
    except Exception as error:
        yield _Trouble(f"{type(error).__name__}: {error}")
