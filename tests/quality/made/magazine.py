"""The Larder Post, a made magazine in the markup of a WordPress theme, with all that plugins insert."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from tests.quality.gold import AnnotatedPage, annotate
from tests.quality.made.markup import halves, main, piece
from tests.quality.made.texts import Writer
from tests.quality.prose import number, prose, slug, some

if TYPE_CHECKING:
    from collections.abc import Sequence

BASE: Final = "https://larderpost.example"
CATEGORIES: Final = ("Houses", "Gardens", "Tables", "Journeys")
ARTICLES: Final = 28
LISTED: Final = 9
"""Articles on a page of the archive."""


@dataclass(frozen=True)
class Article:
    """An article; ``views`` and ``minutes`` are what its counters say."""

    path: str
    title: str
    author: str
    date: str
    category: str
    excerpt: str
    body: str
    views: str
    minutes: int


@cache
def articles() -> list[Article]:
    """All articles, the newest first."""
    return [_article(position) for position in range(ARTICLES)]


def pages() -> list[AnnotatedPage]:
    """All pages of the magazine, the first page of its archive first."""
    starts = range(0, ARTICLES, LISTED)
    return [
        *(_archive(start) for start in starts),
        *(_category(name) for name in CATEGORIES),
        *(_article_page(article) for article in articles()),
    ]


def _article(position: int) -> Article:
    writer = Writer(f"magazine {position}")
    title = writer.title()
    paragraphs = writer.random.randint(4, 12)
    return Article(
        path=f"/{slug(title)}-{position}/",
        title=title,
        author=writer.word("people"),
        date=writer.date(),
        category=CATEGORIES[position % len(CATEGORIES)],
        excerpt=writer.paragraph(1, 2),
        body=writer.source(paragraphs),
        views=writer.count(),
        minutes=paragraphs,
    )


def _archive(start: int) -> AnnotatedPage:
    shown = articles()[start : start + LISTED]
    path = f"/page/{start // LISTED + 1}/" if start else "/"
    numbers = "".join(
        f'<a class="page-numbers" href="{f"/page/{page}/" if page > 1 else "/"}">{page}</a>'
        for page in range(1, -(-ARTICLES // LISTED) + 1)
    )
    content = f"""<div class="td-block-row">{"".join(map(_entry, shown))}</div>
<nav class="pagination"><div class="nav-links">{numbers}<a class="next">Older posts</a></div></nav>"""
    return _page(path, "listing", "Latest stories", content)


def _category(name: str) -> AnnotatedPage:
    shown = [article for article in articles() if article.category == name]
    head = f'<h1 class="page-title">{name}</h1>'
    content = f"""<header class="page-header">{main(head)}</header>{"".join(map(_entry, shown))}"""
    return _page(f"/category/{name.lower()}/", "listing", name, content)


def _entry(article: Article) -> str:
    entry = f"""<h2 class="entry-title"><a href="{article.path}">{article.title}</a></h2>
<div class="entry-meta"><span class="author">{article.author}</span>
<time class="entry-date">{article.date}</time></div>
<div class="entry-summary"><p>{article.excerpt}</p></div>"""
    return f"""<article class="post hentry category-{article.category.lower()}">
<a href="{article.path}"><img class="wp-post-image" src="/img{article.path}.jpg" alt=""></a>{main(entry)}
</article>"""


def _article_page(article: Article) -> AnnotatedPage:
    first, second = halves(article.body)
    writer = Writer(f"magazine page {article.path}")
    content = f"""<article class="post type-post hentry">
<nav class="breadcrumbs"><a href="/">Home</a> / <a
href="/category/{article.category.lower()}/">{article.category}</a></nav>
<header class="entry-header">{main(f'<h1 class="entry-title">{article.title}</h1>')}
<div class="entry-meta">{main(f'By <a class="url fn" href="#">{article.author}</a> {article.date}')}
{piece("counters in line", f'<span class="reading-time">{article.minutes} min read</span>')}
{piece("counters", f'<div class="td-post-views">{article.views} views</div>')}</div></header>
<div class="entry-content">{main(prose(first))}
{_inline(article) if number(article.path) % 2 else _newsletter(article)}
{main(prose(second))}</div>
<footer class="entry-footer"><span class="tags-links">Tags: <a href="#">{writer.word("things")}</a>, <a
href="#">{writer.word("things")}</a></span><div class="sharedaddy"><h3 class="sd-title">Share this:</h3><ul>
<li><a href="#">Facebook</a></li><li><a href="#">Email</a></li><li><a href="#">Print</a></li></ul></div>
</footer>
</article>
{_author(article)}
{_related(article)}
{_comments(writer)}"""
    return _page(article.path, "article", article.title, content)


def _inline(article: Article) -> str:
    other = _others(article, 1, "inline")[0]
    return piece(
        "related inline",
        f'<div class="wp-block-group also-read"><strong>Also read:</strong> <a href="{other.path}">'
        f"{other.title}</a></div>",
    )


def _newsletter(article: Article) -> str:
    return f"""<div class="mailpoet_form newsletter-box">
{piece("newsletter", '<h4 class="newsletter-title">Get the Larder Post in your inbox</h4>')}
{
        piece(
            "newsletter",
            f"<p>Every Friday, {17 + number(article.category) % 20} thousand readers get our best stories. "
            "No spam, one click and you are out.</p>",
        )
    }
