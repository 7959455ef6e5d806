"""Slow Spoke, a magazine about cycling: a blog in the markup of WordPress, with a full side bar."""

from __future__ import annotations

from typing import Final

from tests.quality.gold import AnnotatedPage, annotate
from tests.quality.prose import first_paragraph, number, prose, slug, some
from tests.quality.sites.slowspoke_text import ABOUT, AUTHORS, CATEGORIES, CONTACT, POSTS, QUOTES, Post

BASE: Final = "https://slowspoke.example"
NEWEST_FIRST: Final = sorted(POSTS, key=lambda post: -post.number)
ENTRIES_PER_PAGE: Final = 5
TAG: Final = "slow travel"
MARKUP: Final = {
    "figure": '<figure id="attachment" class="wp-caption aligncenter"><img class="size-large" src="{src}" '
    'alt="" width="720" height="480" loading="lazy"/><figcaption class="wp-caption-text">{0}</figcaption>'
    "</figure>",
    "table": '<figure class="wp-block-table"><table><tbody>{0}</tbody></table></figure>',
    "quote": '<blockquote class="wp-block-quote">{0}</blockquote>',
    "h2": '<h2 class="wp-block-heading">{0}</h2>',
}


def pages() -> list[AnnotatedPage]:
    """All pages of the magazine, the home page first."""
    first, rest = NEWEST_FIRST[:ENTRIES_PER_PAGE], NEWEST_FIRST[ENTRIES_PER_PAGE:]
    tagged = [post for post in NEWEST_FIRST if TAG in post.tags]
    return [
        _page("/", "listing", "home blog", "Slow Spoke", _list("", "", first) + _pagination(1)),
        _page("/page/2/", "listing", "blog paged", "Page 2", _list("", "", rest) + _pagination(2)),
        *(_category(name) for name in CATEGORIES),
        _page(
            f"/tag/{slug(TAG)}/", "listing", "archive tag", TAG, _list(f"Tag: <span>{TAG}</span>", "", tagged)
        ),
        *(_article(post) for post in NEWEST_FIRST),
        _static("/about/", "About Slow Spoke", ABOUT),
        _static("/contact/", "Contact", CONTACT),
    ]


def _category(name: str) -> AnnotatedPage:
    label, description = CATEGORIES[name]
    posts = [post for post in NEWEST_FIRST if post.category == name]
    listed = _list(f"Category: <span>{label}</span>", description, posts)
    return _page(f"/category/{name}/", "listing", f"archive category category-{name}", label, listed)


def _list(title: str, description: str, posts: list[Post]) -> str:
    head = ""
    if title:
        about = f'<div class="archive-description"><p>{description}</p></div>' if description else ""
        head = f"""<header class="page-header"><!--gold-->
<h1 class="page-title">{title}</h1>{about}<!--/gold--></header>"""
    return head + "\n".join(map(_entry, posts))


def _entry(post: Post) -> str:
    words = first_paragraph(post.body).split()
    excerpt = " ".join(words[:38]) + ("&hellip;" if len(words) > 38 else "")
    return f"""
<article id="post-{post.number}" class="post-{post.number} post type-post status-publish hentry">
<header class="entry-header"><!--gold-->
<h2 class="entry-title"><a href="{post.path}" rel="bookmark">{post.title}</a></h2>
{_meta(post)}<!--/gold--></header>
<div class="entry-summary"><!--gold--><p>{excerpt}
<a class="more-link" href="{post.path}">Continue reading</a></p><!--/gold--></div>
<footer class="entry-footer">{_filed(post)}
<span class="comments-link"><a href="{post.path}#respond">Leave a comment</a></span></footer>
</article>"""


def _meta(post: Post) -> str:
    author = f"/author/{slug(post.author)}/"
    return (
        f'<div class="entry-meta"><span class="posted-on">Posted on <a href="{post.path}" rel="bookmark">'
        f'<time class="entry-date published">{post.date}</time></a></span> <span class="byline">by '
        f'<span class="author vcard"><a class="url fn n" '
        f'href="{author}">{post.author}</a></span></span></div>'
    )


