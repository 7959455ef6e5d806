"""Bylines: the lines at the head of an article that name its author, with the date and such beside them."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from pagelets.metadata.authors import find_declared_author
from pagelets.metadata.declarations import Declarations
from pagelets.metadata.months import month_of
from pagelets.text.words import unspaced_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.page import Page

_BEFORE: Final = 4
_AFTER: Final = 14
"""Blocks before and after the title where a byline may stand."""
_PARAGRAPH: Final = 45
"""Words of the first paragraph of the text, which ends the head."""
_LONGEST: Final = 25
_SHORT: Final = 12
"""Maximum words of a line that names an author, and of one beside it."""

_NONE: Final = frozenset({"h1", "h2", "h3", "button", "figcaption"})
"""Elements that are no byline: who took a picture stands below it."""

_WORDS_OF_BY: Final = (
    "by|von|par|por|di|(?<=to )da|door|av|af|przez|от|автор|autor|author|oleh|tác giả|penulis|yazar|autore|"
    "auteur"
)
_DONE: Final = (
    r"(?:(?:medically )?(?:written|posted|words|story|text|published|reported|reviewed|edited|updated|"
    r"created|contributed|authored|fact[- ]checked|geschrieben|verfasst|veröffentlicht|écrit|rédigé|publié|"
    r"posté|scritto|pubblicato|escrito|publicado|geschreven|geplaatst|gepubliceerd|skriven|publicerad|skrevet|"
    r"publisert|udgivet|napisane|opublikowane)\s+)?"
)
_BY_ALONE: Final = re.compile(rf"\W*{_DONE}(?:{_WORDS_OF_BY})\W*", re.IGNORECASE)
_BY: Final = re.compile(
    rf"\W*{_DONE}(?:(?:{_WORDS_OF_BY})(?:\s*:\s*\S|\s+(?-i:[A-ZÀ-ÞА-Я@])|(?<=by)(?-i:[A-Z][a-z]))|"
    rf"(?:作者|著者|文)\s*[:：／/])|"
    r"\W*(?:posted|published|updated|on) .{3,40} (?:by|von|par|por) (?-i:[A-Z])",
    re.IGNORECASE,
)
OF_AUTHOR: Final = re.compile(
    r"/(?:authors?|autor(?:es)?|auteurs?|contributors?|profile|people|staff|writers?|by|users?|penulis)/",
    re.IGNORECASE,
)
"""The address of an author's page."""
_DATE: Final = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\b\d{4}-\d\d-\d\d|\d[年년]|\d[月월] ?\d")
_DAY_OF: Final = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th|er|º|°)?(?:\.?\s+(?:(?:de|of)\s+|d['’])?|\.|-)([^\W\d_]{3,12})\b|"
    r"\b(?=([^\W\d_]{3,12})\.?\s+\d{1,2}(?:st|nd|rd|th)?\b)",
    re.IGNORECASE,
)
"""A number and what may be the name of its month, in either order."""
_SHORT_MONTHS: Final = frozenset(
    """
    jan feb fév mar mär apr avr abr may mai maj mei jun jul aug ago aoû sep set oct okt out ott nov dec dez
    déc dic янв фев мар апр мая май июн июл авг сен окт ноя дек
    """.split()
)
"""Names of three letters that are no other words in the languages of most pages."""
_DIGIT: Final = re.compile(r"\d")
"""Of which each date has one. It is faster to look for."""
_READ: Final = re.compile(r"\d (?:min|minute)s?\.? read", re.IGNORECASE)
_BESIDE: Final = re.compile(
    r"\bago\b|\W*(?:published|updated|last updated|posted|publicado|publié|veröffentlicht|\d{1,2}:\d\d)\b",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(
    r"\b(?:reporter|editor|writer|correspondent|contributor|staff|journalist|columnist|author|director|manager|"
    r"president|analyst|redakteur|rédact|redactor|expert|reviewed|fact[- ]checked)",
    re.IGNORECASE,
)
_NAME: Final = re.compile(
    r"[^\W\d_][\w'’.-]*(?:\s+(?:de|da|di|van|von|der|den|la|le|del|bin|al|[^\W\d_][\w'’.-]*)){1,3}"
    r"(?:,? (?:Ph\.?D|MD|RD|CFA|CPA)\.?)?"
)
_NAME_CHARS: Final = 40
_SHORTEST_NAME: Final = 4
_NAME_WORDS: Final = 4
_PARTICLES: Final = frozenset({"de", "da", "di", "van", "von", "der"})


def byline(page: Page) -> list[int]:
    """Returns the positions of a page's blocks that are its byline; none on a page without a title (h1).

    Neither the class names nor the microdata of a page are looked at.
    """
    tags = [page.tree.tags[block.node] for block in page.blocks]
    if "h1" not in tags:
        return []
    title = tags.index("h1")
    places = range(max(0, title - _BEFORE), min(title + _AFTER, len(tags)))
    texts = [page.blocks[place].text for place in places]
    lengths = {
        place: len(text.split()) + unspaced
        for place, text, unspaced in zip(places, texts, unspaced_words(texts).tolist(), strict=True)
    }
    end = next((place for place in lengths if place > title and lengths[place] > _PARAGRAPH), len(tags))
    head = [place for place in lengths if place < end and tags[place] not in _NONE]
    named = _named(page, title, head, lengths)
    beside = {
        place
        for place in head
        if 0 < lengths[place] <= _SHORT
        and (_is_date(text := page.blocks[place].text) or _ROLE.search(text))
        and any(abs(place - other) <= 2 for other in named)
    }
    return sorted(named | beside)


def author_names(page: Page) -> set[str]:
    """Returns the names of people in a page's byline and those that it declares as authors, in lower case.

    In the byline these are the first two to four of words in a row with a capital letter: a month may follow.
    Of scripts without capitals there are declared ones alone.
    """
    names = set((find_declared_author(Declarations(page)) or "").split(", "))
    for place in byline(page):
        row: list[str] = []
        for word in [*page.blocks[place].text.split(), ""]:
            if word[:1].isupper() and not _BY_ALONE.fullmatch(word):
                row.append(word.strip(",.:;|"))
            elif word not in _PARTICLES or not row:
                names |= {" ".join(row[:count]) for count in range(2, min(len(row), _NAME_WORDS) + 1)}
                row = []
            else:
                row.append(word)
    return {name.lower() for name in names if len(name) >= _SHORTEST_NAME}


def _named(page: Page, title: int, head: Sequence[int], lengths: dict[int, float]) -> set[int]:
    """The positions of lines that name an author."""
    authors = [name.lower() for name in (find_declared_author(Declarations(page)) or "").split(", ") if name]
    linked = defaultdict(list)
    for link in page.links:
        linked[link.block].append(link)
    places: set[int] = set()
    for place in head:
        text, words = page.blocks[place].text, lengths[place]
        if not 0 < words <= _LONGEST:
            continue
        if _BY_ALONE.fullmatch(text):
            places |= {place, *(other for other in head if other == place + 1 and lengths[other] <= _SHORT)}
        elif (
            names_author(text)
            or (words <= 15 and any(link.text and OF_AUTHOR.search(link.url) for link in linked[place]))
            or any(name in text.lower() and words <= len(name.split()) + _SHORT for name in authors)
            or (place > title and _is_name(text) and _has_company(page, place, head, lengths))
        ):
            places.add(place)
    return places


def names_date(text: str) -> bool:
    """Returns True if a text names a day."""
    if _DIGIT.search(text) is None:
        return False
    words = (day[1] or day[2] for day in _DAY_OF.finditer(text))
    return _DATE.search(text) is not None or any(
        month_of(word) > 0 and (len(word) > 3 or word.lower() in _SHORT_MONTHS) for word in words
    )


def _is_dated(text: str) -> bool:
    """Returns True if a text names a day, or the minutes that it takes to read."""
    return names_date(text) or _READ.search(text) is not None


def _is_date(text: str) -> bool:
    return _is_dated(text) or _BESIDE.match(text) is not None


def names_author(text: str) -> bool:
    """Returns True if a text begins as lines do that name an author."""
    return _BY.match(text) is not None and "click" not in text.lower()


def _is_name(text: str) -> bool:
    text = text.strip()
    words = text.split()
    capital = all(word[0].isupper() or word in _PARTICLES for word in words)
    return len(text) < _NAME_CHARS and capital and _NAME.fullmatch(text) is not None


def _has_company(page: Page, place: int, head: Sequence[int], lengths: dict[int, float]) -> bool:
    """Returns True if a date stands next to a line, or after it what an author does."""
    return any(
        _is_dated(text := page.blocks[other].text) or (other > place and _ROLE.search(text) is not None)
        for other in head
        if 0 < abs(other - place) <= 2 and lengths[other] <= _SHORT
    )
