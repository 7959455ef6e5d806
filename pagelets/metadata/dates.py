"""The date on which a page was published."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from datetime import time as clock
from itertools import islice
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from pagelets.metadata.declarations import MAX_ITEMS, MAX_VALUE, element_text, is_aside, with_kept_text
from pagelets.metadata.json_ld import Node, as_list
from pagelets.metadata.months import month_of
from pagelets.tree import ROOT, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pagelets.metadata.declarations import Declarations

EARLIEST: Final = date(1995, 1, 1)
"""No page of the web is older, but placeholders such as 1970-01-01 are."""

_META: Final = """
    article:published_time article:published og:article:published_time og:published_time og:publish_date
    datepublished citation_publication_date citation_online_date citation_date dc.date.issued
    dcterms.issued parsely-pub-date sailthru.date cxenseparse:publishtime cxenseparse:recs:publishtime
    publish-date publish_date publishdate publication_date published published_at published_time
    pubdate date-pub
    """.split()
"""Names of meta elements, those with the plainest meaning first."""

_MARKS: Final = frozenset(
    {"dt-published", "entry-date", "entry-published", "post-date", "published", "pubdate"}
)
_DATING: Final = re.compile(
    r"(?<![a-z])(?i:date|dateline|datetime|postdate|posted|pubdate|published)(?:-?on)?(?![a-z])|"
    r"[a-z](?:Date|Published)(?![a-z])"
)
"""Classes of elements that show when a page was published."""
_OF_ANOTHER: Final = re.compile(
    r"birth|closing|deadline|deliver|due|event|expir|(?<![a-z])end|header|release|start|today|valid",
    re.IGNORECASE,
)
"""Classes of dates of another kind."""
_SMALL: Final = frozenset({"abbr", "a", "div", "em", "h2", "li", "p", "small", "span"})
_UPDATED: Final = re.compile(
    r"[uop]pdat|modifi|edited|revis|reviewed|\blast\b|a[ck]?tuali[sz]|geändert|bearbeitet|à jour|aggiorna|"
    r"bijgewerkt|gewijzigd|endret|ændret|ändrad|päivit|muokat|diperbarui|güncel|frissít|ενημέρωσ|"
    r"обновл|изменен|оновлен|更新|修改|編集|수정|업데이트",
    re.IGNORECASE,
)
_PROPERTIES: Final = frozenset({"dateCreated", "datePublished", "uploadDate"})
"""Other microdata properties say when an event begins or an offer ends."""
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_MAX_LABEL: Final = 100
_MAX_AROUND: Final = 3
_MAX_LENGTH: Final = 80
_BESIDE_DIGITS: Final = 20
"""Characters of a date before its first digit and after its last: of its month, or its zone."""
_WEEKDAYS: Final = tuple(
    r"""
    mon(?:day)? tue(?:s(?:day)?)? wed(?:nesday)? thu(?:r(?:s(?:day)?)?)? fri(?:day)? sat(?:urday)? sun(?:day)?
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so
    mandag tirsdag onsdag torsdag fredag lørdag søndag
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
    luned[iì] marted[iì] mercoled[iì] gioved[iì] venerd[iì] sabato domenica
    lunes martes mi[eé]rcoles jueves viernes s[aá]bado domingo
    lundi mardi mercredi jeudi vendredi samedi dimanche
    poniedziałek wtorek środa czwartek piątek sobota niedziela
    (?:segunda|ter[cç]a|quarta|quinta|sexta)(?:-feira)?
    понедельник вторник среда четверг пятница суббота воскресенье пн вт ср чт пт сб вс
    måndag tisdag onsdag torsdag fredag lördag söndag mån tis ons tors tor fre lör sön
    pazartesi sal[iı] çarşamba perşembe cuma(?:rtesi)? pazar
    ال(?:[أا]حد|[إا]ثنين|ثلاثاء|[أا]ربعاء|خميس|جمعة|سبت) (?:יום\s)?(?:ראשון|שני|שלישי|רביעי|חמישי|שישי|שבת)
    """.split()
)
"""Patterns of the words that may stand before a date."""

_LABEL: Final = re.compile(
    r"(?:(?:first )?(?:published|posted|publié|publicado|pubblicato|veröffentlicht|опубликовано)\b:?\s*)?"
    r"(?:(?:on|am|le|el|em|il)\s+)?",
    re.IGNORECASE,
)
"""Words that may stand before a date of publication."""
_DIGITS: Final = re.compile(r"\d(?:.*\d)?", re.DOTALL)
_DIGIT: Final = re.compile(r"[^\D0-9]")
_CLOCK: Final = r"""
        (?P<hour>[0-9]{1,2}) : (?P<minute>[0-9]{2}) (?: :(?P<second>[0-9]{2}) (?:[.,][0-9]{1,9})? )?
        (?: \s* (?P<half>[ap])\.?m\.? )?
        (?: \s* (?P<zone> Z | (?:GMT|UTC)?[+-][0-9]{2}(?::?[0-9]{2})? | GMT | UTC ) )?
        (?P<named> \s* \(?[A-Z][A-Za-z ]{1,40}\)? | \s [+-][0-9]{4} )?
    """
_TIME: Final = rf"""
    (?: (?: T | ,?\s* [–—-]?\s+ (?:(?:at|um|à|a\ las|às|kl\.?|в|saat)\s+)? | \s*@\s* ) {_CLOCK} )?
    """
_YEAR: Final = r"(?P<year>[0-9]{4}) (?: \s* (?:r|г|р|года|року)\b\.? )?"
_MONTH: Final = r"(?P<month> [^\W\d_]{2,12} | [0-9]{1,2}月 )"
_DAY: Final = r"(?P<day>[0-9]{1,2}) (?:st|nd|rd|th|er|º|°)?"
_NUMBER: Final = r"(?P<month>0?[1-9]|1[0-2])"
_NO_MONTH: Final = r"(?P<day>1[3-9]|[23][0-9])"
_WEEKDAY: Final = rf"(?: (?:le|el|den)\s+ )? (?: (?:{'|'.join(_WEEKDAYS)}) \.?,?\s+ (?:den\s+)? )?"
_FORMS: Final = tuple(
    re.compile(form, re.VERBOSE | re.IGNORECASE)
    for form in (
        rf"(?P<year>[0-9]{{4}}) ([-/.]) \s? (?P<month>[0-9]{{1,2}}) \2 \s? (?P<day>[0-9]{{1,2}}) \.? {_TIME}",
        rf"(?P<year>[0-9]{{4}}) (?P<month>[0-9]{{2}}) (?P<day>[0-9]{{2}}) {_TIME}",
        rf"{_WEEKDAY}(?P<day>[0-9]{{1,2}}) \. \s? {_NUMBER} \. \s? (?P<year>[0-9]{{4}}) {_TIME}",
        rf"{_WEEKDAY}{_NO_MONTH} ([-/]) {_NUMBER} \2 (?P<year>[0-9]{{4}}) {_TIME}",
        rf"{_WEEKDAY}{_NUMBER} ([-/.]) {_NO_MONTH} \2 (?P<year>[0-9]{{4}}) {_TIME}",
        rf"{_WEEKDAY}{_NUMBER} ([-/]) (?P<day>(?P=month)) \2 (?P<year>[0-9]{{4}}) {_TIME}",
        rf"{_WEEKDAY}{_DAY} (?: [\s-]+ | \.\s* ) (?: (?:de|of)\s+ | d['’] )? {_MONTH} (?: \.?,? [\s-]+ | \. )"
        rf"(?:del?\s+)? {_YEAR} {_TIME}",
        rf"{_WEEKDAY}{_MONTH} \.? \s+{_DAY},? \s+ (?P<year>[0-9]{{4}}) {_TIME}",
        rf"{_WEEKDAY}{_MONTH} \s+{_DAY} \s+ {_CLOCK} \s+ (?P<year>[0-9]{{4}})",
        rf"(?P<year>[0-9]{{4}}) \.? \s+ {_MONTH} \.? \s+ (?P<day>[0-9]{{1,2}}) \.? {_TIME}",
        r"(?P<year>[0-9]{4})\s*[年년]\s* (?P<month>[0-9]{1,2}|[一二三四五六七八九十]{1,2})\s*[月월]\s*"
        r"(?P<day>[0-9]{1,2})\s*[日号일]"
        r"(?: \s* (?: [(\uff08][月火水木金土日월화수목금토일][)\uff09] | 星期. | [月火水木金土日]曜日 |"
        rf"[월화수목금토일]요일 ) )? {_TIME}",
    )
)
"""Notations with one meaning. 03/04/2024 has two, and a month or a year alone is no date."""
_NOT_BESIDE: Final = re.compile(r"\d|[A-Za-z_]\0|\0[A-Za-z_]")
"""What stands beside no date, which is a NUL here: digits are of another date, or of a range of days."""


def normalised(
    text: str, latest: date, language: str = "", *, earliest: date = EARLIEST, among_words: bool = False
) -> str | None:
    """A date or date-time in ISO 8601, with its offset from UTC where the text has one.

    Reads ISO 8601 and its common misspellings, dates whose month is a word (`pagelets.metadata.months`), and
    RFC 5322. A time in a zone that is only named ("EST") is left out: its offset is not known.

    Args:
        text: the text to read.
        latest: the last day but one that is believed.
        language: the language that the text's page declares.
        earliest: the first day that is believed.
        among_words: words may stand around a date, if it has all digits of the text.

    Returns:
        None for another text, or a day too early or too late.

    """
    text = text.strip(' ",;|\t\r\n\xa0')
    if among_words and (digits := _DIGITS.search(text)):
        text = text[max(0, digits.start() - _BESIDE_DIGITS) : digits.end() + _BESIDE_DIGITS]
    if len(text) > _MAX_LENGTH:
        return None
    text = _DIGIT.sub(lambda digit: str(int(digit[0])), normalize("NFC", text).replace("،", ","))
    text = _LABEL.sub("", text, count=1)
    form = next(filter(None, (_match(pattern, text, among_words) for pattern in _FORMS)), None)
    if form is None:
        return None
    month = month_of(form["month"], language)
    try:
        day = date(int(form["year"]), month, int(form["day"]))
        if not earliest <= day <= latest + timedelta(days=1):
            return None
        if form["hour"] is None or (form["named"] and not form["zone"]):
            return day.isoformat()
        hour = int(form["hour"])
        if form["half"]:
            hour = hour % 12 + 12 * (form["half"] in "pP")
        time = datetime.combine(day, clock(hour, int(form["minute"]), int(form["second"] or 0)))
        return (time.replace(tzinfo=_zone(form["zone"])) if form["zone"] else time).isoformat()
    except ValueError:
        return None


def _match(form: re.Pattern[str], text: str, among_words: bool) -> re.Match[str] | None:
    match = form.search(text) if among_words else form.fullmatch(text)
    if match and among_words and _NOT_BESIDE.search(f"{text[: match.start()]}\0{text[match.end() :]}"):
        return None
    return match


def _zone(text: str) -> timezone:
    digits = re.sub(r"[^\d]", "", text)
    if not digits:
        return UTC
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
    if offset > timedelta(hours=14):
        raise ValueError(text)
    return timezone(-offset if "-" in text else offset)


def find_published(page: Declarations, mask: Sequence[bool], fetched_at: str) -> str | None:
    """Returns the date of publication by the first source that agrees with itself on a day; or None.

    The page's JSON-LD comes first, then its meta elements, its microdata, their dates of creation, and the
    times, then the dates, that it shows in its content.

    Args:
        page: the declarations of the page.
        mask: its blocks that are content.
        fetched_at: the time when it was fetched (ISO 8601): no page was published later.

    """
    latest, language = _day(fetched_at), page.tree.get(ROOT, "lang") or ""
    for declared in _sources(page, mask):
        dates = {when for text in declared if (when := normalised(text, latest, language)) is not None}
        if len({when[:10] for when in dates}) == 1:
            return max(dates, key=lambda when: (len(when), when))
    return None


def _day(fetched_at: str) -> date:
    try:
        return date.fromisoformat(fetched_at[:10])
    except ValueError:
        return date.max - timedelta(days=1)


def _sources(page: Declarations, mask: Sequence[bool]) -> Iterator[list[str]]:
    described = page.json_ld
    for nodes in (described.works, described.pages):
        yield _declared(nodes, "datePublished")
    for name in _META:
        yield page.meta.get(name, [])
    yield [_date_of(page.tree, property_.node) for property_ in page.properties("datePublished")]
    yield _declared(described.works, "dateCreated")
    yield [_date_of(page.tree, property_.node) for property_ in page.properties("dateCreated")]
    yield from _times(page, mask)
    yield _classed(page, mask)


def _declared(nodes: Iterable[Node], name: str) -> list[str]:
    values = [value for node in nodes for value in as_list(node.get(name))[:1]]
    return [value for value in values if isinstance(value, str)]


def _times(page: Declarations, mask: Sequence[bool]) -> Iterator[list[str]]:
    """The times in a page's content: those marked as when it was published, then those not marked at all."""
    tree = page.tree
    nodes = tree.of_tag("time")
    # More times belong to a list, or to posts.
    if not 0 < len(nodes) <= MAX_ITEMS:
        return
    marked, others = [], []
    for node in _times_shown(page, mask, nodes):
        properties = (tree.get(node, "itemprop") or "")[:MAX_VALUE].split()
        if is_aside(tree, node) or (properties and _PROPERTIES.isdisjoint(properties)):
            continue
        classes = (tree.get(node, "class") or "")[:MAX_VALUE].lower()
        is_marked = "datePublished" in properties or tree.get(node, "pubdate") is not None
        if is_marked or not _MARKS.isdisjoint(classes.split()):
            marked.append(_date_of(tree, node))
        elif not any(
            _UPDATED.search(text) for text in (classes, element_text(tree, node), _label(tree, node))
        ):
            others.append(_date_of(tree, node))
    yield marked
    yield others