def _filed(post: Post) -> str:
    label = CATEGORIES[post.category][0]
    tags = ", ".join(f'<a href="/tag/{slug(tag)}/" rel="tag">{tag}</a>' for tag in post.tags)
    return (
        f'<span class="cat-links">Posted in <a href="/category/{post.category}/" rel="category '
        f'tag">{label}</a>'
        f'</span> <span class="tags-links">Tagged {tags}</span>'
    )


def _article(post: Post) -> AnnotatedPage:
    position = NEWEST_FIRST.index(post)
    newer = NEWEST_FIRST[position - 1] if position else None
    older = NEWEST_FIRST[position + 1] if position + 1 < len(NEWEST_FIRST) else None
    content = f"""
<article id="post-{post.number}" class="post-{post.number} post type-post status-publish format-standard
hentry"> <header class="entry-header"><!--gold--><h1 class="entry-title">{post.title}</h1>
{_meta(post)}<!--/gold--></header>
<div class="entry-content">
<!--gold-->{prose(post.body, MARKUP)}<!--/gold-->
{_share(post)}
{_related(post)}
</div>
<footer class="entry-footer">{_filed(post)}</footer>
</article>
{_author_box(post.author)}
<nav class="navigation post-navigation" aria-label="Posts"><h2 class="screen-reader-text">Post navigation</h2>
<div class="nav-links">{_neighbour(older, "previous", "Previous Post")}
{_neighbour(newer, "next", "Next Post")}</div>
</nav>
{_comment_form(post)}"""
    return _page(post.path, post.group, f"single single-post postid-{post.number}", post.title, content, post)


def _share(post: Post) -> str:
    networks = ["Mastodon", "Facebook", "Email", "Print"]
    links = "".join(
        f'<li class="share-{name.lower()}"><a rel="nofollow noopener" class="share-icon" '
        f'href="{post.path}?share={name.lower()}" title="Click to share on '
        f'{name}"><span>{name}</span></a></li>'
        for name in networks
    )
    return (
        '<div class="sharedaddy sd-sharing-enabled"><div class="robots-nocontent sd-block sd-social">'
        f'<h3 class="sd-title">Share this:</h3><div class="sd-content"><ul>{links}</ul></div></div>'
        '<div class="sd-block sd-like"><h3 class="sd-title">Like this:</h3>'
        '<span class="button"><span>Like</span></span> <span class="loading">Loading...</span></div></div>'
    )


def _related(post: Post) -> str:
    others = [other for other in POSTS if other is not post]
    items = "".join(
        f'<li><a href="{other.path}" rel="bookmark">{other.title}</a> '
        f"<small>{' '.join(first_paragraph(other.body).split()[:16])}&hellip;</small></li>"
        for other in some(others, 3, post.slug)
    )
    return f'<div class="yarpp yarpp-related"><h3>Related posts:</h3><ol>{items}</ol></div>'


def _author_box(author: str) -> str:
    return f"""
<div class="author-info"><div class="author-avatar"><img alt="" src="/avatar/{slug(author)}.jpg"
width="64"></div>
<div class="author-description"><h2 class="author-title"><span class="author-heading">Author:</span>
{author}</h2>
<p class="author-bio">{AUTHORS[author]} <a class="author-link" href="/author/{slug(author)}/"
rel="author">View
all posts by {author}</a></p></div></div>"""


def _neighbour(post: Post | None, side: str, label: str) -> str:
    if post is None:
        return ""
    return (
        f'<div class="nav-{side}"><a href="{post.path}" rel="{side}"><span '
        f'class="nav-subtitle">{label}</span> '
        f'<span class="nav-title">{post.title}</span></a></div>'
    )


