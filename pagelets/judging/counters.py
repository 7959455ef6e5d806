"""Counters: blocks that say on most pages of a site the same but for a number, such as "1,234 views"."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.block_keys import placed_key
from pagelets.quantities import states_quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.judging.page_facts import BlockSupport
    from pagelets.judging.support import SupportTables
    from pagelets.page import Page

FEWEST_PAGES: Final = 10
SHARE: Final = 0.9
"""Minimum share of the site's pages that have a counter."""
NAMED_SHARE: Final = 0.5
"""The same of a text that names an event of the site itself (a visit, a comment, a sale): articles with their
counters are rarely 90 % of a site's pages, and other short lines on half of them may be content ("Serves 4").
"""
_LONGEST: Final = 80

_GAPS: Final = (",", ".", " ", "\xa0", "\u202f", "'", "’")
"""Characters between the thousands of a number."""
_MASKED: Final = ("0", *(gap.join(["0"] * groups) for gap in _GAPS for groups in (2, 3)))
"""A number with its digits masked, up to the millions."""
_NUMBER: Final = re.compile(rf"[1-9]\d{{0,2}}([{''.join(_GAPS)}])\d{{3}}(?:\1\d{{3}})?(?!\d)|\d+")
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_NAMES: Final = re.compile(
    r"\b(?:views?|visits?|visitors?|hits|shares?|likes?|downloads?|comments?|readers|sold)\b|"
    r"\b(?:read|viewed|visited|downloaded|shared|bought) \d|\bpeople (?:have|are|bought|like)\b|"
    r"\b(?:aufrufe?|zugriffe|besucher|kommentare?|leser|verkauft)\b|\bmal (?:gelesen|angesehen|geteilt)\b|"
    r"\b(?:vues?|visites?|visiteurs|commentaires?|partages?|lecteurs|vendus)\b|\blu \d|"
    r"\b(?:visitas|vistas|visualizaciones|comentarios?|vendidos)\b|\bleído \d|"
    r"\b(?:visualizzazioni|visite|commenti?|condivisioni|venduti)\b|\bletto \d|"
    r"\b(?:visualizações|comentários?|partilhas|compartilhamentos)\b|\blido \d|"
    r"\b(?:bekeken|weergaven|bezoekers|reacties?|verkocht)\b|"
    r"\b(?:visningar|visninger|besök|kommentar(?:er)?|katselukertaa|kommenttia?)\b|"
    r"\b(?:wyświetle|odsłon|przeczytano|komentarz|zobrazení|přečteno|komentář)|"
    r"\b(?:görüntüle|okunma|izlenme|yorum\b|просмотр|прочитано|комментари|перегляд|коментар)|"
    r"\b(?:dilihat|dibaca|komentar)\b|lượt xem|lượt đọc|bình luận|देखा गया|टिप्पणि|"
    r"回表示|閲覧|コメント|再生|浏览|瀏覽|阅读|閱讀|评论|評論|观看|觀看|조회|댓글|مشاهد"
)
"""Words of events of the site itself."""
_MAKING: Final = re.compile(
    r"\b(?:generat|rendered|executed|queries|erzeugt|généré|requêtes|generad|gerada|gemaakt|skapade|"
    r"wygenerowan|vytvořen|создан|створен|dibuat)|luotiin|oluşturul|được tạo|页面生成|ページ生成"
)
"""Words of the making of a page by its server."""
_SECONDS: Final = re.compile(
    r"\d[\d.,]*\s?(?:(?:ms|s|secs?|milliseconds?|seconds?|sekunden?|secondes?|segundos?|secondi|seconden|"
    r"sekunder|saniyede|с|сек|секунды?|detik|giây)(?!\w)|秒)"
)


@lru_cache(maxsize=1 << 12)
def least_share(text: str) -> float | None:
    """Returns the share of the site's pages from which on a text is a counter, None if it never is one.

    A text with a date, an amount with its unit, a price or stock is none; the time that a server took to make
    the page is no such amount.
    """
    if len(text) > _LONGEST or not any(map(str.isalpha, text)):
        return None
    lowered = text.lower()
    if _MAKING.search(lowered):
        text = _SECONDS.sub("", lowered)
        named = True
    else:
        named = _NAMES.search(lowered) is not None
    if states_quantity(text):
        return None
    return NAMED_SHARE if named else SHARE


def written_forms(text: str) -> list[str]:
    """Returns the texts, digits masked, that have another number in place of the only one of a text: "812
    views" and "1,234 views" say the same. Of a text with several numbers it is the text itself.
    """
    numbers = list(_NUMBER.finditer(text))
    if len(numbers) != 1:
        return [text]
    start, stop = numbers[0].span()
    return [f"{text[:start]}{number}{text[stop:]}" for number in _MASKED]


@lru_cache(maxsize=1 << 12)
def _placed_keys(forms: tuple[str, ...], tag_path: int) -> NDArray[np.int64]:
    return np.array([placed_key(form, tag_path) for form in forms], np.int64)


def counters(
    page: Page, keys: NDArray[np.void], blocks: BlockSupport, tables: SupportTables
) -> NDArray[np.float32]:
    """Returns the share of the site's pages on which each counter stands, 0 for blocks that are none.

    A counter stands once at its tag path, and at most half of the pages that have it there have the same
    number.

    Args:
        page: a page of b blocks.
        keys: their keys, an array of `pagelets.block_keys.BLOCK_KEYS`.
        blocks: their support.
        tables: the support of all blocks of the site.

    """
    counted = np.zeros(len(page.blocks), np.float32)
    frequent = (blocks.tag_path_pages >= FEWEST_PAGES) & (blocks.tag_path_shares >= NAMED_SHARE)
    tag_paths = keys["tag_path"].tolist()
    masked = {
        place: (_NUMBER.sub("0", text), tag_paths[place])
        for place in np.flatnonzero(frequent).tolist()
        if len(text := page.blocks[place].text) <= _LONGEST and any(map(str.isdecimal, text))
    }
    times = Counter(masked.values())
    for place, line in masked.items():
        if times[line] > 1:
            continue
        block = page.blocks[place]
        least = least_share(block.text)
        if least is None or (least == SHARE and page.tree.tags[block.node] in _HEADINGS):
            continue
        pages, shares = tables.placed(_placed_keys(tuple(written_forms(block.text)), tag_paths[place]))
        total = float(pages.sum())
        if total < max(FEWEST_PAGES, 2 * int(blocks.pages[place])):
            continue
        share = total / float((pages[pages > 0] / shares[pages > 0]).max())
        if share >= least - 1e-6:
            counted[place] = min(share, 1.0)
    return counted
