"""Reviews by customers on the page of a product."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.headlines import headline_of
from pagelets.methods.judged.names import NAMING
from pagelets.methods.judged.names import words as name_words
from pagelets.methods.judged.products import presents_product
from pagelets.methods.judged.text import spoken_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.judging.page_facts import PageFacts
    from pagelets.methods.base import Subject
    from pagelets.methods.judged.kept_page import KeptPage
    from pagelets.page import Page

_RATINGS: Final = 2
"""The least number of ratings in a box: praise that a shop has chosen comes without."""
_SHARE: Final = 0.95
"""Maximum share of the kept words that the boxes have: of a page about reviews it is most."""
_PAGES: Final = 3
"""The least number of pages that a label stands on which counts like a rating."""
_LABEL: Final = 8
"""Maximum number of words of the label of a box."""
_LONGEST: Final = 80
"""So many of its characters are read."""
_NAMES: Final = frozenset({"review", "reviews", "testimonial", "testimonials"})
"""Words in the names of elements."""
_AROUND: Final = " \t\n\xa0\u202f0123456789.,:;()[]（）|·-–—+★☆⭐&"
_LABELS: Final = frozenset(
    (
        "review;reviews;customer review;customer reviews;customer ratings;product reviews;user reviews;"
        "verified reviews;ratings & reviews;ratings and reviews;reviews & ratings;reviews and ratings;"
        "customer ratings & reviews;customer feedback;customers say;what our customers say;"
        "what customers say;what our customers are saying;testimonials;customer testimonials;"
        "bewertungen;rezensionen;kundenbewertungen;kundenrezensionen;kundenmeinungen;kundenstimmen;"
        "produktbewertungen;das sagen unsere kunden;avis;avis clients;avis des clients;avis vérifiés;"
        "avis de nos clients;commentaires clients;opiniones;reseñas;valoraciones;opiniones de clientes;"
        "opiniones de los clientes;reseñas de clientes;valoraciones de clientes;recensioni;"
        "recensioni clienti;recensioni dei clienti;opinioni dei clienti;avaliações;avaliações de clientes;"
        "avaliações dos clientes;opiniões de clientes;beoordelingen;klantbeoordelingen;klantreviews;"
        "klantervaringen;recensies;recensioner;omdömen;kundrecensioner;kundomdömen;anmeldelser;"
        "kundeanmeldelser;arvostelut;asiakasarvostelut;tuotearvostelut;opinie;recenzje;opinie klientów;"
        "recenzje klientów;hodnocení;recenze;hodnocení zákazníků;recenze zákazníků;yorumlar;"
        "değerlendirmeler;müşteri yorumları;müşteri değerlendirmeleri;ürün yorumları;отзывы;"
        "отзывы покупателей;отзывы клиентов;отзывы о товаре;відгуки;відгуки покупців;відгуки клієнтів;"
        "відгуки про товар;ulasan;ulasan pelanggan;ulasan produk;đánh giá;đánh giá của khách hàng;"
        "đánh giá sản phẩm;nhận xét của khách hàng;समीक्षाएँ;ग्राहक समीक्षाएँ;ग्राहक समीक्षा;レビュー;"
        "カスタマーレビュー;商品レビュー;お客様の声;评价;用户评价;商品评价;顾客评价;客户评价;买家评价;"
        "리뷰;상품평;고객 리뷰;구매 후기;recenzii;recenzii clienți;vásárlói vélemények;értékelések;recenzie;"
        "hodnotenia;recenzije;отзиви;рецензије;κριτικές;κριτικές πελατών;αξιολογήσεις;ביקורות;חוות דעת;"
        "التقييمات;تقييمات العملاء;آراء العملاء;รีวิว;รีวิวสินค้า;รีวิวจากลูกค้า"
    ).split(";")
)
"""Labels of boxes, without numbers."""
_STATED: Final = ("aria-label", "alt", "title")
"""The attributes that say what a picture of stars shows."""
_RATED: Final = frozenset({"reviewRating", "ratingValue"})
"""Properties of ratings in microdata."""
_RATING: Final = re.compile(
    r"[★☆⭐\d](?:(?<=[★☆⭐])|(?<![\d.,/]\d)(?:[.,]\d\d?)?(?:"
    r"\s?(?:/|(?:out of|von|sur|de|su|van|av|af|z|ze|из|з|із|dari|trên)\s)\s?(?:5|10)(?![\d/.,])|"
    r"[ -]?(?:stars?|sterne?n?|étoiles?|estrellas?|stell[ae]|estrelas?|sterren|stjärn\w+|stjern\w+|tähteä|"
    r"gwiazd\w+|hvězd\w+|yıldız|зв[её]зд\w*|зір\w+|bintang|sao)\b|\s?つ?星|"
    r"\s(?:üzerinden|में से)\s\d))",
    re.IGNORECASE,
)

_STARS: Final = re.compile(
    r"(?=.*(?:star|rating|rated)).*(?:\b(?:one|two|three|four|five)\b|(?<!\d)(?:\d|[1-9]0|100)(?!\d))",
    re.IGNORECASE,
)
"""Classes that say how many stars an element shows: "star-rating Three", "stars-4"."""
_NAMED_RATING: Final = re.compile(r"star|rat(?:ing|ed)", re.IGNORECASE)
_FILLED: Final = re.compile(r"(?:width:\s?)?(?:\d{1,3}(?:\.\d+)?)%;?")
"""How many of the stars of an element are filled: its title, or the width of what it holds."""
_ICON: Final = re.compile(r"(?:.*[\s_-])?stars?(?:[\s_-].*)?", re.IGNORECASE | re.DOTALL)
"""Classes of a star: "fa fa-star-o", "icon-star"."""
_ICONS: Final = 5
"""So many of them in an element are a rating."""
_CLASS: Final = 100
"""So many of the characters of an attribute are read."""


def reviews(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks the boxes of customers' reviews, bool[b].

    On a page that declares a product, a box is called so by an element's name or by its first
    line, and holds two ratings. On others its first line is a label that the site repeats, and one is enough.
    """
    page, containers, evidence, words, _, mask = kept
    nothing = np.zeros(len(words), bool)
    first = kept.opening()
    if not mask[first:].any():
        return nothing
    marked = _marked(page, containers, evidence, words, first, declared=kept.presents_product)
    return marked if words[marked & mask].sum() <= _SHARE * words[mask].sum() else nothing


