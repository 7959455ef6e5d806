"""Reasons and evidence in words, the same for the command line and the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagelets.methods.base import LIKELIEST, REPEATED, TAUGHT, TEMPLATE
from pagelets.overrides import PINNED

if TYPE_CHECKING:
    from collections.abc import Mapping

WEAK: Final = 0.1
CLEAR: Final = 0.5
STRONG: Final = 2.0


def pagelet_words(row: Mapping[str, Any], block_pages: int) -> str:
    """Returns why a pagelet is kept or removed.

    Args:
        row: the pagelet as in the field ``pagelets`` of a Document.
        block_pages: the largest number of pages that one of its blocks stands on.

    """
    support = row["support"]
    if support is None:
        return reason_words(row["reason"], block_pages)
    on_pages = f"template {row['template']} on {support['pages']} pages ({support['share']:.0%})"
    if row["reason"] == PINNED.reason:
        return f"pinned {on_pages}"
    return on_pages if row["reason"] == TEMPLATE else f"{row['reason']}, {on_pages}"


def reason_words(reason: str, pages: int) -> str:
    """Returns why a block is kept or removed; takes its reason and on how many pages it stands."""
    if reason == LIKELIEST:
        return f"{reason}, where nothing is likely content"
    return f"{reason} on {pages} pages" if reason == REPEATED else reason


def weighed_words(block: Mapping[str, Any]) -> str:
    """Returns how likely a block is content and which kinds of evidence say so, empty if none was weighed."""
    if "evidence" not in block:
        return ""
    said = [
        f"{kind} {weight:+g}" if kind.startswith(TAUGHT) else f"{kind} {strength} {_side(weight)}"
        for kind, weight in sorted(block["evidence"].items(), key=lambda item: -abs(item[1]))
        for strength in [_strength(abs(weight))]
        if strength
    ]
    return f"{block['score']:.0%} likely: {', '.join(said) or 'nothing speaks for or against'}"


def _side(weight: float) -> str:
    return "for" if weight > 0 else "against"


def _strength(weight: float) -> str | None:
    """A weight of log odds in words: at a half the odds are 1.6 times as high, at two seven times."""
    if weight < WEAK:
        return None
    if weight < CLEAR:
        return "a little"
    return "clearly" if weight < STRONG else "strongly"
