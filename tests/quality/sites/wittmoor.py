"""Teekontor Wittmoor, a German shop for tea: product pages in a grid of columns, listings with filters."""

from __future__ import annotations

from typing import Final

from tests.quality.gold import AnnotatedPage, annotate
from tests.quality.prose import first_paragraph, number, prose, slug, some
from tests.quality.sites.wittmoor_text import (
    CATEGORIES,
    FOOD_NOTICE,
    HERB_NOTICE,
    HOME,
    IMPRINT,
    PRODUCTS,
    RECIPES,
    SHIPPING,
    WATER,
    Product,
    Review,
)

BASE: Final = "https://www.teekontor-wittmoor.example"
TITLE: Final = "Teekontor Wittmoor"
MARKUP: Final = {
    "h2": '<h2 class="cms-headline">{0}</h2>',
    "table": '<div class="table-responsive"><table class="table table-striped">{0}</table></div>',
}
IMPRINT_MARKUP: Final = {"p": "{0}<br>"}


def pages() -> list[AnnotatedPage]:
    """All pages of the shop, the home page first."""
    return [
        _home(),
        *(_category(name) for name in CATEGORIES),
        *(_product(product) for product in PRODUCTS),
        _static("/rezepte/", "Rezepte mit Tee", RECIPES, "collection"),
        _static("/teewissen/wasser/", "Teewissen: Das Wasser macht den Tee", WATER, "article"),
        _static("/versand-und-zahlung/", "Versand und Zahlung", SHIPPING, "service"),
        _static("/impressum/", "Impressum", IMPRINT, "service"),
    ]


def _path(product: Product) -> str:
    return f"/{product.category}/{slug(product.name)}-{product.number.lower()}.html"


def _home() -> AnnotatedPage:
    teasers = "\n".join(
        f'<div class="col-md-4 teaser"><a href="/{name}/"><img src="/media/kategorie/{name}.jpg" alt="">'
        f"<h3>{category.name}</h3></a><p>{category.intro}</p></div>"
        for name, category in CATEGORIES.items()
        if category.intro
    )
    content = f"""
<div class="row stage"><div class="col-12"><!--gold--><h1>Tee vom Moorrand</h1>
{prose(HOME, MARKUP)}<!--/gold-->
<a class="btn btn-primary btn-lg" href="/schwarzer-tee/">Jetzt stöbern</a></div></div>
<div class="row teasers"><!--gold-->{teasers}<!--/gold--></div>
<div class="row"><div class="col-12"><!--gold--><h2>Neu im Kontor</h2><!--/gold--></div>
{"".join(map(_card, PRODUCTS[1:7:2]))}</div>"""
    return _page("/", "collection", "Tee vom Moorrand", content, crumbs=[])


def _card(product: Product) -> str:
    teaser = " ".join(first_paragraph(product.body).split()[:18])
    unit = f'<span class="price-unit">({product.per_unit})</span>' if product.per_unit else ""
    return f"""
<div class="col-sm-6 col-lg-4"><div class="card product-box box-standard"><div class="card-body"><!--gold-->
<a class="product-name" href="{_path(product)}" title="{product.name}">{product.name}</a>
<div class="product-description">{teaser} …</div>
<div class="product-price-info"><span class="product-price">{product.price}</span> {unit}</div>
<div class="delivery">Lieferzeit: {product.delivery}</div><!--/gold-->
<div class="product-action"><form action="/checkout/line-item/add" method="post"><input type="hidden"
name="id" value="{product.number}"><button class="btn btn-buy">In den Warenkorb</button></form>
<a class="wish" rel="nofollow" href="/merkzettel/{product.number}">Auf den
Merkzettel</a></div></div></div></div>"""


