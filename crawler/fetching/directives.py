"""Requests of pages to crawlers, as far as the settings heed them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Self

from pagelets.metadata.directives import directives
from pagelets.reading.head import FOLLOWED_RELATIONS, refresh_of
from pagelets.reading.references import References

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy.settings import BaseSettings

    from pagelets.page import Page


_LINK: Final = re.compile(r'<([^<>]++)>((?:[^<>,"]++|"[^"]*+")*+)')
_PARAMETER: Final = re.compile(r';\s*+([^\s=;"]++)\s*+=\s*+(?:"([^"]*+)"|([^\s";]++))')


@dataclass(slots=True, frozen=True)
class Directives:
    """Meta robots elements and X-Robots-Tag headers, for one agent.

    Settings: ``NOINDEX_ENABLED``, ``NOFOLLOW_ENABLED``, ``CANONICAL_ENABLED``; the agent is the product of
    ``ROBOTSTXT_USER_AGENT``, else of ``USER_AGENT``.
    """

    agent: str
    noindex: bool
    nofollow: bool
    canonical: bool

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:
        """Reads the settings."""
        agent = settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"] or ""
        return cls(
            re.split(r"[/\s]", agent.strip(), maxsplit=1)[0],
            settings.getbool("NOINDEX_ENABLED"),
            settings.getbool("NOFOLLOW_ENABLED"),
            settings.getbool("CANONICAL_ENABLED"),
        )

    def of(self, headers: Sequence[bytes], page: Page | None = None) -> frozenset[str]:
        """Returns the heeded requests of a response with these ``headers``, and of its ``page``: ``noindex``,
        ``nofollow``.
        """
        metas = () if page is None else page.robots_metas
        texts = [header.decode("latin-1") for header in headers]
        given = directives(metas, texts, self.agent, datetime.now(UTC))
        heeded = {"noindex": self.noindex, "nofollow": self.nofollow}
        return frozenset(name for name, wanted in heeded.items() if wanted and name in given)

    def obey(self, page: Page, heeded: frozenset[str]) -> None:
        """Marks the page's links as those that are followed, or not."""
        if not self.nofollow:
            page.links[:] = [link._replace(nofollow=False) for link in page.links]
        elif "nofollow" in heeded:
            page.links[:] = [link._replace(nofollow=True) for link in page.links]


def robots_tags(headers: Sequence[tuple[str, str]]) -> list[bytes]:
    """The X-Robots-Tag headers among name and value pairs."""
    return [value.encode("latin-1") for name, value in headers if name.lower() == "x-robots-tag"]


def addresses_in(headers: Iterable[tuple[str, str]], page: Page) -> tuple[list[str], str | None]:
    """Returns where the ``headers`` Refresh and Link (RFC 8288) of a ``page`` lead, and the address that they
    name as its canonical one.
    """
    follow: list[str] = []
    canonical: str | None = None
    base, own = References(page.base), References(page.url)
    for name, value in headers:
        if name.lower() == "refresh" and (address := refresh_of(value, base)):
            follow.append(address)
        for target, told in _LINK.findall(value) if name.lower() == "link" else ():
            given = {
                name.lower(): quoted or plain for name, quoted, plain in reversed(_PARAMETER.findall(told))
            }
            relations = given.get("rel", "").lower().split()
            if "anchor" in given or FOLLOWED_RELATIONS.isdisjoint(relations):
                continue
            if (address := own.absolute(target.strip())) and "canonical" in relations:
                canonical = canonical or address
            elif address:
                follow.append(address)
    return follow, canonical


NO_DIRECTIVES: Final = Directives("", noindex=False, nofollow=True, canonical=False)
"""Nothing is heeded; links are as their page says."""
