"""``scrapy explain``: the verdict on each pagelet of a page, and its reasons."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crawler.commandline.base import inspector_imported, option, write_json
from crawler.commandline.output import printable
from crawler.commandline.pages import PageCommand
from inspection.explain import Explanation, block_words, explain, pagelet_words, state_of, weighed_words
from inspection.page_view import frame_of, page_view
from settings.files import written

TEXT_CHARS = 100


class Command(PageCommand):
    """Says of each pagelet of a page whether it was kept or removed, why, which template it is, and on how
    many pages that is, and the same of its blocks where a pagelet was kept in part. At the end of a pagelet's
    line stands the name by which scrapy templates --pin and --reject take it, at the end of a block's line
    the selector by which the keys keep and drop of a site file take it.

    The values of the site's fields stand above. --html writes the page as a browser would show it, with all
    of that, as one file to send.

    For a URL without a page it shows its state. Looks in all stores unless --site names one.
    """

    usage = "URL [--site SITE] [--html FILE]"
    summary = "Say what was removed from a page, and why"
    examples = ("https://example.org/a", "https://example.org/a --html page.html")
    options = (option("--html FILE", "write the page, with what is removed and why"),)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Finds the URL and explains its page."""
        if opts.html is not None:
            self._write(self.one_argument(args), opts)
            return
        page = self.find(self.one_argument(args), opts.site)
        explained = state_of(page)
        if page.current:
            with self.snapshot(page.site) as store:
                explained = explain(store, self.judge_of(store), page)
        if opts.json:
            write_json(explained)
        elif page.current:
            _print_page(explained)
        else:
            print(printable(explained.url))
            print(f"site {explained.site}: {_state(explained)}; it has no document")

    def _write(self, url: str, opts: argparse.Namespace) -> None:
        page = self.find_current(url, opts.site)
        with inspector_imported():
            # An extra: without it all else works.
            from inspector.answers import page_file
        with self.snapshot(page.site) as store:
            judge = self.judge_of(store)
            view, shown = page_view(store, judge, page), frame_of(store, judge, page)
        with written(Path(opts.html)) as file:
            file.write(page_file(view, shown))
        if opts.json:
            write_json(view)
        elif opts.html != "-":
            print(opts.html)


def _state(explained: Explanation) -> str:
    if explained.redirects_to is not None:
        return f"{explained.state} to {printable(explained.redirects_to)}"
    if explained.state == "known":
        return "known, not requested yet"
    reason = "" if explained.reason is None else f": {printable(explained.reason)}"
    attempts = f", {explained.attempts} attempts" if explained.attempts > 1 else ""
    return f"{explained.state}{reason}{attempts}"


def _print_page(explained: Explanation) -> None:
    stats = explained.stats
    assert stats is not None
    print(printable(explained.url))
    dropped = "; a pipeline has dropped its document" if explained.dropped else ""
    print(f"site {explained.site}: {_state(explained)}{dropped}")
    print(f"title: {printable(explained.title or '')}")
    flags = f"; flags: {', '.join(stats['flags'])}" if stats["flags"] else ""
    print(
        f"kept {stats['chars_kept']} of {stats['chars']} characters, "
        f"{stats['blocks_kept']} of {stats['blocks']} blocks; "
        f"{stats['pagelets_template']} of {stats['pagelets']} pagelets are templates{flags}"
    )
    for name, value in explained.fields.items():
        print(f"field {name}: {printable(json.dumps(value, ensure_ascii=False), TEXT_CHARS)}")
    counted = zip(explained.block_pages, explained.counters, strict=True)
    for row in explained.pagelets:
        support = [next(counted) for _ in row["blocks"]]
        why, path = pagelet_words(row, max(support)), printable(row["path"])
        print(f"\n{row['index']:>4}  {_kept(row['kept'])}  {why}  {path}  {row['name']}")
        weighed = any("evidence" in block for block in row["blocks"])
        for block, count in zip(row["blocks"], support, strict=True):
            shown = row["reason"] == "mixed" or weighed or "override" in block
            verdict = f"{_verdict(block, count)}  " if shown else ""
            line = f"      {verdict}{printable(block['text'], TEXT_CHARS)}  {block['selector'] or ''}"
            print(line.rstrip())


def _verdict(block: Mapping[str, Any], support: tuple[int, float]) -> str:
    weighed = weighed_words(block)
    verdict = f"{_kept(float(block['kept']))}  {printable(block_words(block, support))}"
    return f"{verdict} ({weighed})" if weighed else verdict


def _kept(share: float) -> str:
    words = {0.0: "removed", 1.0: "kept   "}
    return words.get(share) or f"{share:>7.0%}"
