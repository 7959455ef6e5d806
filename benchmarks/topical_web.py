"""A generated web of several sites: topics, authorities on them, lists that say so, and templates."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from benchmarks.changing import words

TOPICS: Final = (
    "alpinism beekeeping calligraphy dendrology espresso falconry geysers herbalism ikebana jousting "
    "kayaking lacemaking"
).split()
_AREA: Final = 4
"""Topics of an area, as they stand; the first is written about most, each further one half as much."""
_NETWORKS, _SITES, _PAGES = 8, 4, 50
"""Networks, sites a network, pages a site but its home page."""
_HUBS, _AUTHORITIES = 0.15, 0.5
"""The share of pages that list others, and of articles that are authorities."""
_LISTS, _LINKS = 3, 8
"""Lists on a hub page, and links in one."""
_RIGHT, _NEAR = 0.85, 0.1
"""Shares of a list's links that lead to authorities of its topic, and to other articles on it."""
_SPONSORS, _ADVERTISED = 8, 2
"""Links of a template to pages of its network, and topics that it names."""


@dataclass(slots=True)
class _Page:
    url: str
    network: int
    topic: str
    is_hub: bool
    is_authority: bool

    @property
    def title(self) -> str:
        """What links to the page say."""
        return self.url.rpartition("/")[2].replace("-", " ") or self.url


class TopicalWeb:
    """Sites in networks, of which each has a template of its own: a menu of its sites, links to pages of the
    network, and topics that it advertises on all of its pages, whatever these are about.

    A page is an article on a topic, of which some are authorities, or a hub: lists of links, each on another
    topic of one area, which mostly lead to authorities on it, in any network.
    """

    def __init__(self, seed: int = 1) -> None:
        self._rng = rng = random.Random(seed)
        self._words = words()
        self._homes = [
            [f"http://www{site}.net{network}.example/" for site in range(_SITES)]
            for network in range(_NETWORKS)
        ]
        self._articles = [
            self._drawn(network, home)
            for network, homes in enumerate(self._homes)
            for home in homes
            for _ in range(_PAGES)
        ]
        self._templates = [self._template(network) for network in range(_NETWORKS)]
        rng.shuffle(self._articles)

    def authorities(self, topic: str) -> set[str]:
        """The URLs of the authorities on a topic."""
        return {page.url for page in self._articles if page.is_authority and page.topic == topic}

    def pages(self) -> dict[str, str]:
        """The HTML of each page, by URL."""
        found = {}
        for network, homes in enumerate(self._homes):
            for home in homes:
                own = [page for page in self._articles if page.url.startswith(home)]
                found[home] = self._html(network, "home", f"<ul>{self._links(own)}</ul>")
        for page in self._articles:
            body = self._hub() if page.is_hub else self._article(page)
            found[page.url] = self._html(page.network, page.title, body)
        return found

    def _drawn(self, network: int, home: str) -> _Page:
        rng = self._rng
        topic, is_hub = self._topics(1)[0], rng.random() < _HUBS
        # Half of the titles tell the topic.
        names = rng.sample(self._words, 2) + ([topic] if rng.random() < 0.5 and not is_hub else [])
        url = f"{home}{'-'.join(names)}-{rng.randrange(10**6)}"
        return _Page(url, network, topic, is_hub, not is_hub and rng.random() < _AUTHORITIES)

    def _topics(self, count: int) -> list[str]:
        """Topics of one area, the more often the more is written about them."""
        area = self._rng.randrange(len(TOPICS) // _AREA) * _AREA
        left = list(range(_AREA))
        drawn = []
        for _ in range(count):
            place = self._rng.choices(left, [2.0**-place for place in left])[0]
            left.remove(place)
            drawn.append(TOPICS[area + place])
        return drawn

    def _article(self, page: _Page) -> str:
        text = [self._rng.choice(self._words) for _ in range(120)]
        for _ in range(self._rng.randint(4, 8)):
            text[self._rng.randrange(len(text))] = page.topic
        if self._rng.random() < 0.3:
            # It names another topic in passing.
            text[self._rng.randrange(len(text))] = self._rng.choice(TOPICS)
        return f"<p>{' '.join(text)}</p>"

    def _hub(self) -> str:
        rng, parts = self._rng, []
        for topic in self._topics(_LISTS):
            on_topic = [page for page in self._articles if page.topic == topic and not page.is_hub]
            chosen = []
            for _ in range(_LINKS):
                drawn = rng.random()
                if drawn < _RIGHT + _NEAR:
                    chosen.append(
                        rng.choice([one for one in on_topic if one.is_authority == (drawn < _RIGHT)])
                    )
                else:
                    chosen.append(rng.choice(self._articles))
            intro = " ".join(rng.choices(self._words, k=12))
            parts.append(f"<div><p>{topic} {intro}</p><ul>{self._links(chosen)}</ul></div>")
        return "".join(parts)

    def _template(self, network: int) -> tuple[str, str]:
        rng = self._rng
        homes = "".join(f'<a href="{home}">{home[7:-1]}</a> ' for home in self._homes[network])
        own = [page for page in self._articles if page.network == network]
        advertised = " ".join(rng.sample(TOPICS, _ADVERTISED))
        slogan = " ".join(rng.sample(self._words, 10))
        sponsors = self._links(rng.sample(own, _SPONSORS))
        return f"<nav>{homes}</nav>", f"<footer><p>{slogan} {advertised}</p><ul>{sponsors}</ul></footer>"

    def _links(self, pages: list[_Page]) -> str:
        return "".join(f'<li><a href="{page.url}">{page.title}</a></li>' for page in pages)

    def _html(self, network: int, title: str, body: str) -> str:
        menu, footer = self._templates[network]
        return f"<title>{title}</title><body>{menu}<main><h1>{title}</h1>{body}</main>{footer}"
