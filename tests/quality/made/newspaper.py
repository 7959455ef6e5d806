"""The Marsh Courier, a made newspaper: hubs of other pages' titles and teasers, neutral class names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from tests.quality.gold import AnnotatedPage, annotate
from tests.quality.made.markup import halves, main, neutral, piece, renamed
from tests.quality.made.texts import Writer
from tests.quality.prose import number, prose, slug, some

if TYPE_CHECKING:
    from collections.abc import Sequence

BASE: Final = "https://www.marshcourier.example"
SECTIONS: Final = ("Town", "County", "Business", "Sport", "Culture")
STORIES: Final = 35
SPONSORS: Final = ("Fenland Mutual", "Otterby Windows", "Croft & Hale Legal", "Brightmoor Cruises")


@dataclass(frozen=True)
class Story:
    """A story; ``teaser`` is what hubs say of it, ``remarks`` what its counter of comments says."""

    path: str
    title: str
    author: str
    date: str
    section: str
    teaser: str
    body: str
    remarks: int
    readers: str


@cache
def stories() -> list[Story]:
    """All stories, the most important first."""
    return [_story(position) for position in range(STORIES)]


def pages() -> list[AnnotatedPage]:
    """All pages of the newspaper, the hub first."""
    return [
        _hub(),
        *(_section(name) for name in SECTIONS),
        *(_story_page(story) for story in stories()),
    ]


def _story(position: int) -> Story:
    writer = Writer(f"newspaper {position}")
    title, section = writer.title(), SECTIONS[position % len(SECTIONS)]
    return Story(
        path=f"/{section.lower()}/{slug(title)}-{8100 + position}.html",
        title=title,
        author=writer.word("people"),
        date=writer.date(),
        section=section,
        teaser=writer.paragraph(1, 2),
        body=writer.source(writer.random.randint(3, 9)),
        remarks=writer.random.randint(2, 400),
        readers=writer.count(),
    )


def _hub() -> AnnotatedPage:
    """Of each section a story with a teaser, two with a short one, and titles alone."""
    bands = []
    for name in SECTIONS:
        shown = [story for story in stories() if story.section == name]
        band = "".join(
            main(_teaser(story, teaser=rank < 3, heading="h2" if rank == 0 else "h3"))
            for rank, story in enumerate(shown)
        )
        head = main(f'<h2><a href="/{name.lower()}/">{name}</a></h2>')
        bands.append(f'<section class="band">{head}{band}</section>{_sponsored(name, 1)}')
    return _page("/", "listing", "The Marsh Courier", "".join(bands))


def _section(name: str) -> AnnotatedPage:
    shown = [story for story in stories() if story.section == name]
    entries = [main(_teaser(story, teaser=True, heading="h2")) for story in shown]
    entries.insert(3, _newsletter(name))
    content = f'<div class="head">{main(f"<h1>{name}</h1>")}</div>{"".join(entries)}{_sponsored(name, 2)}'
    return _page(f"/{name.lower()}/", "listing", name, content)


def _teaser(story: Story, *, teaser: bool, heading: str) -> str:
    text = f'<p class="lead">{story.teaser}</p>' if teaser else ""
    return f"""<div class="story"><{heading} class="headline"><a
href="{story.path}">{story.title}</a></{heading}>{text}</div>"""


def _story_page(story: Story) -> AnnotatedPage:
    first, second = halves(story.body)
    head = f'<h1 class="headline">{story.title}</h1><p class="standfirst">{story.teaser}</p>'
    byline = f'<span class="by">By {story.author}</span> <time>{story.date}</time>'
    hours = 2 + number(story.path) % 20
    content = f"""<div class="label"><a href="/{story.section.lower()}/">{story.section}</a></div>
