"""The language of a page's content: what it declares, checked against what it reads like."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from pagelets.text.scripts import NOT_LATIN
from pagelets.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from py3langid.langid import LanguageIdentifier

    from pagelets.metadata.declarations import Declarations
    from pagelets.page import Page

GLANCE_CHARS: Final = 300
"""So much of the content is read to confirm a declaration, which is right for nine pages in ten."""
SAMPLE_CHARS: Final = 600
"""So much of it is read to tell its language otherwise, and as much again to contradict a declaration."""
MIN_BYTES: Final = 200
"""A shorter text (in UTF-8, where a word of any script is about as long) tells no language."""
SURE: Final = 0.9
"""The least probability of a text's language for a page that declares no language."""
SURER: Final = 0.95
UNLIKELY: Final = 0.01
"""A declaration is contradicted by another language this probable, where its own one is this improbable."""

_META: Final = ("content-language", "og:locale", "dc.language", "dcterms.language", "language")
_MAX_TAG: Final = 35
_PROSE: Final = 40
"""Characters. Shorter blocks are names, labels and entries of lists, which are written in any language."""
_MOST_LINES: Final = 100
_PLAIN: Final = frozenset({"a", "br", "pre"})
"""Elements whose text is not marked as anything."""
_NO_LANGUAGE: Final = frozenset({"mis", "mul", "und", "x", "zxx"})
"""First parts of tags that name none, or one that only their users know."""
_NOT_TOLD: Final = _NO_LANGUAGE | {"la"}
"""Latin on the web is filler ("Lorem ipsum") unless the page declares it."""
_LATIN: Final = re.compile(r"[A-Za-z]+")
_NOT_LATIN: Final = re.compile(f"[{NOT_LATIN}]")
_STANDARD: Final = {
    lesser: standard
    for standard, varieties in {
        "ar": "arb ary arz",
        "el": "grc",
        "en": "pcm",
        "es": "an ext",
        "fa": "prs",
        "fr": "gcf gcr wa",
        "he": "hbo",
        "it": "lij vec",
        "ku": "kmr sdh",
        "lv": "ltg",
        "no": "nb nn",
        "uz": "uzs",
        "zh": "cmn hak nan wuu yue",
    }.items()
    for lesser in varieties.split()
}
"""Languages that a short text does not tell from the much commoner one that they are counted as."""
_CLOSE: Final = (frozenset({"bs", "hr", "sr"}), frozenset({"id", "ms"}), frozenset({"da", "no"}))
"""Languages that a short text does not tell from each other: a declaration of one stands."""

_LANGUAGES: Final = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de
    dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id
    ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu
    lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu
    rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tn to tr ts
    tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    ace ary arz bcl crh ext fil fuv gcf gcr gom grc gug guw hbo kab lij ltg nso pcm sdh uzs vec wuu yue
    """.split()
)
_REPLACED: Final = {"kik": "ki", "tl": "fil"}
_REGIONS: Final = frozenset(
    """
    AC AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
    BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CP CR CU CV CW CX CY CZ DE DG DJ DK DM DO DZ EA
    EC EE EG EH ER ES ET EU EZ FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW
    GY HK HM HN HR HT HU IC ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ
    LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY
    MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU
    RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN
    TO TR TT TV TW TZ UA UG UM UN US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
    """.split()
)
"""Common parts of tags, which are recognised without loading IANA's whole registry."""


def common_tag(text: str) -> str | None:
    """Returns the canonical form of a valid tag of a common language, alone or with a country (``pt_BR``);
    None for any other tag.
    """
    language, _, region = text.replace("_", "-").partition("-")
    language, region = language.lower(), region.upper()
    language = _REPLACED.get(language, language)
    if not text.isascii() or language not in _LANGUAGES:
        return None
    if region:
        return f"{language}-{region}" if region in _REGIONS else None
    return None if text[-1] in "_-" else language


def tag(text: str) -> str | None:
    """A BCP 47 tag in its canonical form; None where the text is no valid tag of a natural language.

    Takes tags, also with underscores as locales have them (``pt_BR``). Valid means that IANA's registry has
    the parts; those at the end that it has not are left out (``de-formal``).
    """
    # What is remembered has to be short: a page may write anything there.
    text = text.strip()[: _MAX_TAG + 1]
    return _tag(text) if text else None


@lru_cache(maxsize=1024)
def _tag(text: str) -> str | None:
    if (common := common_tag(text)) is not None:
        return common
    # Its tables take as long to load as a hundred pages to judge.
    import langcodes

    parts = text.replace("_", "-").split("-")
    while parts:
        candidate = "-".join(parts)
        if len(candidate) <= _MAX_TAG and langcodes.tag_is_valid(candidate):
            standard: str = langcodes.standardize_tag(candidate)
            return None if standard.partition("-")[0] in _NO_LANGUAGE else standard
        parts.pop()
    return None


