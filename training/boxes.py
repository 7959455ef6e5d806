"""Markup of boilerplate as sites write it: boxes of entries, counters, forms, notices, comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from html import escape
from random import Random
from typing import Final

from training.styles import CONTENT, MARK, NAMES, Entry, Style, said

SENTENCE: Final = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？])")
"""A whole sentence."""
_SPOKEN: Final = frozenset({"reviews", "author"})
"""Kinds whose texts are never cut."""
_HEADED: Final = ("cards", "carousel", "list", "table")
"""Shapes of boxes of which a form has a heading."""


def box(style: Style, entries: Sequence[Entry], title: str, draw: Random) -> str:
    """The markup of a box on a page.

    Args:
        style: how the site writes boxes of this kind.
        entries: other pages of the site, for the kinds that name some.
        title: the page's title.
        draw: what is by chance on each page.
    """
    return (_KINDS.get(style.kind) or _entries)(style, entries, title, draw)


def _element(tag: str, name: str, inner: str, more: str = "") -> str:
    named = f' class="{escape(name)}"' if name else ""
    return f"<{tag}{named}{more}>{inner}</{tag}>"


def _elements(tag: str, name: str, inner: Iterable[str]) -> str:
    return "".join(_element(tag, name, part) for part in inner)


def _whole(style: Style, inner: str) -> str:
    return _element(style.tag, style.outer, inner, f' {MARK}="{style.kind}"')


def _heading(style: Style, text: str) -> str:
    return _element(style.heading, "", escape(text)) if style.heading and text else ""


def _date(style: Style, draw: Random) -> str:
    year, month, day = draw.randrange(2006, 2026), draw.randrange(1, 13), draw.randrange(1, 29)
    return (f"{day:02}.{month:02}.{year}", f"{year}-{month:02}-{day:02}", f"{day}/{month}/{year}")[style.date]


def _excerpt(style: Style, entry: Entry) -> str:
    """The beginning of another page's text: cut, or up to the end of its last whole sentence. Comments are a
    later part of it.
    """
    if style.kind == "comments":
        return escape(entry.spoken)
    if entry.excerpt and style.cut and style.kind not in _SPOKEN:
        return escape(entry.excerpt + style.cut)
    return escape("".join(SENTENCE.findall(entry.excerpt)) or entry.excerpt)


def _entries(style: Style, entries: Sequence[Entry], _: str, draw: Random) -> str:
    """A box of links to other pages, in one of `SHAPES`."""
    rows = [_entry(style, entry, draw) for entry in entries]
    return _whole(style, _heading(style, style.title) + _WRAPS[style.shape](style, rows))


def _entry(style: Style, entry: Entry, draw: Random) -> list[str]:
    """The parts of an entry; its title, as a link, is the first."""
    link = f'<a href="{escape(entry.url)}">{escape(entry.title)}</a>'
    if style.shape in ("cards", "carousel") and style.heading in ("h2", "h3"):
        link = f"<h4>{link}</h4>"
    made = {
        "excerpt": lambda: _excerpt(style, entry),
        "date": lambda: _date(style, draw),
        "image": lambda: f'<img src="/images/{draw.randrange(999)}.jpg" alt="">',
        "author": lambda: escape(draw.choice(NAMES)),
        "price": lambda: escape(style.money.format(f"{draw.uniform(3, 400):.2f}")),
        "more": lambda: f'<a href="{escape(entry.url)}">{escape(said(style.language, "more")[0])}</a>',
    }
    return [link, *(text for part in style.parts if (text := made[part]()))]


def _in_list(tag: str, style: Style, rows: list[list[str]]) -> str:
    return _element(tag, "", _elements("li", style.inner, map(" ".join, rows)))


def _in_boxes(style: Style, rows: list[list[str]]) -> str:
    parts = (_element("span", "", row[0]) + _elements("div", "", row[1:]) for row in rows)
    return _element("div", "", _elements("div", style.inner, parts))


def _in_table(style: Style, rows: list[list[str]]) -> str:
    lines = (_elements("td", "", row) for row in rows)
    return _element("table", style.inner, _elements("tr", "", lines))


def _in_articles(style: Style, rows: list[list[str]]) -> str:
    return _elements("article", style.inner, (_elements("p", "", row) for row in rows))


def _as_links(_: Style, rows: list[list[str]]) -> str:
    return "<br>".join(row[0] for row in rows)


def _as_paragraphs(style: Style, rows: list[list[str]]) -> str:
    return _elements("p", style.inner, map(" – ".join, rows))


def _as_definitions(style: Style, rows: list[list[str]]) -> str:
    lines = (_element("dt", "", row[0]) + _elements("dd", "", row[1:]) for row in rows)
    return _element("dl", style.inner, "".join(lines))


_WRAPS: Final[dict[str, Callable[[Style, list[list[str]]], str]]] = {
    "list": partial(_in_list, "ul"), "ordered": partial(_in_list, "ol"), "cards": _in_boxes,
    "table": _in_table, "carousel": _in_articles, "links": _as_links, "paragraphs": _as_paragraphs,
    "definitions": _as_definitions,
}  # fmt: skip


def _content(style: Style, entries: Sequence[Entry], title: str, draw: Random) -> str:
    """Entries of a listing; in an article, links that a paragraph leads up to."""
    rows = [_entry(style, entry, draw) for entry in entries]
    lead = _element("p", "", escape(entries[0].excerpt) + ":") if title else ""
    return _whole(style, lead + _WRAPS[style.shape](style, rows))


def _form(style: Style, _: Sequence[Entry], title: str, __: Random) -> str:
    line = _element("p", "", escape(_fixed(style, style.kind, title)))
    button = escape(_fixed(style, "subscribe", title))
    field = '<input type="email" name="email">' if style.kind == "newsletter" else ""
    pressed = f"<button>{button}</button>" if style.date else f'<a href="#">{button}</a>'
    heading = _heading(style, _fixed(style, "subscribe", title)) if style.shape in _HEADED else ""
    return _whole(style, heading + line + field + pressed)


def _fixed(style: Style, kind: str, title: str, **filled: str) -> str:
    """A phrase that is the same on all pages of a site but for what is filled in."""
    phrases = said(style.language, kind)
    phrase = phrases[len(style.outer + style.inner) % len(phrases)]
    return phrase.format(**{"n": "1240", "f": "0.021", "title": title, "date": "", **filled})


def _author(style: Style, entries: Sequence[Entry], title: str, draw: Random) -> str:
    name = draw.choice(NAMES[:6])
    about = next((_excerpt(style, entry) for entry in entries[:1]), "")
    heading = _heading(style, _fixed(style, "author", title))
    return _whole(style, f'{heading}<a href="#">{escape(name)}</a><p>{escape(name)}. {about}</p>')


def _share(style: Style, _: Sequence[Entry], title: str, draw: Random) -> str:
    places = draw.sample(("Facebook", "Twitter", "WhatsApp", "LinkedIn", "E-mail", "Pinterest"), 3)
    links = (f'<a href="#{place}">{place} {draw.randrange(400) or ""}</a>' for place in places)
    label = _element("span", "", escape(_fixed(style, "share", title)))
    return _whole(style, label + _element("ul", "", _elements("li", "", links)))


def _line(style: Style, _: Sequence[Entry], title: str, draw: Random) -> str:
    """A line whose numbers differ from page to page, or whose title is the page's."""
    filled = {"n": str(int(10 ** draw.uniform(0.5, 4.5))), "f": f"{draw.uniform(0.01, 2):.3f}"}
    line = _fixed(style, style.kind, title, **filled, date=_date(style, draw))
    return _whole(style, _element(style.heading or "span", style.inner, escape(line)))


