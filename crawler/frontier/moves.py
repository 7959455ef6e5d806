"""The start URLs of a site, and the hosts that they have moved to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from crawler.configuration.plan import Plan
from crawler.frontier.scope import domain_of
from settings.canonical import canonical
from store.meta import ACCEPTED, MOVED_TO, Key
from store.site import Store


class Moves:
    """The places that start URLs have moved to, in this run and before, and those that the user accepts.

    ``first`` are the page ids of the start URLs; empty for an archive.

    Args:
        plan: names the start URLs, and the hosts that the user accepts.
        store: keeps the places for later runs.
        before: the places that the site's own store has, where the run builds a new one.
    """

    def __init__(self, plan: Plan, store: Store, before: Mapping[Key[list[str]], list[str]]) -> None:
        self.first: Sequence[int] = ()
        self._plan = plan
        self._store = store
        self._before = before

    def places(self, key: Key[list[str]]) -> list[str]:
        """URLs that the store keeps of where start URLs have moved to."""
        return self._store.meta(key) or []

    def in_scope(self, starts: Iterable[int | None]) -> list[str]:
        """The places that start URLs have moved to, by the page ids of these as far as they are known; where
        all of them are pages themselves again, those alone that the user has accepted.
        """
        well = [start is not None and self._store.frontier.is_well(start) for start in starts]
        accepted = set(map(origin, self.places(ACCEPTED)))
        return [place for place in self.places(MOVED_TO) if not all(well) or origin(place) in accepted]

    def keep(self, key: Key[list[str]], url: str) -> None:
        """Adds such a URL, inside a transaction."""
        self._store.set_meta(key, list(dict.fromkeys([*self.places(key), url])))

    def adopt(self) -> None:
        """Copies the accepted places into a new store, as an acceptance is permanent."""
        for url in self._before.get(ACCEPTED, []):
            self.keep(ACCEPTED, url)
            for place in self._before[MOVED_TO]:
                if origin(place) == origin(url):
                    self.keep(MOVED_TO, place)

    def trusts(self, url: str) -> bool:
        """True if the domain of a URL is one that the user has named, or that the first round has come to."""
        plan = self._plan
        known = [*plan.urls, *plan.named, *self.places(MOVED_TO), *self._before.get(MOVED_TO, [])]
        return self.accepts(url) or domain_of(url) in map(domain_of, known)

    def names(self, url: str) -> bool:
        """True if the user has said of this run that the site is at the domain of a URL now."""
        return domain_of(url) in self._plan.domains

    def follows(self, url: str, start: str) -> bool:
        """True if the scope is to go where a start URL leads that was a page in a good round: not to the
        folders above its own, where a form to log in and the home page are.
        """
        to, own = urlsplit(url), urlsplit(start)
        above = to.netloc == own.netloc and own.path.startswith(f"{to.path.rpartition('/')[0]}/")
        return self.trusts(url) and not above

    def accepts(self, url: str) -> bool:
        """True if the user has said so of this run or an earlier one."""
        return self.names(url) or domain_of(url) in map(domain_of, self.places(ACCEPTED))

    def leads(self, round_after: int) -> list[tuple[str, str]]:
        """The start URLs that the round after a run has found to lead to another domain, each with where it
        leads.
        """
        frontier, moved = self._store.frontier, []
        for first in self.first:
            start, *others = map(frontier.url, frontier.redirects(first, round_after))
            moved += [(start, url) for url in others if domain_of(url) != domain_of(start)]
        return moved


def origin(url: str) -> str:
    """The scheme, host and port of a URL."""
    parts = urlsplit(canonical(url))
    return f"{parts.scheme}://{parts.netloc}"
