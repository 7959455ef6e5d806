"""Ashdown & Daughters, a made shop for the house: elements without a meaning, class names that are hashed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from tests.quality.gold import AnnotatedPage, annotate
from tests.quality.made.markup import hashed, main, piece, renamed
from tests.quality.made.texts import Writer
from tests.quality.prose import number, prose, slug, some

BASE: Final = "https://shop.ashdown-daughters.example"
CATEGORIES: Final = ("Kitchen", "Garden", "Workshop", "Lighting")
MATERIALS: Final = ("beech", "steel", "enamel", "linen", "stoneware", "brass", "cast iron", "willow")
GOODS: Final = (
    "Kettle",
    "Trowel",
    "Lantern",
    "Stool",
    "Apron",
    "Bowl",
    "Plane",
    "Watering Can",
    "Bread Bin",
    "Lamp",
)
PRODUCTS: Final = 30


@dataclass(frozen=True)
class Product:
    """A product; ``facts`` are the rows of its specification, ``sold`` is what its counter says."""

    path: str
    name: str
    category: str
    price: str
    teaser: str
    description: str
    facts: tuple[tuple[str, str], ...]
    sold: str


@cache
def products() -> list[Product]:
    """All products."""
    return [_product(position) for position in range(PRODUCTS)]


def pages() -> list[AnnotatedPage]:
    """All pages of the shop, the home page first."""
    return [
        _home(),
        *(_category(name) for name in CATEGORIES),
        *(_product_page(product) for product in products()),
        _shipping(),
    ]


def _product(position: int) -> Product:
    writer = Writer(f"shop {position}")
    material = writer.random.choice(MATERIALS)
    goods = f"{writer.word('qualities').title()} {GOODS[position % len(GOODS)]}"
    name = f"{goods} in {material}, No. {position + 11}"
    facts = (
        ("Material", material),
        ("Weight", f"{writer.random.randint(120, 4800)} g"),
        ("Dimensions", " × ".join(str(writer.random.randint(4, 60)) for _ in range(3)) + " cm"),
        ("Made in", writer.word("places")),
        ("Care", writer.sentence()),
    )
    return Product(
        path=f"/p/{slug(name)}",
        name=name,
        category=CATEGORIES[position % len(CATEGORIES)],
        price=writer.price(),
        teaser=writer.sentence(),
        description=writer.source(writer.random.randint(1, 4)),
        facts=facts,
        sold=writer.count(4000),
    )


def _home() -> AnnotatedPage:
    writer = Writer("shop home")
    head = f"<h1>Things that last</h1>{prose(writer.source(2))}"
    links = "".join(
        f'<div class="tile"><a href="/c/{name.lower()}"><div class="tile-name">{name}</div></a>'
        f'<div class="tile-text">{writer.sentence()}</div></div>'
        for name in CATEGORIES
    )
    content = f'<div class="hero">{main(head)}</div><div class="tiles">{main(links)}</div>'
    return _page("/", "listing", "Things that last", content)


def _category(name: str) -> AnnotatedPage:
    head = f"<h1>{name}</h1><div>{Writer(name).paragraph(2, 3)}</div>"
    shown = [product for product in products() if product.category == name]
    content = f"""<div class="crumbs"><a href="/">Home</a> &gt; {name}</div>
<div class="intro">{main(head)}</div>
<div class="toolbar"><span>{len(shown)} results</span> <span>Sort by: popularity</span></div>
<div class="grid">{"".join(map(_card, shown))}</div>"""
    return _page(f"/c/{name.lower()}", "listing", name, content)


def _card(product: Product) -> str:
    entry = f"""<div class="card-name"><a href="{product.path}">{product.name}</a></div>
<div class="card-text">{product.teaser}</div><div class="card-price">{product.price}</div>"""
    return f"""<div class="card"><a href="{product.path}"><img src="/i{product.path}.jpg" alt=""></a>
{main(entry)}<button class="add">Add to basket</button></div>"""


def _product_page(product: Product) -> AnnotatedPage:
    writer = Writer(f"shop page {product.path}")
    rows = "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in product.facts)
    described = f"<h2>Description</h2>{prose(product.description)}<h2>Specification</h2><table>{rows}</table>"
    name = f"<h1>{product.name}</h1>"
    price = f'<div class="price">{product.price}</div><div class="teaser">{product.teaser}</div>'
    watching = f"{writer.random.randint(3, 40)} people have this in their basket"
    content = f"""<div class="crumbs"><a href="/">Home</a> &gt; <a
