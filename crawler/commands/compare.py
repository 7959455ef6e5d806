"""``scrapy compare``: what several methods keep of a page, side by side."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from crawler.commandline.base import option, write_json
from crawler.commandline.output import printable, show
from crawler.commandline.pages import PageCommand
from crawler.configuration.checks import registry_of
from evaluation.corpora import ALL, choose
from inspection.compare import ComparedBlock, Comparison, compare

WIDTH: Final = 110
"""Of a line where standard output is no terminal."""
MOST_PAIRS: Final = 8
"""Of more methods not each is compared with each on the terminal."""
KEPT, REMOVED, DISPUTED = ("+", "green"), ("-", "red"), ("*", "yellow")
"""Marks and their colours; the marks alone tell all, too."""


class Command(PageCommand):
    """Judges a page by several methods, and shows block by block which of them keep it; then how much of the
    page each keeps, and on what share of it two of them agree.

    Methods that have to learn of the site first, and were not asked for by its crawl, learn on a scratch copy
    of its store. The store stays as it is.
    """

    usage = "URL [--method NAME,NAME] [--site SITE]"
    summary = "Show side by side what several methods keep of a page"
    examples = ("https://example.org/a --method judged,trafilatura",)
    options = (
        option(
            "--method NAMES",
            f"the methods, parted by commas; {ALL} for each that has what it needs (default: the page's "
            "own and one of each kind)",
        ),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Judges the page, and prints the blocks."""
        page = self.find_current(self.one_argument(args), opts.site)
        methods = None
        if opts.method is not None:
            methods, left_out = choose(opts.method.split(","), registry_of(self.project))
            if left_out:
                self.say(f"left out: {'; '.join(left_out.values())}")
        with self.open_store(page.site) as store, self.progress(0, "pages judged") as progress:
            compared = compare(store, self.judge_of, page, methods, progress.at)
        if opts.json:
            write_json(compared)
        else:
            _print(compared)


def _print(compared: Comparison) -> None:
    console = Console(highlight=False, soft_wrap=True)
    width = console.width if sys.stdout.isatty() else WIDTH
    names = [method.name for method in compared.methods]
    print(printable(compared.url))
    print(f"site {compared.site}: {compared.chars} characters in {len(compared.blocks)} blocks")
    print(f"{KEPT[0]} kept, {REMOVED[0]} removed, {DISPUTED[0]} the methods disagree\n")
    print(" ".join(str(number) for number, _ in enumerate(names, 1)))
    for block in compared.blocks:
        line = _line(block)
        line.truncate(width, overflow="ellipsis")
        console.print(line)
    print()
    rows = [
        (number, method.name, f"{method.share:.0%}", method.blocks_kept)
        for number, method in enumerate(compared.methods, 1)
    ]
    shown = ("", "method", "kept", "blocks")
    if len(names) <= MOST_PAIRS:
        pairs = [[f"{share:.0%}" for share in method.agreement] for method in compared.methods]
        show((*shown, *map(str, range(1, len(names) + 1))), _beside(rows, pairs))
        print("the columns behind blocks: on what share of the characters two methods say the same")
    else:
        nearest = [[_nearest(compared, place)] for place, _ in enumerate(names)]
        show((*shown, "says most often the same as"), _beside(rows, nearest))


def _beside(rows: Sequence[tuple[object, ...]], more: Sequence[Sequence[object]]) -> list[tuple[object, ...]]:
    return [(*row, *cells) for row, cells in zip(rows, more, strict=True)]


def _nearest(compared: Comparison, place: int) -> str:
    """The other method that agrees most with one, and on what share of the characters."""
    shares = list(compared.methods[place].agreement)
    other = max((share, -number) for number, share in enumerate(shares) if number != place)
    return f"{compared.methods[-other[1]].name} ({other[0]:.0%})"


def _line(block: ComparedBlock) -> Text:
    line = Text()
    for number, kept in enumerate(block.kept, 1):
        mark, colour = KEPT if kept else REMOVED
        line.append(f"{mark:>{len(str(number))}} ", colour)
    is_disputed = len(set(block.kept)) > 1
    line.append(f"{DISPUTED[0] if is_disputed else ' '}  ", DISPUTED[1])
    colour = DISPUTED[1] if is_disputed else "" if all(block.kept) else "dim"
    line.append(printable(block.text) or "(no text)", colour)
    return line
