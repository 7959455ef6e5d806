"""A site over time: its pages change, move and go, and now and then its server is ill.

What it serves depends on the seed and on what was done to it, and on nothing else.
"""

from __future__ import annotations

import hashlib
import random
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from tests.served import Answer, Site, moved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WORDS = """
    acre anchor answer apple april arch artist ashore autumn badge baker balance barley basket beacon
    bench birch blanket boat border bottle branch bread bridge bright brook brother bucket builder
    button cabin candle canvas carpet castle cattle cellar century chalk chapel cherry chimney circle
    clay clever cliff clock cloth coast coffee collar copper corner cotton cousin cradle crane cricket
    crowd curtain dairy daughter dawn delicate desert distant doctor donkey drawer dream dusty eager
    early earth elder engine evening fabric falcon farmer feather fence ferry fiddle field finger flame
    flour forest fountain frost furnace garden garlic gentle glass golden grain granite gravel guest
    hammer harbour harvest hazel heather hedge herald hollow honest horizon hunter island ivory jacket
    journey juniper kettle kitchen ladder lantern larder laurel leather ledger lemon letter linen lively
    longer lumber machine maple marble market meadow mellow merchant mill mirror morning mortar mountain
    narrow needle nephew northern notebook oats ocean olive orchard oven paddle painter paper parcel
    pasture patient pebble pencil pepper picture pigeon pillar planet plough plum pocket polish potter
    powder prairie quarry quiet rafter railway raven reaper ribbon river roof rooster rough rustic
    saddle sailor salmon sandy scarlet season shadow shelter shepherd shingle silver simple singer slate
    sledge soldier spindle spring spruce stable station steady steep stone stream summer sunset swallow
    table tailor tallow thatch thimble thistle thunder timber tower trader tunnel turnip twilight uncle
    upland valley velvet village vinegar violet wagon walnut warden water weaver western wheat whistle
    willow window winter wooden woollen worker yarrow yellow
""".split()


def prose(rng: random.Random, sentences: int) -> str:
    """Sentences of common words."""
    return " ".join(
        " ".join(rng.choices(WORDS, k=rng.randint(7, 16))).capitalize() + "." for _ in range(sentences)
    )


@dataclass
class Page:
    """A page of the site; ``revision`` counts its edits, ``listed`` tells whether a section links to it,
    ``mapped`` whether the sitemap has it.
    """

    path: str
    section: str
    revision: int = 0
    up: bool = True
    listed: bool = True
    mapped: bool = True
    noindex: bool = False


