"""A page that could not be fetched in the night that others changed catches up when it is seen again."""

from __future__ import annotations

from types import SimpleNamespace

from tests.recrawls import Recrawls, hashes
from tests.served import Answer, served

NOTICE = "<section><h2>Notice of the town</h2><p>Our bridge is closed all year.</p></section>"


def article(number: int, *, notice: bool) -> Answer:
    text = "".join(f"<p>Paragraph {number}-{n} tells of the harvest of the year {n}.</p>" for n in range(8))
    links = "".join(f'<a href="/{n}">{n}</a>' for n in range(9))
    body = f"<html><title>Article {number}</title><body>{NOTICE if notice else ''}{text}{links}"
    return Answer(body, headers={"ETag": f'"{number}-{notice}"'})


def test_a_page_that_failed_when_the_evidence_changed_is_judged_again_once_it_is_seen(tmp_path):
    pages = {f"/{n}": article(n, notice=True) for n in range(9)}
    pages["/"] = article(9, notice=True)
    with served(pages) as server:
        recrawls = Recrawls(SimpleNamespace(base=server.base), tmp_path)
        recrawls.crawl()
        # The notice goes from all pages but one, which fails in this night.
        server.pages.update({path: article(n, notice=False) for n, path in enumerate(pages) if path != "/4"})
        server.pages["/4"] = Answer("busy", 503)
        recrawls.crawl()
        before = recrawls.exported()[f"{server.base}/4"]
        server.pages["/4"] = article(4, notice=True)
        third = recrawls.crawl()
        assert "bridge" not in before["text"]
        assert [document["url"] for document in third.documents] == [f"{server.base}/4"]
        exported = recrawls.exported()
        assert "bridge" in exported[f"{server.base}/4"]["text"]
        assert exported == recrawls.fresh()
        assert hashes(exported) == recrawls.index
        assert recrawls.crawl().documents == []
