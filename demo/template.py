"""The demo site's template: what is laid round each view, and varies a little from page to page.

All variation follows from the page's path, so a page is the same each time it is made.
"""

from __future__ import annotations

import json
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING

from demo.views import day, pounds, tag_path

if TYPE_CHECKING:
    from demo.content import Content
    from demo.views import View

NAVIGATION = [
    ("/magazine/", "Magazine"),
    ("/shop/", "Shop"),
    ("/help/", "Help"),
    ("/about/", "About us"),
    ("/contact/", "Contact"),
]


def render(site: Content, view: View, base: str) -> str:
    """Returns the HTML of a `view` of the `site`; `base` (no slash at its end) begins the absolute URLs."""
    main = "\n".join(part.html for part in view.parts)
    if view.layout == "print":
        return _print(site, view, base, main)
    return f"""\
<!DOCTYPE html>
<html lang="en-GB" class="no-js">
{_head(site, view, base)}
<body class="page-{view.group}">
<a class="skip" href="#main">Skip to the content</a>
<noscript><p class="notice">The basket needs JavaScript. You can also order by telephone.</p></noscript>
{_promotion(site, view)}{_header(site, view)}
{_crumbs(view)}<div class="wrap">
<main id="main" class="main">
{main}
</main>
{_side_bar(site, view)}
</div>
{_newsletter(site, view)}
{_footer(site, view)}
{_cookie_notice()}
<script>
window.quire = {{"page": {json.dumps(view.path)}, "build": {_seed(view.path) % 9000 + 1000}}};
</script>
<script src="/static/site.js" defer></script>
</body>
</html>
"""


def render_not_found(site: Content) -> str:
    """Returns the HTML that goes with a 404."""
    navigation = "".join(f'<li><a href="{path}">{name}</a></li>' for path, name in NAVIGATION)
    return f"""\
<!DOCTYPE html>
<html lang="en-GB">
<head><meta charset="utf-8"><title>Not found | {site.wording.name}</title></head>
<body><h1>This page is not on our shelves</h1>
<p>It may have been moved, sold or eaten by silverfish.</p>
<ul>{navigation}</ul>
</body>
</html>
"""


