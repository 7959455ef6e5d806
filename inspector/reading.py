"""The views that only read: sites, a site, its lists, a page."""

from __future__ import annotations

import contextlib
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from inspection.explain import state_of
from inspection.overview import Summaries, field_coverage
from inspection.page_view import frame_of, page_view, pages_with_block, warm
from inspection.pages import FoundPage
from inspection.runs import last_change, list_runs
from inspection.structure import PageClass, classes_of_pages
from inspection.taught_change import source_name
from inspection.templates import largest_templates
from inspector import arguments
from inspector.answers import Answers, wants_json
from inspector.stores import OpenStores
from settings.errors import ConfigurationError
from store.listing import PageList
from store.site import Store

if TYPE_CHECKING:
    _Classes = tuple[list[PageClass], dict[int, int]]

AT_ONCE: Final = 100
"""Rows of a list on one page."""
CARDS: Final = 30
"""The same of templates, of which each is read from another page."""
RUNS: Final = 200
HITS: Final = 20


class Reading:
    """The views; each takes a request. They raise ConfigurationError, StoreError, OSError, sqlite3.Error."""

    def __init__(self, opened: OpenStores, answers: Answers) -> None:
        self._opened = opened
        self._answers = answers
        self._summaries = Summaries(opened.stores.open_store, opened.stores.due)
        self._classes: dict[str, tuple[str, _Classes]] = {}

    def warm(self) -> None:
        """Reads and loads what would hold the first views up."""
        # The view that asks for it names the error.
        with contextlib.suppress(ConfigurationError, OSError):
            self._summaries.all(self._opened.stores.sites())
        warm()

    def sites(self, request: Request) -> Response:
        """Answers with the sites that have a store."""
        rows = self._summaries.all(self._opened.stores.sites())
        return self._answers.view(request, "sites", "Sites", {"sites": rows})

    def site(self, request: Request) -> Response:
        """Answers with what a site has: states, flags, the shares kept, its last runs."""
        site = arguments.text(request, "site")
        with self._opened.reading(site) as store:
            pages = PageList(store.connection)
            kept = pages.kept()
            data = {
                **asdict(kept),
                "site": site,
                "documents": store.documents.count(),
                "states": store.frontier.counts(),
                "flags": pages.flags(),
                "fields": field_coverage(store, self._opened.stores.extraction(site)),
                "runs": list_runs(store, 10),
            }
        return self._answers.view(request, "site", site, data)

    def pages(self, request: Request) -> Response:
        """Answers with a list of pages."""
        site, query = arguments.text(request, "site"), arguments.page_query(request)
        start, number = arguments.number(request, "start"), arguments.number(request, "class")
        with self._opened.reading(site) as store:
            pages, shown = PageList(store.connection), asdict(query)
            classes, of_page = self._classes_of(store) if number else ([], {})
            if number:
                query = replace(query, among=[page for page, own in of_page.items() if own == number])
            data = {
                "site": site,
                "query": {name: value for name, value in shown.items() if name != "among"},
                "class": next((one for one in classes if one.number == number), None),
                "start": start,
                "at_once": AT_ONCE,
                "total": pages.count(query),
                "pages": pages.rows(query, start, AT_ONCE),
                "states": store.frontier.counts(),
                "flags": pages.flags(),
            }
        return self._answers.view(request, "pages", f"Pages of {site}", data)

    def templates(self, request: Request) -> Response:
        """Answers with the templates of a site, those that remove most text first."""
        site = arguments.text(request, "site")
        start = arguments.number(request, "start")
        with self._opened.reading(site) as store:
            partition = self._opened.stores.partition_of(store)
            total, rows = largest_templates(store, partition, start, CARDS)
        data = {"site": site, "start": start, "at_once": CARDS, "total": total, "templates": rows}
        return self._answers.view(request, "templates", f"Templates of {site}", data)

    def classes(self, request: Request) -> Response:
        """Answers with the classes of a site's pages."""
        site = arguments.text(request, "site")
        with self._opened.reading(site) as store:
            classes, _ = self._classes_of(store)
        return self._answers.view(
            request, "classes", f"Classes of {site}", {"site": site, "classes": classes}
        )

    def _classes_of(self, store: Store) -> _Classes:
        """The classes of a site's pages, and of each page the number of its class."""
        state = store.documents.evidence_pages()
        known = self._classes.get(store.name)
        found = known[1] if known is not None and known[0] == state else classes_of_pages(store)
        # Of a large site they take a second.
        self._classes[store.name] = state, found
        return found

    def runs(self, request: Request) -> Response:
        """Answers with the crawls of a site."""
        site = arguments.text(request, "site")
        with self._opened.reading(site) as store:
            runs = list_runs(store, RUNS)
        return self._answers.view(request, "runs", f"Runs of {site}", {"site": site, "runs": runs})

    def _page(self, request: Request) -> tuple[str, FoundPage]:
        """The site and the page that the address names."""
        site = arguments.text(request, "site")
        return site, self._opened.find(arguments.text(request, "url"), site)

    def page(self, request: Request) -> Response:
        """Answers with a page: its blocks and why they are kept or removed, and its document."""
        site, asked = self._page(request)
        url, data = asked.known.url, {"site": site, "url": asked.known.url}
        if not asked.current:
            return self._answers.view(request, "no_page", url, {**data, "state": asdict(state_of(asked))})
        if not wants_json(request):
            if arguments.text(request, "url") != url:
                where = f"{self._answers.root}/page?site={quote(site)}&url={quote(url, safe='')}"
                return RedirectResponse(where)
            return self._answers.view(request, "page", url, data)
        with self._opened.judging(site) as (store, judge):
            view = page_view(store, judge, asked)
        file = source_name(self._opened.stores.files(site))
        return self._answers.view(request, "page", url, {**data, "file": file, "view": view})

    def changed(self, request: Request) -> Response:
        """Answers with a page's document before and after its last change."""
        site, found = self._page(request)
        with self._opened.reading(site) as store:
            change = last_change(store, found.known.page)
        data = {"site": site, "url": found.known.url, "change": change}
        return self._answers.view(request, "changed", "The last change of a page", data)

    def alike(self, request: Request) -> Response:
        """Answers with other pages that have a block of a page."""
        site, asked = self._page(request)
        place = arguments.number(request, "block")
        with self._opened.judging(site) as (store, judge):
            text, urls = pages_with_block(store, judge, asked, place)
        data = {"site": site, "url": asked.known.url, "text": text, "urls": urls}
        return self._answers.view(request, "alike", "Pages with this text", data)

    def search(self, request: Request) -> Response:
        """Answers with what the index of a site finds, or of all sites."""
        words, site = request.query_params.get("words", ""), request.query_params.get("site", "")
        names = [self._opened.named(site)] if site else self._opened.stores.sites()
        rows, problems = [], []
        for name in names if words.strip() else ():
            try:
                result = self._opened.stores.search(name, words, HITS)
            except ConfigurationError as error:
                problems.append(f"{name}: {error}")
            else:
                rows.append({"site": name, "total": result.total, "hits": result.rows()})
        data = {"words": words, "asked": site, "found": rows, "problems": problems}
        return self._answers.view(request, "search", "Search", data)

    def frame(self, request: Request) -> Response:
        """Answers with a page as a browser would show it, for a sandboxed frame."""
        site, asked = self._page(request)
        if not asked.current:
            return self._answers.error(request, 404, f"{asked.known.url}: no page is stored there any more.")
        images, styles = arguments.is_on(request, "images"), arguments.is_on(request, "styles", "1")
        with self._opened.judging(site) as (store, judge):
            shown = frame_of(store, judge, asked, images=images, styles=styles)
        policy = f"{shown.policy}; frame-ancestors 'self'"
        return HTMLResponse(
            shown.html.encode("utf-8", "replace"), headers={"Content-Security-Policy": policy}
        )