def marked_reviews(subject: Subject) -> NDArray[np.bool_]:
    """Marks all boxes of a page of a known site that are called reviews, bool[b]; where the page declares no
    product, those with a rating.
    """
    page, containers, evidence = subject.page, subject.containers, subject.evidence
    assert evidence is not None
    words = spoken_words([block.text for block in page.blocks])
    return _marked(page, containers, evidence, words, None, declared=presents_product(page))


def _marked(
    page: Page, containers: Containers, evidence: PageFacts, words: NDArray[np.float64], first: int | None,
    *, declared: bool,
) -> NDArray[np.bool_]:  # fmt: skip
    """Marks boxes, bool[b]: all, or those from the block ``first`` on that are reviews without doubt; of a
    page that has ``declared`` a product or not.
    """
    nodes, start, stop = containers.nodes, containers.start, containers.stop
    texts, placed = np.flatnonzero(words), evidence.blocks.placed_pages >= _PAGES
    short = texts[words[texts] <= _LABEL]
    if not declared and first is not None:
        short = short[placed[short]]
    lines = [(place, page.blocks[place].text[:_LONGEST]) for place in short.tolist()]
    labels = np.array([place for place, line in lines if _is_label(line)], np.int64)
    if not (declared or first is None or len(labels)):
        return np.zeros(len(words), bool)
    # The last place is of a container without a text.
    is_label, named = np.zeros(len(words) + 1, bool), np.zeros(len(page.tree), bool)
    is_label[labels] = True
    lead = containers.leads(texts)
    said = is_label & np.append(placed, False)
    repeated = said[lead]
    named[_named(page)] = True
    if declared or first is None:
        boxes = is_label[lead] | named[nodes]
    else:
        # The label may stand in a line of its own.
        before = np.append(texts, len(words))[texts.searchsorted(start) - 1]
        repeated |= named[nodes] & said[before]
        boxes = repeated
    boxes &= (start >= (first or 0)) & (containers.numbered({"body": 1, "html": 1}) == 0)
    if not boxes.any():
        return np.zeros(len(words), bool)
    ratings = containers.count(_ratings(page))
    boxes &= ratings + declared >= 1 if first is None else ratings + repeated >= _RATINGS
    headline = headline_of(page, evidence.affixes) if boxes.any() else -1
    boxes &= ((start > headline) | (stop <= headline)) & (containers.count(page.tree.of_tag("h1")) == 0)
    return containers.mask(nodes[boxes])


def _named(page: Page) -> list[int]:
    """The elements whose names say that they hold reviews."""
    return [node for name in NAMING for node in _saying(page.tree.attribute(name), _says_reviews)]


def _says_reviews(value: str) -> bool:
    lowered = value.lower()
    return ("review" in lowered or "testimonial" in lowered) and not _NAMES.isdisjoint(
        name_words((None, value))
    )


def _saying(values: Mapping[int, str], says: Callable[[str], object]) -> list[int]:
    """The elements whose value says something: many have the same, which is asked once."""
    told = {value for value in {*values.values()} if says(value)}
    return [node for node, value in values.items() if value in told]


@lru_cache(maxsize=1 << 12)
def _is_label(text: str) -> bool:
    return text.strip(_AROUND).casefold() in _LABELS


def _ratings(page: Page) -> list[int]:
    """The elements that state a rating, in document order."""
    tree = page.tree
    found = {node for node, name in tree.attribute("itemprop").items() if not _RATED.isdisjoint(name.split())}
    for name in _STATED:
        found.update(_saying(tree.attribute(name), lambda value: _RATING.search(value[:_CLASS])))
    found.update(_saying(tree.attribute("class"), lambda value: _STARS.match(value[:_CLASS])))
    found.update(block.node for block in page.blocks if _RATING.search(block.text))
    found.update(_drawn(page))
    return sorted(found)


def _drawn(page: Page) -> set[int]:
    """The elements whose stars are icons, or a strip of them of some width."""
    tree = page.tree
    parents, classes = tree.parents, tree.attribute("class")
    named = set(_saying(classes, lambda value: _NAMED_RATING.search(value[:_CLASS])))
    found: set[int] = set()
    for name in ("style", "title"):
        shares = _saying(tree.attribute(name), lambda value: _FILLED.fullmatch(value[:_CLASS].strip()))
        found.update(node if node in named else parents[node] for node in shares)
    found &= named
    icons = Counter(parents[node] for node in _saying(classes, lambda value: _ICON.fullmatch(value[:_CLASS])))
    found.update(node for node, number in icons.items() if number >= _ICONS)
    return found
