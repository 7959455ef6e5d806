"""The review of a round of crawling: can its pages be trusted, and may its documents go out."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings

from crawler.frontier.scope import domain_of
from crawler.run.session import CrawlSession
from pagelets.overrides import Selectors
from pagelets.selector import selector_of
from store.doubt import doubt
from store.errors import StoreError
from store.rounds import Extent
from store.site import Store
from store.volatile_blocks import STEP, ChangedLine

logger = logging.getLogger(__name__)

_FEW: Final = 5
"""Of fewer pages a share says little: their text may halve, and their templates change, in an honest edit."""
_HALF_DONE: Final = 0.1
"""The share of pages still of the old design beyond which those of the new one wait."""
_REDESIGN: Final = 0.5
"""The share of pages that have lost most of their templates from which on it is a redesign."""
_ACCEPT: Final = "if the site is meant to be so, crawl it with --accept"
_LINES: Final = 3
"""Maximum number of changed lines that warnings name."""
_SHOWN: Final = 100
"""Characters of a line that changes which a warning shows."""


class Review:
    """Compares a round with what was there before it, once nothing is left to be fetched.

    A round that lost more than it may is undone and the run is *suspicious*: pages, text or templates that
    vanish at once are an outage, a login wall or a broken deployment more often than a decision. Nothing goes
    out of it. A redesign that only a part of the site has been seen in waits for the rest.

    Settings: ``LOSS_MIN_SHARE``, ``MISSED_RUNS``, ``CANONICAL_ENABLED``. Stats:
    ``pages/missed``, ``templates/redesigned_pages``, ``documents/changed_in_one_line``.
    """

    def __init__(self, session: CrawlSession, settings: BaseSettings) -> None:
        self._session = session
        self._store = session.store
        self._share = settings.getfloat("LOSS_MIN_SHARE")
        self._missed_runs = settings.getint("MISSED_RUNS")
        self._canonical = settings.getbool("CANONICAL_ENABLED")
        self._before = Extent(0, 0)
        self._replaces = False

    def more_to_fetch(self) -> bool:
        """Returns True if links lead to pages that had been given up, or a redesign calls for all pages: the
        crawl goes on with them.
        """
        session, store = self._session, self._store
        # In its first round a crawl has come to all that links lead to, and to nothing else.
        if self._session.partial or not session.round_after or not store.rounds.changed(session.round_after):
            return False
        with store.transaction():
            again = session.reach()
            if not again and self._redesigned():
                again = store.frontier.all_due(session.round_after)
        return again > 0

    def passes(self, *, early: bool) -> bool:
        """Returns True if documents go out, of a run that has nothing left to fetch or that ends early."""
        store = self._store
        # Those that go out are not delivered until the end.
        self._before = store.rounds.before()
        if lost := self._led_away():
            self._suspect(lost, undo=not early)
            return False
        if not early and (why := self._session.nothing_found()) is not None:
            self._session.state.answers = [why]
            self._session.undo()
            return False
        if not early and not store.pages.seen_since(self._session.round_after):
            if store.rounds.asked(self._session.round_after):
                # What is gone at once, all of it, is not gone.
                self._session.state.answers = store.rounds.answers(self._session.round_after)
                self._session.undo()
                return False
            return True
        if not early and not self._session.partial and not store.frontier.count_due():
            return self._complete()
        return self._partial(early=early)

    def deletions_pass(self, count: int) -> bool:
        """Returns True if a run that has not seen the whole site may delete so many documents."""
        if self._session.partial:
            return False
        if not self._store.frontier.count_due():
            return True
        few = count <= (1 - self._share) * max(self._before.pages, 1)
        if not few:
            logger.warning("%d documents to delete are too many for a limited run: they wait", count)
        return few

    def _complete(self) -> bool:
        store, session = self._store, self._session
        changed = store.rounds.changed(session.round_after)
        with store.transaction():
            # Pages that point to others are lost as well, where those are few.
            store.outcomes.point_to_canonical(self._canonical)
        now = store.rounds.now() if changed else None
        if session.plan.fresh:
            # Not by text, which other settings may measure otherwise.
            pages = session.of_home(lambda of: of.rounds.pages_before(session.belongs))
            self._before = Extent(pages or 0, 0)
        accepted = session.plan.accept or not self._session.compared
        loss = None if now is None or accepted else self._loss(now)
        if loss is not None:
            self._suspect(f"{loss}; {_ACCEPT}", undo=True)
            with store.transaction():
                store.outcomes.point_to_canonical(self._canonical)
            return False
        self._note_redesign()
        with store.transaction():
            if now is not None:
                store.rounds.accept(now)
            missed = store.outcomes.miss(session.round_after, self._missed_runs)
            self._session.stats.set_value("pages/missed", missed)
            self._learn()
        self._replaces = session.plan.fresh
        return True

    def doubt_home(self) -> None:
        """Has the store that a fresh one is to replace, should it stay, send its documents once more, and
        delete those that only the fresh one has: feeds get these, however its run ends.
        """
        session, store = self._session, self._store
        if not session.plan.fresh:
            return
        urls = map(store.frontier.url, store.documents.current())
        with (
            contextlib.suppress(StoreError),
            Store.open(session.home, create=True) as site,
            site.transaction(),
        ):
            doubt(site, urls)

    def no_more(self) -> Sequence[str]:
        """Returns the URLs whose documents go with the store that a fresh one replaces, which is complete or
        has all pages that were asked for. That has to have released them: then it is known which are left out
        as duplicates.
        """
        return (self._session.of_home(self._gone_with) or ()) if self._replaces else ()

    def _gone_with(self, site: Store) -> list[str]:
        """The URLs of documents of the site's store that this one lacks."""
        # A run that was cut short leaves documents whose deletions have not gone out.
        waiting = [obsolete.page_id for obsolete in site.documents.obsolete()]
        urls = map(site.frontier.url, [*site.documents.current(), *waiting])
        return [url for url in urls if self._store.documents.page_of(url) is None]

    def _led_away(self) -> str | None:
        """Names a place that start URLs lead to although the site may not have moved there, and the mend;
        None without one.
        """
        session, moves = self._session, self._session.moves
        leads = moves.leads(session.round_after)
        away = {url: start for start, url in leads if not moves.trusts(url)}
        if session.first_round and not away:
            session.state.moved = leads
        if session.plan.urls:
            for domain in session.plan.domains.difference(domain_of(url) for _, url in leads):
                logger.warning("accept=%s: no start URL leads to that domain", domain)
        if not away:
            return None
        url, start = next(iter(away.items()))
        others = f" (and {len(away) - 1} more)" if len(away) > 1 else ""
        hosts = ",".join(dict.fromkeys(map(_acceptable, away)))
        return (
            f"{start} leads to another domain: {url}{others}; if the site has moved there, crawl it with "
            f"-a accept={hosts}, or name it in the url of the site file"
        )

    def _suspect(self, why: str, *, undo: bool) -> None:
        """Lets nothing go out of the run, and undoes its round; one that ends early may be continued."""
        self._session.state.suspicion = why
        kept = ", and the store is as it was" if undo else ""
        logger.error("%s. Nothing was deleted, no document goes out%s", why, kept)
        if undo:
            self._session.undo()

    def _loss(self, now: Extent) -> str | None:
        """Describes the loss of the round; None if it is small enough."""
        before = self._before
        # Of a few pages one more or less says little, and so does which one.
        counted = before.pages < _FEW or self._session.plan.fresh
        back = now.pages if counted else self._back(now)
        if back < self._share * before.pages:
            if now.pages < self._share * before.pages:
                return f"{now.pages} pages, {before.pages} in the last good run"
            return f"{back} of the {before.pages} pages of the last good run are there, of {now.pages} pages"
        if before.pages >= _FEW and now.text < self._share * before.text:
            return f"{now.text} characters of text, {before.text} in the last good run"
        return None

    def _back(self, now: Extent) -> int:
        """Counts the pages of the last good run that are still there, at their address or its redirect.

        A page counts for one other at most: a login form is not all pages that lead to it. One of another
        domain has to look like the site, unless the user accepts its host however it looks.
        """
        rounds = self._store.rounds
        ends: set[int] = set()
        accepted = 0
        for page, url, other, other_url in rounds.moved():
            same = domain_of(url) == domain_of(other_url)
            if not same and self._session.moves.accepts(other_url):
                accepted += 1
            elif same or 2 * rounds.templates_on(other) >= rounds.templates_on(page):
                ends.add(other)
        return rounds.stayed() + len(ends) + min(accepted, now.pages)

    def _partial(self, *, early: bool) -> bool:
        """The part that a run has seen which did not see the whole site."""
        store, accept = self._store, self._session.plan.accept
        before, now = store.previous.text() if store.previous.count() >= _FEW else (0, 0)
        if now < self._share * before and not accept:
            lost = f"The pages that have changed have {now} characters of text, before {before}"
            if self._session.partial and not early:
                self._suspect(f"{lost}; {_ACCEPT}", undo=True)
                return False
            logger.error("%s: they stay as they were; %s", lost, _ACCEPT)
            self._session.undo()
            return False
        half_done = self._half_done()
        if half_done and not accept:
            logger.warning("%s: what has changed waits for a run that sees them", half_done)
            return False
        if not early:
            self._note_redesign()
            with store.transaction():
                self._learn()
            self._replaces = self._session.plan.fresh
        return True

    def _half_done(self) -> str | None:
        if not self._redesigned():
            return None
        rounds, round_after = self._store.rounds, self._session.round_after
        unseen = rounds.unseen(round_after)
        if unseen <= _HALF_DONE * (unseen + rounds.seen(round_after)):
            return None
        return f"The site is being redesigned: {unseen} of its pages were not seen in this run"

    def _redesigned(self) -> int:
        """Counts the pages that have lost most of their templates; 0 unless they are most of those seen."""
        if self._store.previous.count() < _FEW:
            return 0
        lost = self._store.previous.lost_templates()
        enough = max(_FEW, _REDESIGN * self._store.rounds.seen(self._session.round_after))
        return lost if lost >= enough else 0

    def _note_redesign(self) -> None:
        if lost := self._redesigned():
            self._session.stats.set_value("templates/redesigned_pages", lost)
            logger.warning(
                "A redesign: %d pages have lost most of their templates; all are learned anew", lost
            )

    def _learn(self) -> None:
        """Learns from a good round what changes on all pages; lets the previous versions of its pages go."""
        store, selectors = self._store, self._store.derivation.selectors
        lines = store.changing.observe(self._session.round_after, selectors)
        store.previous.clear()
        if lines:
            self._session.stats.set_value("documents/changed_in_one_line", len(lines[0].pages))
        for line in lines[:_LINES]:
            with store.border(line.pages[0], STEP):
                self._tell_line(line, selectors)

    def _tell_line(self, line: ChangedLine, selectors: Selectors) -> None:
        page = self._store.flat_pages.read(line.pages[0], selectors)
        block = line.block_of(page)
        if block is None:
            return
        where = "one line alone," if line.alone else "a few lines alone, one of them"
        selector = selector_of(page, block)
        drop = (
            "no selector matches it alone"
            if selector is None
            else f"if it says nothing, the site file leaves it out by drop = [{selector!r}]"
        )
        sentence = (
            f"{len(line.pages)} documents have changed since the last run in {where} such as "
            f"{page.blocks[block].text[:_SHOWN]!r}; {drop}"
        )
        self._session.state.changed_lines.append(sentence)
        logger.warning("%s", sentence)


def _acceptable(url: str) -> str:
    """The host of a URL as the argument ``accept`` has it."""
    host = urlsplit(url).hostname or ""
    if ":" in host:
        return f"[{host}]"
    return host if "." in host else f"{host}."
