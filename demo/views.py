"""The demo site's pages, before the template is laid round them.

A view is a sequence of parts, each either content or furniture (share buttons, pagers, order forms). One
list of parts makes both the page and its gold text, so the two cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from demo.content import Article, Content, DemoSection, Guide, Product


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of HTML of a page's main column; `content` is true where it belongs to the main text."""

    html: str
    content: bool


@dataclass(frozen=True, slots=True)
class View:
    """One HTML page: its path, its kind, and the contents of its main column."""

    path: str
    group: str
    title: str
    parts: list[Part]
    modified: date
    description: str = ""
    crumbs: list[tuple[str, str]] = field(default_factory=list)
    canonical: str = ""
    robots: str = "index, follow"
    layout: str = "site"
    article: Article | None = None
    product: Product | None = None
    in_sitemap: bool = True


def content(html: str) -> Part:
    """A part that belongs to the main text."""
    return Part(html, content=True)


def furniture(html: str) -> Part:
    """A part that does not."""
    return Part(html, content=False)


def views(site: Content) -> Iterator[View]:
    """Yields every HTML page of the site that answers with status 200."""
    yield _home(site)
    yield from _articles(site)
    yield from _magazine(site)
    yield from _products(site)
    yield from _shop(site)
    for guide in site.guides:
        yield _guide(site, guide)
    yield _search(site)
    yield _cart(site)


def tag_path(tag: str) -> str:
    """The path of a tag's listing."""
    return f"/magazine/tag/{tag.replace(' ', '-')}/"


def day(when: date) -> str:
    """A date as people read it, in any locale."""
    months = "January February March April May June July August September October November December"
    return f"{when.day} {months.split()[when.month - 1]} {when.year}"


def pounds(pence: int) -> str:
    """A price as the shop shows it."""
    return f"£{pence / 100:,.2f}"


def _home(site: Content) -> View:
    parts = [
        content(
            f'<section class="hero"><h1>{escape(site.wording.home_title)}</h1>'
            f"<p>{escape(site.wording.home_intro)}</p></section>"
        ),
        content('<h2>New in the magazine</h2><ul class="teasers">'),
        *_teasers(site.listed[:4]),
        content('</ul><h2>From the shop</h2><ul class="cards">'),
        *_cards(site.products[::4], query="?ref=home"),
        furniture('</ul><p class="all"><a href="/shop/">All departments</a></p>'),
    ]
    return View("/", "home", site.wording.tagline, parts, site.wording.generated, site.wording.home_intro)


def _articles(site: Content) -> Iterator[View]:
    row = [(article.path, article.title) for article in site.listed]
    topics = {topic.slug: topic.name for topic in site.topics}
    for article in site.articles:
        topic_path = f"/magazine/topic/{article.topic}/"
        headline = content(
            f'<header class="post-head"><h1>{escape(article.title)}</h1>'
            f'<p class="byline">By <span class="author">{escape(article.author)}</span>, '
            f'<time datetime="{article.date}">{day(article.date)}</time></p>'
            f'<p class="standfirst">{escape(article.summary)}</p></header>'
        )
        body = content(f'<div class="post-body">{article.body}</div>')
        parts = [
            furniture(f'<article class="post topic-{article.topic}" data-tags="{len(article.tags)}">'),
            headline,
            furniture(_share(article.title)),
            body,
            furniture(_tag_list(site, article) + "</article>"),
        ]
        if article.listed:
            parts.append(furniture(_neighbours(article.path, row)))
        yield View(
            article.path,
            "article",
            article.title,
            parts,
            article.date,
            article.summary,
            [("/magazine/", "Magazine"), (topic_path, topics[article.topic])],
            article=article,
        )
        if article.printable:
            yield View(
                f"/print{article.path}",
                "article",
                article.title,
                [headline, body],
                article.date,
                article.summary,
                canonical=article.path,
                layout="print",
                article=article,
                in_sitemap=False,
            )


def _magazine(site: Content) -> Iterator[View]:
    magazine = ("/magazine/", "Magazine")
    intro = "All articles, the newest first. We write about what we do at our own bench."
    yield from _listing(site, "/magazine/", "Magazine", intro, site.listed, [])
    for topic in site.topics:
        chosen = [article for article in site.listed if article.topic == topic.slug]
        path = f"/magazine/topic/{topic.slug}/"
        yield from _listing(site, path, topic.name, topic.intro, chosen, [magazine])
    for tag in site.tags:
        chosen = [article for article in site.listed if tag in article.tags]
        intro = f"Articles that have to do with {tag}."
        yield from _listing(site, tag_path(tag), f"Tag: {tag}", intro, chosen, [magazine])


