"""The base of commands that feed search indexes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from crawler.commandline.base import Options, StoreCommand, option, write_json
from crawler.commandline.progress import Progress
from crawler.commandline.tables import printable, show
from crawler.configuration.judge_config import config_of
from crawler.configuration.judgement import stored_judge, with_site_file
from crawler.configuration.plan import named_in_file
from crawler.run.outcome import EXIT_CODES
from search.backends import sink_names, sink_of
from search.delivery import deliveries_of
from search.released import ReleasedDocuments
from settings.errors import UnknownName

if TYPE_CHECKING:
    import argparse
    from collections.abc import Awaitable, Callable, Sequence

    from pagelets.document import Document
    from search.delivery import Delivery, DocumentOf
    from search.sink import Sink
    from store.site import Store

_REASON = 200


class IndexCommand(StoreCommand):
    """A command on the search indexes of a site: all that its settings name, or one."""

    options: ClassVar[Options] = (option("--sink NAME", "this index alone (default: all of the site's)"),)

    def chosen(self, site: str, name: str | None) -> list[str]:
        """The sinks that are meant. Raises ConfigurationError."""
        names = sink_names(with_site_file(site, self.project))
        if name is None:
            return names
        if name not in names:
            raise UnknownName("sink of this site", name, names)
        return [name]

    def sink(self, name: str, site: str) -> Sink:
        """A sink of a site, not open. Raises ConfigurationError."""
        settings = with_site_file(site, self.project)
        with named_in_file(site, settings):
            return sink_of(name, site, settings, config_of(settings, site).columns)

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
        names, settings = self.chosen(site, name), with_site_file(site, self.project)
        documents = ReleasedDocuments(store, lambda: stored_judge(store, self.project, site=site))
        with named_in_file(site, settings):
            deliveries = deliveries_of(site, store, settings, config_of(settings, site).columns)

        async def run() -> None:
            for delivery in deliveries:
                if delivery.name in names:
                    try:
                        with Progress(
                            store.documents.count(), f"documents, {delivery.name}", self.say
                        ) as progress:
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
        deliveries, rows = store.deliveries, []
        names = self.chosen(site, opts.sink)
        for name in names:
            held, waiting = deliveries.counts(name)
            letters = [letter for letter in deliveries.dead_letters(name) if not letter.discarded]
            if waiting:
                self.exitcode = EXIT_CODES["undelivered"]
            if opts.json:
                refused = [letter._asdict() for letter in letters]
                write_json(
                    {"site": site, "sink": name, "held": held, "undelivered": waiting, "refused": refused}
                )
            rows.append((name, held, waiting, len(letters)))
        if opts.json:
            return
        if not names:
            self.say(f"site {site!r} has no sinks; see SINKS, docs/search-index.md")
            return
        show(("sink", "documents", "not delivered", "refused"), rows)
        for name in names:
            for letter in deliveries.dead_letters(name):
                if not letter.discarded:
                    print(f"{name} refused {printable(letter.url)}: {printable(letter.reason, _REASON)}")


def _counted(documents: DocumentOf, progress: Progress) -> DocumentOf:
    def counted(page: int, fields: Sequence[str]) -> Document | None:
        progress.one_more()
        return documents(page, fields)

    return counted
