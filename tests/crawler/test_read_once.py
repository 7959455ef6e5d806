"""A page that was fetched is parsed once, whatever becomes of it in its round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import pagelets.reading
from store.flat_pages import FILE
from tests import jsonsink
from tests.changing import ChangingSite
from tests.crawls import crawl
from tests.recrawls import Recrawls
from tests.served import page, served

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [f"/{number}" for number in range(30)]
SITE = {"/": page("home", *NAMES), **{name: page(name, "/") for name in NAMES}}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are parsed, in order."""
    found: list[str] = []
    parse = pagelets.reading.parse

    def note(text: str) -> Any:
        found.append(text)
        return parse(text)

    monkeypatch.setattr(pagelets.reading, "parse", note)
    return found


def left(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(FILE)]


@pytest.mark.parametrize("fresh", [0, 1])
def test_a_crawl_parses_a_page_once(tmp_path: Path, parsed: list[str], fresh: int) -> None:
    settings = {**jsonsink.SETTINGS, "DUPLICATES": {"enabled": True}}
    with served(SITE) as site:
        if fresh:
            crawl(tmp_path, settings=settings, url=f"{site.base}/", site="s")
            parsed.clear()
        # `fresh` feeds the index when the crawl has ended, from the documents that it has released.
        crawled = crawl(tmp_path, settings=settings, url=f"{site.base}/", site="s", fresh=fresh)
    assert (crawled.outcome, len(crawled.documents)) == ("complete", len(SITE))
    assert len(parsed) == len(SITE)
    assert left(crawled.folder) == []


def test_a_round_that_did_not_finish_keeps_what_it_has_read(tmp_path: Path, parsed: list[str]) -> None:
    site = ChangingSite(articles=20, sections=2)
    with site.served():
        recrawls = Recrawls(site, tmp_path)
        stopped = recrawls.crawl(stop_after=12)
        assert stopped.outcome == "interrupted"
        assert FILE in left(stopped.folder)
        done = recrawls.crawl()
        assert done.outcome == "complete"
        pages = len(done.current())
        assert len(parsed) == pages
        assert left(done.folder) == []
        parsed.clear()
        # Nothing was fetched: what is judged again is read from its body.
        again = recrawls.crawl(settings={"DROP_SELECTORS": "em"})
        assert again.outcome == "complete"
        assert len(parsed) == pages
        assert left(again.folder) == []


def test_what_a_killed_run_has_left_goes(tmp_path: Path) -> None:
    with served({"/": page("home")}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", site="s")
        (crawled.folder / FILE).write_bytes(b"of an earlier round")
        assert crawl(tmp_path, url=f"{site.base}/", site="s").errors == []
    assert left(crawled.folder) == []