def _category(name: str) -> AnnotatedPage:
    category = CATEGORIES[name]
    products = [product for product in PRODUCTS if product.category == name]
    head = f"<h1>{category.name}</h1>" + (f'<p class="lead">{category.intro}</p>' if category.intro else "")
    if products:
        grid = f"""
<div class="listing-actions"><span class="count">{len(products)} Artikel</span>
<label for="sort">Sortierung</label> <select id="sort" class="sorting custom-select">
<option selected>Beliebteste zuerst</option><option>Name A–Z</option><option>Preis aufsteigend</option>
<option>Preis absteigend</option></select></div>
<div class="row cms-listing-row">{"".join(map(_card, products))}</div>
<nav class="pagination-nav"><ul class="pagination"><li class="page-item disabled">Zurück</li>
<li class="page-item active">1</li><li class="page-item disabled">Weiter</li></ul></nav>"""
    else:
        grid = """
<div class="alert alert-info"><!--gold-->In dieser Kategorie gibt es zurzeit keine Artikel. Die Geschenkkisten
packen wir wieder ab Oktober.<!--/gold--></div>"""
    content = f"""
<div class="row"><div class="col-lg-3 sidebar-filter">{_filters(name)}</div>
<div class="col-lg-9"><div class="category-head"><!--gold-->{head}<!--/gold--></div>
{grid}</div></div>
{_recently_viewed(name)}"""
    return _page(f"/{name}/", "listing", category.name, content, crumbs=[])


def _filters(current: str) -> str:
    categories = "".join(
        f'<li class="{"active" if name == current else "item"}"><a href="/{name}/">{category.name}</a></li>'
        for name, category in CATEGORIES.items()
    )
    panels = {
        "Preis": ["bis 5 €", "5 € bis 10 €", "10 € bis 20 €", "über 20 €"],
        "Herkunft": ["Indien", "Japan", "Südafrika", "Wittmoor"],
        "Koffein": ["mit", "ohne", "weiß nicht"],
        "Siegel": ["Bio", "Direkt gehandelt"],
    }
    boxes = "".join(
        f'<div class="filter-panel-item"><button class="filter-panel-item-toggle">{title}</button>'
        '<ul class="filter-multi-select-list">'
        + "".join(f'<li><label><input type="checkbox"> {choice}</label></li>' for choice in choices)
        + "</ul></div>"
        for title, choices in panels.items()
    )
    return f"""
<div class="category-navigation"><div class="h4">Sortiment</div><ul>{categories}</ul></div>
<div class="filter-panel"><div class="h4">Filtern nach</div>{boxes}
<button class="filter-reset-all btn">Alle zurücksetzen</button></div>"""


def _product(product: Product) -> AnnotatedPage:
    category = CATEGORIES[product.category]
    facts = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in product.facts)
    notices = "".join(f'<p class="notice">{text}</p>' for text in _notices(product))
    unit = f'<p class="unit">Grundpreis: {product.per_unit}</p>' if product.per_unit else ""
    rating = (
        f'<p class="rating">{product.stars} von 5 Sternen ({len(product.reviews)} Bewertungen)</p>'
        if product.reviews
        else ""
    )
    content = f"""
<div class="row product-detail-headline"><div class="col"><!--gold--><h1 class="product-detail-name"
itemprop="name">{product.name}</h1>{rating}<!--/gold--></div></div>
<div class="row product-detail-main"><div class="col-lg-7 product-detail-media">
<img src="/media/{product.number.lower()}-1.jpg" alt="{product.name}"><img
src="/media/{product.number.lower()}-2.jpg"
alt=""></div> <div class="col-lg-5 product-detail-buy" itemprop="offers"><!--gold-->
<p class="product-detail-price">{product.price}</p>{unit}
<p class="product-detail-tax">Preis inkl. MwSt. zzgl. Versandkosten</p>
<p class="delivery-information"><span class="delivery-status-indicator"></span> Lieferzeit:
{product.delivery}</p>
<p class="ordernumber"><span>Artikelnummer:</span> <span
itemprop="sku">{product.number}</span></p><!--/gold-->
{_order_form(product)}</div></div>
<div class="product-detail-tabs"><ul class="nav nav-tabs"><li class="nav-item"><a
href="#beschreibung">Beschreibung</a>
</li><li class="nav-item"><a href="#bewertungen">Bewertungen</a></li></ul>
<div class="tab-pane" id="beschreibung"><!--gold-->{prose(product.body, MARKUP)}
<table class="table product-detail-properties-table"><tbody>{facts}</tbody></table>
{notices}<!--/gold--></div>
<div class="tab-pane" id="bewertungen">{_reviews(product)}</div></div>
{_also_bought(product)}
{_recently_viewed(product.number)}"""
    return _page(
        _path(product), "product", product.name, content, crumbs=[(f"/{product.category}/", category.name)]
    )


