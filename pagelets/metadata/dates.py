"""The date on which a page was published."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from datetime import time as clock
from itertools import islice
from typing import TYPE_CHECKING, Final
from unicodedata import combining, normalize

from pagelets.metadata.declarations import MAX_ITEMS, MAX_VALUE, element_text, is_aside, with_kept_text
from pagelets.metadata.json_ld import Node, as_list
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
    {"datePublished", "dt-published", "entry-date", "entry-published", "post-date", "published", "pubdate"}
)
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
_MONTHS: Final = {
    "cs": """
        leden ledna; únor února; březen března; duben dubna; květen května; červen června;
        červenec července; srpen srpna; září; říjen října; listopad listopadu; prosinec prosince
    """,
    "da": """
        januar jan; februar feb; marts mar; april apr; maj; juni jun; juli jul; august aug;
        september sep; oktober okt; november nov; december dec
    """,
    "de": """
        januar jänner jan; februar feber feb; märz maerz mär mrz; april apr; mai; juni jun; juli jul;
        august aug; september sept sep; oktober okt; november nov; dezember dez
    """,
    "el": """
        ιανουάριος ιανουαρίου ιαν; φεβρουάριος φεβρουαρίου φεβ; μάρτιος μαρτίου μαρ; απρίλιος απριλίου απρ;
        μάιος μαΐου μάη; ιούνιος ιουνίου ιουν; ιούλιος ιουλίου ιουλ; αύγουστος αυγούστου αυγ;
        σεπτέμβριος σεπτεμβρίου σεπ; οκτώβριος οκτωβρίου οκτ; νοέμβριος νοεμβρίου νοε;
        δεκέμβριος δεκεμβρίου δεκ
    """,
    "en": """
        january jan; february feb; march mar; april apr; may; june jun; july jul; august aug;
        september sept sep; october oct; november nov; december dec
    """,
    "es": """
        enero ene; febrero feb; marzo mar; abril abr; mayo may; junio jun; julio jul; agosto ago;
        septiembre setiembre sept sep; octubre oct; noviembre nov; diciembre dic
    """,
    "fi": """
        tammikuu tammikuuta; helmikuu helmikuuta; maaliskuu maaliskuuta; huhtikuu huhtikuuta;
        toukokuu toukokuuta; kesäkuu kesäkuuta; heinäkuu heinäkuuta; elokuu elokuuta; syyskuu syyskuuta;
        lokakuu lokakuuta; marraskuu marraskuuta; joulukuu joulukuuta
    """,
    "fr": """
        janvier janv jan; février févr fév; mars; avril avr; mai; juin; juillet juil; août;
        septembre sept; octobre oct; novembre nov; décembre déc
    """,
    "hu": """
        január jan; február febr; március márc; április ápr; május máj; június jún; július júl;
        augusztus aug; szeptember szept; október okt; november nov; december dec
    """,
    "id": """
        januari jan; februari feb; maret mar; april apr; mei; juni jun; juli jul; agustus agu;
        september sep; oktober okt; november nov; desember des
    """,
    "it": """
        gennaio gen; febbraio feb; marzo mar; aprile apr; maggio mag; giugno giu; luglio lug;
        agosto ago; settembre sett set; ottobre ott; novembre nov; dicembre dic
    """,
    "ja": "1月; 2月; 3月; 4月; 5月; 6月; 7月; 8月; 9月; 10月; 11月; 12月",
    "nl": """
        januari jan; februari feb; maart mrt; april apr; mei; juni jun; juli jul; augustus aug;
        september sep; oktober okt; november nov; december dec
    """,
    "no": """
        januar jan; februar feb; mars mar; april apr; mai; juni jun; juli jul; august aug;
        september sep; oktober okt; november nov; desember des
    """,
    "pl": """
        styczeń stycznia sty; luty lutego lut; marzec marca mar; kwiecień kwietnia kwi; maj maja;
        czerwiec czerwca cze; lipiec lipca lip; sierpień sierpnia sie; wrzesień września wrz;
        październik października paź; listopad listopada lis; grudzień grudnia gru
    """,
    "pt": """
        janeiro jan; fevereiro fev; março mar; abril abr; maio mai; junho jun; julho jul; agosto ago;
        setembro set; outubro out; novembro nov; dezembro dez
    """,
    "ro": """
        ianuarie ian; februarie feb; martie mar; aprilie apr; mai; iunie iun; iulie iul; august aug;
        septembrie sept; octombrie oct; noiembrie noi; decembrie dec
    """,
    "ru": """
        январь января янв; февраль февраля февр фев; март марта мар; апрель апреля апр; май мая;
        июнь июня июн; июль июля июл; август августа авг; сентябрь сентября сент сен;
        октябрь октября окт; ноябрь ноября нояб ноя; декабрь декабря дек
    """,
    "sv": """
        januari jan; februari feb; mars mar; april apr; maj; juni jun; juli jul; augusti aug;
        september sept sep; oktober okt; november nov; december dec
    """,
    "tr": """
        ocak oca; şubat şub; mart mar; nisan nis; mayıs may; haziran haz; temmuz tem; ağustos ağu;
        eylül eyl; ekim eki; kasım kas; aralık ara
    """,
    "uk": """
        січень січня; лютий лютого; березень березня; квітень квітня; травень травня; червень червня;
        липень липня; серпень серпня; вересень вересня; жовтень жовтня; листопад листопада; грудень грудня
    """,
    "zh": "一月; 二月; 三月; 四月; 五月; 六月; 七月; 八月; 九月; 十月; 十一月; 十二月",
}
"""By language, the names of the months in their order, each with its cases and abbreviations."""

_WEEKDAYS: Final = tuple(
    """
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
    """.split()
)
"""Patterns of the words that may stand before a date."""

_LABEL: Final = re.compile(
    r"(?:(?:first )?(?:published|posted|publié|publicado|pubblicato|veröffentlicht|опубликовано)\b:?\s*)?"
    r"(?:(?:on|am|le|el|em|il)\s+)?",
    re.IGNORECASE,
)
"""Words that may stand before a date of publication."""
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
        rf"{_WEEKDAY}{_DAY} (?: [\s-]+ | \.\s* ) (?:de\s+)? {_MONTH} (?: \.?,? [\s-]+ | \. )"
        rf"(?:del?\s+)? {_YEAR} {_TIME}",
        rf"{_WEEKDAY}{_MONTH} \.? \s+{_DAY},? \s+ (?P<year>[0-9]{{4}}) {_TIME}",
        rf"{_WEEKDAY}{_MONTH} \s+{_DAY} \s+ {_CLOCK} \s+ (?P<year>[0-9]{{4}})",
        rf"(?P<year>[0-9]{{4}}) \.? \s+ {_MONTH} \.? \s+ (?P<day>[0-9]{{1,2}}) \.? {_TIME}",
        r"(?P<year>[0-9]{4})\s*[年년]\s* (?P<month>[0-9]{1,2}|[一二三四五六七八九十]{1,2})\s*[月월]\s*"
        r"(?P<day>[0-9]{1,2})\s*[日号일]"
        rf"(?: \s* (?: [(\uff08][月火水木金土日][)\uff09] | 星期. | [月火水木金土日]曜日 ) )? {_TIME}",
    )
)
"""Notations with one meaning. 03/04/2024 has two, and a month or a year alone is no date."""

_OTHERWISE: Final = {"bs": ("lip", "lis"), "hr": ("lip", "lis")}
"""By language, the beginnings of words that stand for another month than in Polish."""


def _folded(word: str) -> str:
    """A word without case and accents, for comparison; the Turkish dotless i is an i."""
    parts = normalize("NFKD", word.lower())
    return "".join(part for part in parts if not combining(part)).replace("ı", "i")


_NUMBERS: Final = {
    _folded(word): number
    for names in _MONTHS.values()
    for number, words in enumerate(names.split(";"), start=1)
    for word in words.split()
}


def month_of(text: str, language: str = "") -> int:
    """Returns the month of a number or a word, 1 to 12; 0 for any other word.

    ``language`` is the one that a page declares, a BCP 47 tag: a word that is another month in a language
    that is not among these counts as any other word.
    """
    if text.isdecimal():
        return int(text)
    word = _folded(text)
    if word.startswith(_OTHERWISE.get(language[:2].lower(), ())):
        return 0
    return _NUMBERS.get(word) or _NUMBERS.get(f"{word}月", 0)


def normalised(text: str, latest: date, language: str = "", *, earliest: date = EARLIEST) -> str | None:
    """A date or date-time in ISO 8601, with its offset from UTC where the text has one.

    Reads ISO 8601 and its common misspellings, dates whose month is a word of one of the languages of
    `_MONTHS`, and RFC 5322. A time in a zone that is only named ("EST") is left out: its offset is not known.

    Args:
        text: the text to read.
        latest: the last day but one that is believed.
        language: the language that the text's page declares.
        earliest: the first day that is believed.

    Returns:
        None for another text, or a day too early or too late.

    """
    text = text.strip(' ",;|\t\r\n\xa0')
    if len(text) > _MAX_LENGTH:
        return None
    text = _LABEL.sub("", normalize("NFC", text), count=1)
    form = next((match for pattern in _FORMS if (match := pattern.fullmatch(text))), None)
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
    times that it shows in its content.

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
        if tree.get(node, "pubdate") is not None or not _MARKS.isdisjoint(classes.split() + properties):
            marked.append(_date_of(tree, node))
        elif not any(
            _UPDATED.search(text) for text in (classes, element_text(tree, node), _label(tree, node))
        ):
            others.append(_date_of(tree, node))
    yield marked
    yield others


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
