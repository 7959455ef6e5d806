"""Other products on the page of one: "similar items", "customers also bought"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.other_pages import NAMED, headline_of
from pagelets.methods.judged.reviews import presents_product
from pagelets.quantities import states_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage
    from pagelets.page import Page

VERSION: Final = 2
"""Counts the changes of this step: it is a part of the version of the method."""
_ENTRIES: Final = 3
"""The least number of entries."""
_LONGEST: Final = 200
"""Maximum number of words of an entry."""
_AMOUNT: Final = 8
"""Maximum number of words of a price."""
_HOST: Final = 3
"""Parts of an address up to its host. A folder has to follow: without one, categories have such addresses."""
_SLUG: Final = re.compile(r"[-_\d]")
_BEFORE: Final = 30
"""The expected words of the product itself before the first box, and the kept ones that are left."""
_LABEL: Final = 9
_LABEL_LENGTH: Final = 80
"""Maximum number of words, and of characters, of the label of a box."""
_THINGS: Final = (
    "(?:products?|items?|accessories|articles|styles|listings|searches|categories|titles|books|games|for you)"
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
    r"(?:picked|inspired|curated|selected|recommended)(?: just)? for you|compare (?:with|to) similar\b.*|"
    r"complete (?:the|your) (?:look|set|outfit)|shop the (?:look|set)|bundle and save|"
    r"(?:pairs?|goes|wear it|style it) (?:well |great |perfectly )?with\b.*|more (?:items|products)\b.*|"
    r"(?:ähnliche|verwandte|empfohlene|passende|zuletzt angesehene) (?:produkte|artikel|angebote)\b.*|"
    r"passendes zubehör|das könnte .*\bauch\b.*|(?:andere )?kunden\b.* (?:auch|außerdem)\b.*|"
    r"(?:wird )?oft zusammen gekauft|zuletzt angesehen|"
    r"(?:produits|articles) (?:similaires|associés|apparentés|recommandés|liés|complémentaires)|"
    r"vous (?:aimerez|pourriez (?:aussi )?aimer)\b.*|.*\bclients\b.* ont (?:aussi|également)\b.*|"
    r"souvent achetés ensemble|(?:articles )?(?:récemment consultés|vus récemment)|"
    r"(?:productos|artículos) (?:relacionados|similares|recomendados)\b.*|(?:también )?te puede gustar|"
    r"(?:también )?te puede interesar|.*\bclientes\b.* también\b.*|comprados juntos\b.*|vistos recientemente|"
    r"(?:prodotti|articoli) (?:correlati|simili|consigliati)|(?:ti )?potrebbe(?:ro)? (?:anche )?"
    r"(?:piacer|interessar)\w+(?: anche)?|visti di recente|vistos recentemente|você também pode gostar\b.*|"
    r"produtos (?:relacionados|similares|recomendados|semelhantes)|quem (?:viu|comprou)\b.*|"
    r"(?:gerelateerde|vergelijkbare|aanbevolen|bijpassende) (?:producten|artikelen)|recent bekeken|"
    r"(?:misschien )?vind je .*\book\b.*|(?:liknande|relaterade|rekommenderade) (?:produkter|artiklar)|"
    r"(?:lignende|relaterte|relaterede|anbefalte|anbefalede) (?:produkter|varer)|"
    r"(?:podobne|powiązane|polecane) (?:produkty|artykuły)|(?:podobné|související|doporučené) "
    r"(?:produkty|zboží)|(?:похожие|сопутствующие|рекомендуемые|схожі|супутні) товары?и?|вы смотрели|"
    r"с этим товаром\b.*|(?:benzer|ilgili|önerilen) ürünler|(?:関連|おすすめ|類似)(?:商品|製品|アイテム)|"
    r"よく一緒に.*|この商品を.*|(?:相关|類似|相關|推荐|推薦)(?:商品|产品|產品)|猜你喜[欢歡]|看了又看"
    r")[\W\d]*",
    re.IGNORECASE,
)
"""Labels of boxes."""


def other_products(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks other products on a page that presents one: entries that lead to addresses like its own, and
    boxes that are called so. bool[b].
    """
    if not presents_product(kept.page):
        return np.zeros(len(kept.words), bool)
    return _entries(kept) | _boxes(kept)


