"""What differs by URL, from the settings to the documents."""

from __future__ import annotations

from contextlib import closing

from scrapy.settings import Settings

from crawler.configuration.judgement import stored_judge
from inspection.explain import explain
from inspection.pages import FoundPage
from store.site import Store
from tests.crawls import crawl
from tests.served import page, served

LINKS = "".join(f"<a href=/away/{n}>Entry {n}</a> " for n in range(4))
FRAME = f"<nav>What three pages of the site say, in the same words {LINKS}</nav>"


def site_pages():
    pages = {f"/docs/{n}": page(f"docs {n}", around=FRAME) for n in range(3)}
    pages |= {f"/blog/{n}": page(f"blog {n}", around=FRAME) for n in range(3)}
    return {"/": page("home", *pages), **pages}


def run(folder, overrides, **settings):
    with served(site_pages()) as site:
        settings = {"REPEATED_BLOCK_SHARE": 0, "OVERRIDES": overrides, **settings}
        crawled = crawl(folder, url=f"{site.base}/", site="s", settings=settings)
        return {d["url"].removeprefix(site.base): d for d in crawled.documents}


def projects(**own):
    """The project's settings."""
    project = Settings(own, priority="cmdline")
    project.setmodule("settings.base", priority="project")
    return project


def told(folder, url):
    """What `scrapy explain` tells of the selectors that have decided on a page."""
    with closing(Store.open(folder / "s")) as store:
        found = FoundPage("s", store.frontier.get(store.frontier.find(url)), current=True)
        blocks = [
            block
            for row in explain(store, stored_judge(store, projects(KEEP_SELECTORS=["nav"])), found).pagelets
            for block in row["blocks"]
        ]
    names = ("kept_by", "dropped_by", "override")
    return {tuple(map(block.get, names)) for block in blocks if "override" in block}


def framed(documents):
    return {path.split("/")[1] for path, document in documents.items() if "three pages" in document["text"]}


def test_a_method_for_some_pages(tmp_path):
    overrides = [{"type": "begins", "pattern": "/docs/", "method": "all-text"}]
    assert framed(run(tmp_path, overrides)) == {"docs"}


def test_other_fields_for_some_pages(tmp_path):
    overrides = [{"type": "begins", "pattern": "/docs/", "fields": ["url", "title"]}]
    documents = run(tmp_path, overrides, DOCUMENT_FIELDS=["url", "text"])
    assert {tuple(document) for path, document in documents.items() if path[1:5] == "docs"} == {
        ("url", "title")
    }
    assert set(documents["/blog/1"]) == {"url", "text"}


def test_other_selectors_for_some_pages_without_a_fetch(tmp_path):
    docs = {"type": "begins", "pattern": "/docs/"}
    # What the store holds of a page is fresh: none is asked for again.
    own = {"REVISIT_MIN": 9999, "REVISIT_MAX": 9999, "KEEP_SELECTORS": ["nav"]}
    away = {f"/away/{n}": page(f"away {n}") for n in range(4)}
    with served(site_pages() | away) as site:

        def night(*overrides):
            settings = {**own, "OVERRIDES": list(overrides)}
            crawled = crawl(tmp_path, url=f"{site.base}/", site="s", settings=settings)
            assert crawled.errors == []
            return {d["url"].removeprefix(site.base): d for d in crawled.documents}

        assert framed(night()) == {"docs", "blog"}
        asked = site.asked.copy()
        changed = night({**docs, "keep": [], "drop": ["nav"]})
        assert set(changed) == {"/docs/0", "/docs/1", "/docs/2"}
        assert framed(changed) == set()
        inner = night({**docs, "drop": ["nav a"]})
        assert framed(inner) == {"docs"}
        assert told(tmp_path, f"{site.base}/docs/1") == {
            ("nav", None, None),
            (None, "nav a", "begins '/docs/'"),
        }
        assert not any("Entry" in document["text"] for document in inner.values())
        assert set(night()) == set(changed)
        assert not [path for path in site.asked - asked if path.startswith(("/docs/", "/blog/"))]


def test_an_export_judges_as_the_crawl_did(tmp_path):
    documents = run(tmp_path, [{"type": "ends", "pattern": "/2", "method": "all-text"}])
    project = projects()
    with closing(Store.open(tmp_path / "s")) as store:
        # As a run of an earlier version may have it.
        with store.transaction():
            store.connection.execute(
                "UPDATE runs SET parameters = json_set(parameters, '$.overrides[0].min_pages', 3)"
            )
        judge = stored_judge(store, project)
        exported = {d["url"]: d["text"] for d in map(judge.document, store.documents.current())}
    assert exported == {document["url"]: document["text"] for document in documents.values()}
