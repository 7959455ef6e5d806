"""``scrapy related``: the pages that a site cites together with one."""

from __future__ import annotations

import argparse
from math import inf

from crawler.commandline.base import number, option, real
from crawler.commandline.pages import PageCommand
from inspection.ranking import related_pages

SHOWN = 20


class Command(PageCommand):
    """Lists the pages that are cited together with a page, those that most often are first: a pagelet that
    links to both counts 1. Links of templates do not count.
    """

    usage = "URL [--site SITE] [--page-weight W] [--first N]"
    summary = "List the pages that are cited together with one"
    examples = ("https://example.org/a --first 10",)
    options = (
        option(
            "--page-weight W",
            "what a page counts that links to both, in any of its pagelets (default: 0)",
            default="0",
        ),
        option("--first N", f"show N pages (default: {SHOWN}, 0 for all)", default=str(SHOWN)),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prints the pages."""
        most, what = number("--first", opts.first), "a number, 0 or more"
        weight = real("--page-weight", opts.page_weight, what, lambda given: 0 <= given < inf)
        asked = self.find_current(self.one_argument(args), opts.site)
        with self.snapshot(asked.site) as store:
            pages = related_pages(store, asked.known.page, most, page_weight=weight)
        rows = [(page.score, page.url, page.title) for page in pages]
        self.answer(opts, ("cited together", "url", "title"), rows, pages)
