"""Boxes that are called other pages or products: "related articles", "customers also bought"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.other_pages import HINTS, NAMED, heading_of, headline_of, is_home
from pagelets.methods.judged.reviews import presents_product
from pagelets.methods.judged.text import words as count_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.base import Subject
    from pagelets.page import Page

VERSION: Final = 1
"""Counts the changes of this step: it is a part of the version of the method."""
_BEFORE: Final = 30
"""The expected words of a page before its first box, and the kept ones that are left."""
_SHARE: Final = 0.4
"""Maximum share of the kept words that boxes have, but on the page of one product. Of listings it is most."""
_LABEL: Final = 9
_LABEL_LENGTH: Final = 80
"""Maximum number of words, and of characters, of the label of a box."""
_THINGS: Final = (
    "(?:products?|items?|accessories|articles?|posts?|stories|news|reading|videos|topics|guides|styles|listings|"
    "searches|categories|titles|books|games|for you)"
)
_CALLED: Final = re.compile(
    r"\W{0,3}(?:"
    rf"(?:(?:shop|see|view|explore|more|other|our) )*(?:related|similar|recommended|suggested|complementary|"
    rf"sponsored)(?: \w+)? {_THINGS}(?: \w+){{0,4}}|similar recommendations?|recommend(?:ed|ations) for you|"
    r"(?:you|we)(?: think you)? ?(?:may|might|could|will|['’]ll)(?: also)? "
    r"(?:like|love|enjoy|be interested in)(?: \w+){0,3}|"
    r"(?:people|customers|shoppers|others|guests|users|buyers)\b.* (?:also|frequently) "
    r"(?:bought|viewed|liked|purchased|searched|shopped|considered|looked)\b.*|"
    r"(?:frequently |often |usually )?(?:bought|purchased|paired|viewed) (?:together|with)\b.*|"
    r"(?:your )?(?:recently|last|previously) viewed\b.*|your browsing history|more like this|"
    r"(?:also read|read also|read next|keep reading|up next)|most (?:read|popular|viewed)|trending(?: now)?|"
    r"(?:picked|inspired|curated|selected|recommended)(?: just)? for you|compare (?:with|to) similar\b.*|"
    r"complete (?:the|your) (?:look|set|outfit)|shop the (?:look|set)|bundle and save|"
    r"(?:pairs?|goes|wear it|style it) (?:well |great |perfectly )?with\b.*|more (?:items|products)\b.*|"
    r"(?:ähnliche|verwandte|empfohlene|passende|zuletzt angesehene) (?:produkte|artikel|angebote)\b.*|"
    r"passendes zubehör|das könnte .*\bauch\b.*|(?:andere )?kunden\b.* (?:auch|außerdem)\b.*|"
    r"(?:wird )?oft zusammen gekauft|zuletzt angesehen|"
    r"(?:produits|articles) (?:similaires|associés|apparentés|recommandés|liés|complémentaires)|"
    r"vous (?:aimerez|pourriez (?:aussi )?aimer)\b.*|(?:les |nos )?clients\b.* (?:aussi|également)\b.*|"
    r"souvent achetés ensemble|(?:articles )?(?:récemment consultés|vus récemment)|"
    r"(?:productos|artículos) (?:relacionados|similares|recomendados)\b.*|(?:también )?te puede gustar|"
    r"(?:también )?te puede interesar|(?:los )?clientes\b.* también\b.*|comprados juntos\b.*|"
    r"vistos recientemente|(?:prodotti|articoli) (?:correlati|simili|consigliati)|"
    r"(?:ti )?potrebbe(?:ro)? (?:anche )?(?:piacer|interessar)\w+(?: anche)?|visti di recente|"
    r"vistos recentemente|você também pode gostar\b.*|"
    r"produtos (?:relacionados|similares|recomendados|semelhantes)|quem (?:viu|comprou)\b.*|"
    r"(?:gerelateerde|vergelijkbare|aanbevolen|bijpassende) (?:producten|artikelen)|recent bekeken|"
    r"(?:misschien )?vind je .*\book\b.*|(?:liknande|relaterade|rekommenderade) (?:produkter|artiklar)|"
    r"(?:lignende|relaterte|relaterede|anbefalte|anbefalede) (?:produkter|varer)|"
    r"(?:podobne|powiązane|polecane) (?:produkty|artykuły)|(?:podobné|související|doporučené) "
    r"(?:produkty|zboží)|(?:похожие|сопутствующие|рекомендуемые|схожі|супутні) товары?и?|вы смотрели|"
    r"с этим товаром\b.*|(?:benzer|ilgili|önerilen) ürünler|(?:関連|おすすめ|類似)(?:商品|製品|アイテム)|"
    r"よく一緒に.*|この商品を.*|(?:相关|類似|相關|推荐|推薦)(?:商品|产品|產品)|猜你喜[欢歡]|看了又看"
    r")[\W\d]*"
)
"""Labels of boxes, in lower case."""


def called_boxes(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks boxes whose first line, class or id calls them so, below some of the page's own text: bool[b]."""
    page, containers, evidence, words, likely, mask = kept
    first = int(np.cumsum(likely * words).searchsorted(_BEFORE))
    boxes = (containers.start >= first) & (containers.sums(words * mask) > 0)
    if not boxes.any():
        return np.zeros(len(words), bool)
    leads = containers.leads(np.flatnonzero(words))
    labels = [
        place for place in np.unique(leads[boxes]).tolist() if words[place] <= _LABEL and _calls(page, place)
    ]
    boxes &= np.isin(leads, labels) | containers.named(NAMED, HINTS)
    if not boxes.any():
        return np.zeros(len(words), bool)
    headline = headline_of(page, evidence.affixes)
    boxes &= (containers.start > headline) | (containers.stop <= headline)
    boxes &= containers.count(page.tree.of_tag("h1")) == 0
    marked = containers.mask(containers.nodes[boxes])
    left, most = (words * mask)[~marked].sum(), (words * mask).sum()
    least = _BEFORE if presents_product(page) else max(_BEFORE, (1 - _SHARE) * most)
    return marked if left >= least else np.zeros(len(words), bool)


def marked_boxes(subject: Subject) -> NDArray[np.bool_]:
    """Marks all boxes of a page of a known site that are called so, whether they are kept or not: bool[b]."""
    page, containers, evidence = subject.page, subject.containers, subject.evidence
    assert evidence is not None
    words, every = count_words([block.text for block in page.blocks]), np.ones(len(page.blocks), bool)
    heading = heading_of(page, headline_of(page, evidence.affixes))
    if heading < 0 or is_home(page):
        return ~every
    boxes = called_boxes(KeptPage(page, containers, evidence, words, every.astype(float), every))
    boxes[: heading + 1] = False
    return boxes


def _calls(page: Page, place: int) -> bool:
    text = page.blocks[place].text
    return len(text) <= _LABEL_LENGTH and _CALLED.fullmatch(text.lower()) is not None