def _comment_form(post: Post) -> str:
    return f"""
<div id="comments" class="comments-area"><div id="respond" class="comment-respond">
<h3 id="reply-title" class="comment-reply-title">Leave a Reply <small><a rel="nofollow"
href="{post.path}#respond" style="display:none;">Cancel reply</a></small></h3>
<form action="/wp-comments-post.php" method="post" class="comment-form">
<p class="comment-notes"><span id="email-notes">Your email address will not be published.</span>
<span class="required-field-message">Required fields are marked <span class="required">*</span></span></p>
<p class="comment-form-comment"><label for="comment">Comment <span class="required">*</span></label>
<textarea id="comment" name="comment" cols="45" rows="8"></textarea></p>
<p class="comment-form-author"><label for="author">Name <span class="required">*</span></label>
<input id="author" name="author" type="text"></p>
<p class="comment-form-email"><label for="email">Email <span class="required">*</span></label>
<input id="email" name="email" type="email"></p>
<p class="comment-form-cookies-consent"><input id="consent" type="checkbox"> <label for="consent">Save my
name and email in this browser for the next time I comment.</label></p>
<p class="form-submit"><input name="submit" type="submit" value="Post Comment"></p></form></div></div>"""


def _static(path: str, title: str, body: str) -> AnnotatedPage:
    content = f"""
<article class="page type-page status-publish hentry">
<header class="entry-header"><!--gold--><h1 class="entry-title">{title}</h1><!--/gold--></header>
<div class="entry-content"><!--gold-->{prose(body, MARKUP)}<!--/gold--></div></article>"""
    return _page(path, "service", "page page-template-default", title, content)


def _pagination(current: int) -> str:
    paths = {1: "/", 2: "/page/2/"}
    numbers = "".join(
        f'<span aria-current="page" class="page-numbers current">{page}</span> '
        if page == current
        else f'<a class="page-numbers" href="{paths[page]}">{page}</a> '
        for page in paths
    )
    step = (
        '<a class="next page-numbers" href="/page/2/">Older posts</a>'
        if current == 1
        else '<a class="prev page-numbers" href="/">Newer posts</a>'
    )
    return (
        '<nav class="navigation pagination" aria-label="Posts"><h2 class="screen-reader-text">Posts '
        "navigation"
        f'</h2><div class="nav-links">{numbers}{step}</div></nav>'
    )


def _page(
    path: str, group: str, body_class: str, title: str, content: str, post: Post | None = None
) -> AnnotatedPage:
    name = "Slow Spoke &#8211; Going places by bicycle" if path == "/" else f"{title} &#8211; Slow Spoke"
    article = ""
    if post:
        article = (
            f'<meta property="og:type" content="article"/>\n<meta name="author" content="{post.author}"/>\n'
            f'<link rel="shortlink" href="{BASE}/?p={post.number}"/>\n'
        )
    marked = f"""<!DOCTYPE html>
<html lang="en-GB">
<head>
<meta charset="UTF-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{name}</title>
{article}<link rel="canonical" href="{BASE}{path}"/>
<link rel="alternate" type="application/rss+xml" title="Slow Spoke &raquo; Feed" href="/feed/"/>
<link rel="stylesheet" id="wp-block-library-css" href="/wp-includes/css/style.min.css?ver=6.4"/>
<style
id="global-styles-inline-css">body{{--wp--preset--color--black:#000}}.screen-reader-text{{clip:rect(1px,1px,1px,1px)}}</style>
<script src="/wp-includes/js/jquery/jquery.min.js?ver=3.7" id="jquery-core-js"></script>
</head>
<body class="{body_class} wp-embed-responsive">
<div id="page" class="site"><a class="skip-link screen-reader-text" href="#content">Skip to content</a>
<header id="masthead" class="site-header"><div class="site-branding">
<p class="site-title"><a href="/" rel="home">Slow Spoke</a></p>
<p class="site-description">Going places by bicycle, and mending it on the way</p></div>
<nav id="site-navigation" class="main-navigation"><button class="menu-toggle"
aria-controls="primary-menu">Menu</button>
<ul id="primary-menu" class="menu"><li class="menu-item"><a href="/">Home</a></li>
<li class="menu-item menu-item-has-children"><a href="#">Sections</a><ul
class="sub-menu">{_sections()}</ul></li>
<li class="menu-item"><a href="/about/">About Slow Spoke</a></li>
<li class="menu-item"><a href="/contact/">Contact</a></li></ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main"
class="site-main"> {content} </main></div>
{_side_bar(path)}
</div>
{_footer()}
</div>
{_cookie_notice()}
<script>window.ss_settings = {{"page":"{path}","nonce":"{number(path):08x}"}};</script>
<script defer src="/wp-content/plugins/cookie-bar/bar.js?ver=2.1"></script>
</body>
</html>
"""
    return annotate(BASE + path, marked, group)


