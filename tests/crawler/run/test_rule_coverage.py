"""What of a site's settings has met no page is told at the end of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from store.meta import SELECTORS_MET
from store.site import Store
from tests.crawls import crawl
from tests.served import Answer, page, served

if TYPE_CHECKING:
    from pathlib import Path

PIN = "0123456789abcdef"
FILE = f"""
keep = [".note", "p.never"]
drop = ["nav a", ".cookie", "main > h1"]
rules = [
    {{ policy = "deny", type = "begins", pattern = "/private/" }},
    {{ policy = "deny", type = "ends", pattern = "/secret" }},
    {{ policy = "deny", type = "contains", pattern = "print=" }},
]
templates.pinned = ["{PIN}"]
[[overrides]]
type = "begins"
pattern = "/news/"
method = "all-text"
drop = ["h6.never"]
[[overrides]]
type = "begins"
pattern = "/old/"
method = "all-text"
"""
TOLD = [
    "2: key 'keep[0]': value '.note': matches nothing on any page",
    "2: key 'keep[1]': value 'p.never': matches nothing on any page",
    "3: key 'drop[1]': value '.cookie': matches nothing on any page",
    "14: key 'overrides[0].drop[0]': value 'h6.never': matches nothing on any page",
    "6: key 'rules[1]': deny ends '/secret' decides on no URL that is known",
    "7: key 'rules[2]': deny contains 'print=' decides on no URL that is known",
    "15: key 'overrides[1]': begins '/old/' matches the URL of no page",
    f"9: key 'templates.pinned[0]': value '{PIN}': is on no page",
]
MENU = "<nav><a href='/'>Home</a><a href='/news/1'>News</a><a href='/private/secret'>Private</a></nav>"


def pages() -> dict[str, Answer]:
    texts = {"/": page("Home", around=MENU), "/news/1": page("One", around=MENU), "/a": page("Two")}
    return {path: Answer(text, headers={"ETag": f'"{path}"'}) for path, text in texts.items()}


@pytest.fixture
def told(tmp_path, caplog):
    """Crawls a site by a file, and returns what is told of settings that met no page."""

    def run(text: str, base: str, outcome: str = "complete", **settings) -> list[str]:
        file = tmp_path / "stones.toml"
        file.write_text(f"url = ['{base}/', '{base}/a']{text}", encoding="utf-8")
        caplog.clear()
        crawled = crawl(tmp_path, site="stones", settings={"SITES_DIR": str(tmp_path), **settings})
        assert crawled.outcome == outcome
        lines = [one.getMessage() for one in caplog.records if one.name == "crawler.run.outcome"]
        if outcome == "complete":
            assert crawled.stats["run/unmet"] == len(lines)
        return [line.removeprefix(f"{file}:") for line in lines]

    return run


def test_what_meets_no_page_is_told_with_its_line_until_it_does(told):
    with served(pages()) as site:
        assert told(FILE, site.base) == TOLD
        # All pages are as they were: what was met before still counts.
        assert told(FILE, site.base) == TOLD
        assert site.confirmed.total() == 3
        site.pages["/a"] = Answer(page("Two", "/x?print=1", around="<p class=note>note</p>"))
        assert told(FILE, site.base) == [*TOLD[1:5], *TOLD[6:]]
        # Other selectors are held against all pages, though none is sent.
        again = FILE.replace(".cookie", "nav").replace("p.never", "html.none")
        first, second, *_ = told(again, site.base)
        assert (first, second) == (
            "2: key 'keep[1]': value 'html.none': matches nothing on any page",
            TOLD[3],
        )


def test_what_the_command_line_says_is_told_by_its_setting(told):
    with served(pages()) as site:
        said = told("\nkeep = ['.note']", site.base, KEEP_SELECTORS='[".cookie"]', REJECTED_TEMPLATES=PIN)
    assert said == [
        "KEEP_SELECTORS[0]: value '.cookie': matches nothing on any page",
        f"REJECTED_TEMPLATES[0]: value '{PIN}': is on no page",
    ]


def test_a_table_of_a_sink_that_the_site_does_not_feed_is_told(told):
    table = "\n[postgresql]\ndsn = 'postgresql://127.0.0.1:9/none'"
    with served(pages()) as site:
        said = "2: key 'postgresql': is not used: sinks = ['operations'] does not name it"
        assert told(f"\nsinks = ['operations']{table}", site.base) == [said.replace("2", "3", 1)]
        assert told(table, site.base, SINKS="") == []


def test_nothing_is_told_of_what_not_all_pages_were_held_against(told, tmp_path):
    with served(pages()) as site:
        assert told(FILE, site.base, "limited", MAX_PAGES=1) == []
        # A round that is continued knows of both parts.
        assert told(FILE, site.base) == TOLD
        forget(tmp_path / "stones")
        assert told(FILE, site.base) == [line for line in TOLD if "matches nothing" not in line]
        assert told("", site.base) == []


def forget(folder: Path) -> None:
    """Makes a store one of a version that noted nothing of selectors, or of a run that was killed."""
    with Store.open(folder) as store, store.transaction():
        assert store.meta(SELECTORS_MET)["met"] == ["main > h1", "nav a"]
        store.forget_meta(SELECTORS_MET)
