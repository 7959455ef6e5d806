"""Requests answered from an archive instead of the network."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.http import Headers, Request, Response
from scrapy.responsetypes import responsetypes

from pagelets.archives.html import has_end
from pagelets.archives.records import ArchiveError, BodyTooLarge
from pagelets.archives.spelling import normal_form

if TYPE_CHECKING:
    from pagelets.archives.archive import Archive

logger = logging.getLogger(__name__)


class NotInArchive(IgnoreRequest):
    """The archive has no page for a request; raised by ArchiveDownloadHandler, for the request's errback."""


class ArchiveDownloadHandler(BaseDownloadHandler):
    """Answers http and https requests from `spider.archive`, a `pagelets.archives.archive.Archive`, without a
    network.

    Registered in DOWNLOAD_HANDLERS for both schemes by the spider that has the archive, which also closes
    it. The page is the one whose URL `request.meta["archive_url"]` names to the byte, if it is a
    spelling of the request's URL (a redirected request carries the meta of the first one), else
    `Archive.find` finds it. Responses have the flag `archived`, and the URL of the request. One of which the
    archive has a revisit alone is answered without a body, with the flag `cached`, where `request.meta` says
    that it is `stored`. One whose body is not whole has `partial` or `dataloss`, as over the network.

    An errback gets NotInArchive where there is no such page or the request is no GET, ArchiveError for a
    record that cannot be read, or where that may be what the archive lacks, and DownloadCancelledError for a
    body of more than DOWNLOAD_MAXSIZE bytes. One of more than DOWNLOAD_WARNSIZE is logged. `download_maxsize`
    and `download_warnsize` in the meta come first.
    """

    connects = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._max_size = crawler.settings.getint("DOWNLOAD_MAXSIZE")
        self._warn_size = crawler.settings.getint("DOWNLOAD_WARNSIZE")

    async def download_request(self, request: Request) -> Response:
        """Return the archived response to `request`; the class docstring names what it raises."""
        spider: Any = self.crawler.spider
        archive: Archive = spider.archive
        url = _archived_url(archive, request)
        named = request.meta.get("archive_url", request.url)
        if url is None and archive.may_have(named):
            raise ArchiveError(f"{named}: its record may be one of those that cannot be read")
        unchanged = url in archive.unchanged
        if url is None or request.method != "GET" or (unchanged and not request.meta.get("stored")):
            raise NotInArchive(f"{request.method} {request.url} is not in the archive")
        if unchanged:
            return Response(request.url, flags=["archived", "cached"])
        max_size = request.meta.get("download_maxsize", self._max_size)
        try:
            page = archive.read(url, max_size)
        except BodyTooLarge as error:
            message = f"{error}, more than DOWNLOAD_MAXSIZE ({max_size})"
            logger.warning(message)
            raise DownloadCancelledError(message) from error
        warn_size = request.meta.get("download_warnsize", self._warn_size)
        if warn_size and len(page.body) > warn_size:
            message = "%s: the archived body has %d bytes, more than DOWNLOAD_WARNSIZE (%d)"
            logger.warning(message, url, len(page.body), warn_size)
        flags = ["archived"]
        if page.cut and not has_end(page.body):
            # What was cut at a limit of the archive's crawler is so each time: it takes its page's place.
            flags.append("partial" if page.cut == "length" else "dataloss")
        headers = Headers((name.encode("latin-1"), value.encode("latin-1")) for name, value in page.headers)
        response_class = responsetypes.from_args(headers=headers, url=request.url, body=page.body)
        return response_class(
            url=request.url, status=page.status, headers=headers, body=page.body, flags=flags
        )


def _archived_url(archive: Archive, request: Request) -> str | None:
    named = request.meta.get("archive_url")
    if named is None or (named != request.url and normal_form(named) != normal_form(request.url)):
        return archive.find(request.url)
    return named if named in archive or named in archive.unchanged else None
