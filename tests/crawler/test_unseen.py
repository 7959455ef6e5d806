"""A page that could not be fetched in the night that others changed catches up when it is seen again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from crawler.configuration.judgement import stored_judge
from inspection.taught_change import judge_anew
from store.site import Store
from tests.recrawls import Recrawls, hashes, project
from tests.served import Answer, served

NOTICE = "<section><h2>Notice of the town</h2><p>Our bridge is closed all year.</p></section>"


def article(number: int, *, notice: bool) -> Answer:
    text = "".join(f"<p>Paragraph {number}-{n} tells of the harvest of the year {n}.</p>" for n in range(8))
    links = "".join(f'<a href="/{n}">{n}</a>' for n in range(9))
    body = f"<html><title>Article {number}</title><body>{NOTICE if notice else ''}{text}{links}"
    return Answer(body, headers={"ETag": f'"{number}-{notice}"'})


@pytest.fixture
def missed(tmp_path):
    """The recrawls of a site on which the notice went from all pages but one, which failed in that night."""
    pages = {f"/{n}": article(n, notice=True) for n in range(9)}
    pages["/"] = article(9, notice=True)
    with served(pages) as server:
        recrawls = Recrawls(SimpleNamespace(base=server.base), tmp_path)
        recrawls.crawl()
        server.pages.update({path: article(n, notice=False) for n, path in enumerate(pages) if path != "/4"})
        server.pages["/4"] = Answer("busy", 503)
        recrawls.crawl()
        server.pages["/4"] = article(4, notice=True)
        yield recrawls


def test_a_page_that_failed_when_the_evidence_changed_is_judged_again_once_it_is_seen(missed):
    url = f"{missed.site.base}/4"
    assert "bridge" not in missed.exported()[url]["text"]
    third = missed.crawl()
    assert [document["url"] for document in third.documents] == [url]
    exported = missed.exported()
    assert "bridge" in exported[url]["text"]
    assert exported == missed.fresh()
    assert hashes(exported) == missed.index
    assert missed.crawl().documents == []


def test_it_is_judged_again_though_the_site_was_taught_before(missed):
    url = f"{missed.site.base}/4"
    with Store.open(missed.store) as store:
        page, last = store.frontier.find(url), store.runs.last()
        # It is seen by a run that is killed before it judges anything.
        with store.transaction():
            run = store.runs.begin(last.parameters, last.versions)
            store.outcomes.confirm(page, run, 0, None)
        assert judge_anew(store, stored_judge(store, project()), {}, lambda *_: None) == 0
    missed.crawl()
    assert "bridge" in missed.exported()[url]["text"]