@dataclass
class ChangingSite:
    """Articles in sections, a home page and pages about the site, all in one template.

    ``sitemap`` tells whether there is one, of the articles and the day of their last change, and ``mapped``
    how many of them it lists at most; ``validators`` are what the server sends
    (``etag``, ``modified``, ``both`` or ``none``). ``fault`` is what ails the server, None where it is well.
    """

    articles: int = 8
    sections: int = 2
    seed: int = 1
    sitemap: bool = False
    mapped: int | None = None
    validators: str = "etag"
    fault: Callable[[str], Answer | None] | None = None
    robots: str | None = None
    design: int = 0
    footer: int = 0
    pages: dict[str, Page] = field(default_factory=dict)
    redirects: dict[str, tuple[str, int]] = field(default_factory=dict)
    base: str = ""

    def __post_init__(self) -> None:
        self._added = 0
        self._versions: dict[str, tuple[str, int]] = {}
        self._changing = threading.Lock()
        for path in ("/", "/about", *self.section_paths):
            self.pages[path] = Page(path, "")
        for _ in range(self.articles):
            self.add()

    # --- What happens to it ---

    def add(self, section: int | None = None) -> str:
        """Publishes another article, in this section or in the next one in turn; returns its path."""
        number, self._added = self._added, self._added + 1
        where = self.section_paths[(number if section is None else section) % self.sections]
        path = f"{where}{number}-{'-'.join(self._rng('slug', number).sample(WORDS, 2))}.html"
        self.pages[path] = Page(path, where)
        return path

    def edit(self, path: str) -> None:
        """Writes a page anew."""
        self.pages[path].revision += 1

    def remove(self, path: str) -> None:
        """Takes an article off the site: it is 404, and nothing links to it."""
        self.pages[path].up = False
        self.unlink(path)

    def restore(self, path: str) -> None:
        """Brings back an article as it was, with the links to it."""
        page = self.pages[path]
        page.up, page.listed, page.mapped, page.noindex = True, True, True, False
        self.redirects.pop(path, None)

    def move(self, path: str, status: int = 301, *, old_links: bool = False) -> str:
        """Moves an article; links lead to the new address, or to the old one still. Returns the new path."""
        page = self.pages[path]
        number, self._added = self._added, self._added + 1
        to = f"{page.section}{number}-moved.html"
        self.pages[to] = Page(to, page.section, page.revision, listed=not old_links, mapped=not old_links)
        page.up, page.listed, page.mapped = False, old_links, old_links
        self.redirects[path] = (to, status)
        return to

    def noindex(self, path: str) -> None:
        """Asks search engines to leave a page out."""
        self.pages[path].noindex = True

    def unlink(self, path: str) -> None:
        """Takes an article, which still answers, out of its section and the sitemap."""
        self.pages[path].listed = self.pages[path].mapped = False

    def hide(self, path: str) -> None:
        """Takes an article out of its section; the sitemap has it still."""
        self.pages[path].listed = False

    def new_footer(self) -> None:
        """Changes the template's footer on all pages."""
        self.footer += 1

    def redesign(self) -> None:
        """Puts all pages in another template."""
        self.design += 1

    def is_ill(self, fault: Callable[[str], Answer | None]) -> None:
        """Gives the server an illness, in place of the one that it has."""
        self.fault = fault

    def recover(self) -> None:
        """Makes the server well, lets robots.txt forbid nothing and the sitemap be whole."""
        self.fault = self.robots = self.mapped = None

    # --- What there is ---

    @property
    def section_paths(self) -> list[str]:
        return [f"/{WORDS[7 * number + self.seed % 7]}/" for number in range(self.sections)]

    @property
    def article_paths(self) -> list[str]:
        """The articles that answer, in order of their publication."""
        return [path for path, page in self.pages.items() if page.section and page.up]

    def contents(self) -> dict[str, str]:
        """What each page says that a new crawl finds and that may be indexed, without its template."""
        met = {path for path, page in self.pages.items() if not page.section or self._is_linked(page)}
        met |= {to for path, (to, _) in self.redirects.items() if path in met}
        there = [path for path in met if self.pages[path].up and not self.pages[path].noindex]
        return {path: self.main(path) for path in there}

    def _is_linked(self, page: Page) -> bool:
        return page.listed or (self.sitemap and page.mapped)

    # --- What it serves ---

    def respond(self, path: str) -> Answer | None:
        """The answer to a path; None where there is nothing."""
        if self.fault is not None and (answer := self.fault(path)) is not None:
            return answer
        if path == "/robots.txt":
            return None if self.robots is None else Answer(self.robots, kind="text/plain")
        if path == "/sitemap.xml":
            return self._sitemap() if self.sitemap else None
        if path in self.redirects:
            to, status = self.redirects[path]
            return moved(to, status)
        page = self.pages.get(path)
        return None if page is None or not page.up else self.page(path)

    def page(self, path: str) -> Answer:
        """A page in its template."""
        body = self.in_template(path, self.main(path))
        return Answer(body, headers=self._validators(path, body))

    def in_template(self, path: str, main: str) -> str:
        """HTML of the site's present design around this content."""
        rng = self._rng("design", self.design)
        brand, kind = " ".join(rng.sample(WORDS, 2)), rng.choice(WORDS)
        menu = [("/", "Home"), ("/about", f"About {brand}")]
        menu += [(section, section.strip("/").title()) for section in self.section_paths]
        latest = [page.path for page in self.pages.values() if page.section and page.listed][-3:]
        title = f"{self.title(path)} - {brand.title()}"
        robots = '<meta name="robots" content="noindex">' if self.pages[path].noindex else ""
        head = f'<head><meta charset="utf-8"><title>{title}</title>{robots}</head>'
        nav = f'<nav class="{kind}"><p>{prose(rng, 1)}</p>{_links(menu)}</nav>'
        aside = (
            f'<aside class="{kind}-side"><h2>{rng.choice(WORDS).title()} {kind}</h2><p>{prose(rng, 2)}</p>'
            f"{_links([(other, self.teaser(other)) for other in latest])}</aside>"
        )
        closing = self._rng("footer", self.design, self.footer)
        foot = f'<footer class="{kind}-foot"><p>{prose(closing, 2)}</p>{_links(menu[:3])}</footer>'
        inner = f"<main><h1>{self.title(path)}</h1>{main}</main>"
        if self.design % 2:
            inner = f'<div class="{kind}-body"><div>{aside}</div><section>{inner}</section></div>'
        else:
            inner += aside
        return f'<!doctype html><html lang="en">{head}<body>{nav}{inner}{foot}</body></html>'

    def title(self, path: str) -> str:
        return " ".join(self._rng("title", path).sample(WORDS, 4)).title()

    def teaser(self, path: str) -> str:
        """What other pages say of an article: not its title, which would be theirs as well."""
        return prose(self._rng("teaser", path), 1)

    def main(self, path: str) -> str:
        """A page's own content, as HTML."""
        rng = self._rng("text", path, self.pages[path].revision)
        paragraphs = [f"<p>{prose(rng, rng.randint(2, 5))}</p>" for _ in range(rng.randint(2, 4))]
        listed = [page for page in self.pages.values() if page.section == path and page.listed]
        items = [f'<li><h3><a href="{page.path}">{self.title(page.path)}</a></h3></li>' for page in listed]
        return "".join(paragraphs) + (f"<ul>{''.join(items)}</ul>" if items else "")

    def _sitemap(self) -> Answer:
        entries = "".join(
            f"<url><loc>{self.base}{quote(path)}</loc><lastmod>{self._day(path)}</lastmod></url>"
            for path in [path for path, page in self.pages.items() if page.section and page.mapped][
                : self.mapped
            ]
        )
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        return Answer(f'<urlset xmlns="{space}">{entries}</urlset>', kind="application/xml")

    def _day(self, path: str) -> str:
        return f"2026-01-{1 + self.pages[path].revision % 28:02}T01:30:00+01:00"

    def _validators(self, path: str, body: str) -> dict[str, str]:
        digest = hashlib.sha256(body.encode()).hexdigest()[:16]
        with self._changing:
            before, number = self._versions.get(path, ("", 0))
            if before != digest:
                number += 1
                self._versions[path] = digest, number
        modified = f"{1 + number % 28:02} Jan {2000 + number // 28}"
        headers = {"ETag": f'"{digest}"', "Last-Modified": f"Sat, {modified} 10:00:00 GMT"}
        sent = {"etag": ["ETag"], "modified": ["Last-Modified"], "both": list(headers), "none": []}
        return {name: headers[name] for name in sent[self.validators]}

    def _rng(self, *what: object) -> random.Random:
        return random.Random(" ".join(map(str, (self.seed, *what))))

    @contextmanager
    def served(self) -> Iterator[Site]:
        """Serves the site while the context lasts."""
        try:
            yield self._begin()
        finally:
            self._end()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Refuses connections while the context lasts."""
        self._end()
        try:
            yield
        finally:
            self._begin()

    def _begin(self) -> Site:
        self.server = Site({}, self.respond, int(self.base.rpartition(":")[2] or 0))
        self.base = self.server.base
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self.server

    def _end(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()


def _links(targets: list[tuple[str, str]]) -> str:
    return f"<ul>{''.join(f'<li><a href={path!r}>{text}</a></li>' for path, text in targets)}</ul>"
