"""``scrapy inspect``: stores, their pages and why text was removed, in a browser."""

from __future__ import annotations

import argparse
import contextlib
import json
import threading
import webbrowser
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

from crawler.commandline.base import StoreCommand, inspector_imported, number, option
from crawler.commandline.indexing import searchable
from crawler.commandline.pages import form_of
from crawler.configuration.checks import extraction_in, normal, schema_of
from crawler.configuration.judgement import ARGUMENTS_OF_TRY, asked_of, trial_of, with_site_file
from crawler.scheduling.due import scheduled_sites, standing
from inspection.overview import Due
from inspection.scratch import Trial
from inspection.taught_change import TaughtFiles
from pagelets.reading.fields import Extraction
from search.query import Found, Query
from settings.errors import ConfigurationError
from settings.places import site_path
from store.errors import StoreError
from store.site import Store

_PORTS: Final = 65_535


class Command(StoreCommand):
    """Opens a browser on the stores of this machine: the sites, their pages, each page with what is removed
    of it and why; corrects what is judged wrongly.

    Listens on 127.0.0.1 alone, at an address with a token that nobody else knows, until Ctrl-C. May run
    beside a crawl: what it is to change then waits for the end of that.
    """

    usage = "[SITE] [--port N] [--no-browser]"
    summary = "See in a browser what was removed and why, and teach a site by clicking"
    examples = ("example.org", "example.org --sample")
    of_samples = True
    options = (
        option("--port N", "the port (default: a free one)"),
        option("--no-browser", "print the address; open no browser"),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Serves until Ctrl-C."""
        if len(args) > 1:
            raise ConfigurationError(f"give one site, or none: {self.name} {self.usage}")
        port = number("--port", opts.port, 1, _PORTS) if opts.port else 0
        path = "/"
        if args:
            self.open_store(args[0]).close()
            path = f"/site?site={quote(args[0])}"
        with inspector_imported():
            # An extra: without it all other commands work.
            from inspector.server import serve

        def ready(address: str) -> None:
            print(json.dumps({"address": address}) if opts.json else address, flush=True)
            if not opts.no_browser:
                # A browser in a terminal would hold the server up.
                threading.Thread(target=_open, args=(address,), daemon=True).start()

        serve(self, port, path, ready)

    # What `inspector.stores.Stores` asks for beside the methods of every command.

    def due(self) -> Mapping[str, Due]:
        """Returns the schedules of the sites that have one, or a mistake in their file, by name."""
        sites, wrong = scheduled_sites((), self.project)
        found = {path.stem: Due(problem="; ".join(map(str, problems))) for path, problems in wrong.items()}
        now = datetime.now(UTC)
        for site in sites:
            try:
                one = standing(site, now)
            except (StoreError, OSError) as error:
                found[site.name] = Due(problem=str(error))
            else:
                time = None if one.following is None else one.following.isoformat(timespec="minutes")
                found[site.name] = Due(time, one.due, one.running)
        return found

    def extraction(self, site: str) -> Extraction:
        """Returns the fields that the site's file has taken from pages."""
        return extraction_in(with_site_file(site, self.project))

    def form(self, url: str, site: str) -> str:
        """Returns the one form that a URL has in a site."""
        return form_of(url, with_site_file(site, self.project))

    def files(self, site: str) -> TaughtFiles:
        """Returns the files of a site that take what is taught."""
        return TaughtFiles(site_path(site, self.project))

    def trial(self, store: Store, asked: Mapping[str, str]) -> Trial:
        """Returns a trial of other arguments; a selector is added to those that there are."""
        given = [f"{name}={value}" for name, value in asked.items() if name not in ("keep", "drop")]
        values = asked_of(given, self.project) if given else {}
        selectors = self.judge_of(store).config.selectors
        for name, before in (("keep", selectors.keep), ("drop", selectors.drop)):
            if name in asked:
                setting = ARGUMENTS_OF_TRY[name]
                values[name] = normal(setting, [*before, asked[name]], name, schema_of(self.project))
        return trial_of(store, self.project, values)

    def search(self, site: str, text: str, limit: int) -> Found:
        """Returns the hits of a query in the index of a site.

        Args:
            site: the site.
            text: the query, as a person writes it.
            limit: the number of hits at most.

        """
        with searchable(site, None, self.project) as (_, sink):
            return sink.search(Query.parse(text, limit=limit))


def _open(address: str) -> None:
    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(address)
