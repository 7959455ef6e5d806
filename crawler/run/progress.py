"""A progress line while a crawl runs, on a terminal, and a summary at its end."""

from __future__ import annotations

import logging
import shlex
import sys
import time
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import AsyncioLoopingCall, create_looping_call
from scrapy.utils.log import get_scrapy_root_handler
from twisted.internet.task import LoopingCall

from crawler.commandline.output import printable
from crawler.run.outcome import FOUND, UNREQUESTED, WITHOUT_DOCUMENT
from crawler.run.session import CrawlSession, session_of
from crawler.run.signals import run_closed, run_finished
from crawler.run.state import Phase
from crawler.spiders.sitemaps import LEFT_OUT
from search.delivery import Delivery
from settings.errors import relative
from settings.places import as_typed
from settings.values import masked
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console
    from rich.status import Status


logger = logging.getLogger(__name__)

INTERVAL = 0.5
_NOT_STORED: Final = {"failed": "failed", "gone": "gone", "refused": "skipped"}
"""The states of pages that were not had, and what the summary calls them."""
_WORDS: Final = {"type": "not HTML"}
"""Reasons that say more in other words."""
_REASON: Final = 60
_REASONS: Final = 3


class Progress:
    """Shows the progress of a crawl on standard error, if that is a terminal, and at the end its summary.
    Spiders that are not ours have neither.

    Whatever the log's level: its file, if it has one, gets the summary too, and standard error none then,
    unless it is a terminal.

    Setting: ``PROGRESS_ENABLED`` (default true).
    """

    def __init__(self, session: CrawlSession, feeds: Iterable[str]) -> None:
        self._session = session
        self._feeds = ", ".join(masked(uri) for uri in feeds)
        self._status: Status | None = None
        self._task: AsyncioLoopingCall | LoopingCall | None = None
        self._began = time.monotonic()
        self._ended = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Switches itself off where the setting says so."""
        if not crawler.settings.getbool("PROGRESS_ENABLED"):
            raise NotConfigured
        progress = cls(session_of(crawler), map(str, crawler.settings.getdict("FEEDS")))
        crawler.signals.connect(progress.spider_opened, signal=signals.spider_opened)
        # Before notices, which may take a minute. Samples do not send the first of the signals.
        for signal in (run_finished, run_closed):
            crawler.signals.connect(progress.run_ended, signal=signal)
        return progress

    def spider_opened(self) -> None:
        """Starts the progress line, where there is a terminal to show it on."""
        self._began = time.monotonic()
        if not sys.stderr.isatty():
            return
        # Most crawls run unseen: they need not load it.
        from rich.console import Console

        console = Console(stderr=True)
        _share_terminal(console)
        self._status = console.status("")
        self._status.start()
        self._task = create_looping_call(self._show)
        self._task.start(INTERVAL)

    def run_ended(self) -> None:
        """Ends the progress line, and tells the summary, once."""
        if self._ended:
            return
        self._ended = True
        summary = as_typed(self._summary())
        if self._task is not None:
            self._task.stop()
        log = get_scrapy_root_handler()
        filed = isinstance(log, logging.FileHandler)
        if log is not None and filed:
            log.handle(logger.makeRecord(logger.name, logging.INFO, __file__, 0, "%s", (summary,), None))
        if self._status is None:
            if not filed:
                print(summary, file=sys.stderr, flush=True)
        else:
            self._status.stop()
            # What pages say is in it, and is no markup.
            self._status.console.print(summary, highlight=False, soft_wrap=True, markup=False, emoji=False)

    def _fed(self, delivery: Delivery) -> str:
        waiting = self._stats.get(f"index/{delivery.name}/undelivered", 0)
        missing = f"; {waiting} not delivered: scrapy redeliver {self._session.plan.site}" if waiting else ""
        if delivery.down is not None and not waiting:
            missing = "; cannot be reached"
        counts = delivery.counts
        return f"  index      {delivery.name}: {counts.indexed} indexed, {counts.deleted} removed{missing}"

    @property
    def _stats(self) -> dict[str, Any]:
        return self._session.stats.get_stats()

    def _beginning(self, prefix: str) -> Counter[str]:
        """The stats that begin with a prefix, by the rest of their names."""
        return Counter(
            {name.removeprefix(prefix): n for name, n in self._stats.items() if name.startswith(prefix)}
        )

    def _show(self) -> None:
        assert self._status is not None
        session, state = self._session, self._session.state
        known = self._stats.get("pages/known", 0)
        if state.phase == Phase.FETCH and not state.working:
            known = state.seen + session.store.frontier.count_due()
        if state.progress is not None:
            done, total = state.progress
            far = f"{done} of {total}"
        else:
            pages = f"{state.seen} of {known} known pages" if known else f"{state.seen} pages"
            far = f"{pages}, {self._stats.get('documents/released', 0)} documents"
        self._status.update(f"{session.plan.site}: {state.doing}, {far}")

    def _not_stored(self) -> Iterator[str]:
        """A line for each state of pages that were not had, with the most frequent reasons."""
        for state, label in _NOT_STORED.items():
            counted = self._session.state.reasons.items()
            reasons = Counter({why: count for (of, why), count in counted if of == state})
            if state == "refused":
                reasons.update(self._beginning(UNREQUESTED))
            if reasons:
                yield f"  {label:<10} {_counted(reasons)}"
        if excluded := self._beginning(WITHOUT_DOCUMENT):
            yield f"  excluded   {_counted(excluded)}"
        if faults := self._session.state.faults:
            kinds = Counter({f"{step} {error}": count for (step, error), count in faults.items()})
            yield f"  faults     {_counted(kinds)}"
        if retries := self._stats.get("retry/count", 0):
            given_up = self._stats.get("retry/max_reached", 0)
            yield f"  retries    {retries}; {given_up} requests were given up"

    def _sitemaps(self) -> Iterator[str]:
        """A line for the URLs of sitemaps that are left out, and one for sitemaps that are cut."""
        left_out = +self._beginning(LEFT_OUT)
        parts = [
            f"{count} {printable(' '.join(name.split('/', 1)), _REASON)}"
            for name, count in left_out.most_common(_REASONS)
        ]
        if parts:
            yield f"  sitemaps   {left_out.total()} URLs left out: {', '.join(parts)}{_more(left_out)}"
        if cut := self._stats.get("sitemaps/cut"):
            yield f"  sitemaps   {cut} not read to their end; the log says why"

    def _fields(self) -> Iterator[str]:
        """A line for the fields of the site, with those that the fewest pages have, if it has any."""
        if pages := self._stats.get("fields/pages"):
            counts = self._beginning(FOUND)
            fewest = sorted(counts.items(), key=lambda item: (item[1], item[0]))[:_REASONS]
            text = ", ".join(f"{name} {count / pages:.0%}" for name, count in fewest)
            yield f"  fields     {text}{_more(counts)} of {pages} pages"
            if missing := self._stats["fields/missing"]:
                yield f"  fields     a required one is missing on {missing} pages ({missing / pages:.0%})"

    def _searched(self) -> Iterator[str]:
        """A line each, where they were looked for, for the pages that are like a sample, what was left out as
        templates alone lead to it, the pages on a topic, and the template of a key page.
        """
        stats = self._stats
        if "class/pages" in stats:
            like = f"{stats['class/pages']} pages like the sample, {stats['class/similarity']:.2f} at least"
            if "class/expected" in stats:
                like += (
                    f", {stats['class/expected']} expected: recall {stats['class/recall']:.3f}, "
                    f"precision {stats['class/precision']:.3f}"
                )
            yield f"  class      {like}"
        if stats.get("template_links/dropped"):
            yield f"  left out   {stats['template_links/dropped']} URLs that templates alone link to"
        if "topic/relevant_pages" in stats:
            yield f"  topic      {stats['topic/relevant_pages']} pages have words of it"
        if "templates/etdm_pages" in stats:
            yield (
                f"  etdm       {stats['templates/etdm_chars_ratio']:.0%} of the key page is template, by "
                f"{stats['templates/etdm_pages']} other pages: {stats['templates/etdm_pagelets']} pagelets"
            )

    def _sampled(self) -> Iterator[str]:
        """A line with a command that explains a page of a sample, where it has one."""
        session = self._session
        if session.discarded:
            return
        with Store.open(session.folder) as store:
            page = next(iter(store.documents.current()), None)
            url = None if page is None else store.frontier.url(page)
        if url is not None:
            command = f"scrapy explain {shlex.quote(url)} --site {session.plan.site} --sample"
            yield f"  sample     kept until the next crawl or sample: {command}"

    def _files(self) -> Iterator[str]:
        """Lines that tell where all documents are, and the changes of this run."""
        stats, file = self._stats, self._session.documents_file
        # An interrupted run leaves documents that no run has sent.
        there = min(stats.get("documents/current", 0), stats.get("pages/state/delivered", 0))
        unchanged = there - stats.get("documents/delivered", 0)
        head = f"             {max(0, unchanged)} unchanged; all: "
        # Those of a fresh store go with it where it does not take the site's place.
        if file is not None and file.written and file.changes.exists():
            yield f"{head}{relative(file.path)}"
            yield f"  changes    {relative(file.changes)}"
        else:
            yield f"{head}scrapy export {self._session.plan.site}"

    def _summary(self) -> str:
        session, state, stats = self._session, self._session.state, self._stats
        removed = stats.get("templates/removed_chars_ratio")
        upgraded = stats.get("documents/upgraded", 0)
        because = f" ({upgraded} of them because of the upgrade of the program)" if upgraded else ""
        dropped = stats.get("documents/dropped", 0)
        because += f" ({dropped} of them dropped by a pipeline)" if dropped else ""
        took = max(time.monotonic() - self._began, 0.001)
        lines = [
            f"{session.plan.site}: {state.outcome or 'interrupted'}",
            *(
                f"  moved      {start} leads to another domain: {to}"
                for start, to in dict(state.moved).items()
            ),
            f"  pages      {state.held} fetched, {state.confirmed} unchanged, "
            f"{stats.get('pages/duplicates', 0)} duplicates",
            *self._not_stored(),
            *self._sitemaps(),
            *self._searched(),
            *self._fields(),
            f"  time       {timedelta(seconds=round(took))}, {state.seen / took:.1f} pages a second",
            f"  templates  {stats.get('templates/count', 0)}"
            + (f", {removed:.0%} of the text removed" if removed is not None else ""),
            f"  documents  {stats.get('documents/released', 0)} new or changed{because}, "
            f"{stats.get('documents/deleted', 0)} deleted" + (f", to {self._feeds}" if self._feeds else ""),
            *(f"  one line   {line}" for line in state.changed_lines),
        ]
        kept = not (session.plan.sample or session.discarded)
        if kept:
            lines += self._files()
        lines += map(self._fed, session.deliveries)
        if session.plan.sample:
            lines += self._sampled()
        elif kept:
            lines.append(f"  store      {relative(session.home)}")
        return "\n".join(lines)


def _counted(reasons: Counter[str]) -> str:
    """Returns how many pages there are, and the most frequent reasons."""
    many = len(reasons) > 1
    words = [
        (f"{count} " if many else "") + printable(_WORDS.get(why, why), _REASON)
        for why, count in reasons.most_common(_REASONS)
    ]
    return f"{reasons.total()} ({', '.join(words)}{_more(reasons)})"


def _more(counts: Counter[str]) -> str:
    return ", …" if len(counts) > _REASONS else ""


def _share_terminal(console: Console) -> None:
    from rich.logging import RichHandler

    # Two writers on one terminal tear each other's lines: the log goes through the same console.
    for handler in list(logging.root.handlers):
        if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr:
            rich = RichHandler(console=console, show_path=False, markup=False)
            rich.setLevel(handler.level)
            logging.root.removeHandler(handler)
            logging.root.addHandler(rich)
