"""Drops template pagelets and boilerplate blocks: a held page becomes a Document."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Self, cast

from crawler.configuration.plan import methods_of
from crawler.configuration.selectors import selectors_of
from crawler.items import Deletion, HeldPage, Settled
from release.judging import Judging, PageJudge
from release.workers import Workers, processes_for
from store.documents import ObsoletePage
from store.errors import StoreUnusable
from store.learning import has_to_learn, learn

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Sequence

    from scrapy.crawler import Crawler

    from crawler.run.job import Job
    from crawler.spiders.base import PageSpider
    from pagelets.document import Document
    from release.judging import Judgement
    from store.detection import Detector
    from store.documents import Released
    from store.site import Store


class Unchanged(Settled):
    """A page of an earlier run has the same text under the new templates: it need not go out again."""

    stat = "unchanged"

    def __init__(self) -> None:
        super().__init__("Unchanged")


class LeftOut(Settled):
    """Another page stands for this one, whose text is nearly the same, and the settings leave it out."""

    stat = "left_out"

    def __init__(self) -> None:
        super().__init__("Left out")


class NotReleased(Settled):
    """The store takes no more: the crawl ends, and the next run releases the page."""

    def __init__(self) -> None:
        super().__init__("Not released")


class StrippingPipeline:
    """Judges a `HeldPage` with the whole page and the site's evidence, and makes its Document.

    An `ObsoletePage` becomes a `Deletion`; other items pass. A page is dropped as `Unchanged` where its text,
    and the page that stands for it, are what was delivered before.

    Settings: ``METHOD``, ``KEEP_SELECTORS``, ``DROP_SELECTORS``, ``NOSNIPPET_ENABLED``, ``DOCUMENT_FIELDS``,
    ``EXPLAIN_ENABLED``, ``DUPLICATES_ENABLED``, ``DUPLICATE_MIN_SIMILARITY``, ``DUPLICATES_LEFT_OUT``,
    ``RELEASE_PROCESSES``. Stats: ``release/processes``, ``documents/released``, ``documents/upgraded``,
    ``documents/unchanged``, ``documents/untouched``, ``documents/left_out``, ``documents/deleted``,
    ``documents/kept_whole``, ``templates/removed_chars_ratio``, ``pagelets/template``.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        # A wrong selector ends the crawl at its start.
        self._selectors = selectors_of(settings)
        enabled = settings.getbool("DUPLICATES_ENABLED")
        self._similarity = settings.getfloat("DUPLICATE_MIN_SIMILARITY") if enabled else None
        self._leaves_out = settings.getbool("DUPLICATES_LEFT_OUT")
        self._judge: PageJudge | None = None
        self._workers: Workers | None = None
        self._outdated: frozenset[int] = frozenset()
        self._chars = self._chars_kept = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Reads the settings."""
        return cls(crawler)

    @property
    def _spider(self) -> PageSpider:
        return cast("PageSpider", self._crawler.spider)

    @property
    def _job(self) -> Job:
        return self._spider.job

    @property
    def _store(self) -> Store:
        return self._spider.job.store

    def use(self, detector: Detector, *, same: bool) -> None:
        """Takes the evidence of the detection that has just been stored; ``same`` tells that pages are judged
        by it as they were before.
        """
        job = self._job
        runs = job.store.runs.all()
        # A document that changes though its page has not does so for another program, not for other settings.
        asked = job.begun.parameters["method"]
        self._outdated = frozenset(
            run.run
            for run in runs
            if run.program != job.begun.program and run.parameters.get("method") == asked
        )
        self._judging = self._judged_by(detector, job.round_after if same else -1)
        self._judge = PageJudge(job.store, self._judging)

    def learn(self, detector: Detector, tell: Callable[[int, int], None]) -> None:
        """Lets the methods in force learn of the site that have to, and names what is known of it then.

        Takes the detection that has just been stored, and what is told how far the learning is; raises what
        this raises. May run in another thread.
        """
        store, names = self._store, methods_of(self._crawler.settings)
        if has_to_learn(store, names):
            learn(store, PageJudge(store, self._judged_by(detector, -1)).subject, names, tell)
            with store.transaction():
                detector.name(store)

    def _judged_by(self, detector: Detector, remembers_until: int) -> Judging:
        settings, spider = self._crawler.settings, self._spider
        return Judging(
            detector=detector,
            method=settings["METHOD"],
            k=settings.getint("PAGELET_K"),
            site=self._job.plan.site,
            selectors=self._selectors,
            nosnippet=settings.getbool("NOSNIPPET_ENABLED"),
            overrides=settings.getlist("OVERRIDES"),
            fields=spider.fields,
            more_fields=frozenset(spider.sink_fields),
            compares=self._similarity is not None,
            remembers_until=remembers_until,
        )

    def prepare(self, pages: int) -> None:
        """Starts the processes that judge pages, where so many are enough for them. They take a second to
        load what they need: meanwhile there is other work.
        """
        settings, spider = self._crawler.settings, self._spider
        count = processes_for(pages, settings.getint("RELEASE_PROCESSES"))
        if count > 1 and self._workers is None:
            own = [name for override in settings.getlist("OVERRIDES") for name in override.get("fields", ())]
            fields = {*spider.fields, *spider.sink_fields, *own}
            self._workers = Workers(
                self._store.folder, count, methods_of(settings), tells_language="language" in fields
            )

    async def held(self, pages: Sequence[int]) -> AsyncGenerator[HeldPage]:
        """The pages to release, in their order: judged in other processes where they are many."""
        self.prepare(len(pages))
        workers, self._workers = self._workers, None
        self._crawler.stats.max_value("release/processes", 1 if workers is None else workers.count)
        if workers is None:
            for page in pages:
                yield HeldPage(page)
            return
        async with aclosing(workers.judged(self._judging, pages)) as judged:
            async for page, ready in judged:
                yield HeldPage(page, ready)

    def close_spider(self) -> None:
        """Ends the processes where nothing was released."""
        if self._workers is not None:
            self._workers.close()

    def reached(self, pages: Iterable[int]) -> list[int]:
        """The pages of which something has changed that they were judged by, or that have to go out anyhow.
        Of the others it is noted that they have the documents that they would have. May run in another
        thread.
        """
        assert self._judge is not None, "pages are judged after the detection"
        store = self._store
        reached: list[int] = []
        untouched: list[int] = []
        for page in pages:
            basis = store.documents.basis(page)
            known = basis is not None and not self._judge.reaches(page, basis)
            (untouched if known else reached).append(page)
        with store.transaction():
            store.documents.pass_over(untouched, store.meta("template_version") or "")
        self._crawler.stats.set_value("documents/untouched", len(untouched))
        return reached

    def marks_changed(self) -> list[int]:
        """The pages that another page stands for than their documents say; may run in another thread."""
        if self._similarity is None:
            return []
        # Documents are on their way to the indexes meanwhile, and the store hears of them.
        with self._store.reader() as reader:
            return reader.duplicates.marks_changed(self._similarity, leave_out=self._leaves_out)

    def process_item(self, item: Any) -> Any:
        """Makes a held page's Document, or an obsolete page's Deletion; lets everything else pass."""
        if isinstance(item, ObsoletePage):
            return self._delete(item)
        if not isinstance(item, HeldPage):
            return item
        judged, make = self._judged(item)
        try:
            with self._store.transaction():
                unchanged = self._record(item.page_id, judged)
        except StoreUnusable as error:
            self._spider.stop(error)
            raise NotReleased from error
        if unchanged is not None:
            self._crawler.stats.inc_value(f"documents/{unchanged.stat}")
            raise unchanged
        self._count(judged.counts)
        document = make()
        if "duplicate_of" in document:
            document["duplicate_of"] = self._store.duplicates.marked(item.page_id)
        return document

    def _judged(self, item: HeldPage) -> tuple[Judgement, Callable[[], Document]]:
        """What is to be noted of a page, and what makes its Document; judges it where none has."""
        assert self._judge is not None, "pages are released after the detection"
        if item.ready is None:
            return self._judge.judge(item.page_id)
        judge, page, (judged, document) = self._judge, item.page_id, item.ready
        return judged, lambda: judge.judge(page)[1]() if document is None else document

    def _record(self, page: int, judged: Judgement) -> Unchanged | LeftOut | None:
        """Notes what becomes of a judged page, inside a transaction; None where its document goes out."""
        store, run = self._store, self._job.run
        before = store.documents.get(page)
        version, text_hash = judged.version, judged.content_hash
        same_mark = self._mark(page, judged)
        if self._leaves_out and store.duplicates.marked(page) is not None:
            store.frontier.exclude(page, "duplicate")
            if before is None:
                store.documents.leave_out(page, run, text_hash, version)
            return LeftOut()
        if self._leaves_out:
            store.frontier.exclude(page, None)
        self._set_interval(page, judged.url, before, text_hash)
        made = (page, run, text_hash, version, judged.mask, judged.counts, judged.memory)
        if judged.same_text and same_mark:
            store.documents.confirm(*made)
            return Unchanged()
        if before is not None and before.run in self._outdated and not self._has_changed(page, before.run):
            self._crawler.stats.inc_value("documents/upgraded")
        store.documents.put(*made)
        return None

    def _has_changed(self, page: int, run: int) -> bool:
        """Whether the site has another text of a page than it had at a run."""
        fetch = self._store.pages.fetch(page)
        return fetch is not None and (fetch.changed_run or 0) > run

    def _mark(self, page: int, judged: Judgement) -> bool:
        """Notes which page stands for this one; returns whether that is as it was."""
        duplicates = self._store.duplicates
        before = duplicates.marked(page)
        if judged.signature is None or self._similarity is None:
            duplicates.remove(page)
        else:
            duplicates.put(page, judged.signature)
            other = duplicates.stands_for(page, judged.url, judged.signature, self._similarity)
            duplicates.mark(page, other)
        return duplicates.marked(page) == before

    def _set_interval(self, page: int, url: str, before: Released | None, text_hash: str) -> None:
        """Lets a page that this run has fetched wait shorter where its text has changed, longer where not."""
        fetch = self._store.pages.fetch(page)
        if fetch is not None and fetch.run == self._job.run:
            changed = before is not None and before.content_hash != text_hash
            interval = None if before is None else fetch.interval
            self._store.frontier.wait(page, self._spider.revisit.next(url, interval, changed))

    def _delete(self, page: ObsoletePage) -> Deletion:
        try:
            with self._store.transaction():
                self._store.documents.delete(page.page_id, self._job.run, page.reason)
                if page.reason != "duplicate":
                    # What another page stands for takes its place again when that page is gone.
                    self._store.duplicates.remove(page.page_id)
        except StoreUnusable as error:
            self._spider.stop(error)
            raise NotReleased from error
        self._crawler.stats.inc_value("documents/deleted")
        return Deletion(page.url, page.reason)

    def _count(self, counts: dict[str, int]) -> None:
        stats = self._crawler.stats
        stats.inc_value("documents/released")
        stats.inc_value("documents/kept_whole", counts["kept_whole"])
        stats.inc_value("pagelets/template", counts["pagelets_template"])
        self._chars += counts["chars"]
        self._chars_kept += counts["chars_kept"]
        if self._chars:
            stats.set_value("templates/removed_chars_ratio", round(1 - self._chars_kept / self._chars, 4))