<div class="head">{main(head)}</div><div class="meta">{main(byline)}
{piece("counters in line", f'<span class="updated">Updated {hours} hours ago</span>')}
{piece("counters", f'<div class="talk">{story.remarks} comments</div>')}</div>
<div class="body">{main(prose(first))}
{_more(story)}
{main(prose(second))}
{_newsletter(story.path) if number(story.path) % 2 else ""}</div>
<div class="share"><a href="#">Share</a> <a href="#">Copy link</a> <a href="#">Report an error</a></div>
{_read_on(story)}
{_sponsored(story.path, 3)}"""
    return _page(story.path, "article", story.title, content)


def _more(story: Story) -> str:
    """A box in the middle of the text: titles of the same section."""
    same = [other for other in stories() if other.section == story.section and other is not story]
    entries = "".join(
        piece("more on this", f'<li><a href="{other.path}">{other.title}</a></li>')
        for other in some(same, 2 + number(story.path) % 2, f"more {story.path}")
    )
    head = piece("more on this", '<div class="title">More on this topic</div>')
    return f'<div class="inset">{head}<ul>{entries}</ul></div>'


def _read_on(story: Story) -> str:
    """Stories below the text, in the markup of the hub."""
    others = [other for other in stories() if other is not story]
    entries = "".join(
        piece("read on", _teaser(other, teaser=True, heading="h3"))
        for other in some(others, 4, f"on {story.path}")
    )
    return f'<div class="band">{piece("read on", "<h2>Read on from here</h2>")}{entries}</div>'


def _sponsored(key: str, count: int) -> str:
    return "".join(_advertisement(f"{key} {position}") for position in range(count))


def _advertisement(key: str) -> str:
    writer = Writer(f"advertisement {number(key) % 12}")
    sponsor = writer.random.choice(SPONSORS)
    return piece(
        "sponsored",
        f'<div class="story"><span class="label">Sponsored by {sponsor}</span><h3 class="headline">'
        f'<a href="#">{writer.title()}</a></h3><p class="lead">{writer.sentence()}</p></div>',
    )


def _newsletter(key: str) -> str:
    name = ("Morning Courier", "The Courier Weekend", "Courier Business Brief")[number(key) % 3]
    offer = "The stories that matter, chosen by our editors, free in your inbox every weekday at seven."
    return f"""<div class="signup">{piece("newsletter", f'<div class="title">Sign up to {name}</div>')}
{piece("newsletter", f"<p>{offer}</p>")}
<form><input><button>Sign up</button></form></div>"""


def _ranked(kind: str, shown: Sequence[Story], counted: bool) -> str:
    return "".join(
        piece(
            kind,
            f'<li class="rank"><a href="{story.path}">{story.title}</a> '
            + (
                f"<span>{story.readers} readers</span></li>" if counted else f"<span>{story.date}</span></li>"
            ),
        )
        for story in shown
    )


def _rail(path: str) -> str:
    read = _ranked("most read", some(stories(), 5, f"read {number(path) % 6}"), counted=True)
    latest = _ranked("latest", some(stories(), 4, f"latest {number(path) % 3}"), counted=False)
    return f"""<div class="rail"><div class="ranking"><div class="title">Most read</div><ol>{read}</ol></div>
<div class="ticker"><div class="title">Latest</div><ul>{latest}</ul></div></div>"""


def _page(path: str, group: str, title: str, content: str) -> AnnotatedPage:
    menu = "".join(f'<li><a href="/{name.lower()}/">{name}</a></li>' for name in SECTIONS)
    marked = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} | The Marsh Courier</title></head>
<body><header><div class="date">Monday edition</div><a class="brand" href="/">The Marsh Courier</a><ul
class="menu">{menu}<li><a href="#">E-paper</a></li><li><a href="#">Sign in</a></li></ul></header>
<div class="layout"><div class="column">{content}</div>{_rail(path)}</div>
<footer><a href="#">Contact the newsroom</a> <a href="#">Corrections</a> <a href="#">Cookie settings</a>
<p>© The Marsh Courier Publishing Company. Registered as a newspaper.</p></footer></body></html>
"""
    return annotate(BASE + path, renamed(marked, neutral), group)
