"""The shown parts of entries of an embedded index: kept beside the words, as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from search.columns import shown as as_shown
from search.query import Hit
from search.sinks.text.snippets import snippet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from search.sink import Unit


def packed(unit: Unit) -> str:
    """All that is shown of a unit but its text."""
    shown: dict[str, Any] = {
        "unit": unit.id,
        "document": unit.document,
        "url": unit.url,
        "title": unit.title,
        "headings": unit.headings,
        "language": unit.language,
        "published": unit.published,
        "fetched_at": unit.fetched_at,
    }
    if unit.fields:
        shown["fields"] = {name: as_shown(value) for name, value in unit.fields.items()}
    return json.dumps(shown, ensure_ascii=False)


def hit(
    shown: str | bytes,
    text: str,
    score: float,
    phrases: Sequence[tuple[str, ...]],
    words: Callable[[str], Sequence[str]],
) -> Hit:
    """Returns the hit that a search shows for an entry.

    Args:
        shown: the entry as `packed` has made it.
        text: its text.
        score: its score.
        phrases: the phrases to mark in the text.
        words: returns the words of a text.

    """
    fields: dict[str, Any] = json.loads(shown)
    headings = tuple(fields.pop("headings"))
    return Hit(score=score, headings=headings, snippet=snippet(text, phrases, words), **fields)
