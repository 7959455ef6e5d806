from __future__ import annotations

import json

from pagelets.ranking.rankings import RANKINGS

from .conftest import BASE


def test_pages_of_a_site_are_ranked_by_each_ranking(scrapy):
    for name in RANKINGS:
        query = ["--query", "granite"] if RANKINGS[name].matching else []
        done = scrapy("rank", "stones", "--method", name, "--json", *query)
        (ranked,) = done.rows
        assert (done.code, ranked["ranking"]) == (0, name)
        scores = [page["score"] for page in ranked["pages"]]
        assert scores == sorted(scores, reverse=True), name


def test_what_the_menu_links_to_is_first_where_templates_count(scrapy):
    (ranked,) = scrapy("rank", "stones", "--method", "pagerank", "--json").rows
    assert {page["url"] for page in ranked["pages"][:3]} == {f"{BASE}/", f"{BASE}/1", f"{BASE}/2"}
    assert len(ranked["pages"]) == 8
    (ranked,) = scrapy("rank", "stones", "--method", "hits-pagelets", "--json").rows
    assert ranked["pages"] == [], "but for the menu no page links to another"


def test_a_table_for_people_is_as_long_as_they_ask(scrapy):
    done = scrapy("rank", "stones", "--method", "pagerank", "--first", "2")
    assert next(line.split()[0] for line in done.out.splitlines()) == "score"
    assert len(done.out.splitlines()) == 3


def test_a_query_ranks_the_pages_that_have_its_words(scrapy):
    (ranked,) = scrapy("rank", "stones", "--query", "GNEISS", "--method", "page-vanilla", "--json").rows
    assert ranked["query"] == "GNEISS"
    assert {page["url"] for page in ranked["pages"]} == {f"{BASE}/", f"{BASE}/1", f"{BASE}/2"}


def test_wrong_use_is_told_in_a_line(scrapy):
    scrapy("rank", "stones", "--method", "pagernk").refused("'pagernk'", "'pagerank'")
    scrapy("rank", "stones", "--method", "page-fnm").refused("page-fnm", "--query")
    scrapy("rank", "stones", "--query", "obsidian").refused("'obsidian'", "no page")
    scrapy("rank", "stones", "--query", "?!").refused("'?!'", "no word")
    scrapy("rank", "stones", "--first", "few").refused("--first few")
    scrapy("rank", "stone").refused("'stones'")


def test_pages_cited_together(scrapy):
    done = scrapy("related", f"{BASE}/1", "--page-weight", "0.5", "--json")
    assert (done.code, json.loads(done.out)) == (0, []), "the menu is a template"
    scrapy("related", f"{BASE}/9").refused("unknown URL")
    scrapy("related", f"{BASE}/1", "--page-weight", "-1").refused("--page-weight -1")
