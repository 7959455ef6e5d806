"""The order of requests by what was found so far: what fits a topic first, links of templates later."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import inf
from typing import Final, NamedTuple

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings

from crawler.configuration.judge_config import detection_of, partition_of
from crawler.frontier.topical import TopicalPages
from crawler.run.session import CrawlSession
from crawler.run.state import Phase
from crawler.run.work import Stopped
from pagelets.page import Page
from pagelets.partition import Pagelet
from pagelets.ranking.relevance import Topic
from release.detection import Detector
from store.errors import StoreError
from store.frontier.order import Order
from store.frontier.template_links import TemplateLinks, known_templates, template_links
from store.records import FetchedPage, FragmentLink, Target
from store.site import Store

AS_OTHERS, LATER, LAST, DROP = "as-others", "later", "last", "drop"
"""What becomes of URLs that links of templates alone lead to."""
DISCOUNT: Final = 1
"""With `LATER` they are requested as if so many links more led to them."""

_EVERY: Final = 3
"""Pages before templates are first looked for, and at least between two looks."""
_TEMPLATES_GROW: Final = 2.0
"""Templates are looked for again when so many times the pages are there."""
_PRIORITIES_GROW: Final = 1.2
"""The same of what fits a topic."""
_BEST: Final = 2.5
"""What a link weighs at most, by its pagelet, its page and its anchor."""

logger = logging.getLogger(__name__)


class _Seen(NamedTuple):
    """Findings of a look at the store: the sketches of templates, the pages that they alone lead to, and
    the pages that relevant pagelets lead to.
    """

    sketches: set[int]
    links: TemplateLinks | None
    first: Mapping[int, float]


class Focus:
    """Orders the URLs of the frontier while the crawl runs (Bar-Yossef & Rajagopalan, WWW 2002, Section 4,
    case 2).

    With ``TEMPLATE_LINKS`` ``later``, URLs that so far templates alone lead to come as late as those
    `DISCOUNT` links further away, with ``last`` after all others of their host; with ``drop`` they are
    refused, unless they have been asked for before. Pages that have words of a topic raise what their
    pagelets link to. For that the crawl is halted for a moment, first after
    a few pages and then as their number has grown: templates are detected as the release
    will detect them, which is not changed by it, and the distiller runs. All is computed from the store: what
    a killed run knew the next one finds again.

    Stats: ``template_links/…``, ``topic/relevant_pages``.
    """

    def __init__(self, session: CrawlSession, settings: BaseSettings, topic: TopicalPages | None) -> None:
        self._session = session
        self._mode: str = settings["TEMPLATE_LINKS"]
        self._detector = Detector(detection_of(settings), memory=settings.getint("DETECTION_MEMORY"))
        self._partition = partition_of(settings)
        self._topic = topic
        self._sketches: set[int] = set()
        store = session.store
        self._unread = store.pages.alive()
        self._stored = len(self._unread)
        self._looked = 0
        self._next = self._next_templates = 0 if self._stored else _EVERY
        if self._mode in (LATER, LAST) or topic is not None:
            store.frontier.order = Order(store.connection, DISCOUNT if self._mode == LATER else inf)

    @property
    def drops(self) -> bool:
        """True if URLs that templates alone lead to are not requested."""
        return self._mode == DROP

    def aside(self, fetched: FetchedPage) -> None:
        """Has links of new fragments that are of a known template make no URL due, where such are dropped."""
        if not self.drops:
            return
        for fragment in fetched.new:
            if fragment.sketch.key in self._sketches:
                fragment.links[:] = map(_left_out, fragment.links)

    def see(self, fetched: FetchedPage, page: Page, pagelets: Iterable[Pagelet]) -> None:
        """Takes a ``fetched`` page that was stored: the words of ``page`` and its ``pagelets``, and the
        targets of its content, which rise.
        """
        frontier = self._session.store.frontier
        if self._mode in (LATER, LAST) and self._sketches and frontier.order is not None:
            content = (fragment for fragment in fetched.new if fragment.sketch.key not in self._sketches)
            urls = {link.target.url for fragment in content for link in fragment.links if not link.nofollow}
            if frontier.order.rise(known for url in urls if (known := frontier.find(url)) is not None):
                frontier.reorder()
        fits = None if self._topic is None else self._topic.see(fetched.page, _texts(page, pagelets))
        if fits is not None:
            self._raise(fetched, dict(zip(fetched.fragments, fits.tolist(), strict=True)))

    def _raise(self, fetched: FetchedPage, fits: Mapping[int, float]) -> None:
        """Raises what the new fragments of a page lead to, until the distiller has seen it."""
        frontier = self._session.store.frontier
        assert self._topic is not None
        assert frontier.order is not None
        scores: dict[int, float] = {}
        for fragment in fetched.new:
            if fragment.sketch.key in self._sketches:
                continue
            for link in fragment.links:
                known = None if link.nofollow else frontier.find(link.target.url)
                if known is not None:
                    score = (fits[fragment.fingerprint] + self._topic.fit(link.anchor)) / _BEST
                    scores[known] = max(score, scores.get(known, 0.0))
        frontier.order.raise_to(scores)
        frontier.reorder()

    def look_if_due(self) -> None:
        """Has the store looked at where enough pages have come since the last time."""
        state, pages = self._session.state, self._stored + self._session.state.held
        if state.phase != Phase.FETCH:
            return
        if pages < self._next and not (pages > self._looked and self._idle()):
            return
        self._session.work.begin(self._look)

    def _idle(self) -> bool:
        """Returns True if the crawl would end here: pages left out by mistake are taken in before."""
        frontier = self._session.store.frontier
        return self.drops and not self._session.state.in_flight and not frontier.hosts_due()

    async def _look(self, response: Response) -> None:
        pages = self._stored + self._session.state.held
        templates = self._mode != AS_OTHERS or self._topic is not None
        again = templates and (pages >= self._next_templates or self.drops)
        self._looked = pages
        self._next = self._after(pages, _PRIORITIES_GROW if self._topic is not None else _TEMPLATES_GROW)
        try:
            seen = await self._session.work.do("ordering requests", lambda: self._seen(pages, detects=again))
        except Stopped:
            return
        except (StoreError, MemoryError, OSError) as error:
            logger.warning("%s; requests go on in the order that they have", error)
            return
        if again:
            self._next_templates = self._after(pages, _TEMPLATES_GROW)
        self._sketches = seen.sketches
        self._apply(seen)

    def _after(self, pages: int, grown: float) -> int:
        return max(pages + _EVERY, int(pages * grown))

    def _apply(self, seen: _Seen) -> None:
        frontier, stats = self._session.store.frontier, self._session.stats
        stats.inc_value("template_links/looks")
        only = [] if seen.links is None else seen.links.only
        if self.drops and seen.links is not None:
            with self._session.writing():
                self._session.store.outcomes.leave_out(seen.links.unasked)
                frontier.forget()
                frontier.readmit(seen.links.no_more)
            only = []
        elif seen.links is not None:
            stats.set_value("template_links/last", len(only))
        if frontier.order is not None:
            frontier.order.replace(seen.first, only)
            frontier.reorder()

    def _seen(self, pages: int, *, detects: bool) -> _Seen:
        """Looks at the store, by connections of its own: runs beside the reactor's thread."""
        store, sketches = self._session.store, self._sketches
        if detects and pages:
            preview = self._detector.preview(store)
            with store.reader() as reader:
                sketches = known_templates(reader.connection, preview.sketch.tolist())
        with store.reader() as reader:
            links = None if self._mode == AS_OTHERS else template_links(reader.connection, sketches)
            if self._topic is None:
                return _Seen(sketches, links, {})
            self._read(reader)
            return _Seen(sketches, links, self._topic.priorities(reader.connection, pages, sketches))

    def _read(self, store: Store) -> None:
        """Takes the words of the pages that earlier runs have fetched."""
        assert self._topic is not None
        for done, number in enumerate(self._unread):
            page = store.flat_pages.read(number, store.derivation.selectors)
            self._topic.see(number, _texts(page, self._partition(page)))
            self._session.work.tell(done, len(self._unread))
        self._unread = []

    def close(self) -> None:
        """Tells how many URLs were left out and how many pages fit the topic, and where none does."""
        if self.drops:
            self._session.stats.set_value("template_links/dropped", self._session.store.outcomes.left_out())
        if self._topic is None:
            return
        relevant = self._topic.relevant
        self._session.stats.set_value("topic/relevant_pages", relevant)
        if not relevant:
            logger.warning(
                "No page that was fetched has a word of the topic outside of templates: pages were requested "
                "in the order that they have without one"
            )


def focus_of(crawler: Crawler, session: CrawlSession, topic: Topic | None) -> Focus | None:
    """The order of a crawl that asks for another than the nearest first; None where it does not.

    Args:
        crawler: has the settings, and tells when the crawl ends.
        session: is watched for the pages that it records.
        topic: what pages that come first are about, if anything.
    """
    if topic is None and crawler.settings["TEMPLATE_LINKS"] == AS_OTHERS:
        return None
    focus = Focus(session, crawler.settings, None if topic is None else TopicalPages(topic))
    session.watchers.append(focus)
    crawler.signals.connect(focus.close, signal=signals.spider_closed)
    return focus


def _left_out(link: FragmentLink) -> FragmentLink:
    target = link.target
    return replace(link, target=Target(target.url, target.refusal or "template"))


def _texts(page: Page, pagelets: Iterable[Pagelet]) -> list[str]:
    return [
        "\n".join(block.text for block in page.blocks[pagelet.start : pagelet.stop]) for pagelet in pagelets
    ]
