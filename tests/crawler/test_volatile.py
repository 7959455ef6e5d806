"""Numbers that change on all pages between two visits: they go, and nothing else does."""

from __future__ import annotations

from contextlib import closing

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


def test_a_view_counter_stops_sending_the_site_until_it_stands_still(tmp_path):
    site = CountingSite("{} views")
    with site.served():
        recrawls = Recrawls(site, tmp_path, METHOD="templates")
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
        # Where it stands still it is text again.
        sent = [len(recrawls.crawl().documents) for _ in range(4)]
        assert sum(sent) == ARTICLES
        documents = recrawls.documents()
        assert all("views" in documents[site.base + path]["text"] for path in site.article_paths)


def test_what_says_something_stays(tmp_path):
    lines = ["{} €", "{} in stock", "Price: {}", "{},50", "{} pcs", "{} views"]
    site = CountingSite(*lines)
    with site.served():
        recrawls = Recrawls(site, tmp_path)
        assert nights(recrawls, site, 4) == [ARTICLES + 3, *[ARTICLES] * 3]
        text = recrawls.documents()[site.base + site.article_paths[0]]["text"]
        for line in lines:
            assert (line.replace("{}", "") in text) == ("views" not in line), line


def test_other_quantities_go_after_three_rounds_and_are_named_before(tmp_path, caplog, capsys):
    caplog.set_level("INFO")
    lines = ["Generated in {} ms", "{} views"]
    site = CountingSite(*lines)
    with site.served():
        recrawls = Recrawls(site, tmp_path, PROGRESS_ENABLED=True)
        path = site.article_paths[0]
        named = []
        for sent in (ARTICLES + 3, ARTICLES, ARTICLES, 0):
            caplog.clear()
            site.night += 1
            before = recrawls.index.copy()
            documents = {document["url"]: document for document in recrawls.crawl().documents}
            assert len(documents) == sent, site.night
            if sent:
                # What goes out is what the page says, without what is volatile by then.
                text = documents[site.base + path]["text"]
                assert ("ms" in text, "views" in text) == (True, site.night < 3)
            else:
                assert recrawls.index == before
            summary = capsys.readouterr().err
            warned = [one.getMessage() for one in caplog.records if one.name == "crawler.run.review"]
            assert summary.count("documents have changed since the last run in") == len(warned)
            for one in warned:
                assert one in summary
            named.append(sorted(part for one in warned for part in ("div.linea", "div.lineb") if part in one))
        assert named == [[], ["div.linea", "div.lineb"], ["div.linea"], []]
        assert "ms" not in recrawls.documents()[site.base + path]["text"]
        site.edit(path)
        site.night += 1
        (last,) = recrawls.crawl().documents
        assert last["url"] == site.base + path
        assert "ms" not in last["text"]


def test_lines_without_a_class_are_named_by_their_place(tmp_path, caplog):
    site = CountingSite("Generated in {} ms", "{} views")
    main = site.main
    site.main = lambda path: main(path).replace('<div class="line', '<p data-x="')
    with site.served():
        nights(Recrawls(site, tmp_path), site, 2)
    assert (
        "9 documents have changed since the last run in a few lines alone, one of them such as" in caplog.text
    )
    for position in (1, 2):
        assert f"drop = ['main > p:nth-last-of-type({position})']" in caplog.text


def test_what_is_kept_by_a_selector_goes_out_each_night(tmp_path):
    site = CountingSite("Generated in {} ms", "{} views")
    with site.served():
        recrawls = Recrawls(site, tmp_path, KEEP_SELECTORS=["div.linea", "div.lineb"])
        assert nights(recrawls, site, 3) == [ARTICLES + 3, *[ARTICLES] * 2]
        site.night += 1
        last = recrawls.crawl().documents
        assert len(last) == ARTICLES
        assert all("ms" in document["text"] and "views" in document["text"] for document in last)


def test_rounds_that_are_not_in_a_row_make_nothing_volatile(tmp_path):
    site = CountingSite("Generated in {} ms")
    with site.served():
        recrawls = Recrawls(site, tmp_path)
        assert nights(recrawls, site, 3) == [ARTICLES + 3, ARTICLES, ARTICLES]
        # One round in which the line stands still begins the count anew.
        site.night -= 1
        assert nights(recrawls, site, 1) == [0]
        assert nights(recrawls, site, 4) == [ARTICLES, ARTICLES, 0, 0]


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
        nights(recrawls, site, 3)
        assert "17 views" in recrawls.documents()[site.base + bare]["text"]


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