def _sections() -> str:
    return "".join(
        f'<li class="menu-item"><a href="/category/{name}/">{label}</a></li>'
        for name, (label, _) in CATEGORIES.items()
    )


def _side_bar(path: str) -> str:
    recent = "".join(
        f'<li><a href="{post.path}">{post.title}</a> <span class="post-date">{post.date}</span></li>'
        for post in NEWEST_FIRST[:5]
    )
    categories = "".join(
        f'<li class="cat-item"><a href="/category/{name}/">{label}</a> '
        f"({sum(post.category == name for post in POSTS)})</li>"
        for name, (label, _) in CATEGORIES.items()
    )
    months = dict.fromkeys(post.date.partition(" ")[2] for post in NEWEST_FIRST)
    archives = "".join(f'<li><a href="/archives/{slug(month)}/">{month}</a></li>' for month in months)
    tags = sorted({tag for post in POSTS for tag in post.tags})
    cloud = "\n".join(
        f'<a href="/tag/{slug(tag)}/" class="tag-cloud-link" style="font-size: {8 + 3 * count}pt;" '
        f'aria-label="{tag} ({count} items)">{tag}</a>'
        for tag in tags
        for count in [sum(tag in post.tags for post in POSTS)]
    )
    words, speaker = QUOTES[number(path) % len(QUOTES)]
    return f"""
<aside id="secondary" class="widget-area">
<section id="search-2" class="widget widget_search"><form role="search" method="get" class="search-form"
action="/">
<label><span class="screen-reader-text">Search for:</span><input type="search" placeholder="Search
&hellip;" name="s"> </label><input type="submit" class="search-submit" value="Search"></form></section>
<section id="recent-posts-2" class="widget widget_recent_entries"><h2 class="widget-title">Recent Posts</h2>
<ul>{recent}</ul></section>
<section id="text-4" class="widget widget_text"><h2 class="widget-title">From the saddle bag</h2>
<div class="textwidget"><p>{words}</p><p><em>{speaker}</em></p></div></section>
<section id="categories-2" class="widget widget_categories"><h2 class="widget-title">Categories</h2>
<ul>{categories}</ul></section>
<section id="archives-2" class="widget widget_archive"><h2
class="widget-title">Archives</h2><ul>{archives}</ul></section>
<section id="tag_cloud-2" class="widget widget_tag_cloud"><h2 class="widget-title">Tags</h2>
<div class="tagcloud">{cloud}</div></section>
<section id="text-6" class="widget widget_text"><h2 class="widget-title">The Sunday letter</h2>
<div class="textwidget"><p>One story, one repair and one bad joke, every Sunday at breakfast time. You can
leave whenever you like, and we will not write to ask why.</p><p><a class="button" href="/letter/">Send me the
letter</a></p> </div></section>
</aside>"""


def _footer() -> str:
    return """
<footer id="colophon" class="site-footer"><div class="footer-widgets">
<div class="footer-widget"><h2 class="widget-title">Support us</h2><p>Slow Spoke carries no advertising.
If you like what you read, become a reader for the price of an inner tube a year.</p></div>
<div class="footer-widget"><h2 class="widget-title">Elsewhere</h2><ul><li><a href="/feed/">RSS</a></li>
<li><a href="https://social.example/@slowspoke" rel="me">Mastodon</a></li></ul></div></div>
<div class="site-info">&copy; 2014&ndash;2024 Slow Spoke. <a href="/privacy-policy/">Privacy Policy</a>
<span class="sep"> | </span> Proudly powered by WordPress <span class="sep"> | </span> Theme:
Towpath.</div></footer>"""


def _cookie_notice() -> str:
    return """
<div id="cookie-law-info-bar" class="cookie-bar" role="dialog"><span>This site uses cookies to remember
that you have seen this sentence, and for nothing else. <a href="/privacy-policy/">Read the policy</a>
<a role="button" class="cli-accept">Accept</a> <a role="button" class="cli-reject">Reject
all</a></span></div>"""
