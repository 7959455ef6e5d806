"""What the magazine Slow Spoke says: its articles and the words of its template."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.quality.texts import Texts


@dataclass(frozen=True)
class Post:
    """An article. ``group`` is its page type, where it is not an article in the strict sense."""

    number: int
    slug: str
    title: str
    author: str
    date: str
    category: str
    tags: list[str]
    body: str
    group: str = "article"
    path: str = field(init=False)

    def __post_init__(self) -> None:
        months = (
            "January February March April May June July August September October November December".split()
        )
        _, month, year = self.date.split()
        object.__setattr__(self, "path", f"/{year}/{months.index(month) + 1:02}/{self.slug}/")


_TEXTS = Texts("slowspoke")

CATEGORIES = _TEXTS.read("categories", dict[str, tuple[str, str]])
AUTHORS = _TEXTS.read("authors", dict[str, str])
QUOTES = _TEXTS.read("quotes", list[tuple[str, str]])
POSTS = _TEXTS.read("posts", list[Post])
ABOUT = _TEXTS.read("about", str)
CONTACT = _TEXTS.read("contact", str)
