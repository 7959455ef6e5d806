"""The names of months."""

from __future__ import annotations

from typing import Final
from unicodedata import combining, normalize

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
