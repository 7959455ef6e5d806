"""A page is judged to plain values: what another process needs to send its document."""

from __future__ import annotations

import pickle

from pagelets.judging.config import JudgeConfig
from pagelets.judging.parameters import Duplicates
from pagelets.overrides import Selectors
from release.judging import PageJudge
from store.site import Store
from tests.crawls import crawl
from tests.served import page, served

SITE = {"/": page("home", "/a", "/b"), "/a": page("a", around="<p class=ad>Buy this.</p>"), "/b": page("b")}


def config(**changes):
    values = {
        "method": "templates",
        "site": "s",
        "selectors": Selectors(drop=(".ad",)),
        "overrides": [{"type": "ends", "pattern": "/b", "fields": ["markdown"]}],
        "fields": ("url", "text", "duplicate_of"),
        "more_fields": frozenset({"title"}),
    }
    return JudgeConfig(**{**values, **changes})


def test_what_is_made_of_a_page_survives_the_way_to_another_process(tmp_path):
    with served(SITE) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", site="s", settings={"DROP_SELECTORS": ".ad"})
    with Store.open(crawled.folder) as store:
        here, there = (PageJudge(store, pickle.loads(pickle.dumps(one))) for one in (config(),) * 2)
        sent = {document["url"]: document for document in crawled.documents}
        for number in store.documents.current():
            judged, make = here.record(number)
            same, make_same = pickle.loads(pickle.dumps(there.record(number)[0])), there.record(number)[1]
            assert make() == make_same()
            assert {name: getattr(judged, name) for name in judged.__slots__ if name != "signature"} == {
                name: getattr(same, name) for name in same.__slots__ if name != "signature"
            }
            assert judged.signature.tolist() == same.signature.tolist()
            # Its text was delivered already: another document is not likely to go out.
            assert judged.same_text
            document = make()
            assert document["title"] == sent[judged.url]["title"]
            if judged.url.endswith("/b"):
                assert list(document) == ["title", "markdown"]
            else:
                assert list(document) == ["url", "title", "text", "duplicate_of"]
                assert document["text"] == sent[judged.url]["text"]
                assert document["duplicate_of"] is None


def test_texts_that_are_not_compared_have_no_signature(tmp_path):
    with served({"/": page("home")}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", site="s")
    with Store.open(crawled.folder) as store:
        judged, _ = PageJudge(store, config(duplicates=Duplicates(compared=False), overrides=[])).record(1)
    assert judged.signature is None