def _same(style: Style, _: Sequence[Entry], title: str, __: Random) -> str:
    """A line that is the same on all pages."""
    line = escape(_fixed(style, style.kind, title))
    return _whole(style, _element(style.heading or "p", style.inner, line))


def _actions(style: Style, _: Sequence[Entry], __: str, ___: Random) -> str:
    """What a reader may do with any page."""
    names = map(escape, said(style.language, "actions"))
    return _in_row(style, [f'<a href="#{number}">{name}</a>' for number, name in enumerate(names)], " | ")


def _pages(style: Style, _: Sequence[Entry], __: str, draw: Random) -> str:
    """Numbers of the parts of a page, of which one is shown."""
    last = draw.randrange(2, 30)
    shown = draw.randint(1, last)
    numbers = sorted({1, last, *range(max(shown - 2, 1), min(shown + 2, last) + 1)})
    names = {number: str(number) for number in numbers}
    before, after = (escape(_fixed(style, side, "")) for side in ("previous", "next"))
    named = [(shown - 1, f"« {before}"), *names.items(), (shown + 1, f"{after} »")]
    parts = [
        f"<b>{name}</b>" if number == shown else f'<a href="?p={number}">{name}</a>'
        for number, name in named
        if 0 < number <= last
    ]
    return _in_row(style, [f"{shown} / {last}:", *parts] if style.date else parts, " ")