href="/c/{product.category.lower()}">{product.category}</a></div>
<div class="product"><img src="/i{product.path}.jpg" alt=""><div class="info">{main(name)}
{piece("counters", f'<div class="sold">{product.sold} sold this year</div>')}
{main(price)}
{piece("counters", f'<div class="watching">{watching}</div>')}
<div class="buy"><select><option>1</option><option>2</option></select><button>Add to basket</button>
<a href="#">Add to wish list</a></div></div></div>
{_together(product)}
<div class="details">{main(described)}</div>
{_reviews(writer)}
{_related(product)}"""
    return _page(product.path, "product", product.name, content)


def _together(product: Product) -> str:
    others = [other for other in products() if other is not product]
    entries = "".join(
        piece(
            "bought together",
            f'<div class="mini"><a href="{other.path}">{other.name}</a> <span>{other.price}</span></div>',
        )
        for other in some(others, 2, f"together {product.path}")
    )
    head = piece("bought together", '<div class="title">Frequently bought together</div>')
    return f'<div class="bundle">{head}{entries}</div>' if number(product.path) % 3 else ""


def _reviews(writer: Writer) -> str:
    count = writer.random.choice([0, 1, 3, 4, 6])
    if not count:
        return '<div class="reviews"><a href="#">Write a review</a></div>'
    reviews = "".join(
        piece(
            "reviews",
            f"""<div class="review"><div class="stars">{writer.random.randint(1, 5)} out of 5 stars</div>
<div class="by">{writer.word("people")} on {writer.date()}</div><div class="said">{writer.word("praise")}.
{writer.paragraph(1, 2)}</div></div>""",
        )
        for _ in range(count)
    )
    head = piece("reviews", f'<div class="title">Customer reviews ({count})</div>')
    return f'<div class="reviews">{head}{reviews}<a href="#">Write a review</a></div>'


def _related(product: Product) -> str:
    """Cards as the categories have them, with the teaser on one half of the pages."""
    others = [other for other in products() if other is not product]
    teasers = number(f"style {product.path}") % 2
    entries = "".join(
        piece(
            "related",
            f'<div class="card"><img src="/i{other.path}.jpg" alt=""><div class="card-name"><a '
            f'href="{other.path}">{other.name}</a></div>'
            + (f'<div class="card-text">{other.teaser}</div>' if teasers else "")
            + f'<div class="card-price">{other.price}</div></div>',
        )
        for other in some(others, 4, f"related {product.path}")
    )
    head = piece("related", '<div class="title">Related products</div>')
    return f'<div class="slider">{head}<div class="grid">{entries}</div></div>'


def _bestsellers(path: str) -> str:
    entries = "".join(
        piece("bestsellers", f'<div class="mini"><a href="{other.path}">{other.name}</a> {other.price}</div>')
        for other in some(products(), 4, f"best {number(path) % 5}")
    )
    head = piece("bestsellers", '<div class="title">Our bestsellers</div>')
    return f'<div class="viewed">{head}{entries}</div>'


def _shipping() -> AnnotatedPage:
    text = f"<h1>Shipping and returns</h1>{prose(Writer('shipping').source(6))}"
    return _page("/shipping", "service", "Shipping and returns", f'<div class="text">{main(text)}</div>')


def _page(path: str, group: str, title: str, content: str) -> AnnotatedPage:
    menu = "".join(f'<a href="/c/{name.lower()}">{name}</a> ' for name in CATEGORIES)
    letter = "Join our list and get 10 % off your first order. You can leave at any time."
    marked = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} | Ashdown &amp; Daughters</title></head>
<body><div class="top"><div class="bar">Free delivery over £60 and 30 days to return</div><a class="logo"
href="/">Ashdown &amp; Daughters</a><div class="menu">{menu}</div><div class="tools"><a href="#">Sign in</a>
<a href="#">Basket (0)</a></div></div>
<div class="page">{content}</div>
{_bestsellers(path)}
<div class="letter">{piece("newsletter", f"<div>{letter}</div>")}<form><input><button>Sign
up</button></form></div>
<div class="foot"><a href="/shipping">Shipping and returns</a> <a href="#">Terms</a> <a href="#">Contact</a>
<div>© Ashdown &amp; Daughters Ltd, registered in England</div></div></body></html>
"""
    return annotate(BASE + path, renamed(marked, hashed), group)
