"""``scrapy explain``: the verdict on each pagelet of a page, and its reasons."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from crawler.commandline.base import write_json
from crawler.commandline.pages import PageCommand
from crawler.commandline.tables import printable
from crawler.configuration.judgement import stored_judge
from inspection.explain import explain, state_of
from pagelets.methods.base import LIKELIEST, REPEATED, TAUGHT, TEMPLATE
from pagelets.overrides import PINNED

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from inspection.explain import Explanation

TEXT_CHARS = 100
WEAK, CLEAR, STRONG = 0.1, 0.5, 2.0


class Command(PageCommand):
    """Says of each pagelet of a page whether it was kept or removed, why, which template it is, and on how
    many pages that is, and the same of its blocks where a pagelet was kept in part. At the end of a pagelet's
    line stands the name by which scrapy templates --pin and --reject take it, at the end of a block's line
    the selector by which the keys keep and drop of a site file take it.

    The values of the site's fields stand above. For a URL without a page it shows its state. Looks in all
    stores unless --site names one.
    """

    usage = "URL [--site SITE]"
    summary = "Say what was removed from a page, and why"

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Finds the URL and explains its page."""
        found = self.find(self.one_argument(args), opts.site)
        told = state_of(found)
        if found.current:
            with self.snapshot(found.site) as store:
                told = explain(store, stored_judge(store, self.project), found)
        if opts.json:
            write_json(told)
        elif found.current:
            _print_page(told)
        else:
            print(printable(told.url))
            print(f"site {told.site}: {_state(told)}; no page is stored")


def _state(told: Explanation) -> str:
    if told.redirects_to is not None:
        return f"{told.state} to {printable(told.redirects_to)}"
    if told.state == "known":
        return "known, not requested yet"
    text = told.state if told.reason is None else f"{told.state}: {printable(told.reason)}"
    return f"{text}, {told.attempts} attempts" if told.attempts > 1 else text


def _print_page(told: Explanation) -> None:
    stats = told.stats
    assert stats is not None
    print(printable(told.url))
    print(f"site {told.site}: {_state(told)}")
    print(f"title: {printable(told.title or '')}")
    flags = f"; flags: {', '.join(stats['flags'])}" if stats["flags"] else ""
    print(
        f"kept {stats['chars_kept']} of {stats['chars']} characters, "
        f"{stats['blocks_kept']} of {stats['blocks']} blocks; "
        f"{stats['pagelets_template']} of {stats['pagelets']} pagelets are templates{flags}"
    )
    for name, value in told.fields.items():
        print(f"field {name}: {printable(json.dumps(value, ensure_ascii=False), TEXT_CHARS)}")
    block_pages = iter(told.block_pages)
    for row in told.pagelets:
        pages = [next(block_pages) for _ in row["blocks"]]
        why, path = _why(row, max(pages)), printable(row["path"])
        print(f"\n{row['index']:>4}  {_kept(row['kept'])}  {why}  {path}  {row['name']}")
        weighed = any("evidence" in block for block in row["blocks"])
        for block, count in zip(row["blocks"], pages, strict=True):
            verdict = f"{_verdict(block, count)}  " if row["reason"] == "mixed" or weighed else ""
            line = f"      {verdict}{printable(block['text'], TEXT_CHARS)}  {block['selector'] or ''}"
            print(line.rstrip())


def _verdict(block: Mapping[str, Any], pages: int) -> str:
    return f"{_kept(float(block['kept']))}  {_reason(block['reason'], pages)}{_weighed(block)}"


def _weighed(block: Mapping[str, Any]) -> str:
    """Describes the probability of a block to be content, and the kinds of evidence for it."""
    if "evidence" not in block:
        return ""
    said = [
        f"{kind} {weight:+g}" if kind.startswith(TAUGHT) else f"{kind} {strength} {_side(weight)}"
        for kind, weight in sorted(block["evidence"].items(), key=lambda item: -abs(item[1]))
        for strength in [_strength(abs(weight))]
        if strength
    ]
    return f" ({block['score']:.0%} likely: {', '.join(said) or 'nothing speaks for or against'})"


def _side(weight: float) -> str:
    return "for" if weight > 0 else "against"


def _strength(weight: float) -> str | None:
    """Describes a weight in log odds: at a half the odds are 1.6 times as high, at two seven times."""
    if weight < WEAK:
        return None
    if weight < CLEAR:
        return "a little"
    return "clearly" if weight < STRONG else "strongly"


def _kept(share: float) -> str:
    words = {0.0: "removed", 1.0: "kept   "}
    return words.get(share) or f"{share:>7.0%}"


def _why(row: Mapping[str, Any], block_pages: int) -> str:
    support = row["support"]
    if support is not None:
        on_pages = f"template {row['template']} on {support['pages']} pages ({support['share']:.0%})"
        if row["reason"] == PINNED.reason:
            return f"pinned {on_pages}"
        return on_pages if row["reason"] == TEMPLATE else f"{row['reason']}, {on_pages}"
    return _reason(row["reason"], block_pages)


def _reason(reason: str, pages: int) -> str:
    if reason == LIKELIEST:
        return f"{reason}, where nothing is likely content"
    return f"{reason} on {pages} pages" if reason == REPEATED else reason
