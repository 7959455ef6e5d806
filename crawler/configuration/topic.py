"""The topic of a crawl, as it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pagelets.ranking.relevance import Topic
from settings.errors import ConfigurationError

MOST_BYTES: Final = 4 * 1024 * 1024
"""A file of words is no larger."""
MOST_CHARACTERS: Final = 10_000
"""Nor is a query longer."""


def topic_of(query: str, seeds: str) -> Topic | None:
    """The topic of a query, of a file of words, or of both; None without them. Raises ConfigurationError."""
    if not query and not seeds:
        return None
    if len(query) > MOST_CHARACTERS:
        raise ConfigurationError(f"query: is longer than {MOST_CHARACTERS} characters; give seeds=FILE")
    text = _text(Path(seeds)) if seeds else ""
    try:
        return Topic.of(f"{query}\n{text}".strip())
    except ValueError as error:
        given = f"query {query!r}" if query else f"seeds {seeds}"
        raise ConfigurationError(f"{given}: {error}") from error


def _text(path: Path) -> str:
    mend = "give a file of texts, or of words, in UTF-8"
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"seeds {path}: {error}; {mend}") from error
    if len(content) > MOST_BYTES:
        raise ConfigurationError(f"seeds {path}: has more than {MOST_BYTES} bytes; give fewer texts")
    if "\0" in text:
        raise ConfigurationError(f"seeds {path}: is no text; {mend}")
    return text
