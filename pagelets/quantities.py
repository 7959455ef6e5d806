"""Numbers that say something of the world: money, stock, amounts with their unit, dates and times, versions.

What is left are counts of the site itself, such as how often a page was viewed. Money and stock are an offer:
a reader always wants the new number.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Final

_CURRENCIES: Final = """
    eur euro euros usd dollar dollars dólar dólares cent cents gbp pound pounds pence chf franc francs franken
    rappen jpy yen cny rmb yuan pln zł złoty złote złotych gr grosz groszy sek dkk nok kr krona kronor krone
    kroner rub руб рубль рубля рублей коп грн uah tl lira lirası kuruş czk kč koruna korun huf ft forint ron
    lei leu bgn лв brl reais real mxn ars clp cop peso pesos inr rs rupee rupees krw aud cad nzd sgd hkd thb
    zar ils aed btc eth
    ευρώ євро гривень гривні лева лари теңге тенге ریال تومان درهم جنيه ريال दिनार रुपये रुपए บาท đ đồng vnđ
    rp rupiah ringgit dolar dolarů dolari avro
    """.split()

_CODES: Final = """
    AED AFN AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF
    CHF CLP CNY COP CRC CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD
    HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL
    LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP
    PKR PLN PYG QAR RM RMB RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SRD STN SVC SYP SZL THB TJS TMT TND
    TRY TTD TWD NTD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW
    """.split()
"""Codes of currencies, in capitals: some are words otherwise, such as "try"."""
_CAPITALS: Final = re.compile("[A-Z]{2}")
"""Of which each code has some. They are faster to look for."""

_UNITS: Final = """
    nm μm mm cm dm m km mi ft yd mile miles мм см м км μg mg g kg t lb lbs oz мг г кг т ml cl dl l hl gal мл л
    m2 m3 cm2 cm3 km2 ha acre acres °c °f percent prozent procent procenta процент процентов
    v kv mv w kw mw gw kwh mwh wh ah mah hz khz mhz ghz j kj kcal cal pa hpa kpa bar mbar psi db lm lx rpm
    bit bits byte bytes kb mb gb tb pb kib mib gib tib кб мб гб тб kbit mbit gbit kbps mbps gbps fps dpi ppi
    px pt mp kmh mph
    ms s sec secs second seconds min mins minute minutes h hr hrs hour hours d day days week weeks month
    months year years
    sek sekunde sekunden minuten std stunde stunden uhr tag tage tagen woche wochen monat monate monaten jahr
    jahre jahren
    seconde secondes heure heures jour jours semaine semaines mois an ans année années
    segundo segundos minuto minutos hora horas día días dia dias semana semanas mes meses mês año años ano
    anos
    secondo secondi minuti ora ore giorno giorni settimana settimane mese mesi anno anni
    seconden uur dag dagen maand maanden jaar
    sekunda sekundy sekund minuta minuty minut godz godzina godziny godzin dni dzień tydzień tygodnie tygodni
    miesiąc miesiące miesięcy rok lata lat
    sekunder minuter timme timmar dagar vecka veckor månad månader år
    сек секунда секунды секунд мин минута минуты минут час часа часов ч день дня дней неделя недели недель
    месяц месяца месяцев год года лет
    sn saniye dk dakika sa saat gün hafta ay yıl
    """.split()

_PIECE_WORDS: Final = """
    pc pcs piece pieces stück stk st szt sztuk sztuki шт штук adet ks pièce pièces pieza piezas peça peças
    pezzo pezzi stuks unit units unité unités unidad unidades unidade uds unid
    """.split()

_CJK_MONEY: Final = "円元圆圓块塊원"
_CJK: Final = "年月日号號时時分秒周週歳岁天"
_PIECES: Final = "个個件台本枚冊册张張只隻瓶箱双雙套包"
"""Pieces of what is for sale where no noun follows them; where one does, it may be comments."""

_STOCK: Final = (
    r"\bstock\b|\bin store\b|\bavailab|\binventor|\bleft\b|\blager|vorrätig|\bbestand|verfügbar|"
    r"\bdisponib|\bexistenci|\bestoque|\bmagazyn|(?<!u)dostępn|\bna stanie|\bstok|\bskladem|в наличии|"
    r"на складе|остал|\bvoorraad|\bgiacenza|\bscorte|在庫|残り|库存|庫存|现货|有货|剩余|재고|"
    r"\bremaining|\bnoch\s\d|\bfrei\b|\blieferbar|\blieferzeit|\bplus que\b|\brestant|\bquedan?\b|"
    r"\brestam?\b|\brimas[to]|\bzostał|\bostatni|\bzbývá|\bdostupn|\bsklade\b|\bkészlet|\braktár|\bstoc\b|"
    r"доступно|в наявності|залиш|наличност|\bzalih|\bna stanju|\bzalog|διαθέσιμ|απόθεμα|\bkaldı|\bkvar\b|"
    r"\btilbage|\bvarasto|\bjäljellä|\btersisa|\btersedia|\bcòn (?:hàng|lại)|仅剩|僅剩|剩餘|現貨|入荷|"
    r"남음|남았|"
    r"متوفر|متبقي|المخزون|במלאי|נותרו|उपलब्ध|स्टॉक|เหลือ|สต็อก"
)
_PRICE: Final = (
    r"\bprices?\b|\bcosts?\b|\b\w*preise?s?\b|\bkostet\b|\bprix\b|\bprecios?\b|\bpreços?\b|\bprezz[oi]\b|"
    r"\bprijs|\bpris\b|\bpriser\b|\bcen[ay]\b|\bцен[аыу]\b|\bцін[аи]\b|\bfiyat|\bpreț|\bhinta\b|\bára\b|\bár:|"
    r"\bτιμή|\bharga\b|(?<!đánh )\bgiá\b|価格|税込|税抜|价格|價格|售价|售價|가격|السعر|מחיר|कीमत|मूल्य|ราคา|"
    r"\b(?:msrp|rrp|uvp)\b|"
    r"\d\s*%\s*off\b|\bdiscount|\brabat|\bremise\b|\bdescuento|\bdesconto|\bsconto|\bkorting|скидк|\bindirim|割引|"
    r"折扣"
)
_RELEASE: Final = (
    r"\bv\.?\s?\d|\b(?:version|versión|versão|versione|wersj|верси|sürüm|release|build|revision)|版本|"
    r"バージョン"
)

_MONTHS: Final = (
    r"jan|feb|fév|fev|mar|mär|mrt|apr|avr|abr|may|mai|maj|mei|mag|jun|jui|jul|lug|giu|gen|ene|aug|aoû|ago|"
    r"sep|set|oct|okt|out|ott|nov|dec|dez|déc|dic|stycz|lut|kwie|czerw|lip|sierp|wrze|paź|listop|grud|ledn|"
    r"únor|břez|dub|květ|červ|srp|září|říj|pros|янв|фев|мар|апр|мая|май|июн|июл|авг|сен|окт|ноя|дек|oca|şub|"
    r"nis|haz|tem|ağu|eyl|eki|kas|ara"
)
_DAY_OR_YEAR: Final = r"(?<!\d)(?:\d{1,2}|\d{4})(?!\d)"
_SPACE: Final = r"[\s.,-]{0,3}"

_MOST: Final = 1000
"""Characters of a line that are looked at."""
_GROUPED: Final = re.compile(r"[1-9]\d{0,2}(?:([.,'’\s])\d{3}(?:\1\d{3})*|,\d\d(?:,\d\d)*,\d{3})")
"""A whole number with its thousands apart."""
_COMPOUND: Final = re.compile(r"(?<!\d)\d++(?:[.,:'’]\d++)+")
"""Numbers in one: a decimal, a time of day, a version, or the thousands of one."""
_SECONDS: Final = re.compile(r"(?<!\w)Sek(?!\w)")
"""Seconds in German, where "SEK" and "sek" are the Swedish currency."""
_ROUNDED: Final = re.compile(r"\s?(?:[kmb]\b|тыс|млн|tsd|mio|mil\b|bin\b|tys\b|[万萬千])")
"""What follows a number that is rounded to thousands or millions."""


def _words(words: list[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


@cache
def _offered() -> re.Pattern[str]:
    # At the first line that is asked about: this takes longer than anything else that a start loads of ours.
    unit = rf"{_SPACE}(?:{_words(_UNITS)})(?!\w)|\s?(?:km/h|m/s|[%‰°\"″′{_CJK}])"
    share = r"\s?(?:/|of|out\sof|von|sur|su|из)\s?\d"
    return re.compile(
        "|".join(
            (
                _money().pattern,
                # An ordinal is not a number of pieces: "1st" is, "1 st" in Swedish is not.
                rf"\d(?!(?<=1)st(?!\w)){_SPACE}(?:{_words(_PIECE_WORDS)})(?!\w)",
                rf"\d\s*[{_PIECES}](?![^\W\d_])",
                # A price without its currency: 1.299,00 and 12,-
                rf"(?<![\w.,:/])\d{{1,3}}(?:[.,'’\s]?\d{{3}})*[.,]\d\d(?!\d|[.,:]\d|{unit}|{share})",
                r"\d(?:[.,][-–—]|:-)+(?!\w)",
                _STOCK,
                _PRICE,
            )
        )
    )


@cache
def _money() -> re.Pattern[str]:
    gap, currencies = r"[\s.,:()-]{0,3}", _words(_CURRENCIES)
    return re.compile(rf"\d{gap}(?:{currencies})(?!\w)|(?<!\w)(?:{currencies}){gap}\d|\d\s*[{_CJK_MONEY}]")


@cache
def _coded() -> re.Pattern[str]:
    codes = "|".join(_CODES)
    return re.compile(rf"\d[\s.,:()-]{{0,3}}(?:{codes})(?!\w)|(?<!\w)(?:{codes})[\s.,:()-]{{0,3}}\d")


@cache
def _stated() -> re.Pattern[str]:
    return re.compile(
        "|".join(
            (
                rf"\d{_SPACE}(?:{_words(_UNITS)})(?!\w)",
                r"\d\s*[%‰°]",
                rf"\d\s*[{_CJK}]",
                r"\d\s?(?:km/h|m/s|км/ч|[\"″′])",
                r"(?<!\d)\d{1,4}[-/]\d{1,2}[-/]\d{1,4}(?!\d)",
                rf"{_DAY_OR_YEAR}(?:st|nd|rd|th|er|º|ª)?{_SPACE}(?:de\s|of\s)?{_SPACE}(?:{_MONTHS})[^\W\d_]{{0,8}}(?!\w)",
                rf"(?<!\w)(?:{_MONTHS})[^\W\d_]{{0,8}}{_SPACE}{_DAY_OR_YEAR}",
                _RELEASE,
            )
        )
    )


def _states_currency(text: str) -> bool:
    """Returns True for a currency's sign, or its code beside a number."""
    signed = "$" in text or (
        not text.isascii() and any(unicodedata.category(character) == "Sc" for character in text)
    )
    return signed or (_CAPITALS.search(text) is not None and _coded().search(text) is not None)