<form><input type="email" placeholder="Your email"><button>Subscribe</button></form></div>"""


def _author(article: Article) -> str:
    writer = Writer(f"author {article.author}")
    return f"""<div class="author-box"><img class="avatar" src="/avatar.jpg" alt="">
{piece("author box", f'<h4 class="author-title">About {article.author}</h4>')}
{
        piece(
            "author box",
            f'<p class="author-bio">{article.author} writes about the {writer.word("things")} and the '
            f"{writer.word('things')} from {writer.word('places')}. {writer.sentence()}</p>",
        )
    }
</div>"""


def _related(article: Article) -> str:
    """Entries with an excerpt on one half of the pages, with a date on the other."""
    excerpts = number(f"style {article.path}") % 2
    entries = "".join(
        piece(
            "related",
            f'<div class="jp-relatedposts-post"><h4><a href="{other.path}">{other.title}</a></h4>'
            + (f"<p>{other.excerpt}</p></div>" if excerpts else f"<span>{other.date}</span></div>"),
        )
        for other in _others(article, 3 + number(article.path) % 3, "related")
    )
    head = piece("related", '<h3 class="jp-relatedposts-headline">You might also like</h3>')
    return f'<div class="jp-relatedposts">{head}{entries}</div>'


def _comments(writer: Writer) -> str:
    hours = [f"{writer.random.randint(1, 12)}:{writer.random.randint(10, 59)} pm" for _ in range(8)]
    thread = "".join(
        piece(
            "comments",
            f"""<li class="comment depth-{1 + position % 2}"><div class="comment-author vcard"><b
class="fn">{writer.word("people")}</b> <span class="says">says:</span></div><div
class="comment-metadata"><time>{writer.date()} at {hours[position]}</time></div>
<div class="comment-content"><p>{writer.word("remarks")}. {writer.paragraph(1, 3)}</p></div>
<a class="comment-reply-link" href="#">Reply to this</a></li>""",
        )
        for position in range(writer.random.choice([0, 2, 3, 5, 8]))
    )
    return f"""<div class="comments-area"><ol class="comment-list">{thread}</ol>
<div class="comment-respond"><h3>Leave a comment</h3><form><p>Your email address will not be published.</p>
<textarea></textarea><input type="submit" value="Post Comment"></form></div></div>"""


def _sidebar(path: str) -> str:
    recent = "".join(
        piece("recent", f'<li><a href="{article.path}">{article.title}</a> <span>{article.date}</span></li>')
        for article in articles()[:5]
    )
    popular = "".join(
        piece(
            "popular", f'<li><a href="{article.path}">{article.title}</a> <em>{article.views} views</em></li>'
        )
        for article in some(articles(), 5, f"popular {number(path) % 4}")
    )
    return f"""<aside class="widget-area"><section class="widget widget_recent_entries"><h2
class="widget-title">Recent Posts</h2><ul>{recent}</ul></section>
<section class="widget popular-posts"><h2 class="widget-title">Most popular</h2><ul>{popular}</ul></section>
</aside>"""


def _others(article: Article, count: int, key: str) -> Sequence[Article]:
    others = [other for other in articles() if other is not article]
    return some(others, count, f"{key} {article.path}")


def _page(path: str, group: str, title: str, content: str) -> AnnotatedPage:
    menu = "".join(f'<li><a href="/category/{name.lower()}/">{name}</a></li>' for name in CATEGORIES)
    marked = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} - The Larder Post</title></head>
<body class="wp-singular"><header class="site-header"><a class="custom-logo-link" href="/">The Larder Post</a>
<p class="site-description">Stories from slow kitchens</p><nav class="main-navigation"><ul class="menu">{menu}
<li><a href="#">Subscribe</a></li></ul></nav>
<form class="search-form"><input type="search"><button>Search</button></form></header>
<div class="site-content"><main class="site-main">{content}</main>{_sidebar(path)}</div>
<footer class="site-footer"><ul><li><a href="#">About us</a></li><li><a href="#">Privacy policy</a></li>
<li><a href="#">Advertise</a></li></ul><p>© 2024 The Larder Post. All rights reserved.</p></footer>
</body></html>
"""
    return annotate(BASE + path, marked, group)
