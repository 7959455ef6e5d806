"""Texts that count: what a site says beside a number that is not of the world, such as "1,234 views"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pagelets.quantities import states_offer, states_quantity

SHARE: Final = 0.9
"""Minimum share of the site's pages that have a counter."""
NAMED_SHARE: Final = 0.2
"""The same of a text that names an event of the site itself (a visit, a comment, a sale): articles with their
counters are rarely most of a site's pages. Other short lines on many of them may be content ("Serves 4").
"""
LISTED_SHARE: Final = 0.0
"""The same of a text that says which entries of a listing a page has ("Showing 1-12 of 40 results"): listings
are few of a site's pages.
"""
LONGEST: Final = 80
"""Maximum number of characters of such a text."""

_GAPS: Final = (",", ".", " ", "\xa0", "\u202f", "'", "’")
"""Characters between the thousands of a number."""
_MASKED: Final = ("0", *(gap.join(["0"] * groups) for gap in _GAPS for groups in (2, 3)))
"""A number with its digits masked, up to the millions."""
NUMBER: Final = re.compile(rf"[1-9]\d{{0,2}}([{''.join(_GAPS)}])\d{{3}}(?:\1\d{{3}})?(?!\d)|\d+")

_NAMES: Final = re.compile(
    r"\b(?:(?:page)?views?|visits?|visitors?|hits|shares?|likes?|downloads?|comments?|readers|sold)\b|"
    r"\b(?:read|viewed|visited|downloaded|shared|bought) \d|\bpeople (?:have|are|bought|like)\b|"
    r"\b(?:(?:seiten|beitrags|artikel)?(?:aufrufe?|zugriffe)|besucher|kommentare?|leser|verkauft)\b|"
    r"\bmal (?:gelesen|angesehen|geteilt)\b|"
    r"\b(?:vues?|visites?|visiteurs|commentaires?|partages?|lecteurs|vendus)\b|\blu \d|"
    r"\b(?:visitas|vistas|visualizaciones|comentarios?|compartid[oa]s?|vendidos)\b|\bleído \d|"
    r"\b(?:visualizzazioni|visite|commenti?|condivisioni|venduti)\b|\bletto \d|"
    r"\b(?:visualizações|comentários?|partilhas|compartilhamentos)\b|\blido \d|"
    r"\b(?:bekeken|weergaven|bezoekers|reacties?|verkocht)\b|"
    r"\b(?:visningar|visninger|besök|kommentar(?:er)?|katselukertaa|kommenttia?)\b|"
    r"\b(?:wyświetle|odsłon|przeczytano|udostępnie|komentarz|zobrazení|přečteno|komentář)|"
    r"\b(?:görüntüle|okunma|izlenme|yorum\b|просмотр|прочитано|репост|поделил|комментари|перегляд|коментар)|"
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
_TIMES: Final = re.compile(
    r"\b(?:min(?:ute)?s?\.?[ -]read|reading time|time to read|minutes to read|lesezeit|de lecture|de lectura|"
    r"di lettura|de leitura|leestijd|lästid|læsetid|lesetid|lukuaika|czytania|čtení|okuma|чтения|на чтение|"
    r"читання|waktu baca|menit baca|thời gian đọc|phút đọc)\b|"
    r"阅读时间|阅读约.+分钟|分钟阅读|閱讀時間|分鐘閱讀|読了|分で読|분 읽기|읽는 시간|قراءة|मिनट (?:में )?पढ़|"
    r"\bupdated\b.+\bago\b|\baktualisiert vor\b|\bmise? à jour il y a\b|\bactualizad[oa] hace\b|"
    r"\baggiornat[oa]\b.+\bfa\b|\bat?ualizad[oa] há\b|\bbijgewerkt\b.+\bgeleden\b|"
    r"\b(?:uppdatera(?:d|t|des) för|op?pdater(?:et|t) for)\b|\bpäivitetty\b.+\bsitten\b|\baktualiz.+\btemu\b|"
    r"\baktualizováno před\b|\bgüncellendi\b.+\bönce\b|\bönce güncellendi\b|\bобновлен[оа]?\b.+\bназад\b|"
    r"\bоновлено\b.+\bтому\b|\bdiperbarui\b.+\blalu\b|\bcập nhật\b.+\btrước\b|更新.+前|前.{0,2}更新|"
    r"전.{0,2}(?:업데이트|수정)|التحديث.*منذ|पहले अपडेट"
)
"""Words of the time that a text takes to read, or that has passed since it was changed."""
_RANGE: Final = re.compile(
    r"(?:[^\W\d]++\W++){0,3}(\d++)\s?(?:[-–—~〜]|to|bis|à|a|al|até|tot|till?|до|по|do|ile)\s?(\d++)\W++"
    r"(?:(?:out )?of|von|sur|d[ei]|su|van|av|af|z|ze|из|з|із|dari|trên|/|total)\W++(\d++)\W*+"
    r"(?:\w++\W*+){0,4}"
)
"""Which entries of all a page of a listing shows."""
_SHOWN: Final = (
    r"(?:(?:showing|displaying|viewing|found|total|all|the|of|alle[nr]?|insgesamt|voici|affichage|les?|de|du|"
    r"mostra(?:ndo|r)|tod[oa]s|l[oa]s|[oa]s?|visualizzazione|tutti|di|i|visar|viser|alla|näytetään|kaikki|"
    r"wyświetlanie|wszystkich|zobrazeno|všech|показан[ыо]|отображение|все[хі]?|усіх|tüm|toplam|menampilkan|semua|"
    r"hiển|thị|tất|cả|显示所有|顯示所有|全部|전체|عرض|جميع)\W++){0,4}"
)
_RESULTS: Final = (
    r"(?:results?|ergebnis(?:se)?|résultats?|resultados?|risultat[oi]|resulta(?:at|ten|ter|t)|tulosta|"
    r"wynik(?:i|ów)?|výsled(?:ek|ky|ků)|результат(?:а|и|ів|ов|ы)?|sonuç|sonucun|hasil|kết quả|परिणाम|"
    r"件の結果|个结果|個結果|결과|النتائج|نتائج|نتيجة)"
)
_ENTRIES: Final = (
    r"(?:items?|products?|articles?|artikel|produkte?|produits?|artículos?|productos?|articol[oi]|prodott[oi]|"
    r"artigos?|produtos?|producten|varor|varer|produkter|tuotetta|produkt(?:y|ów|ů)|товар(?:а|ів|ов)?|ürün|"
    r"produk|sản phẩm|件?商品|제품|상품|منتجات|منتج)(?:\([a-z]{1,2}\))?"
)
_TOTAL: Final = re.compile(
    rf"{_SHOWN}(?:\d++\W?\s?(?:{_RESULTS}|{_ENTRIES})|{_RESULTS}:?\s?\d++)(?:\W++\w++){{0,2}}\W*+|"
    r"共\s?\d++\s?(?:[页頁]\s?\d++\s?)?[个個件条條]\w{0,4}"
)
"""How many entries a listing has."""
_TODAY: Final = re.compile(
    r"\W*(?:today(?: is)?|heute(?: ist)?|aujourd['’]hui|nous sommes le|hoy(?: es)?|oggi(?: è)?|hoje(?: é)?|"
    r"vandaag(?: is)?|i ?dag(?: är| er)?|tänään(?: on)?|dzisiaj(?: jest)?|dziś(?: jest)?|dnes(?: je)?|bugün|"
    r"сегодня|сьогодні|hari ini|hôm nay(?: là)?|आज|今日は|本日は|今天是|오늘은|اليوم)"
    r"\D{0,12}\d{1,4}[./-]\d{1,2}[./-]\d{1,4}.{0,6}"
)
"""A line of the day on which a page was made, in numbers: those in words say another thing each month."""


@lru_cache(maxsize=1 << 12)
def least_share(text: str) -> float | None:
    """Returns the share of the site's pages from which on a text is a counter, None if it never is one.

    A text with a date, an amount with its unit, a price or stock is none; the time that a server took to make
    the page, a reader takes to read it, or that has passed since it was changed is no such amount.
    """
    if len(text) > LONGEST or not any(map(str.isalpha, text)):
        return None
    lowered = text.lower()
    if _TODAY.fullmatch(lowered):
        return NAMED_SHARE
    if _states_time(lowered):
        return None if states_offer(text) else NAMED_SHARE
    if _MAKING.search(lowered):
        text = _SECONDS.sub("", lowered)
        named = True
    else:
        named = _NAMES.search(lowered) is not None
    if counts_entries(text):
        return LISTED_SHARE
    if states_quantity(text):
        return None
    return NAMED_SHARE if named else SHARE


@lru_cache(maxsize=1 << 12)
def counts_entries(text: str) -> bool:
    """Returns True for a text that says which entries of a listing it has ("Showing 1-12 of 40 results"), or
    how many ("14 items").
    """
    lowered = text.lower()
    if len(text) <= LONGEST and len(NUMBER.findall(text)) < 3 and _TOTAL.fullmatch(lowered):
        return True
    shown = _RANGE.fullmatch(lowered)
    if shown is None:
        return False
    first, last, total = map(int, shown.groups())
    return first <= last <= total and not states_quantity(text)


def _states_time(text: str) -> bool:
    """Returns True if the only number of a text is a time to read, or since a change."""
    return len(NUMBER.findall(text)) == 1 and _TIMES.search(text) is not None


@lru_cache(maxsize=1 << 12)
def _may_name(masked: str) -> bool:
    lowered = masked.lower()
    return any(words.search(lowered) for words in (_NAMES, _MAKING, _TIMES, _TODAY))


def names_event(text: str) -> bool:
    """Returns True for a text that counts events of the site itself, or states such a time: "1,234 views",
    "4 min read".
    """
    return _may_name(NUMBER.sub("0", text)) and least_share(text) == NAMED_SHARE


def written_forms(text: str) -> list[str]:
    """Returns the texts, digits masked, that have another number in place of the only one of a text: "812
    views" and "1,234 views" say the same. Of a text with several numbers it is the text itself.
    """
    numbers = list(NUMBER.finditer(text))
    if len(numbers) != 1:
        return [text]
    start, stop = numbers[0].span()
    return [f"{text[:start]}{number}{text[stop:]}" for number in _MASKED]
