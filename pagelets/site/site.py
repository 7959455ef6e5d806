"""The pages of a site, in memory: their common parts are template."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from pagelets.detection import Algorithm, check_parameters
from pagelets.document import Document, Origin
from pagelets.duplicates import NearDuplicates
from pagelets.extraction import method_named, now, site_name, text_from
from pagelets.judging.by_url import UrlOverrides, without_extract
from pagelets.judging.config import JudgeConfig
from pagelets.judging.decisions import states_of
from pagelets.judging.engine import Judge
from pagelets.judging.learning import HeldPages
from pagelets.judging.parameters import Detection
from pagelets.judging.taught import Taught
from pagelets.methods import DEFAULT, teachable
from pagelets.overrides import AUTO, Selectors
from pagelets.partition import DEFAULT_K
from pagelets.partitions import LINKS, Partition
from pagelets.reading import read
from pagelets.reading.fields import extraction_of
from pagelets.reading.source import flags_of
from pagelets.record import RecordParameters, page_record, record_of
from pagelets.registry import OURS
from pagelets.site.arguments import arguments_of, check_config, check_tables, source_of_page, texts_of
from pagelets.site.lessons import Lessons
from pagelets.site.spill import Folder, Sources
from pagelets.site.tables import SiteTables
from pagelets.site.workers import WaitingPage, judged, judged_by_workers, subject_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pagelets.methods.base import Subject

_DETECTION: Final = Detection()
_NO_DUCKDB: Final = "pagelets.Site needs the package duckdb: pip install 'site-pagelets[site]'"


class _Added(NamedTuple):
    """The part of a page that is kept beside its record: the number of its source, and its origin."""

    source: int
    origin: Origin


class Site:
    """The pages of a site, and their documents: the same as ``scrapy crawl archive`` makes of these pages.

    Add all pages first: what the site repeats is counted over all that are there when documents are asked
    for. In memory a page takes its compressed HTML and a few kilobytes more; with ``folder`` the HTML lies in
    a file there until the site is closed.

    Args:
        name: what documents say their site is; the host of the first page unless it is given.
        folder: where HTML and what detection does not hold in memory are spilled to.
        method: how blocks are judged, by name.
        detection: how templates are found, ``local`` or ``global``.
        k: the links that make a pagelet.
        partition: how pages are cut into pagelets, by name.
        min_pages: a template is on so many pages, 2 or more; 3 unless it is given.
        min_share: and on this share of the pages of their hosts; 0.1 unless it is given.
        keep: a CSS selector of what is always kept, or several.
        drop: the same of what is always dropped.
        pinned: names of templates, 16 hexadecimal digits each, that are template wherever they stand.
        rejected: names of those that are template nowhere.
        overrides: what differs by URL, as dicts with the keys of a site file's overrides; of their values
            ``method``, ``fields``, ``extract`` and the next four count here.
        bylines: what becomes of lines that name authors: ``keep``, ``drop``, or ``auto`` as of all blocks.
        comments: the same of the comments of readers.
        reviews: the same of the reviews of customers.
        related: the same of boxes that name other pages.
        methods: your own, by name: import paths of their classes.
        fields: your own, by name: import paths of the functions that compute them.
        extract: fields that are taken from pages, as the table ``[extract]`` of a site file has them.
        taught: selector -> weight: above 0 what it matches is rather kept, below 0 rather removed.

    Raises:
        ValueError: an argument is wrong; the text says which, and what it may be.
        TypeError: an argument is of another type than it has to be.
        pagelets.MethodError: the method lacks what it needs, as a package.
        ImportError: the package ``duckdb`` is not installed.
        OSError: the folder cannot be written.

    Examples:
        >>> import pagelets
        >>> menu = "<ul><li><a href=/>Home</a><li><a href=/b>Blog</a><li><a href=/c>Contact</a></ul>"
        >>> with pagelets.Site(method="templates") as site:
        ...     for word in ("one", "two", "three"):
        ...         site.add(f"https://example.org/{word}", f"{menu}<p>The text of page {word}.")
        ...     [document["text"] for document in site.documents()]
        ['The text of page one.', 'The text of page three.', 'The text of page two.']

    """

    def __init__(
        self,
        name: str = "",
        *,
        folder: Folder | None = None,
        method: str = DEFAULT,
        detection: Algorithm = "local",
        k: int = DEFAULT_K,
        partition: str = LINKS,
        min_pages: int | None = None,
        min_share: float | None = None,
        keep: str | Collection[str] = (),
        drop: str | Collection[str] = (),
        pinned: str | Collection[str] = (),
        rejected: str | Collection[str] = (),
        overrides: Sequence[Mapping[str, Any]] = (),
        bylines: str = AUTO,
        comments: str = AUTO,
        reviews: str = AUTO,
        related: str = AUTO,
        methods: Mapping[str, str] = MappingProxyType({}),
        fields: Mapping[str, str] = MappingProxyType({}),
        extract: Mapping[str, Any] = MappingProxyType({}),
        taught: Mapping[str, float] | None = None,
    ) -> None:
        if find_spec("duckdb") is None:
            raise ModuleNotFoundError(_NO_DUCKDB, name="duckdb")
        kinds = {"bylines": bylines, "comments": comments, "reviews": reviews, "related": related}
        overrides = check_tables(kinds, extract, overrides, methods=methods, fields=fields)
        extraction = extraction_of(extract, overrides)
        registry = OURS.with_methods(methods).with_fields(fields).with_extraction(extraction)
        method_named(method, registry)
        method_settings = registry.factory(method).settings
        if min_pages is None:
            min_pages = int(method_settings.get("TEMPLATE_MIN_PAGES", _DETECTION.min_pages))
        if min_share is None:
            min_share = float(method_settings.get("TEMPLATE_MIN_SHARE", _DETECTION.min_share))
        check_parameters(detection, min_pages, min_share)
        near_duplicates = bool(method_settings.get("TEMPLATE_NEAR_DUPLICATES", _DETECTION.near_duplicates))
        self._config = config = JudgeConfig(
            site=name,
            method=method,
            overrides=without_extract(overrides),
            kinds=kinds,
            partition=Partition(partition, k),
            detection=Detection(detection, min_pages, min_share, near_duplicates=near_duplicates),
            selectors=Selectors.with_overrides(texts_of("keep", keep), texts_of("drop", drop), overrides),
            decisions=states_of(texts_of("pinned", pinned), texts_of("rejected", rejected)),
            registry=registry,
            extraction=extraction,
            taught=dict(Taught(taught or {}).weights),
        )
        check_config(config)
        self._tables = SiteTables(links=config.needs_links)
        self._scratch = "" if folder is None else str(folder)
        self._sources = Sources(folder)
        self._added: dict[int, _Added] = {}
        self._lessons = Lessons()
        self._lock = Lock()

    @classmethod
    def from_pages(
        cls, pages: Iterable[Mapping[str, Any] | Sequence[Any]], name: str = "", **arguments: Any
    ) -> Self:
        """Returns a site with pages.

        Args:
            pages: pairs of an address and HTML, or mappings, such as rows of a table, with ``url`` and
                ``html``, and perhaps ``status``, ``fetched_at`` and ``content_type``; None, and what else
                is in a mapping, does not count.
            name: as of `Site`.
            arguments: the others of `Site`.

        Raises:
            ValueError: a page has no address or no HTML, or as `Site` and `add` raise it.
            TypeError: as `Site` and `add` raise it; the text says which page.

        Examples:
            >>> import pagelets
            >>> pages = [{"url": "https://example.org/", "html": "<p>Flour, water, salt and time.", "id": 7}]
            >>> with pagelets.Site.from_pages(pages) as site:
            ...     [document["text"] for document in site.documents()]
            ['Flour, water, salt and time.']

        """
        site = cls(name, **arguments)
        try:
            for number, page in enumerate(pages):
                try:
                    site.add(**arguments_of(page))
                except TypeError as error:
                    raise TypeError(f"page {number}: {error}") from error
                except ValueError as error:
                    raise ValueError(f"page {number}: {error}") from error
        except BaseException:
            site.close()
            raise
        return site

    def add(
        self,
        url: str,
        html: str | bytes,
        *,
        status: int = 200,
        fetched_at: str | None = None,
        content_type: str = "",
    ) -> None:
        """Adds a page, in place of an earlier one of the same address.

        Args:
            url: its address, after redirects.
            html: the page; of bytes the encoding is found as browsers find it.
            status: the status of the response, for the document.
            fetched_at: when it was fetched, ISO 8601 in UTC; now, unless it is given.
            content_type: the Content-Type header that came with bytes, which may name their encoding.

        Raises:
            ValueError: the address is invalid, or the status has other than three digits.
            TypeError: an argument is of another type than it has to be.
            OSError: the folder cannot be written.

        """
        source, cut = source_of_page(url, html, status, content_type, fetched_at)
        record = page_record(
            source, url, RecordParameters(self._config.partition, selectors=self._config.selectors)
        )
        flags = tuple(sorted(flags_of(source, record.page, cut=cut)))
        # Threads that fetch pages may add them.
        with self._lock:
            # The source first: of a page that finds no room on the disk nothing is known.
            before = self._added.get(self._tables.number(url))
            kept = self._sources.put(source, None if before is None else before.source)
            origin = Origin(self._name(url), int(status), fetched_at or now(), flags)
            self._added[self._tables.put(record)] = _Added(kept, origin)

    def teach(self, url: str, *, keep: Collection[str] = (), drop: Collection[str] = ()) -> None:
        """Corrects a page: all pages are judged by what follows of it, in place of ``taught``.

        The other blocks of the page count as they are judged. The newest word on a text counts.

        Args:
            url: the address of a page that was added.
            keep: texts of blocks that are content, or parts of these.
            drop: the same of other blocks.

        Raises:
            TypeError: a text is of another type.
            ValueError: there is no such page, a text is empty or in both, or the method cannot be taught.
                `documents` raises it where no block of the page has a text, which is forgotten then.

        """
        method = UrlOverrides(self._config.overrides).of(url).get("method", self._config.method)
        if not teachable(self._config.registry.factory(method)()):
            raise ValueError(f"method={method!r} cannot be taught; leave it out, or the page")
        if url not in self._tables.urls:
            raise ValueError(f"{url!r}: there is no such page; add it first")
        self._lessons.add(url, keep, drop)

    def __len__(self) -> int:
        """Returns the number of pages."""
        return len(self._tables)

    def documents(self, fields: str | Collection[str] = (), *, processes: int = 1) -> Iterator[Document]:
        """Yields the document of each page, in order of their addresses, one page in memory at a time.

        Args:
            fields: those that documents have, if not all but ``passages``, the texts of pagelets, and
                ``pagelets``, with the reason of each block; they win over overrides.
            processes: how many judge pages. With more than 1, pages are written to a file in the folder,
                or in that of the system for such files. A script that asks for more needs no
                ``if __name__ == "__main__"``.

        Raises:
            ValueError: there is no such field, or no such number of processes.
            OSError: the file cannot be written, or no process can be started.

        """
        fields = texts_of("fields", fields)
        self._config.registry.check_fields(fields)
        if not isinstance(processes, int) or processes < 1:
            raise ValueError(f"processes={processes!r}: a whole number, 1 at least")
        return self._made(fields, processes)

    def judge(self) -> Judge:
        """Returns what judges pages by all that the pages which are there say of each other."""
        tables, config = self._tables, self._config
        found = tables.found(self._scratch, config.detection, config.decisions)
        judge = found.judge(config)
        pages = HeldPages(tables.urls, tables.host_of, tables.links_between, partial(self._subject, judge))
        found.learn(judge, tables.hosts(), pages)
        if self._lessons:
            judge = found.judge(replace(config, taught=self._learned(judge)))
            found.name(judge, tables.hosts())
        return judge

    def document(
        self,
        judge: Judge,
        url: str,
        html: str | bytes,
        *,
        fields: str | Collection[str] = (),
        status: int = 200,
        fetched_at: str | None = None,
        content_type: str = "",
    ) -> Document:
        """Returns the document of a page, which need not have been added.

        Near-duplicates are not looked for: ``duplicate_of`` is None.

        Args:
            judge: a judge that `judge` has returned, perhaps when fewer pages were there.
            url: as of `add`.
            html: as of `add`.
            fields: as of `documents`.
            status: as of `add`.
            fetched_at: as of `add`.
            content_type: as of `add`.

        Raises:
            ValueError: as `add` and `documents` raise it.
            TypeError: as `add` raises it.

        """
        source, cut = source_of_page(url, html, status, content_type, fetched_at)
        config, fields = self._config, texts_of("fields", fields)
        config.registry.check_fields(fields)
        page = read(source, url, config.selectors, extraction=config.extraction)
        known = self._tables.compared(record_of(page, config.partition(page)))
        flags = tuple(sorted(flags_of(source, page, cut=cut)))
        origin = Origin(self._name(url), int(status), fetched_at or now(), flags)
        judged = judge.judge(judge.subject(page, known, partial(text_from, source)), known.host, origin)
        return judged.document(fields or judge.fields_of(url) or config.registry.field_names)

    def _made(self, fields: Collection[str], processes: int) -> Iterator[Document]:
        tables, config = self._tables, self._config
        if not len(tables):
            return
        judge = self.judge()
        order = sorted(range(len(tables)), key=tables.urls.__getitem__)
        waiting = map(self._waiting, order)
        answers = (
            map(partial(judged, judge, fields), waiting)
            if processes == 1
            else judged_by_workers(judge, fields, waiting, processes, self._scratch or None)
        )
        near = NearDuplicates(config.duplicates.min_similarity)
        for document, values in answers:
            first = near.first(values)
            if "duplicate_of" in document and first is not None:
                document["duplicate_of"] = tables.urls[order[first]]
            yield document

    def _learned(self, judge: Judge) -> dict[str, float]:
        plain = Judge(replace(self._config, taught={}), judge.facts)
        numbers = {url: number for number, url in enumerate(self._tables.urls)}
        return self._lessons.learned(
            plain, numbers, lambda url: self._waiting(numbers[url]), partial(subject_of, plain)
        )

    def _waiting(self, number: int) -> WaitingPage:
        tables, (source, origin) = self._tables, self._added[number]
        with self._lock:
            packed = self._sources.packed(source)
        return WaitingPage(tables.urls[number], packed, tables.recorded(number), origin)

    def _name(self, url: str) -> str:
        """Returns the name of the site, whose first page may be that of a URL."""
        return self._config.site or site_name(self._tables.urls[0] if len(self._tables) else url)

    def _subject(self, judge: Judge, number: int) -> Subject:
        return subject_of(judge, self._waiting(number))

    def close(self) -> None:
        """Lets the pages go."""
        self._sources.close()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = {**state, "_lock": Lock()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