def states_price(text: str) -> bool:
    """Returns True if a line holds a number and a currency's sign, or a number beside its name or code."""
    return _states_price(text[:_MOST])


@lru_cache(maxsize=1 << 12)
def _states_price(text: str) -> bool:
    if not any(map(str.isdigit, text)):
        return False
    text = unicodedata.normalize("NFKC", text)
    return _states_currency(text) or _money().search(_SECONDS.sub("sekunden", text).lower()) is not None


def states_offer(text: str) -> bool:
    """Returns True if the numbers of a line are those of a price or of stock: it holds a currency, a price
    without one, pieces, or words of prices and of stock.

    In the languages of `states_quantity`, and these words in some more. In doubt it does.
    """
    text = unicodedata.normalize("NFKC", text[:_MOST])
    if _states_currency(text):
        return True
    return _offered().search(_SECONDS.sub("sekunden", text).lower()) is not None


def states_quantity(text: str) -> bool:
    """Returns True if the numbers of a line say something of the world: it states an offer, or holds a unit,
    a date, a time of day, a decimal or a version.

    In the languages of Europe, in Russian, Turkish, Chinese and Japanese. In doubt it does: "3 hours ago".
    """
    if states_offer(text):
        return True
    text = unicodedata.normalize("NFKC", text[:_MOST]).lower()
    return _stated().search(text) is not None or any(
        not _GROUPED.fullmatch(match[0]) and not _ROUNDED.match(text, match.end())
        for match in _COMPOUND.finditer(text)
    )