def _listing(
    site: Content, path: str, title: str, intro: str, articles: list[Article], crumbs: list[tuple[str, str]]
) -> Iterator[View]:
    count = -(-len(articles) // site.per_page)
    for number in range(1, count + 1):
        chosen = articles[(number - 1) * site.per_page : number * site.per_page]
        opening = f"<h1>{escape(title)}</h1>"
        if number == 1:
            opening += f'<p class="intro">{escape(intro)}</p>'
        parts = [
            content(f'{opening}<ul class="teasers">'),
            *_teasers(chosen),
            furniture("</ul>" + _pager(path, number, count)),
        ]
        here = _page_path(path, number)
        heading = title if number == 1 else f"{title}, page {number}"
        yield View(here, "listing", heading, parts, chosen[0].date, intro, crumbs)


def _products(site: Content) -> Iterator[View]:
    categories = {category.slug: category.name for category in site.categories}
    for product in site.products:
        row = [(other.path, other.name) for other in site.products if other.category == product.category]
        paragraphs = "".join(f"<p>{escape(text)}</p>" for text in product.description)
        rows = "".join(
            f'<tr><th scope="row">{escape(key)}</th><td>{escape(value)}</td></tr>'
            for key, value in product.specs
        )
        parts = [
            furniture(
                f'<article class="product" id="{product.number.lower()}"><div class="gallery">'
                f'<img src="{product.picture}" alt="" width="320" height="240"></div>'
            ),
            content(f'<h1>{escape(product.name)}</h1><p class="price">{pounds(product.price)}</p>'),
            furniture(_order_form(product)),
            content(f'<div class="description"><h2>Description</h2>{paragraphs}</div>'),
            content(f'<table class="specs"><caption>Specification</caption><tbody>{rows}</tbody></table>'),
            furniture(_share(product.name) + "</article>" + _also_bought(site, product)),
            furniture(_neighbours(product.path, row)),
        ]
        crumbs = [("/shop/", "Shop"), (f"/shop/{product.category}/", categories[product.category])]
        yield View(
            product.path,
            "product",
            product.name,
            parts,
            site.wording.generated,
            product.description[0],
            crumbs,
            product=product,
        )


def _shop(site: Content) -> Iterator[View]:
    intro = "Four departments, and nothing in them that we do not use ourselves."
    entries = "".join(
        f'<li class="card"><h2><a href="/shop/{category.slug}/">{escape(category.name)}</a></h2>'
        f"<p>{escape(category.intro)}</p></li>"
        for category in site.categories
    )
    parts = [content(f'<h1>Shop</h1><p class="intro">{intro}</p><ul class="cards">{entries}</ul>')]
    yield View("/shop/", "listing", "Shop", parts, site.wording.generated, intro)
    for category in site.categories:
        yield _category(site, category)


def _category(site: Content, category: DemoSection) -> View:
    chosen = [product for product in site.products if product.category == category.slug]
    parts = [
        content(f'<h1>{escape(category.name)}</h1><p class="intro">{escape(category.intro)}</p>'),
        furniture(
            '<form class="sorting" action=""><label>Sort by <select name="sort"><option>Our order'
            "<option>Price, low to high<option>Price, high to low</select></label></form>"
        ),
        content('<ul class="cards">'),
        *_cards(chosen),
        furniture(f'</ul><p class="count">{len(chosen)} products in this department</p>'),
    ]
    path = f"/shop/{category.slug}/"
    date = site.wording.generated
    return View(path, "listing", category.name, parts, date, category.intro, [("/shop/", "Shop")])


def _guide(site: Content, guide: Guide) -> View:
    parts = [content(f'<h1>{escape(guide.title)}</h1><div class="text">{guide.body}</div>')]
    if guide.group == "help" and guide.path != "/help/":
        parts.append(
            furniture(
                '<form class="helpful" method="post" action="/search/"><p>Did this page help you?</p>'
                '<button name="helpful" value="1">Yes</button><button name="helpful" value="0">No</button>'
                "</form>"
            )
        )
    crumbs = [("/help/", "Help")] if guide.group == "help" and guide.path != "/help/" else []
    return View(guide.path, guide.group, guide.title, parts, site.wording.generated, crumbs=crumbs)


def _search(site: Content) -> View:
    parts = [
        content("<h1>Search</h1><p>Type a word into the field at the top of the page and press return.</p>"),
        content("<p>The search looks through names of products and titles of articles, not whole texts.</p>"),
    ]
    return View(
        "/search/",
        "service",
        "Search",
        parts,
        site.wording.generated,
        robots="noindex, follow",
        in_sitemap=False,
    )


def _cart(site: Content) -> View:
    parts = [content("<h1>Your basket</h1><p>There is nothing in your basket yet.</p>")]
    return View(
        "/cart/",
        "service",
        "Your basket",
        parts,
        site.wording.generated,
        robots="noindex, nofollow",
        in_sitemap=False,
    )


def _teasers(articles: list[Article]) -> Iterator[Part]:
    for article in articles:
        yield content(
            f'<li class="teaser"><h2><a href="{article.path}">{escape(article.title)}</a></h2>'
            f'<p class="meta">{escape(article.author)}, {day(article.date)}</p>'
            f"<p>{escape(article.summary)}</p>"
        )
        yield furniture(f'<a class="more" href="{article.path}">Read the article</a></li>')


def _cards(products: list[Product], query: str = "") -> Iterator[Part]:
    for product in products:
        yield content(
            f'<li class="card"><img src="{product.picture}" alt="" width="160" height="120" loading="lazy">'
            f'<h3><a href="{product.path}{query}">{escape(product.name)}</a></h3>'
            f'<p class="price">{pounds(product.price)}</p>'
        )
        yield furniture('<a class="button" rel="nofollow" href="/cart/">Add to basket</a></li>')


def _share(title: str) -> str:
    return (
        '<div class="share" aria-label="Share"><span>Share this page</span><ul>'
        '<li><a rel="nofollow noopener" href="https://social.example/share">Post</a></li>'
        '<li><a rel="nofollow noopener" href="https://pinboard.example/add">Pin</a></li>'
        f'<li><a href="mailto:?subject={quote(title)}">E-mail</a></li></ul></div>'
    )


def _tag_list(site: Content, article: Article) -> str:
    known = site.tags
    items = "".join(
        f'<li><a rel="tag" href="{tag_path(tag)}">{tag}</a></li>' if tag in known else f"<li>{tag}</li>"
        for tag in article.tags
    )
    link = (
        f'<p class="print"><a href="/print{article.path}">Print version</a></p>' if article.printable else ""
    )
    return f'<footer class="post-foot"><ul class="tags">{items}</ul>{link}</footer>'


def _neighbours(path: str, row: list[tuple[str, str]]) -> str:
    """Links to what comes before and after `path` in a row of (path, title)."""
    index = [other for other, _ in row].index(path)
    links = []
    if index > 0:
        before, title = row[index - 1]
        links.append(f'<a class="prev" rel="prev" href="{before}">Previous: {escape(title)}</a>')
    if index + 1 < len(row):
        after, title = row[index + 1]
        links.append(f'<a class="next" rel="next" href="{after}">Next: {escape(title)}</a>')
    return f'<nav class="neighbours">{" ".join(links)}</nav>'


def _also_bought(site: Content, product: Product) -> str:
    others = [other for other in site.products if other.category != product.category]
    start = site.products.index(product)
    chosen = (others * 2)[start % len(others) :][:3]
    items = "".join(f'<li><a href="{other.path}">{escape(other.name)}</a></li>' for other in chosen)
    return f'<section class="also"><h2>Customers also bought</h2><ul>{items}</ul></section>'


def _order_form(product: Product) -> str:
    return (
        '<form class="order" method="post" action="/cart/">'
        f'<input type="hidden" name="number" value="{product.number}">'
        '<label>Quantity <input type="number" name="quantity" value="1" min="1"></label>'
        "<button>Add to basket</button></form>"
        f'<p class="stock">Order number {product.number}. In stock, leaves our shop today if ordered before '
        'noon. <a href="/help/delivery/">Delivery and costs</a></p>'
    )


def _pager(path: str, number: int, count: int) -> str:
    if count == 1:
        return ""
    items = []
    if number > 1:
        items.append(f'<li><a rel="prev" href="{_page_path(path, number - 1)}">Newer</a></li>')
    for other in range(1, count + 1):
        label = f'<a href="{_page_path(path, other)}">{other}</a>'
        if other == number:
            label = f'<span aria-current="page">{other}</span>'
        items.append(f"<li>{label}</li>")
    if number < count:
        items.append(f'<li><a rel="next" href="{_page_path(path, number + 1)}">Older</a></li>')
    return f'<nav class="pagination" aria-label="Pages"><ul class="pager">{"".join(items)}</ul></nav>'


def _page_path(path: str, number: int) -> str:
    return path if number == 1 else f"{path}page/{number}/"