def find_language(page: Declarations, mask: Sequence[bool]) -> str | None:
    """The language of a page's content, a BCP 47 tag; None where neither it nor its text tells.

    What the page declares counts, the page's element before its meta elements, unless its text is surely in
    another language. Takes the mask over its blocks, true where content.
    """
    tags = [language_tag for text in _declared(page) if (language_tag := tag(text)) is not None]
    declared = tags[0] if tags else None
    sample = _sample(page.page, mask)
    if declared is not None:
        glance = _legible(sample[:GLANCE_CHARS])
        if not glance or _standard(declared) not in _known() or _close(_guess(glance), declared):
            return declared
    text, more = _legible(sample[:SAMPLE_CHARS]), _legible(sample[SAMPLE_CHARS:])
    detected = _tell(text, declared) if text else None
    if declared is None:
        others = (more, _legible(_preformatted(page.page, mask)))
        return detected or next((told for other in others if other and (told := _tell(other))), None)
    if detected is None or (more and _tell(more, declared) != detected):
        return declared
    return next((each for each in tags if _close(detected, each)), detected)


def _guess(text: str) -> str:
    return _standard(_identifier().classify(text)[0])


def _tell(text: str, declared: str | None = None) -> str | None:
    """Returns the language that a text is surely in, and surely not in the declared one; else None."""
    shares: dict[str, float] = {}
    for label, share in _identifier().rank(text):
        language = _standard(label)
        shares[language] = shares.get(language, 0.0) + share
    best = max(shares, key=shares.__getitem__)
    close = next((group for group in _CLOSE if best in group), (best,))
    sure = sum(shares.get(language, 0.0) for language in close)
    if best in _NOT_TOLD or sure < (SURER if declared else SURE):
        return None
    return None if declared and shares[_standard(declared)] >= UNLIKELY else best


@cache
def _identifier() -> LanguageIdentifier:
    # Importing py3langid takes a tenth of a second: only for those who ask for a language.
    from pagelets.metadata.language_model import identifier

    return identifier()


@cache
def _known() -> frozenset[str]:
    return frozenset(map(_standard, _identifier().labels))


@lru_cache(maxsize=1024)
def _standard(language: str) -> str:
    name = language if language in _NO_LANGUAGE else (tag(language) or language).partition("-")[0]
    return _STANDARD.get(name, name)


def _close(language: str, other: str) -> bool:
    pair = {_standard(language), _standard(other)}
    return len(pair) == 1 or any(pair <= group for group in _CLOSE)


def _declared(page: Declarations) -> Iterator[str]:
    tree = page.tree
    yield tree.get(ROOT, "lang") or tree.get(ROOT, "xml:lang") or ""
    for body in tree.of_tag("body"):
        yield tree.get(body, "lang") or ""
    for name in _META:
        yield from page.meta.get(name, ())


def _sample(page: Page, mask: Sequence[bool]) -> str:
    """The beginning of a page's content, prose before short lines, without code."""
    prose: list[str] = []
    short: list[str] = []
    chars = 0
    for block, keep in zip(page.blocks, mask, strict=True):
        if not keep or not block.text or page.tree.tags[block.node] == "pre":
            continue
        if len(block.text) >= _PROSE:
            prose.append(block.text[: 2 * SAMPLE_CHARS])
            chars += len(block.text)
            if chars >= 2 * SAMPLE_CHARS:
                break
        elif len(short) < SAMPLE_CHARS:
            short.append(block.text)
    return "\n".join(prose + short)[: 2 * SAMPLE_CHARS]


def _preformatted(page: Page, mask: Sequence[bool]) -> str:
    """The beginning of a page's preformatted content that nothing marks as code, such as mails."""
    tags = page.tree.tags
    texts = (
        block.text[:SAMPLE_CHARS]
        for block, keep in zip(page.blocks, mask, strict=True)
        if keep and tags[block.node] == "pre" and all(tags[node] in _PLAIN for _, node in block.runs)
    )
    return "\n".join(islice(texts, _MOST_LINES))[:SAMPLE_CHARS]


def _legible(text: str) -> str:
    """Returns the part of a text that shows its language; empty if it is too short."""
    if len(text.encode("utf-8", "replace")) < MIN_BYTES:
        return ""
    if not text.isascii():
        without = _LATIN.sub(" ", text)
        # Among letters of another script, Latin ones are names and code.
        if 4 * len(_NOT_LATIN.findall(without)) > len(text) - len(without):
            return without
    return text
