from __future__ import annotations

import shutil
from xml.etree import ElementTree

import pytest

from .conftest import BASE, PROJECT

OWN = (
    "-s",
    'METHOD_CLASSES={"curved": "tests.curved.LengthMethod", "frequent": "tests.learners.FrequentMethod"}',
)


def drawn(path):
    root = ElementTree.parse(path).getroot()
    return root, "\n".join(root.itertext())


def test_the_curve_of_a_method_is_drawn_with_its_threshold_and_verdict(scrapy, tmp_path):
    path = tmp_path / "a.svg"
    done = scrapy("plot", f"{BASE}/3", "--method", "curved", "-o", path, *OWN)
    assert (done.code, done.out, done.err) == (0, f"{path}\n", "")
    root, text = drawn(path)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for part in ("curved: characters along the blocks of a page", f"{BASE}/3", "threshold 20", "content"):
        assert part in text
    shaded = [one for one in root if one.get("fill") == "#f7d794" and one.get("height") != "12"]
    assert len(shaded) == 2
    told = scrapy("plot", f"{BASE}/3", "--method", "curved", "-o", path, "--overwrite", "--json", *OWN).rows[
        0
    ]
    assert told["path"] == str(path)
    assert [value >= told["threshold"] for value in told["values"]] == told["content"]


def test_a_method_without_a_curve_is_drawn_by_its_scores(scrapy, tmp_path, monkeypatch):
    shutil.copy(PROJECT / "scrapy.cfg", tmp_path)
    monkeypatch.chdir(tmp_path)
    done = scrapy("plot", f"{BASE}/3")
    assert (done.code, done.out) == (0, "judged.svg\n")
    _, text = drawn(tmp_path / "judged.svg")
    assert "judged: score along the blocks of a page" in text
    assert "threshold" not in text
    assert scrapy("plot", f"{BASE}/3", "--method", "vote:all-text+templates+judged").out == (
        "vote-all-text-templates-judged.svg\n"
    )


def test_a_method_that_has_not_learned_does_so_on_a_scratch_copy(scrapy, tmp_path):
    done = scrapy("plot", f"{BASE}/3", "--method", "frequent", "-o", tmp_path / "a.svg", "--json", *OWN)
    assert done.code == 0
    assert True in done.rows[0]["content"]
    assert False in done.rows[0]["content"]


def test_a_file_that_is_there_is_not_replaced_unasked(scrapy, tmp_path):
    path = tmp_path / "a.svg"
    path.write_text("mine")
    scrapy("plot", f"{BASE}/3", "-o", path).refused("scrapy plot: ", str(path), "--overwrite")
    assert path.read_text() == "mine"
    assert scrapy("plot", f"{BASE}/3", "-o", path, "--overwrite").code == 0
    assert path.read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([f"{BASE}/move"], [f"{BASE}/moved"]),
        ([f"{BASE}/gone"], ["no page is stored"]),
        ([], ["URL"]),
        ([f"{BASE}/3", "--method", "templats"], ["'templats'", "'templates'"]),
        ([f"{BASE}/3", "-o", "/nowhere/a.svg"], ["/nowhere", "no such folder"]),
        ([f"{BASE}/3", "-o", "a.png"], ["a.png", "SVG", "-o a.svg"]),
    ],
)
def test_what_a_user_gets_wrong_is_told_in_one_line(scrapy, arguments, parts):
    scrapy("plot", *arguments).refused("scrapy plot: ", *parts)


def test_the_classes_of_a_site_are_drawn(scrapy, tmp_path):
    path = tmp_path / "classes.svg"
    told = scrapy("plot", "stones", "--classes", "-o", path, "--json").rows[0]
    assert (told["path"], told["site"]) == (str(path), "stones")
    assert sum(one["pages"] for one in told["classes"]) == 8
    assert {template["classes"][0]["number"] for template in told["templates"]} == {1}
    _, text = drawn(path)
    assert "Page classes of stones" in text
    assert told["classes"][0]["title"] in text


@pytest.mark.parametrize("more", [["--method", "judged"], ["--site", "stones"]])
def test_what_is_of_a_page_is_refused_of_a_site(scrapy, more):
    scrapy("plot", "stones", "--classes", *more).refused("scrapy plot: ", "--classes", more[0])
    scrapy("plot", "stons", "--classes").refused("'stons'", "'stones'")
