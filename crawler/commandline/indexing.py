"""The search indexes of a site that commands ask, and the base of commands that feed them."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from scrapy.settings import BaseSettings

from crawler.commandline.base import Options, StoreCommand, option
from crawler.commandline.output import Progress, printable
from crawler.configuration.judge_config import config_of
from crawler.configuration.judgement import stored_judge, with_site_file
from crawler.configuration.plan import named_in_file
from crawler.run.outcome import EXIT_CODES
from pagelets.document import Document
from search.backends import SERVERS, sink_names, sink_of
from search.delivery import Delivery, deliveries_of
from search.query import NoIndex, Searchable
from search.released import ReleasedDocuments
from search.sink import Sink, SinkDown
from settings.errors import ConfigurationError, UnknownName
from store.site import Store

if TYPE_CHECKING:
    from search.delivery import DocumentOf

    class SearchableSink(Sink, Searchable):
        """A sink whose index can be searched."""


_REASON = 200


def chosen_sinks(asked: str | None, settings: BaseSettings) -> list[str]:
    """The sinks of a site, or the one that is asked for. Raises ConfigurationError."""
    names = sink_names(settings)
    if asked is not None and asked not in names:
        raise UnknownName("sink of this site", asked, names)
    return names if asked is None else [asked]


def sink_in(settings: BaseSettings, site: str, name: str) -> Sink:
    """Returns a sink of a ``site`` by its ``name`` and ``settings``, not open. Raises ConfigurationError."""
    with named_in_file(site, settings):
        return sink_of(name, site, settings, config_of(settings, site).columns)


@contextlib.contextmanager
def searchable(site: str, asked: str | None, project: BaseSettings) -> Iterator[tuple[str, SearchableSink]]:
    """The first sink of a site that can be searched, and its name; closes it in the end.

    Args:
        site: the site.
        asked: the name of another of its sinks.
        project: the settings of the project.

    Raises:
        ConfigurationError: there is no such sink, or what is done with it finds no index or a sink down.

    """
    settings = with_site_file(site, project)
    # A server is asked where nothing on this machine can be.
    for name in sorted(chosen_sinks(asked, settings), key=SERVERS.__contains__):
        sink = sink_in(settings, site, name)
        if isinstance(sink, Searchable):
            try:
                with contextlib.closing(sink):
                    yield name, cast("SearchableSink", sink)
            except (NoIndex, SinkDown) as error:
                raise ConfigurationError(str(error)) from error
            return
    which = f"sink {asked} cannot" if asked else f"no sink of {site} can"
    raise ConfigurationError(
        f"{which} be searched from here; tantivy can, and {', '.join(SERVERS)} (sinks, SINKS)"
    )


class IndexCommand(StoreCommand):
    """A command on the search indexes of a site: all that its settings name, or one."""

    options: ClassVar[Options] = (option("--sink NAME", "this index alone (default: all of the site's)"),)

    def deliver(
        self,
        site: str,
        store: Store,
        name: str | None,
        how: Callable[[Delivery, DocumentOf], Awaitable[None]],
    ) -> None:
        """Works on the deliveries of a site.

        Args:
            site: the name of the site.
            store: its store.
            name: the sink, None for all of the site.
            how: called with each delivery and a function that makes documents.

        """
        settings = with_site_file(site, self.project)
        names = chosen_sinks(name, settings)
        documents = ReleasedDocuments(store, lambda: stored_judge(store, self.project, site=site))
        with named_in_file(site, settings):
            deliveries = deliveries_of(site, store, settings, config_of(settings, site).columns)

        async def run() -> None:
            for delivery in deliveries:
                if delivery.name not in names:
                    continue
                try:
                    with self.progress(store.documents.count(), f"documents, {delivery.name}") as progress:
                        await how(delivery, _counted(documents, progress))
                finally:
                    await delivery.close()
                if delivery.down is not None:
                    self.say(f"sink {delivery.name}: {delivery.down}")
                    self.exitcode = EXIT_CODES["undelivered"]

        asyncio.run(run())

    def report(self, site: str, store: Store, opts: argparse.Namespace) -> None:
        """Writes which documents of the ``store`` of a ``site`` the indexes hold and lack, as ``opts`` ask.
        The exit code is 7 if they lack any.
        """
        rows, values, lines = [], [], []
        names = chosen_sinks(opts.sink, with_site_file(site, self.project))
        for name in names:
            held, waiting = store.deliveries.counts(name)
            letters = [letter for letter in store.deliveries.dead_letters(name) if not letter.discarded]
            if waiting:
                self.exitcode = EXIT_CODES["undelivered"]
            refused = [letter._asdict() for letter in letters]
            values.append(
                {"site": site, "sink": name, "held": held, "undelivered": waiting, "refused": refused}
            )
            rows.append((name, held, waiting, len(letters)))
            lines += [
                f"{name} refused {printable(at.url)}: {printable(at.reason, _REASON)}" for at in letters
            ]
        if not names and not opts.json:
            self.say(f"site {site!r} has no sinks; see SINKS, docs/search-index.md")
            return
        self.answer(opts, ("sink", "documents", "not delivered", "refused"), rows, *values)
        for line in () if opts.json else lines:
            print(line)


def _counted(documents: DocumentOf, progress: Progress) -> DocumentOf:
    def counted(page: int, fields: Sequence[str]) -> Document | None:
        progress.one_more()
        return documents(page, fields)

    return counted
