"""The demo site's pages: which there are, and the HTML of each, the templates in templates/, filled.

All variation follows from the page's path, so a page is the same each time it is made. The marks ``<gold>``
and ``</gold>`` stand around what belongs to a page's main text: they make its gold text, and are taken out.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from demo.content import Article, Content, Product


@dataclass(frozen=True, slots=True)
class View:
    """One HTML page: its path, its kind, its template, and what that is filled with beside the site."""

    path: str
    group: str
    title: str
    template: str
    modified: date
    description: str = ""
    crumbs: list[tuple[str, str]] = field(default_factory=list)
    canonical: str = ""
    robots: str = "index, follow"
    in_sitemap: bool = True
    given: dict[str, Any] = field(default_factory=dict)


def views(site: Content) -> Iterator[View]:
    """Yields every HTML page of the site that answers with status 200."""
    built, home = site.wording.generated, site.wording.home
    yield View("/", "home", site.wording.tagline, "home.html", built, home["intro"])
    for article in site.articles:
        yield from _article(site, article)
    yield from _magazine(site)
    for product in site.products:
        yield _product(site, product)
    yield from _shop(site)
    help_pages = [(guide.path, guide.title) for guide in site.guides if guide.group == "help"]
    for guide in site.guides:
        crumbs = [("/help/", "Help")] if guide.group == "help" and guide.path != "/help/" else []
        given = {"guide": guide, "help_pages": help_pages}
        yield View(guide.path, guide.group, guide.title, "guide.html", built, crumbs=crumbs, given=given)
    for path, title, template, robots in (
        ("/search/", "Search", "search.html", "noindex, follow"),
        ("/cart/", "Your basket", "cart.html", "noindex, nofollow"),
    ):
        yield View(path, "service", title, template, built, robots=robots, in_sitemap=False)


def tag_path(tag: str) -> str:
    """The path of a tag's listing."""
    return f"/magazine/tag/{tag.replace(' ', '-')}/"


def _article(site: Content, article: Article) -> Iterator[View]:
    topics = {topic.slug: topic.name for topic in site.topics}
    row = [(other.path, other.title) for other in site.listed]
    related = [
        (other.path, other.title)
        for other in site.listed
        if other.topic == article.topic and other.path != article.path
    ]
    crumbs = [("/magazine/", "Magazine"), (f"/magazine/topic/{article.topic}/", topics[article.topic])]
    given = {"article": article, "row": row, "related": related}
    fixed = ("article", article.title, "article.html", article.date, article.summary)
    yield View(article.path, *fixed, crumbs, given=given)
    if article.printable:
        path, given = f"/print{article.path}", {"article": article, "print": True}
        yield View(path, *fixed, canonical=article.path, in_sitemap=False, given=given)


def _magazine(site: Content) -> Iterator[View]:
    magazine = [("/magazine/", "Magazine")]
    intro = "All articles, the newest first. We write about what we do at our own bench."
    yield from _listing(site, "/magazine/", "Magazine", intro, site.listed, [])
    for topic in site.topics:
        chosen = [article for article in site.listed if article.topic == topic.slug]
        path = f"/magazine/topic/{topic.slug}/"
        yield from _listing(site, path, topic.name, topic.intro, chosen, magazine)
    for tag in site.tags:
        chosen = [article for article in site.listed if tag in article.tags]
        intro = f"Articles that have to do with {tag}."
        yield from _listing(site, tag_path(tag), f"Tag: {tag}", intro, chosen, magazine)


def _listing(
    site: Content, path: str, title: str, intro: str, articles: list[Article], crumbs: list[tuple[str, str]]
) -> Iterator[View]:
    count = -(-len(articles) // site.per_page)
    for number in range(1, count + 1):
        chosen = articles[(number - 1) * site.per_page : number * site.per_page]
        here = path if number == 1 else f"{path}page/{number}/"
        heading = title if number == 1 else f"{title}, page {number}"
        given = {"heading": title, "articles": chosen, "path": path, "number": number, "count": count}
        yield View(here, "listing", heading, "listing.html", chosen[0].date, intro, crumbs, given=given)


def _product(site: Content, product: Product) -> View:
    categories = {category.slug: category.name for category in site.categories}
    row = [(other.path, other.name) for other in site.products if other.category == product.category]
    others = [other for other in site.products if other.category != product.category]
    also = (others * 2)[site.products.index(product) % len(others) :][:3]
    crumbs = [("/shop/", "Shop"), (f"/shop/{product.category}/", categories[product.category])]
    given = {"product": product, "row": row, "also": also}
    built, intro = site.wording.generated, product.description[0]
    return View(product.path, "product", product.name, "product.html", built, intro, crumbs, given=given)


def _shop(site: Content) -> Iterator[View]:
    built = site.wording.generated
    intro = "Four departments, and nothing in them that we do not use ourselves."
    yield View("/shop/", "listing", "Shop", "shop.html", built, intro)
    for category in site.categories:
        path, crumbs = f"/shop/{category.slug}/", [("/shop/", "Shop")]
        given = {"products": [product for product in site.products if product.category == category.slug]}
        title, intro = category.name, category.intro
        yield View(path, "listing", title, "category.html", built, intro, crumbs, given=given)


MONTHS = "January February March April May June July August September October November December".split()


def render(site: Content, view: View, base: str) -> str:
    """Returns the HTML of a `view` of the `site`; `base` (no slash at its end) begins the absolute URLs."""
    return re.sub("</?gold>", "", marked(site, view, base))


def marked(site: Content, view: View, base: str) -> str:
    """Returns the HTML of a `view` of the `site` at `base`; `<gold>` is around each piece of main text."""
    listed = [(article.path, article.title) for article in site.listed if article.path != view.path]
    given: dict[str, Any] = {
        "article": None,
        "product": None,
        "print": False,
        "popular": listed,
        **view.given,
    }
    return _TEMPLATES.get_template(view.template).render(site=site, view=view, base=base, **given)


def render_not_found(site: Content) -> str:
    """Returns the HTML that goes with a 404."""
    return _TEMPLATES.get_template("not_found.html").render(site=site)


def _seed(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big")


def _window(links: Sequence[Any], path: str, size: int) -> list[Any]:
    start = _seed(path) % len(links)
    return [*links, *links][start : start + size]


def _day(when: date) -> str:
    """A date as people read it, in any locale."""
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}"


# Texts of ours alone: a template escapes what is not HTML.
_TEMPLATES = Environment(  # noqa: S701
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.globals["seed"] = _seed
_TEMPLATES.filters |= {
    "e": html.escape,
    "day": _day,
    "pounds": lambda pence: f"£{pence / 100:,.2f}",
    "pick": lambda path, texts: texts[_seed(path) % len(texts)],
    "window": _window,
    "json": lambda value: json.dumps(value, ensure_ascii=False).replace("</", "<\\/"),
    "tag_path": tag_path,
}
