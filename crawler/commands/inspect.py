"""``scrapy inspect``: stores, their pages and why text was removed, in a browser."""

from __future__ import annotations

import argparse
import contextlib
import json
import threading
import webbrowser
from typing import Final
from urllib.parse import quote

from crawler.commandline.base import StoreCommand, inspector_imported, number, option
from crawler.commandline.stores import CommandStores
from settings.errors import ConfigurationError

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

        serve(CommandStores(self), port, path, ready)


def _open(address: str) -> None:
    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(address)