def _notices(product: Product) -> list[str]:
    if product.category == "teezubehoer":
        return []
    return [HERB_NOTICE, FOOD_NOTICE] if product.category == "kraeuter-und-rooibos" else [FOOD_NOTICE]


def _order_form(product: Product) -> str:
    options = "".join(f'<option value="{slug(size)}">{size}</option>' for size in product.sizes)
    select = (
        f'<label for="size">Ausführung</label><select id="size" name="size">{options}</select>'
        if options
        else ""
    )
    return f"""
<form class="buy-widget" action="/checkout/line-item/add" method="post">{select}
<label for="quantity">Anzahl</label><input id="quantity" type="number" value="1" min="1">
<button class="btn btn-block btn-buy">In den Warenkorb</button></form>
<ul class="usp"><li>Versandkostenfrei ab 39 €</li><li>Von Hand abgefüllt</li><li>Vier Wochen
Rückgaberecht</li></ul>
<div class="detail-actions"><a rel="nofollow" href="/merkzettel/{product.number}">Auf den Merkzettel</a> |
<a href="/frage/?artikel={product.number}">Frage zum Artikel</a></div>"""


def _reviews(product: Product) -> str:
    form = """
<div class="review-form"><p>Haben Sie diesen Artikel schon probiert? Sagen Sie es weiter.</p>
<a class="btn" href="/konto/anmelden/">Anmelden und Bewertung schreiben</a></div>"""
    if not product.reviews:
        return f'<p class="no-reviews">Zu diesem Artikel gibt es noch keine Bewertungen.</p>{form}'
    return f"""<div
class="h3">Bewertungen</div>{"".join(map(_review, product.reviews))}
{form}"""


def _review(review: Review) -> str:
    return f"""
<div class="product-review-item"><div class="points" title="{review.stars} Sterne">{"★" * review.stars}</div>
<p class="review-meta">{review.author}, {review.date}</p><p class="review-text">{review.text}</p></div>"""


def _also_bought(product: Product) -> str:
    others = [other for other in PRODUCTS if other is not product]
    items = "".join(
        f'<div class="slider-item"><a href="{_path(other)}"><img '
        f'src="/media/{other.number.lower()}-1.jpg" alt="">'
        f'{other.name}</a> <span class="price">{other.price}</span></div>'
        for other in some(others, 4, product.number)
    )
    return (
        '<div class="cross-selling"><div class="h3">Kunden kauften auch</div>'
        f'<div class="product-slider">{items}</div></div>'
    )


def _recently_viewed(key: str) -> str:
    items = "".join(
        f'<li><a href="{_path(product)}">{product.name}</a></li>'
        for product in some(PRODUCTS, number(key) % 4, f"seen {key}")
    )
    if not items:
        return ""
    return f'<div class="last-seen"><div class="h4">Zuletzt angesehen</div><ul>{items}</ul></div>'


def _static(path: str, title: str, body: str, group: str) -> AnnotatedPage:
    markup = IMPRINT_MARKUP if path == "/impressum/" else MARKUP
    content = f"""
<div class="row"><div class="col-lg-3"><div class="h4">Service</div><ul
class="service-menu">{_service_links()}</ul></div>
<div class="col-lg-9 cms-text"><!--gold--><h1>{title}</h1>
{prose(body, markup)}<!--/gold--></div></div>"""
    return _page(path, group, title, content, crumbs=[])


def _service_links() -> str:
    links = [
        ("/versand-und-zahlung/", "Versand und Zahlung"),
        ("/rezepte/", "Rezepte"),
        ("/teewissen/wasser/", "Teewissen"),
        ("/impressum/", "Impressum"),
    ]
    return "".join(f'<li><a href="{path}">{name}</a></li>' for path, name in links)


