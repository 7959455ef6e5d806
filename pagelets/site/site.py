"""The pages of a site, held together by whoever has fetched them: what they share tells what is template."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, Self
from urllib.parse import urlsplit

from pagelets.detection import check_parameters
from pagelets.document import ON_REQUEST, STATUSES, Document, Origin, field_names, make
from pagelets.duplicates import NearDuplicates, signature
from pagelets.extraction import (
    check_types,
    check_url,
    judged_by,
    method_named,
    now,
    source_from,
    text_from,
)
from pagelets.methods import DEFAULT, factory, learns, version_of
from pagelets.methods.base import Subject
from pagelets.overrides import Selectors
from pagelets.partition import DEFAULT_K
from pagelets.partitions import LINKS, Partition
from pagelets.reading import read
from pagelets.reading.source import flags_of
from pagelets.record import Parameters, page_record
from pagelets.render import Rendering
from pagelets.site.spill import Sources
from pagelets.site.tables import Detection, SiteTables
from pagelets.site.view import HostView

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pagelets.detection import Algorithm
    from pagelets.methods.base import Method
    from pagelets.site.known import SiteEvidence
    from pagelets.site.spill import Folder

DUPLICATE_MIN_SIMILARITY: Final = 0.9
"""The similarity from which on the text of a page is nearly the same as another's."""


class _Kept(NamedTuple):
    """What is kept of a page beside its record: the number of its source, and where it comes from."""

    source: int
    status: int
    fetched_at: str
    flags: tuple[str, ...]


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
        partition: how pages are cut into pagelets, by name (docs/methods.md).
        min_pages: a template is on so many pages, 2 or more; 3 unless it is given.
        min_share: and on this share of the pages of their hosts; 0.1 unless it is given.
        keep: CSS selectors of what is always kept.
        drop: CSS selectors of what is always dropped.

    Raises:
        ValueError: an argument is wrong; the text says which, and what it may be.
        pagelets.MethodError: the method lacks what it needs, as a package.
        OSError: the folder cannot be written.

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
        keep: Collection[str] = (),
        drop: Collection[str] = (),
    ) -> None:
        self._name = name
        self._method = method_named(method)
        cut = Partition(partition, k)
        self._judged_by = f"{version_of(method)} {cut.parameters} {sorted(keep)} {sorted(drop)}"
        own = factory(method).settings
        if min_pages is None:
            min_pages = int(own.get("TEMPLATE_MIN_PAGES", Detection.min_pages))
        if min_share is None:
            min_share = float(own.get("TEMPLATE_MIN_SHARE", Detection.min_share))
        check_parameters(detection, min_pages, min_share)
        self._parameters = Parameters(cut, selectors=Selectors(tuple(keep), tuple(drop)))
        keeps_links = detection == "global" or learns(self._method)
        self._tables = SiteTables(Detection(detection, min_pages, min_share), links=keeps_links)
        self._scratch = "" if folder is None else str(folder)
        self._sources = Sources(folder)
        self._kept: dict[int, _Kept] = {}

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
            ValueError: the address is none, or the status has other than three digits.
            TypeError: an argument is of another type than it has to be.
            OSError: the folder cannot be written.

        """
        check_types(html, url, content_type)
        check_url(url)
        if status not in STATUSES:
            raise ValueError(f"status={status!r}: a status has three digits; leave it out if it is unknown")
        source, cut = source_from(html, content_type)
        record = page_record(source, url, self._parameters)
        number = self._tables.put(record)
        flags = tuple(sorted(flags_of(source, record.page, cut=cut)))
        self._kept[number] = _Kept(self._sources.append(source), status, fetched_at or now(), flags)

    def __len__(self) -> int:
        """How many pages there are."""
        return len(self._tables)

    def documents(self, fields: Collection[str] = ()) -> Iterator[Document]:
        """Yields the document of each page, in order of their addresses, one page in memory at a time.

        Takes the fields that documents have, where that are not all but ``passages``, the texts of pagelets,
        and ``pagelets``, which tells why each block is kept or removed. Raises ValueError where there is no
        such field.
        """
        fields = fields or field_names()
        unknown = set(fields).difference(field_names(), ON_REQUEST)
        if unknown:
            raise ValueError(f"no such field: {', '.join(sorted(unknown))}; see docs/output.md")
        return self._made(fields)

    def _made(self, fields: Collection[str]) -> Iterator[Document]:
        tables = self._tables
        if not len(tables):
            return
        evidence = tables.evidence(self._scratch, self._judged_by)
        methods = self._methods(evidence)
        near = NearDuplicates(DUPLICATE_MIN_SIMILARITY)
        order = sorted(range(len(tables)), key=tables.urls.__getitem__)
        for page in order:
            subject = self._subject(evidence, page)
            kept = judged_by(methods[tables.host_of[page]], subject)
            rendering = Rendering(subject.page, kept.mask)
            first = near.first(signature(rendering.text()))
            origin = Origin(self._name or urlsplit(tables.urls[0]).netloc.lower(), *self._kept[page][1:])
            duplicate_of = None if first is None else tables.urls[order[first]]
            assert subject.evidence is not None
            yield make(
                subject.page,
                subject.pagelets,
                subject.evidence,
                kept,
                origin,
                fields,
                rendering,
                duplicate_of,
            )

    def _methods(self, evidence: SiteEvidence) -> dict[int, Method]:
        """What judges the pages of each host: what it learns of the host first, where it does."""
        method, hosts = self._method, self._tables.hosts()
        if not learns(method):
            return dict.fromkeys(hosts, method)
        read_page = partial(self._subject, evidence)
        return {host: method.learned(method.learn(HostView(self._tables, host, read_page))) for host in hosts}

    def _subject(self, evidence: SiteEvidence, number: int) -> Subject:
        source = self._sources[self._kept[number].source]
        page = read(source, self._tables.urls[number], self._parameters.selectors)
        known = evidence.of(number, *self._tables.recorded(number))
        return Subject(page, self._parameters.partition(page), known, partial(text_from, source))

    def close(self) -> None:
        """Lets the pages go."""
        self._sources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