def _in_row(style: Style, parts: Sequence[str], between: str) -> str:
    if style.shape in ("list", "ordered", "cards"):
        return _whole(style, _element("ul", "", _elements("li", style.inner, parts)))
    return _whole(style, between.join(parts))


def _notice(style: Style, _: Sequence[Entry], title: str, __: Random) -> str:
    line = _element("p", style.inner, escape(_fixed(style, style.kind, title)))
    return _whole(style, line + f"<button>{escape(_fixed(style, 'accept', title))}</button>")


def _comments(style: Style, entries: Sequence[Entry], title: str, draw: Random) -> str:
    link = f'<a href="#reply">{escape(_fixed(style, "reply", title))}</a>'
    reply = link if style.kind == "comments" else ""
    whole, item = ("ol", "li") if style.shape == "list" else ("div", "div")
    items = []
    for entry in entries:
        head = f"<b>{escape(draw.choice(NAMES))}</b> <span>{_date(style, draw)}</span>"
        stars = f"<div>{draw.randint(1, 5)} / 5</div>" if style.kind == "reviews" else ""
        text = f"{stars}<p>{_excerpt(style, entry)}</p>"
        items.append(f"{head}{text}{reply}")
    heading = _heading(style, _fixed(style, style.kind, title, n=str(len(items))))
    return _whole(style, heading + _element(whole, "", _elements(item, style.inner, items)))


def _inline(style: Style, entries: Sequence[Entry], _: str, __: Random) -> str:
    """A line that names one other page."""
    label = _element(style.heading if style.heading == "strong" else "span", "", escape(style.title) + ":")
    link = f'<a href="{escape(entries[0].url)}">{escape(entries[0].title)}</a>'
    return _whole(style, f"{label} {link}" if style.date else _element("p", style.inner, f"{label} {link}"))


def _neighbours(style: Style, entries: Sequence[Entry], _: str, __: Random) -> str:
    """Links to the page before and the one after: with an arrow, behind a label, or with a label in it."""
    rows = []
    for side, entry in zip(("previous", "next"), entries, strict=False):
        label, name = escape(_fixed(style, side, "")), escape(entry.title)
        arrowed = f"« {name}" if side == "previous" else f"{name} »"
        text = (arrowed, name, f"{_element('span', style.inner, label)} {name}")[style.date]
        link = ("", f"{label}: ", "")[style.date] + f'<a href="{escape(entry.url)}">{text}</a>'
        rows.append(_element("p", "", label) + link if style.shape == "cards" else link)
    if style.shape in ("links", "paragraphs"):
        return _whole(style, " | ".join(rows))
    return _whole(style, _elements("div", style.inner, rows))


def _sponsored(style: Style, entries: Sequence[Entry], title: str, draw: Random) -> str:
    rows = []
    for entry in entries[:3]:
        address = f"https://ads.example/{draw.randrange(9999)}"
        row = [f'<a href="{address}" rel="nofollow">{escape(entry.title)}</a>']
        rows.append([*row, _excerpt(style, entry)] if "excerpt" in style.parts else row)
    label = _element("span", "", escape(_fixed(style, "sponsored", title)))
    return _whole(style, label + _WRAPS[style.shape](style, rows))


def _contents(style: Style, entries: Sequence[Entry], title: str, _: Random) -> str:
    rows = [
        [f'<a href="#part-{place}">{escape(entry.title[:40])}</a>'] for place, entry in enumerate(entries, 1)
    ]
    shape = "ordered" if style.shape == "ordered" else "list"
    return _whole(style, _heading(style, _fixed(style, "contents", title)) + _WRAPS[shape](style, rows))


_KINDS: Final[dict[str, Callable[[Style, Sequence[Entry], str, Random], str]]] = {
    "newsletter": _form, "donate": _form, "author": _author, "share": _share, "views": _line,
    "generated": _line, "today": _line, "call": _line, "minutes": _line, "cookie": _notice, "age": _notice,
    CONTENT: _content, "comments": _comments, "reviews": _comments, "inline": _inline,
    "sponsored": _sponsored, "contents": _contents, "neighbours": _neighbours,
    "fixed": _same, "votes": _line, "actions": _actions, "pages": _pages,
}  # fmt: skip
