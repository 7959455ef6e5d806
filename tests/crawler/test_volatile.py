"""Numbers that change on all pages between two visits: they go, and nothing else does."""

from __future__ import annotations

from contextlib import closing

import pytest

from crawler.configuration.judgement import stored_judge
from store.site import Store
from tests.changing import ChangingSite
from tests.recrawls import Recrawls, project

ARTICLES = 9


class CountingSite(ChangingSite):
    """A site whose articles show lines of numbers that are others at each request."""

    def __init__(self, *lines: str, **options) -> None:
        self.lines = lines
        self.night = 0
        super().__init__(articles=ARTICLES, sections=1, validators="none", **options)

    def main(self, path: str) -> str:
        number = self._rng("count", path, self.night).randint(1000, 9999)
        lines = "".join(
            f'<div class="line{"abcdefgh"[i]}">{line.format(number)}</div>'
            for i, line in enumerate(self.lines)
        )
        return super().main(path) + (lines if self.pages[path].section else "")


def nights(recrawls: Recrawls, site: CountingSite, count: int) -> list[int]:
    """How many documents go out in each of so many nights."""
    found = []
    for _ in range(count):
        site.night += 1
        found.append(len(recrawls.crawl().documents))
    return found


@pytest.mark.parametrize("method", ["templates", "judged"])
def test_a_view_counter_stops_sending_the_site(tmp_path, method):
    site = CountingSite("{} views")
    with site.served():
        recrawls = Recrawls(site, tmp_path, METHOD=method)
        first, second, third, fourth = nights(recrawls, site, 4)
        assert first == ARTICLES + 3
        assert second == ARTICLES
        assert (third, fourth) == (0, 0)
        documents = recrawls.documents()
        assert not any("views" in document["text"] for document in documents.values())
        # What really changes goes out, without the counter.
        path = site.article_paths[0]
        site.edit(path)
        site.night += 1
        last = recrawls.crawl().documents
        assert [document["url"] for document in last] == [site.base + path]
        assert "views" not in last[0]["text"]
        with closing(Store.open(recrawls.store)) as store:
            page = store.frontier.find(site.base + path)
            explained = stored_judge(store, project()).judge(page).document(("pagelets",))["pagelets"]
            reasons = {block["text"]: block["reason"] for row in explained for block in row["blocks"]}
            assert {reason for text, reason in reasons.items() if "views" in text} == {"volatile"}
            # An index may have the text as it went out, or as it would go out now.
            assert all(len(set(hashes)) <= 2 for _, _, *hashes in store.deliveries.hashes("json"))
        assert any("views" in document["text"] for document in recrawls.fresh().values())


def test_what_says_something_stays(tmp_path):
    lines = ["{} €", "only {} in stock", "version {}", "{} km", "№ {} of 3 May 2026", "1.{}.2"]
    site = CountingSite(*lines)
    with site.served():
        recrawls = Recrawls(site, tmp_path)
        assert nights(recrawls, site, 4) == [ARTICLES + 3, ARTICLES, ARTICLES, ARTICLES]
        text = recrawls.documents()[site.base + site.article_paths[0]]["text"]
        for line in lines:
            assert line.partition("{}")[2] in text


def test_confirmed_pages_have_not_changed(tmp_path):
    site = CountingSite("{} views")
    with site.served():
        recrawls = Recrawls(site, tmp_path)
        still = site.article_paths[:3]
        counting = site.main
        site.main = lambda path: (
            counting(path)
            if path not in still
            else ChangingSite.main(site, path) + "<div class=linea>1234 views</div>"
        )
        site.validators = "etag"
        assert nights(recrawls, site, 4) == [ARTICLES + 3, *[ARTICLES - 3] * 3]


def test_a_page_of_nothing_else_keeps_it(tmp_path):
    site = CountingSite("{} views")
    with site.served():
        recrawls = Recrawls(site, tmp_path)
        bare = site.article_paths[0]
        page = site.in_template
        site.in_template = lambda path, main: (
            page(path, main)
            if path != bare
            else f"<html><body><main><div class=linea>{site.night}17 views</div></main></body></html>"
        )
        nights(recrawls, site, 4)
        assert "17 views" in recrawls.documents()[site.base + bare]["text"]


def test_a_counter_that_stands_still_is_text_again(tmp_path):
    site = CountingSite("{} views")
    with site.served():
        recrawls = Recrawls(site, tmp_path)
        nights(recrawls, site, 3)
        sent = [len(recrawls.crawl().documents) for _ in range(4)]
        assert sum(sent) == ARTICLES
        assert all("views" in recrawls.documents()[site.base + path]["text"] for path in site.article_paths)


def test_the_line_in_which_most_documents_change_is_reported(tmp_path, caplog):
    site = CountingSite("updated on {} May 2026")
    with site.served():
        recrawls = Recrawls(site, tmp_path)
        nights(recrawls, site, 1)
        assert "in one line alone" not in caplog.text
        site.night += 1
        again = recrawls.crawl()
        assert again.stats["documents/changed_in_one_line"] == 9
        assert "9 documents have changed since the last run in one line alone" in caplog.text
        assert "drop = ['div.linea']" in caplog.text
