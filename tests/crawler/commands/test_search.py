from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from crawler.commands.search import MAX_HITS

OF_PAGELETS = 'OPENSEARCH={"hosts": ["https://search.example:9200"], "units": "pagelets"}'


def test_hits_are_shown_with_what_was_found(scrapy):
    done = scrapy("search", "stones", "basalt shore")
    assert done.code == 0
    first = done.out.splitlines()[:3]
    assert first[:2] == ["1. basalt", "   https://stones.example/1"]
    assert "**Basalt**" in first[2]
    assert "**shore**" in first[2]
    assert done.out.splitlines()[-1].endswith("found")


def test_hits_are_written_as_json(scrapy):
    found = scrapy("search", "stones", "basalt", "--json").rows[0]
    assert {key: found[key] for key in ("site", "sink", "query", "total")} == {
        "site": "stones", "sink": "tantivy", "query": "basalt", "total": 1,
    }  # fmt: skip
    hit = found["hits"][0]
    assert (hit["rank"], hit["url"], hit["title"]) == (1, "https://stones.example/1", "basalt")
    assert {"text": "Basalt", "hit": True} in hit["snippet"]


def test_words_need_no_quotes_of_the_shell(scrapy):
    assert scrapy("search", "stones", "basalt", "+shore", "--json").rows[0]["query"] == "basalt +shore"


def test_a_query_may_begin_with_what_is_excluded(scrapy):
    found = scrapy("search", "stones", "-basalt -chalk", "--json", "--limit", "50").rows[0]
    assert found["total"] == 6


def test_only_as_many_as_asked_for_are_shown(scrapy):
    done = scrapy("search", "stones", "shore", "--limit", "2")
    assert done.out.splitlines()[-1] == "2 of 8"


@pytest.mark.parametrize(
    ("filters", "total"),
    [
        (["--path", "/1"], 1),
        (["--language", "en"], 8),
        (["--language", "fr"], 0),
        (["--since", "2000-01-01"], 8),
        (["--until", "2000-01-01"], 0),
    ],
)
def test_filters_leave_what_they_say(scrapy, filters, total):
    assert scrapy("search", "stones", "shore", "--json", *filters).rows[0]["total"] == total


def test_where_nothing_is_found_it_says_so(scrapy):
    done = scrapy("search", "stones", "zebra\x1b[31m")
    assert (done.code, done.out) == (0, "")
    assert done.err == "scrapy search: nothing in stones is found by 'zebra[31m'\n"
    assert scrapy("search", "stones", "zebra", "--json").rows[0]["hits"] == []


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["stones"], ["give a site and a query", "scrapy search SITE [QUERY]"]),
        (["stons", "x"], ["'stons'", "'stones'"]),
        (["../stones", "x"], ["'../stones'"]),
        (["stones", "x", "--sink", "tantiwy"], ["'tantiwy'", "'tantivy'"]),
        (["stones", "x", "--since", "yesterday"], ["--since 'yesterday'", "2024-05-31"]),
        (["stones", "x", "--until", "2024-02-30"], ["--until '2024-02-30'"]),
        (["stones", "x", "--limit", "0"], ["--limit 0", str(MAX_HITS)]),
        (["stones", "x", "--limit", "9" * 5000], ["--limit 9", "give a whole number"]),
        (["stones", "x", "--limt", "3"], ["unknown option '--limt'"]),
        (
            ["stones", "x", "-s", "SINKS=operations"],
            ["no sink of stones can be searched", "tantivy", "postgresql"],
        ),
        (
            ["stones", "x", "-s", 'TANTIVY={"units": "sections"}'],
            ["no index of stones", "scrapy index stones --rebuild"],
        ),
        (
            ["stones", "x", "-s", 'TANTIVY={"units": "pagelet"}'],
            ['TANTIVY={"units": "pagelet"}: units: ', "did you mean 'pagelets'"],
        ),
        (
            ["stones", "x", "--expand"],
            ["--expand", "stones holds documents", 'units = "pagelets"', "[tantivy]"],
        ),
        (
            ["stones", "x", "--expand", "-s", "SINKS=opensearch", "-s", OF_PAGELETS],
            ["--expand", "in tantivy", "opensearch is on a server"],
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_line(scrapy, arguments, parts):
    scrapy("search", *arguments).refused("scrapy search: ", *parts)


def test_a_lost_index_can_be_made_and_searched(scrapy, crawled, tmp_path):
    data = f"DATA_DIR={tmp_path / 'data'}"
    shutil.copytree(crawled.data, tmp_path / "data")
    shutil.rmtree(tmp_path / "data" / "_index")
    scrapy("search", "stones", "basalt", "-s", data).refused("scrapy index stones --rebuild")
    assert scrapy("index", "stones", "--rebuild", "-s", data).code == 0
    done = scrapy("search", "stones", "basalt", "-s", data, "--sink", "tantivy")
    assert "https://stones.example/1" in done.out


def test_the_documented_way_from_python_opens_the_index_of_a_crawl(crawled):
    docs = Path(__file__).parents[3] / "docs" / "search.md"
    (code,) = re.findall("```python\n(.*?)```", docs.read_text(encoding="utf-8"), re.DOTALL)
    code = code.replace("data/_index/demo", str(crawled.data / "_index" / "stones")).replace("demo", "stones")
    names: dict[str, Any] = {}
    exec(code.replace("linen thread", "basalt"), names)
    assert [hit.url for hit in names["found"].hits] == ["https://stones.example/1"]


def test_pages_are_found_by_their_pagelets_and_by_words_of_these(scrapy, crawled, tmp_path):
    options = ["-s", f"DATA_DIR={tmp_path / 'data'}", "-s", 'TANTIVY={"units": "pagelets"}']
    shutil.copytree(crawled.data, tmp_path / "data")
    assert scrapy("index", "stones", "--rebuild", *options).code == 0
    assert "as the store says" in scrapy("index", "stones", "--check", *options).out
    found = scrapy("search", "stones", "basalt", "--json", *options).rows[0]
    assert (found["total"], found["added"]) == (1, [])
    hit = found["hits"][0]
    assert (hit["url"], hit["id"]) == (
        "https://stones.example/1", f"{hit['document']}-1",
    )  # fmt: skip
    # No other page has the year, and its pagelet no other word that is not everywhere.
    more = scrapy("search", "stones", "1807", "--json", "--expand", *options).rows[0]
    assert (more["hits"][0]["url"], more["added"]) == (hit["url"], ["basalt"])
    done = scrapy("search", "stones", "1807", "--expand", *options)
    assert done.out.splitlines()[-2:] == ["looked for as well: basalt", "1 found"]
