"""The page that a user means: a URL, in one of several stores."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from store.frontier import Known
    from store.site import Store

_NEAREST: Final = 3
_COMPARED: Final = 2000
"""So many URLs of a host are compared with one that is not known."""


@dataclass(slots=True, frozen=True)
class FoundPage:
    """A URL in a store; ``current`` is True if its page has a document there."""

    site: str
    known: Known
    current: bool


def find_page(
    url: str,
    sites: Sequence[str],
    opened: Callable[[str], contextlib.AbstractContextManager[Store]],
    form_of: Callable[[str], str],
) -> FoundPage:
    """Finds a URL in the site that has its page, else in one that has requested it.

    Args:
        url: the URL.
        sites: the sites to look in.
        opened: opens the store of a site.
        form_of: returns the form that the URL has in a site.

    Raises:
        ConfigurationError: no site knows the URL (the text names the nearest ones), or several have its page.

    """
    candidates, alike, form = [], [], url
    for site in sites:
        form = form_of(site)
        with opened(site) as store:
            page = store.frontier.find(url)
            page = store.frontier.find(form) if page is None else page
            if page is not None:
                candidates.append(FoundPage(site, store.frontier.get(page), store.documents.is_current(page)))
            elif not candidates:
                alike += store.frontier.alike(form, _COMPARED)
    if not candidates:
        raise _unknown(url, get_close_matches(form, dict.fromkeys(alike), _NEAREST), sites)
    current = [candidate for candidate in candidates if candidate.current]
    if len(current) > 1:
        names = ", ".join(candidate.site for candidate in current)
        raise ConfigurationError(f"{url}: stored for several sites ({names}); choose one with --site")
    # To most sites a URL of another one is just out of scope.
    return min(current or candidates, key=lambda candidate: candidate.known.reason == "scope")


@contextlib.contextmanager
def with_body(url: str) -> Iterator[None]:
    """Raises ConfigurationError if the store lacks the body of the page at ``url``."""
    try:
        yield
    except KeyError as error:
        raise ConfigurationError(f"{url}: no body of this page is stored; crawl the site again") from error


def _unknown(url: str, near: Sequence[str], sites: Sequence[str]) -> ConfigurationError:
    if near:
        hint = f"; the nearest known: {', '.join(near)}"
    elif sites:
        hint = f", and none like it in {', '.join(sites)}; crawl its site first"
    else:
        hint = ": there is no store; crawl its site first, scrapy crawl site -a url=..."
    return ConfigurationError(f"unknown URL {url!r}{hint}")
