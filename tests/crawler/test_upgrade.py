"""The night after an update: a store of an earlier program, on a site that is as it was."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import Settings

from crawler.configuration.judge_config import config_of
from store.database import FILE
from store.meta import JUDGED_WITH, JUDGEMENT, UNSEEN_SINCE
from store.site import Store
from tests.crawls import crawl
from tests.served import served

if TYPE_CHECKING:
    from tests.crawls import Crawled

VERSIONS = Path(__file__).parents[1] / "store" / "versions"
JUDGED = {"METHOD": "judged"}


def small(name: str, says: str = "is said nowhere else") -> str:
    """A page of the site that the stores of earlier versions are of."""
    return (
        f"<html><head><title>{name} - Small</title></head><body><nav>"
        '<a href="/index.html">Home</a> <a href="/one.html">One</a> <a href="/two.html">Two</a></nav>'
        f"<main><h1>Page {name}</h1><p>What the page called {name} says {says} on this site of four pages."
        "</p></main></body></html>\n"
    )


PAGES = {f"/{name}.html": small(name) for name in ("index", "one", "two", "three")}


def restored(folder: Path, version: int, base: str) -> Path:
    """The store of a version, as if its site had been the one at ``base``."""
    folder.mkdir(parents=True)
    text = (VERSIONS / f"{version}.sql").read_text(encoding="utf-8")
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        connection.executescript(
            text.replace("http://small.example", base).replace("small.example", base.partition("//")[2])
        )
        # An archive knows no links that lead to a page.
        connection.execute("INSERT INTO follows SELECT 1, page FROM pages WHERE page != 1")
        connection.execute("UPDATE runs SET parameters = replace(parameters, '\"archive\"', '\"site\"')")
    return folder


def test_the_upgrade_alone_sends_and_deletes_nothing(tmp_path: Path) -> None:
    with served(PAGES) as site:
        start = f"{site.base}/index.html"
        for version in (3, 4, 5):
            restored(tmp_path / str(version) / "s", version, site.base)
            for _ in range(2):
                night = crawl(tmp_path / str(version), settings=JUDGED, url=start, site="s")
                assert (night.outcome, night.documents, night.deletions) == ("complete", [], [])
                assert "documents/upgraded" not in night.stats
                assert len(night.current()) == 4


def test_what_overrides_judged_by_then_is_judged_alike(tmp_path: Path) -> None:
    overrides = [{"type": "contains", "pattern": "two", "method": "judged"}]
    settings = {"METHOD": "templates", "OVERRIDES": overrides}
    project = Settings()
    project.setmodule("settings.base", priority="project")
    with served(PAGES) as site:

        def night() -> Crawled:
            return crawl(tmp_path, settings=settings, url=f"{site.base}/index.html", site="s")

        assert len(night().documents) == 3
        with Store.open(tmp_path / "s") as store, store.transaction():
            project.update(settings)
            config = config_of(project)
            now, before = config.fingerprint, config.fingerprint_before
            assert now == store.meta(JUDGEMENT) != before
            store.set_meta(JUDGEMENT, before)
            judged_with = store.meta(JUDGED_WITH) or ""
            assert repr(now) in judged_with
            store.set_meta(JUDGED_WITH, judged_with.replace(repr(now), repr(before)))
        assert night().documents == []
        with Store.open(tmp_path / "s") as store:
            assert (store.meta(JUDGEMENT), store.meta(JUDGED_WITH)) == (now, judged_with)
            # The pages of the round before were judged as those of this one.
            assert store.meta(UNSEEN_SINCE) == 1


def test_what_goes_out_for_the_upgrade_is_counted(tmp_path: Path) -> None:
    changed = small("two", "has been written anew, in other words than those")
    with served({**PAGES, "/two.html": changed}) as site:
        folder = restored(tmp_path / "s", 4, site.base)
        with closing(sqlite3.connect(folder / FILE)) as connection, connection:
            # As if the program of then had made another text of two pages, one of which the site has changed.
            connection.execute("UPDATE documents SET content_hash = 'another' WHERE page IN (2, 4)")
        start = f"{site.base}/index.html"
        night = crawl(tmp_path, settings=JUDGED, url=start, site="s")
        assert night.outcome == "complete"
        assert night.paths(site.base) == ["/one.html", "/two.html"]
        assert night.stats["documents/upgraded"] == 1
        assert crawl(tmp_path, settings=JUDGED, url=start, site="s").documents == []


def test_other_settings_are_no_upgrade(tmp_path: Path) -> None:
    with served(PAGES) as site:
        folder = restored(tmp_path / "s", 4, site.base)
        with closing(sqlite3.connect(folder / FILE)) as connection, connection:
            connection.execute("UPDATE documents SET content_hash = 'another' WHERE page = 2")
        start = f"{site.base}/index.html"
        night = crawl(tmp_path, settings={"METHOD": "all-text"}, url=start, site="s")
        assert night.paths(site.base)
        assert "documents/upgraded" not in night.stats
        with Store.open(folder) as store:
            assert store.runs.last().versions["reading"]
        overrides = [{"type": "contains", "pattern": "two", "method": "templates"}]
        night = crawl(tmp_path, settings={"METHOD": "all-text", "OVERRIDES": overrides}, url=start, site="s")
        assert night.paths(site.base) == ["/two.html"]
        assert "documents/upgraded" not in night.stats, "an override asks for one more method"
