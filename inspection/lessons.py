"""The sheets that a site was taught by: a file of JSON lines beside the site file.

The pages on it stay as gold text: they tell how well the site is judged.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    Blocks = Sequence[tuple[str, bool]]
    """The texts of a page's blocks, each with whether it is content."""

SUFFIX: Final = ".taught.jsonl"


@dataclass(slots=True, frozen=True)
class Lesson:
    """A sheet that was learned from: when, its pages by URL, and the weights in force before it."""

    taught_at: str
    pages: Mapping[str, Blocks]
    before: Mapping[str, float]


def folded(text: str) -> str:
    """Returns a block's text as lessons have it: on one line."""
    return " ".join(text.split())


def lessons_path(site_file: Path) -> Path:
    """Returns the path of the lessons that belong to a site file."""
    return site_file.with_name(site_file.stem + SUFFIX)


def read_lessons(path: Path) -> list[Lesson]:
    """Reads the lessons of a site, the oldest first. Raises ConfigurationError and OSError."""
    if not path.exists():
        return []
    lessons = []
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                pages = {
                    str(url): [(str(text), sign == "+") for sign, text in blocks]
                    for url, blocks in row["pages"].items()
                }
                before = {str(name): float(weight) for name, weight in row["before"].items()}
                lessons.append(Lesson(str(row["taught_at"]), pages, before))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ConfigurationError(
                    f"{path}:{number}: no lesson ({type(error).__name__}: {error}); "
                    "take the line away, or get the file back as it was"
                ) from error
    return lessons


def lessons_text(lessons: Iterable[Lesson]) -> str:
    """Returns the text of a file of lessons."""
    rows = (
        {
            "taught_at": lesson.taught_at,
            "before": dict(lesson.before),
            "pages": {
                url: [("+" if keep else "-", text) for text, keep in blocks]
                for url, blocks in lesson.pages.items()
            },
        }
        for lesson in lessons
    )
    return "".join(
        json.dumps(row, ensure_ascii=False).encode("utf-8", "replace").decode() + "\n" for row in rows
    )


def taught_pages(lessons: Iterable[Lesson]) -> dict[str, Blocks]:
    """Returns the pages that were taught, each as the newest lesson has it."""
    return {url: blocks for lesson in lessons for url, blocks in lesson.pages.items()}