def _classed(page: Declarations, mask: Sequence[bool]) -> list[str]:
    """The texts in a page's content that a class calls its date."""
    tree, classes = page.tree, page.tree.attribute("class")
    dating = {
        value
        for value in set(classes.values())
        if len(value) <= MAX_VALUE and _DATING.search(value)
        if not _UPDATED.search(value) and not _OF_ANOTHER.search(value)
    }
    nodes = [node for node, value in classes.items() if value in dating and tree.tags[node] in _SMALL]
    # More of them belong to a list, or to posts.
    if len(nodes) > MAX_ITEMS:
        return []
    return [
        element_text(tree, node)
        for node in with_kept_text(page.page, mask, nodes)
        if not is_aside(tree, node)
    ]


def _times_shown(page: Declarations, mask: Sequence[bool], nodes: list[int]) -> list[int]:
    """The times in kept text; on a page of several articles all of theirs, as one alone may be kept."""
    tree = page.tree
    article_of = {
        node: next((each for each in tree.ancestors(node) if tree.tags[each] == "article"), -1)
        for node in nodes
    }
    kept = with_kept_text(page.page, mask, nodes)
    articles = with_kept_text(page.page, mask, {*article_of.values()} - {-1})
    if len(articles) < 2:
        return kept
    return [node for node in nodes if node in kept or article_of[node] in articles]


def _date_of(tree: Tree, node: int) -> str:
    declared = tree.get(node, "content") or tree.get(node, "datetime") or ""
    # Templates that are not filled in have no digits: "page.date", "Invalid date".
    return declared if any(map(str.isdigit, declared)) else element_text(tree, node)


def _label(tree: Tree, node: int) -> str:
    """The nearest words before an element inside the small parts of the page that it stands in."""
    for _ in range(_MAX_AROUND):
        around = tree.parents[node]
        if around < 0 or tree.tags[around] in ("article", "body", "main"):
            break
        for before in islice(tree.previous_siblings(node), MAX_ITEMS):
            # "Updated" before a date is before the time of day that follows it as well.
            inside = "" if tree.tags[before] == "time" else element_text(tree, before)
            if _WORD.search(text := f"{inside} {tree.tail(before)}"):
                return text[-_MAX_LABEL:]
        if _WORD.search(text := tree.text(around)):
            return text[-_MAX_LABEL:]
        node = around
    return ""
