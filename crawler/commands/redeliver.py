"""``scrapy redeliver``: sends to the search indexes what they lack."""

from __future__ import annotations

import argparse

from crawler.commandline.base import option
from crawler.commandline.indexing import IndexCommand, chosen_sinks
from crawler.configuration.judgement import with_site_file
from search.delivery import Delivery


class Command(IndexCommand):
    """Sends to a site's search indexes what is not delivered, without a crawl: what a sink that was down has
    missed, and once more what one has refused (the dead letters).

    With --discard the dead letters are let go instead: these versions of the documents are not sent again.
    Exit code 7 where something is still not delivered, 6 while the site is being crawled.
    """

    usage = "SITE [--sink NAME] [--discard]"
    summary = "Send to the search indexes what they lack"
    examples = ("example.org --sink tantivy",)
    options = (option("--discard", "let the dead letters go"),)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Sends, or discards."""
        site = self.one_argument(args)
        with self.changing(site) as store:
            if opts.discard:
                with store.transaction():
                    for name in chosen_sinks(opts.sink, with_site_file(site, self.project)):
                        store.deliveries.discard(name)
            else:
                self.deliver(site, store, opts.sink, Delivery.catch_up)
            self.report(site, store, opts)
