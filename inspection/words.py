"""Reasons and evidence in words, the same for the command line and the browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pagelets.methods.base import COUNTER, LIKELIEST, OTHER_PAGES, REPEATED, TAUGHT, TEMPLATE
from pagelets.overrides import PINNED

WEAK: Final = 0.1
CLEAR: Final = 0.5
STRONG: Final = 2.0


def pagelet_words(row: Mapping[str, Any], of_blocks: tuple[int, float]) -> str:
    """Explains why a pagelet is kept or removed.

    Args:
        row: the pagelet as in the field ``pagelets`` of a Document.
        of_blocks: the largest support of one of its blocks, as of `block_words`.

    """
    support = row["support"]
    if support is None:
        return _reason_words(row["reason"], of_blocks)
    on_pages = f"template {row['template']} on {support['pages']} pages ({support['share']:.0%})"
    if row["reason"] == PINNED.reason:
        return f"pinned {on_pages}"
    return on_pages if row["reason"] == TEMPLATE else f"{row['reason']}, {on_pages}"


def block_words(block: Mapping[str, Any], support: tuple[int, float]) -> str:
    """Explains why a ``block`` of an `inspection.explain.Explanation` is kept or removed, with the selector
    that has decided on it. ``support`` is the number of pages with its text, and a counter's share of pages.
    """
    reason = _reason_words(block["reason"], support)
    selector = block.get("kept_by") or block.get("dropped_by")
    if selector is None:
        return reason
    return f"{reason} {selector!r}" + (f" of the override {block['override']}" if block["override"] else "")


def _reason_words(reason: str, support: tuple[int, float]) -> str:
    pages, share = support
    if reason == COUNTER:
        return f"a counter: the same text but for its digits on {share:.0%} of pages"
    if reason == OTHER_PAGES:
        return "in a box that names other pages of the site"
    if reason == LIKELIEST:
        return f"{reason}, where nothing is likely content"
    return f"{reason} on {pages} pages" if reason == REPEATED else reason


def weighed_words(block: Mapping[str, Any]) -> str:
    """Describes the probability of a block to be content, and the kinds of evidence; empty without any."""
    if "evidence" not in block:
        return ""
    parts = [
        f"{kind} {weight:+g}" if kind.startswith(TAUGHT) else f"{kind} {strength} {_side(weight)}"
        for kind, weight in sorted(block["evidence"].items(), key=lambda item: -abs(item[1]))
        for strength in [_strength(abs(weight))]
        if strength
    ]
    return f"{block['score']:.0%} likely: {', '.join(parts) or 'nothing speaks for or against'}"


def _side(weight: float) -> str:
    return "for" if weight > 0 else "against"


def _strength(weight: float) -> str | None:
    """A weight of log odds in words: at a half the odds are 1.6 times as high, at two seven times."""
    if weight < WEAK:
        return None
    if weight < CLEAR:
        return "a little"
    return "clearly" if weight < STRONG else "strongly"
