"""Pages of a store: the one that a user means, samples of them, and those that have a document now."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections import deque
from dataclasses import dataclass
from difflib import get_close_matches
from heapq import nsmallest
from typing import TYPE_CHECKING, Final

from pagelets.patterns import drawn_by, one_escape
from settings.errors import ConfigurationError
from store.listing import PageList
from store.meta import DERIVATION, DETECTION_RUN, JUDGEMENT, TEMPLATE_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pagelets.page import Page
    from store.frontier import Known
    from store.judging import StoredJudge
    from store.site import Store

    JudgeIn = Callable[[Store], StoredJudge]
    """Makes a judge of a store's pages by the present rules."""


_NEAREST: Final = 3
_COMPARED: Final = 2000
"""So many URLs of a host are compared with one that is not known."""
SAMPLE: Final = 2000
"""Of a site of more pages so many are looked at."""
SNAPSHOT: Final = 1.0
"""Seconds that the store is read at one moment."""


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
            found = map(store.frontier.find, (url, form, one_escape(form)))
            page = next((page for page in found if page is not None), None)
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


def version_of(page: Page) -> str:
    """Returns what names the blocks of a page, by their texts."""
    digest = hashlib.blake2b(digest_size=8)
    for block in page.blocks:
        digest.update(block.text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def sample_of(store: Store, count: int | None = SAMPLE) -> list[int]:
    """Returns the pages that have a document, or ``count`` of them if they are more; None for all."""
    pages = list(store.documents.current())
    if count is None or len(pages) <= count:
        return pages
    named = ((drawn_by(store.frontier.url(page)), page) for page in pages)
    return [page for _, page in nsmallest(count, named)]


def sample_around(store: Store, page: int, count: int) -> list[int]:
    """Returns pages that have a document, among them those next to a page in the order of URLs.

    Args:
        store: the store.
        page: the id of the page, which is the first.
        count: the number of pages at most; up to a third of them are next to the page.

    """
    near = [page, *PageList(store.connection).around(page, count // 6)]
    return list(dict.fromkeys([*near, *sample_of(store, count)]))[:count]


def judged_pages(store: Store, pages: Iterable[int], judge_in: JudgeIn) -> Iterator[tuple[int, StoredJudge]]:
    """Yields those ``pages`` of a ``store`` that have a document, each with a judge that knows the current
    site, made by ``judge_in``.

    A snapshot lasts about a second: meanwhile writes of a crawl only add to the log of SQLite.
    """
    left = deque(pages)
    judge, known = None, ""
    while left:
        with store.snapshot():
            state = evidence_state(store)
            if judge is None or state != known:
                judge, known = judge_in(store), state
            started = time.monotonic()
            while left and (page := left.popleft()):
                if store.documents.is_current(page):
                    yield page, judge
                if time.monotonic() - started >= SNAPSHOT:
                    break


def evidence_state(store: Store) -> str:
    """Names the knowledge of a judge about the site: a change of it needs a new judge."""
    named = [store.meta(key) for key in (TEMPLATE_VERSION, DERIVATION, JUDGEMENT)]
    return repr([*named, store.meta(DETECTION_RUN)])