def _seed(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big")


def _pick(texts: list[str], path: str) -> str:
    return texts[_seed(path) % len(texts)]


def _head(site: Content, view: View, base: str) -> str:
    title = f"{view.title} | {site.wording.name}"
    kind = {"article": "article", "product": "product"}.get(view.group, "website")
    lines = [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f'<meta name="robots" content="{view.robots}">',
        f'<link rel="canonical" href="{base}{view.canonical or view.path}">',
        f'<meta property="og:title" content="{escape(view.title)}">',
        f'<meta property="og:type" content="{kind}">',
        f'<meta property="og:site_name" content="{site.wording.name}">',
    ]
    if view.description:
        lines.append(f'<meta name="description" content="{escape(view.description)}">')
    if view.article:
        lines += [
            f'<meta name="author" content="{escape(view.article.author)}">',
            f'<meta property="article:published_time" content="{view.article.date}">',
        ]
    if view.article or view.product:
        lines.append(f'<script type="application/ld+json">{_linked_data(view)}</script>')
    lines += [
        '<link rel="stylesheet" href="/static/site.css">',
        '<link rel="icon" href="/static/logo.svg" type="image/svg+xml">',
        "<style>.no-js .offcanvas{display:none}.skip:not(:focus){position:absolute;left:-99em}</style>",
    ]
    return "<head>\n" + "\n".join(lines) + "\n</head>"


def _linked_data(view: View) -> str:
    data: dict[str, object] = {"@context": "https://schema.org"}
    if view.article:
        data |= {
            "@type": "Article",
            "headline": view.article.title,
            "datePublished": view.article.date.isoformat(),
            "author": {"@type": "Person", "name": view.article.author},
        }
    if view.product:
        price = f"{view.product.price / 100:.2f}"
        data |= {
            "@type": "Product",
            "name": view.product.name,
            "sku": view.product.number,
            "offers": {"@type": "Offer", "price": price, "priceCurrency": "GBP"},
        }
    return json.dumps(data, ensure_ascii=False).replace("</", "<\\/")


def _promotion(site: Content, view: View) -> str:
    if _seed(view.path) % 3 == 0:
        return ""
    return f'<div class="promotion"><p>{_pick(site.wording.promotions, view.path)}</p></div>\n'


def _header(site: Content, view: View) -> str:
    submenus = {
        "/magazine/": [(f"/magazine/topic/{topic.slug}/", topic.name) for topic in site.topics],
        "/shop/": [(f"/shop/{category.slug}/", category.name) for category in site.categories],
    }
    items = []
    for path, name in NAVIGATION:
        if not view.path.startswith(path):
            items.append(f'<li><a href="{path}">{name}</a></li>')
            continue
        inner = "".join(f'<li><a href="{sub}">{label}</a></li>' for sub, label in submenus.get(path, []))
        submenu = f'<ul class="sub-nav">{inner}</ul>' if inner else ""
        items.append(f'<li class="current"><a href="{path}" aria-current="true">{name}</a>{submenu}</li>')
    hidden = "".join(
        f'<li><a href="{sub}">{label}</a></li>' for menu in submenus.values() for sub, label in menu
    )
    return f"""\
<header class="site-head">
<a class="logo" href="/"><img src="/static/logo.svg" alt="{site.wording.name}" width="120" height="40">
<span class="tagline">{site.wording.tagline}</span></a>
<button class="burger" data-toggle="offcanvas" aria-controls="offcanvas">Menu</button>
<nav class="main-nav" aria-label="Main"><ul>{"".join(items)}</ul></nav>
<form class="search" action="/search/" role="search"><label for="q">Search</label>
<input id="q" name="q" type="search" placeholder="Awl, paste, linen"><button>Go</button></form>
<p class="basket"><a rel="nofollow" href="/cart/">Basket (<span class="count">0</span>)</a></p>
<nav class="offcanvas" id="offcanvas" hidden aria-hidden="true"><ul>{hidden}
<li><a href="/help/delivery/">Delivery</a></li><li><a href="/contact/">Contact</a></li></ul></nav>
</header>"""


def _crumbs(view: View) -> str:
    if view.path == "/":
        return ""
    links = "".join(f'<li><a href="{path}">{escape(name)}</a></li>' for path, name in view.crumbs)
    return (
        '<nav class="crumbs" aria-label="You are here"><ol><li><a href="/">Home</a></li>'
        f'{links}<li aria-current="page">{escape(view.title)}</li></ol></nav>\n'
    )


def _side_bar(site: Content, view: View) -> str:
    boxes = []
    if view.article:
        topic = [other for other in site.listed if other.topic == view.article.topic]
        related = [(other.path, other.title) for other in topic if other.path != view.path]
        boxes.append(_box("related", "Related articles", _window(related, view.path, 3)))
    if view.group == "help":
        guides = [(guide.path, guide.title) for guide in site.guides if guide.group == "help"]
        boxes.append(_box("help-menu", "All help pages", guides))
    if view.group in ("product", "listing"):
        departments = [(f"/shop/{category.slug}/", category.name) for category in site.categories]
        boxes.append(_box("departments", "Departments", departments))
    popular = [(article.path, article.title) for article in site.listed if article.path != view.path]
    heading = _pick(site.wording.popular_headings, view.path)
    boxes.append(_box("popular", heading, _window(popular, view.path[::-1], 4)))
    if view.group in ("article", "listing", "home"):
        cloud = "".join(
            f'<li><a class="size-{1 + _seed(tag) % 4}" href="{tag_path(tag)}">{tag}</a></li>'
            for tag in site.tags
        )
        boxes.append(
            f'<section class="box tag-cloud"><h2>Browse by tag</h2><ul class="tags">{cloud}</ul></section>'
        )
    offer = site.products[_seed(view.path + "offer") % len(site.products)]
    if offer.path != view.path and view.group != "company":
        boxes.append(
            f'<section class="box offer"><h2>From the shelf</h2>'
            f'<a href="{offer.path}">{escape(offer.name)}</a> '
            f'<span class="price">{pounds(offer.price)}</span></section>'
        )
    return "\n".join(['<aside class="side-bar">', *boxes, "</aside>"])


def _box(name: str, heading: str, links: list[tuple[str, str]]) -> str:
    items = "".join(f'<li><a href="{path}">{escape(title)}</a></li>' for path, title in links)
    return f'<section class="box {name}"><h2>{heading}</h2><ul>{items}</ul></section>'


def _window(links: list[tuple[str, str]], path: str, size: int) -> list[tuple[str, str]]:
    start = _seed(path) % len(links)
    return (links + links)[start : start + size]


def _newsletter(site: Content, view: View) -> str:
    return f"""\
<section class="newsletter"><h2>{_pick(site.wording.newsletter_headings, view.path)}</h2>
<p>{_pick(site.wording.newsletter_texts, view.path[1:])}</p>
<form method="post" action="/search/"><label>E-mail <input type="email" name="email"></label>
<button>Subscribe</button></form></section>"""


def _footer(site: Content, view: View) -> str:
    seed = _seed(view.path)
    columns = [
        ("Shop", [(f"/shop/{category.slug}/", category.name) for category in site.categories]),
        ("Magazine", [(f"/magazine/topic/{topic.slug}/", topic.name) for topic in site.topics]),
        ("Service", [("/help/delivery/", "Delivery"), ("/help/returns/", "Returns"), ("/search/", "Search")]),
        ("Quire Lane", [("/about/", "About us"), ("/imprint/", "Imprint"), ("/privacy/", "Privacy")]),
    ]
    lists = "".join(
        f'<div class="column"><h3>{heading}</h3><ul>'
        + "".join(f'<li><a href="{path}">{name}</a></li>' for path, name in links)
        + "</ul></div>"
        for heading, links in columns
    )
    clock = f"{8 + seed % 11:02}:{seed // 11 % 60:02}"
    return f"""\
<footer class="site-foot"><div class="columns">{lists}</div>
<p class="legal">© 1987–{site.wording.generated.year} {site.wording.name} Bindery Supply. Prices include VAT,
delivery is extra.</p>
<p class="generated">Page generated on {day(site.wording.generated)} at {clock} in {12 + seed % 80} ms</p>
</footer>"""


def _cookie_notice() -> str:
    return """\
<div class="cookie-notice" role="dialog" aria-label="Cookies" id="cookies">
<p>This site uses two cookies: one for your basket and one for this notice.
<a href="/privacy/">Read more</a></p>
<button data-toggle="cookies">That is fine</button></div>"""


def _print(site: Content, view: View, base: str, main: str) -> str:
    original = view.canonical or view.path
    return f"""\
<!DOCTYPE html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<title>{escape(view.title)} (print version) | {site.wording.name}</title>
<link rel="canonical" href="{base}{original}">
<style>body {{ font: 11pt/1.5 serif; max-width: 40em; margin: 2em auto; }}</style>
</head>
<body class="print">
<p class="source">From the magazine of {site.wording.name}. <a href="{original}">Back to the article</a></p>
{main}
<p class="legal">© {site.wording.generated.year} {site.wording.name} Bindery Supply. For private use.</p>
</body>
</html>
"""