def _page(path: str, group: str, title: str, content: str, *, crumbs: list[tuple[str, str]]) -> AnnotatedPage:
    menu = "".join(
        f'<a class="nav-link main-navigation-link" href="/{name}/"><span>{category.name}</span></a>'
        for name, category in CATEGORIES.items()
    )
    marked = f"""<!DOCTYPE html>
<html lang="de-DE" itemscope itemtype="https://schema.org/WebPage">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, shrink-to-fit=no">
<meta name="description" content="{title} im Teekontor Wittmoor: Tee und Zubehör vom Moorrand">
<title>{title} | {TITLE}</title>
<link rel="stylesheet" href="/theme/c4f1/css/all.css?170{number(path) % 10}">
<script>window.features={{"cart":true}};window.activeRoute="{path}";</script>
</head>
<body class="is-ctl-navigation">
<noscript class="noscript-main"><div role="alert">Bitte schalten Sie JavaScript ein, um alles im Shop
nutzen zu können.</div></noscript>
<div class="top-bar"><span>Versandkostenfrei ab 39 €</span> <span>Bestellung am Telefon: 00815 55 01 20</span>
<div class="dropdown"><button>Service/Hilfe</button><ul
class="dropdown-menu">{_service_links()}</ul></div></div>
<header class="header-main"><div class="header-logo"><a href="/"><img src="/media/logo.svg"
alt="{TITLE}"></a></div>
<form class="header-search-form" action="/suche" method="get"><input type="search" name="search"
placeholder="Suchbegriff eingeben"><button type="submit">Suchen</button></form>
<div class="header-actions"><a rel="nofollow" href="/konto/">Mein Konto</a>
<a rel="nofollow" href="/merkzettel/">Merkzettel</a>
<a rel="nofollow" class="header-cart" href="/checkout/cart">Warenkorb <span>0,00 €</span></a>
<div class="cart-hint">Ihr Warenkorb ist noch leer.</div></div></header>
<div class="nav-main"><nav class="nav main-navigation-menu"><a class="nav-link"
href="/">Start</a>{menu}</nav></div>
{_crumbs(title, crumbs) if path != "/" else ""}
<div class="container-main">{content}
</div>
{_footer()}
<div class="cookie-permission-container" role="region"><div>Diese Website verwendet Cookies, um den
Warenkorb zu
speichern. Weitere Cookies setzen wir nur, wenn Sie zustimmen.</div><button>Nur technisch notwendige</button>
<button>Konfigurieren</button><button>Alle Cookies akzeptieren</button></div>
<script src="/theme/c4f1/js/all.js" async></script>
</body>
</html>
"""
    return annotate(BASE + path, marked, group)


def _crumbs(title: str, crumbs: list[tuple[str, str]]) -> str:
    links = "".join(f'<li class="breadcrumb-item"><a href="{path}">{name}</a></li>' for path, name in crumbs)
    return (
        '<nav aria-label="breadcrumb"><ol class="breadcrumb"><li class="breadcrumb-item"><a '
        'href="/">Start</a></li>'
        f'{links}<li class="breadcrumb-item active">{title}</li></ol></nav>'
    )


def _footer() -> str:
    shop = "".join(
        f'<li><a href="/{name}/">{category.name}</a></li>' for name, category in CATEGORIES.items()
    )
    return f"""
<div class="newsletter-box"><div class="h3">Der Teebrief</div><p>Viermal im Jahr: neue Ernten, ein Rezept und
5 € Willkommensgruß auf die nächste Bestellung. Abmelden geht jederzeit.</p><form><input type="email"
placeholder="Ihre E-Mail-Adresse"><button>Abonnieren</button></form><p class="small">Mit dem Abonnieren
stimmen Sie unseren Datenschutzbestimmungen zu.</p></div>
<footer class="footer-main"><div class="row footer-columns">
<div class="col-md-4"><div class="footer-headline">Service-Hotline</div><p>00815 55 01 20<br>Mo–Fr, 9–17
Uhr</p> <p>Oder über unser <a href="/frage/">Kontaktformular</a>.</p></div>
<div class="col-md-4"><div class="footer-headline">Sortiment</div><ul>{shop}</ul></div>
<div class="col-md-4"><div class="footer-headline">Informationen</div><ul>{_service_links()}
<li><a href="/datenschutz/">Datenschutz</a></li><li><a href="/agb/">AGB</a></li></ul></div></div>
<div class="payment-logos"><img src="/media/rechnung.svg" alt="Rechnung"><img src="/media/sepa.svg"
alt="Lastschrift">
</div><div class="footer-vat"><p>* Alle Preise inkl. gesetzl. Mehrwertsteuer zzgl. Versandkosten, wenn
nicht anders
angegeben.</p></div><div class="footer-copyright">© 2024 {TITLE}. Realisiert mit Shopsystem.</div></footer>"""
