from __future__ import annotations

import re

import pytest

from pagelets.methods import COMPARED, DEFAULT, EVERYTHING, METHODS

from .conftest import BASE, FOOTER

OWN = ("-s", 'METHOD_CLASSES={"frequent": "tests.learners.FrequentMethod"}')


def test_masks_stand_side_by_side_one_line_a_block(scrapy):
    done = scrapy("compare", f"{BASE}/3", "--method", "all-text,templates,vote:all-text+templates+judged")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == f"{BASE}/3"
    assert lines[1].startswith("site stones: ")
    assert "+ - - *  Home First Second" in lines
    assert "+ + +    Marble" in lines
    assert "\x1b" not in done.out
    foot = [line.split() for line in lines[-4:-1]]
    assert [row[1] for row in foot] == ["all-text", "templates", "vote:all-text+templates+judged"]
    assert foot[0][2:5] == ["100%", "7", "100%"]


def test_of_many_methods_each_is_told_with_the_nearest(scrapy):
    names = ["templates", "all-text", "judged", *(f"vote:all-text+{name}" for name in ("judged", "bte"))]
    names += [f"vote:{one}+templates" for one in ("danag", "dana", "all-text", "judged")]
    foot = scrapy("compare", f"{BASE}/3", "--method", ",".join(names)).out.splitlines()[-len(names) :]
    assert [row.split()[1] for row in foot] == names
    assert re.search(r"all-text +100% +7  (vote:)?[\w+:-]+ \(\d+%\)$", foot[1])


def test_for_machines_masks_shares_and_agreement_add_up(scrapy):
    told = scrapy("compare", f"{BASE}/3", "--method", "templates,all-text", "--json").rows[0]
    assert [told["url"], told["site"]] == [f"{BASE}/3", "stones"]
    blocks = told["blocks"]
    chars = [len(block["text"]) for block in blocks]
    assert told["chars"] == sum(chars)
    kept = sum(count for count, block in zip(chars, blocks, strict=True) if block["kept"][0])
    templates, everything = told["methods"]
    assert (templates["name"], templates["chars_kept"]) == ("templates", kept)
    assert templates["share"] == pytest.approx(kept / sum(chars))
    assert templates["blocks_kept"] == sum(block["kept"][0] for block in blocks) < len(blocks)
    assert everything["share"] == pytest.approx(1)
    assert templates["agreement"] == pytest.approx([1, kept / sum(chars)])
    assert everything["agreement"] == pytest.approx([kept / sum(chars), 1])


def test_masks_are_those_that_explain_tells(scrapy):
    told = scrapy("compare", f"{BASE}/3", "--method", "templates,judged", "--json").rows[0]
    for place, name in enumerate(("templates", "judged")):
        explained = scrapy("explain", f"{BASE}/3", "--json", "-s", f"METHOD={name}").rows[0]
        own = [block["kept"] for pagelet in explained["pagelets"] for block in pagelet["blocks"]]
        assert [block["kept"][place] for block in told["blocks"]] == own


def test_without_a_choice_it_is_the_page_s_own_method_and_one_of_each_kind(scrapy):
    told = scrapy("compare", f"{BASE}/3", "--json").rows[0]
    assert [method["name"] for method in told["methods"]] == list(COMPARED)
    told = scrapy("compare", f"{BASE}/3", "--json", "-s", f"METHOD={EVERYTHING}").rows[0]
    assert [method["name"] for method in told["methods"]] == [EVERYTHING, *COMPARED]


def test_a_method_that_has_not_learned_does_so_on_a_scratch_copy(scrapy, crawled, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = (crawled.data / "stones" / "store.sqlite").read_bytes()
    done = scrapy("compare", f"{BASE}/3", "--method", "frequent,all-text", "--json", *OWN)
    assert (done.code, done.err) == (0, "")
    kept = {block["text"]: block["kept"][0] for block in done.rows[0]["blocks"]}
    assert [kept[text] for text in ("Home First Second", "Marble")] == [False, True]
    assert kept[FOOTER.removeprefix("<footer><p>").removesuffix("</p></footer>")] is False
    assert list(tmp_path.iterdir()) == []
    assert (crawled.data / "stones" / "store.sqlite").read_bytes() == before


def test_all_methods_are_those_that_have_what_they_need(scrapy, monkeypatch):
    few = {name: METHODS[name] for name in (DEFAULT, EVERYTHING)}
    monkeypatch.setattr("pagelets.registry.METHODS", few)
    lacking = ("-s", 'METHOD_CLASSES={"lacking": "tests.stuck.LackingMethod"}')
    done = scrapy("compare", f"{BASE}/3", "--method", "all", "--json", *lacking)
    assert [method["name"] for method in done.rows[0]["methods"]] == [*few]
    assert done.err.startswith("scrapy compare: left out: method lacking: it lacks a stone; ")
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([f"{BASE}/move"], [f"{BASE}/moved"]),
        ([f"{BASE}/gone"], ["no page is stored"]),
        ([], ["URL"]),
        ([f"{BASE}/3", "--method", "templats"], ["'templats'", "'templates'"]),
        ([f"{BASE}/3", "--method", ","], ["--method"]),
        ([f"{BASE}/3", "--site", "hills"], ["hills"]),
    ],
)
def test_what_a_user_gets_wrong_is_told_in_one_line(scrapy, arguments, parts):
    scrapy("compare", *arguments).refused("scrapy compare: ", *parts)


def test_a_block_is_one_line_cut_to_the_width(scrapy, monkeypatch):
    monkeypatch.setattr("crawler.commands.compare.WIDTH", 40)
    lines = scrapy("compare", f"{BASE}/3", "--method", "all-text").out.splitlines()
    blocks = [line for line in lines if line.startswith("+  ")]
    assert len(blocks) == 7
    assert max(map(len, blocks)) == 40
    assert sum(line.endswith("…") for line in blocks) == 4
