"""``scrapy duplicates``: pages that several sites share."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import asdict
from typing import Final

from crawler.commandline.base import StoreCommand, number, option, real, write_json
from crawler.commandline.output import printable, show
from crawler.configuration.checks import check_settings
from crawler.configuration.judge_config import duplicates_of
from inspection.duplicates import DuplicateGroups, DuplicatePage, DuplicateSearch, Sites, find_duplicates
from release.machine import budgets
from settings.errors import ConfigurationError
from settings.places import data_dir

SHOWN: Final = 20
"""Groups that are listed."""
EACH: Final = 5
"""Pages of a group on each site that a table has."""
LEAST: Final = 0.5
_TITLE: Final = 60
_PUBLISHED: Final = ("published", "original")


class Command(StoreCommand):
    """Lists the pages that several sites share: groups of pages whose documents have nearly the same text, as
    mirrors and syndicated articles have. Of one site, lists its own near-duplicates.

    Texts are compared as DUPLICATES has the pages of a site compared. The groups on most sites come first,
    then those of most pages. The similarity is that to an earlier page of the group. With --json all
    pages of a group are listed, one JSON object a line. Works while crawls run, and changes no store.
    """

    usage = "SITE [SITE...] [--min-similarity S] [--published] [--limit N]"
    summary = "List pages that several sites share"
    examples = ("example.org example.com --min-similarity 0.8",)
    options = (
        option(
            "--min-similarity S",
            f"share of the text that is the same, {LEAST} to 1 (default: similarity of DUPLICATES)",
        ),
        option(
            "--published",
            "read from each listed page when it was published; tell the original where that is known",
        ),
        option("--limit N", f"list N groups (default: {SHOWN}, 0 for all)", default=str(SHOWN)),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prints the groups."""
        if not args:
            raise ConfigurationError(f"give one site or more: {self.name} {self.usage}")
        most = number("--limit", opts.limit)
        check_settings(self.project)
        threshold = duplicates_of(self.project).min_similarity
        if opts.min_similarity is not None:
            what = f"a number from {LEAST} to 1"
            threshold = real("--min-similarity", opts.min_similarity, what, lambda given: LEAST <= given <= 1)
        for site in args:
            self.open_store(site).close()
        sites = Sites(sorted(set(args)), self.open_store, self.judge_of, self._failed)
        memory = budgets(self.project.getint("DETECTION_MEMORY"))
        how = DuplicateSearch(threshold, memory, data_dir(self.project))
        with self.progress(0, "comparing pages") as progress:
            groups = find_duplicates(sites, how, progress.at)
        self._list(groups, most, opts)

    def _list(self, groups: DuplicateGroups, most: int, opts: argparse.Namespace) -> None:
        if opts.json:
            for page in groups.pages(most, published=opts.published):
                write_json(_fields(page, published=opts.published))
        else:
            self._show(list(groups.pages(most, EACH, published=opts.published)), published=opts.published)
        if 0 < most < len(groups):
            self.say(f"{most} of {len(groups)} groups are listed; --limit 0 lists all")

    def _show(self, pages: list[DuplicatePage], *, published: bool) -> None:
        columns = ("group", "similarity", "site", "url", "title", *(_PUBLISHED if published else ()))
        rows = [
            {**_fields(page, published=published), "title": printable(page.title, _TITLE)} for page in pages
        ]
        show(columns, [[row[name] for name in columns] for row in rows])
        listed = Counter(page.group for page in pages)
        if any(page.pages > listed[page.group] for page in pages):
            self.say(f"{EACH} pages of each site are listed in a group; --json lists all")

    def _failed(self, url: str, error: Exception) -> None:
        # One page that cannot be judged costs no other its place.
        self.say(f"{url} is left out: {type(error).__name__}: {error}")
        self.exitcode = 1


def _fields(page: DuplicatePage, *, published: bool) -> dict[str, object]:
    """A page as it is listed: what was not asked for has no column."""
    return {name: value for name, value in asdict(page).items() if published or name not in _PUBLISHED}
