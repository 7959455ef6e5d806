"""``scrapy rank``: the pages of a site, ranked by the links between them."""

from __future__ import annotations

import argparse

from crawler.commandline.base import StoreCommand, number, option
from inspection.ranking import rank_pages
from pagelets.ranking.rankings import QUERIED, RANKINGS, UNQUERIED

SHOWN = 20


class Command(StoreCommand):
    """Ranks the pages of a site by the links between them, the best first: by HITS, Clever, PageRank or
    SALSA, with pages or pagelets as hubs, with the links that templates repeat or without them.

    With --query the pages that have all of its words are ranked, and those that they are linked with.
    """

    usage = "SITE [--query WORDS] [--method NAME] [--first N]"
    summary = "Rank the pages of a site by its links"
    examples = ("example.org --first 10",)
    options = (
        option("--query WORDS", "rank the pages that have these words"),
        option("--method NAME", f"{', '.join(RANKINGS)} (default: {UNQUERIED}; with --query {QUERIED})"),
        option("--first N", f"show N pages (default: {SHOWN}, 0 for all)", default=str(SHOWN)),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prints the pages."""
        site, most = self.one_argument(args), number("--first", opts.first)
        with self.snapshot(site) as store:
            ranked = rank_pages(store, self.judge_of(store).subject, opts.method, opts.query, most)
        rows = [(page.score, page.url, page.title) for page in ranked.pages]
        self.answer(opts, ("score", "url", "title"), rows, ranked)
