"""Authors and dates of what is kept: sites repeat them on many pages, which speaks against them."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.bylines import OF_AUTHOR, names_author, names_date

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_LONGEST: Final = 8
_LONGEST_BY: Final = 14
"""Maximum number of words of such a line, and of one that begins as those do that name an author."""
_NEAR: Final = 6
"""Texts before and behind the headline among which it is the article's."""
_OWN: Final = 0.2
"""The share of the site's pages below which a date is the page's own."""
_MOST: Final = 0.5
"""Maximum share of the site's pages that have the same date at this tag path."""
_LABEL: Final = 3
"""Maximum number of words of a line between a date and the title of its entry, such as a category."""
_ENTRY: Final = 30
"""Maximum number of words of an entry that begins with its date."""
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_DAY: Final = re.compile(
    r"(?:0?[1-9]|[12]\d|3[01])[/-](?:0?[1-9]|[12]\d|3[01])|(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?"
)
"""A day without its year, or a time of day."""
_SINCE: Final = re.compile(
    r"\b(?:joined|join date|registered|member since|mitglied seit|registriert|beigetreten|inscrit|registrado|"
    r"inscription|miembro desde|membro desde|iscritto|lid sinds|geregistreerd|medlem sedan|dołączył|"
    r"rejestracja|kayıt|üyelik|регистрация|зарегистрирован)|注册|註冊|加入|登録",
    re.IGNORECASE,
)
"""Since when an author is a member of a forum: the date is not that of the post."""


def bylines(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the lines with an author or a date that are removed right beside a text that is kept, or one of
    these, near the headline or in the entries of a list: bool[b]. Nothing speaks against them where the site
    is not known.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    if kept.is_alone:
        return np.zeros(len(never), bool)
    found = kept.beside(never, _LONGEST_BY, lambda place: _is_byline(kept, place))
    tags, blocks, mask = kept.page.tree.tags, kept.page.blocks, kept.mask
    # The site's own lines may have a date, too, such as today's.
    own = ~(mask | never) & (kept.evidence.blocks.shares < _OWN)
    found[[place for place in _over_a_label(kept, own & ~found) if _is_byline(kept, place)]] = True
    spoken, headed = kept.spoken, np.zeros(len(found), bool)
    # Titles may be cut.
    for place in kept.headlines or [place for place, block in enumerate(blocks) if tags[block.node] == "h1"]:
        if mask[place] and kept.headed[place]:
            at = int(spoken.searchsorted(place))
            before, behind = spoken[max(0, at - _NEAR) : at], spoken[at : at + _NEAR]
            headed[before] = headed[behind] = True
            for near in (before[::-1], behind[1:]):
                # Categories, and the minutes that it takes to read, may stand between.
                lines = takewhile(lambda line: kept.words[line] <= _LONGEST, near.tolist())
                places = [line for line in lines if own[line] and _says_date(kept, line)]
                found[[place for place in places if _is_byline(kept, place)]] = True
    if not found.any():
        return found
    similar = mask & (kept.words <= _LONGEST_BY) & np.isin(kept.tag_paths, kept.tag_paths[found])
    alike = found.copy()
    alike[[place for place in np.flatnonzero(similar).tolist() if _is_byline(kept, place)]] = True
    return found & (headed | kept.listed(alike))


def years(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the years that are removed right above a date or an entry that is kept, as archives have them:
    bool[b]. Nothing speaks against them where the site is not known.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    spoken, blocks, words = kept.spoken, kept.page.blocks, kept.words
    found = np.zeros(len(never), bool)
    if kept.is_alone:
        return found
    removed = ~(kept.mask | never) & (words == 1)
    at = np.flatnonzero(removed[spoken[:-1]] & (kept.mask & (words <= _ENTRY))[spoken[1:]])
    for place, after in zip(spoken[at].tolist(), spoken[at + 1].tolist(), strict=True):
        if _YEAR.fullmatch(blocks[place].text):
            found[place] = _says_date(kept, after) or _DAY.match(blocks[after].text) is not None
    return found


def _over_a_label(kept: KeptPage, own: NDArray[np.bool_]) -> list[int]:
    """The places of the dates of a page's ``own`` short lines that one removed line parts from kept text."""
    spoken, mask = kept.spoken, kept.mask
    short, label = (kept.words <= _LONGEST) & own, (kept.words <= _LABEL) & ~mask
    places = set()
    for row in (spoken, spoken[::-1]):
        at = np.flatnonzero(short[row[:-2]] & label[row[1:-1]] & mask[row[2:]])
        places |= {place for place in row[at].tolist() if _says_date(kept, place)}
    return sorted(places)


def _says_date(kept: KeptPage, place: int) -> bool:
    """Returns True if a line names a day, or is one by its element, in whatever language."""
    block, tags = kept.page.blocks[place], kept.page.tree.tags
    if names_date(block.text):
        return True
    written = [tags[holder] for text, holder in block.runs if text.strip()]
    return set(written) == {"time"} and any(map(str.isdigit, block.text))


def _is_byline(kept: KeptPage, place: int) -> bool:
    page = kept.page
    block = page.blocks[place]
    if _SINCE.search(block.text):
        return False
    links = [link for link in page.links[block.links] if link.text]
    by = names_author(block.text)
    # A date of the site's own, such as in a list of its last articles.
    support = kept.evidence.blocks
    if not by and min(support.shares[place], support.placed_shares[place]) > _MOST:
        return False
    # When it was written, and changed.
    if kept.words[place] > _LONGEST and not by and len(_YEAR.findall(block.text)) <= 1:
        return False
    # A link may be around the whole entry, or say how many comments there are.
    if by or all(link.text.isdecimal() or names_date(link.text) or _DAY.match(link.text) for link in links):
        return by or _says_date(kept, place) or _DAY.fullmatch(block.text) is not None
    site = "/".join(page.url.split("/", 3)[:3]) + "/"
    return any(link.url.startswith(site) and OF_AUTHOR.search(link.url) for link in links)