def _boxes(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks boxes whose first line, class or id calls them so, bool[b]; some of the product stands before."""
    page, containers, evidence, words, likely, mask = kept
    first = int(np.cumsum(likely * words).searchsorted(_BEFORE))
    texts = np.flatnonzero(words)
    labels = [
        place
        for place in texts[texts >= first].tolist()
        if words[place] <= _LABEL
        and len(text := page.blocks[place].text) <= _LABEL_LENGTH
        and _CALLED.fullmatch(text)
    ]
    boxes = containers.named(NAMED) | np.isin(containers.leads(texts), labels)
    boxes &= containers.start >= first
    if not boxes.any():
        return np.zeros(len(words), bool)
    headline = headline_of(page, evidence.affixes)
    boxes &= (containers.start > headline) | (containers.stop <= headline)
    boxes &= containers.count(page.tree.of_tag("h1")) == 0
    marked = containers.mask(containers.nodes[boxes])
    found: NDArray[np.bool_] = marked & ((words * mask)[~marked].sum() >= _BEFORE)
    return found


def _entries(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks entries that lead to addresses like the page's own: bool[b].

    An entry is an element, as large as may be, whose links of that kind all lead to one page; it has a price.
    """
    page, containers, words = kept.page, kept.containers, kept.words
    nothing = np.zeros(len(words), bool)
    places, targets = _like_own(page)
    if len(places) < _ENTRIES:
        return nothing
    first, last = places.searchsorted(containers.start), places.searchsorted(containers.stop) - 1
    alone = (last >= first) & (targets[np.maximum(last, 0)] == targets[np.minimum(first, len(places) - 1)])
    entries = alone & ~alone[containers.parent] & (containers.sums(words) <= _LONGEST)
    if entries.sum() < _ENTRIES:
        return nothing
    amounts = np.zeros(len(words))
    for place in np.flatnonzero((words > 0) & (words <= _AMOUNT)).tolist():
        amounts[place] = states_price(page.blocks[place].text)
    entries &= containers.sums(amounts) > 0
    return containers.mask(containers.nodes[entries]) if entries.sum() >= _ENTRIES else nothing


def _like_own(page: Page) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the blocks with links to other pages whose addresses are of the kind of the page's own, and for
    each link the number of times that targets have changed up to it.
    """
    own = _parts(page.url)
    if len(own) < _HOST + 2:
        return np.array([], np.int64), np.array([], np.int64)
    kind = _kind(own)
    # Most links are told by how they begin.
    beginning = "/".join(kind[: kind.index("*") if "*" in kind else -2]) + "/"
    places, targets, changes = [], [own], []
    for link in page.links:
        if link.url.startswith(beginning) and (parts := _parts(link.url)) != own and _kind(parts) == kind:
            if parts != targets[-1]:
                targets.append(parts)
            places.append(link.block)
            changes.append(len(targets))
    return np.array(places, np.int64), np.array(changes, np.int64)


def _parts(url: str) -> list[str]:
    return url.partition("#")[0].partition("?")[0].rstrip("/").split("/")


def _kind(parts: list[str]) -> list[str]:
    """Returns what the addresses of a shop's products have in common: host, folders, and how the last part is
    written. Folders with digits or several words are of one product.
    """
    *folders, last = parts
    shared = [*folders[:_HOST], *("*" if _SLUG.search(folder) else folder for folder in folders[_HOST:])]
    ending = last.rpartition(".")[2] if "." in last else ""
    return [*shared, "0" if any(map(str.isdigit, last)) else "", ending]
