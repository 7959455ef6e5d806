"""``scrapy retire``: a site's documents leave the indexes, and its store is removed."""

from __future__ import annotations

import argparse
import contextlib
import shutil

from scrapy.settings import BaseSettings

from crawler.commandline.base import StoreCommand, option, write_json
from crawler.configuration.judgement import with_site_file
from crawler.configuration.plan import named_in_file, site_name
from crawler.run.outcome import EXIT_CODES
from crawler.scheduling.due import FOLDER
from search.backends import index_folder, sink_names, sink_of
from search.emptying import empty
from search.sink import Sink, SinkDown
from settings.errors import ConfigurationError, UnknownName, relative, removed
from settings.places import PROJECT, data_dir, site_path
from store.site import Store, remove_store


class Command(StoreCommand):
    """Takes a site's documents out of all search indexes, and removes its store, after a question.

    All indexes count that the site's settings name, or that the store has delivered to. Nothing of the store
    goes before all of them have let the documents go; if one is down, the command ends with exit code 7, and
    another call goes on. A site whose file has a schedule is refused, as it would come back.

    Exit codes: 1 where the question was not answered with yes, 2 where something is wrong, 6 while a crawl of
    the site runs, 7 where an index is down.
    """

    usage = "SITE [--yes] [--leave SINK ...]"
    summary = "Take a site out of the search indexes, and its store away"
    examples = ("example.org --yes",)
    options = (
        option("--yes", "do not ask"),
        option(
            "--leave SINK",
            "let this index keep what it holds, such as one that is gone for good",
            action="append",
            default=[],
        ),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Asks, empties the indexes, and removes the store."""
        site = self.one_argument(args)
        settings = with_site_file(site, self.project)
        path = site_path(site, self.project)
        if path.exists() and settings["SCHEDULE"]:
            raise ConfigurationError(
                f"{relative(path)}: the site has a schedule, and would come back; write schedule = '' into it"
            )
        with self.snapshot(site) as store:
            sinks = self._sinks(site, store, settings, opts.leave)
            counts = {name: store.deliveries.counts(name)[0] for name in sinks}
        if not self.agreed(self._question(site, counts), "nothing was done", yes=opts.yes):
            return
        with self.changing(site) as store:
            deleted = {name: self._emptied(name, sink, store) for name, sink in sinks.items()}
            gone = None not in deleted.values()
            if gone:
                store.close()
                self._remove(site, settings)
        if opts.json:
            write_json({"site": site, "deleted": deleted, "removed": gone})
        elif gone:
            parts = [f"{count} documents taken out of {name}" for name, count in deleted.items()]
            print(f"{site}: {', '.join([*parts, 'the store is removed'])}")
            if path.exists():
                print(f"{relative(path)} stays")
        else:
            self.say(f"the store stays; run scrapy retire {site} again when they can be reached")

    def _sinks(self, site: str, store: Store, settings: BaseSettings, leave: list[str]) -> dict[str, Sink]:
        """The sinks that hold documents of the site, or may. Raises ConfigurationError."""
        names = dict.fromkeys([*sink_names(settings), *(name for name, *_ in store.deliveries.all())])
        for name in leave:
            if name not in names:
                raise UnknownName("sink of this site", name, names)
        # The files of a kind of index that there is no more go with the folder.
        meant = [name for name in names if name not in leave and not removed("sink", name)]
        with named_in_file(site, settings):
            return {name: self._sink(name, site, settings) for name in meant}

    def _sink(self, name: str, site: str, settings: BaseSettings) -> Sink:
        try:
            return sink_of(name, site, settings)
        except ConfigurationError as error:
            if name in sink_names(settings):
                raise
            raise ConfigurationError(
                f"{error}. The site was delivered to {name}, which its settings do not name any more: say "
                f"where that is, or let it keep what it holds, --leave {name}"
            ) from error

    def _question(self, site: str, counts: dict[str, int]) -> str:
        held = ", ".join(f"{count} documents in {name}" for name, count in counts.items())
        store = relative(data_dir(self.project) / site)
        return f"{site}: {held or 'no search index'}, and the store {store}. Remove all of it?"

    def _emptied(self, name: str, sink: Sink, store: Store) -> int | None:
        """Returns the number of documents that a sink has let go, None if it is down."""
        try:
            return empty(name, sink, store)
        except SinkDown as error:
            self.say(f"sink {name}: {error}")
            self.exitcode = EXIT_CODES["undelivered"]
            return None

    def _remove(self, site: str, settings: BaseSettings) -> None:
        """Removes what there is of a site beside the documents in its indexes."""
        home = data_dir(self.project) / site_name(site)
        folder = index_folder(site, settings)
        for left in list(folder.glob("*")):
            # Of kinds of indexes that there are no more.
            if removed("sink", left.name.partition(".")[0]):
                left.unlink() if left.is_file() else shutil.rmtree(left)
        with contextlib.suppress(OSError):
            # What others are to read, such as a file of operations, stays.
            folder.rmdir()
        (home.with_name(FOLDER) / "sites" / site).unlink(missing_ok=True)
        if settings["METRICS_DIR"]:
            (PROJECT / str(settings["METRICS_DIR"]) / f"pagelets_{site}.prom").unlink(missing_ok=True)
        remove_store(home)
