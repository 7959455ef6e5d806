from __future__ import annotations

import pytest

from evaluation.gold import GoldPage
from evaluation.scoring import Score
from evaluation.summary import Result, ScoredPage, summary


def page(f1, group=None, **more):
    url = f"https://stones.example/{f1}"
    return ScoredPage(GoldPage(url, "text", group), more.pop("text", "text"), Score(f1, f1, f1), **more)


def test_each_site_weighs_the_same_and_each_page_of_a_group():
    one = Result("one", "m", [page(1.0, "a"), page(0.0, "b")])
    other = Result("other", "m", [page(0.5, "a")] * 8)
    found = summary([one, other])
    assert found["f1"] == 0.5
    assert found["pages"] == 10
    assert found["sites"]["one"]["f1"] == 0.5
    assert {name: group["f1"] for name, group in found["groups"].items()} == {
        "a": pytest.approx(5 / 9),
        "b": 0,
    }


def test_pages_that_were_never_judged_to_an_end_are_in_no_time():
    pages = [page(1, seconds=0.002), page(1, seconds=0.004), page(0, error="took longer than 1 s", text="")]
    found = summary([Result("one", "m", [*pages, page(0, text=None)], memory=5_000_000)])
    assert found["ms_per_page"] == pytest.approx(3)
    assert (found["pages"], found["absent"], found["failed"]) == (4, 1, 1)
    assert found["failures"] == [
        {"site": "one", "url": "https://stones.example/0", "error": "took longer than 1 s"}
    ]
    assert (found["learning_seconds"], found["memory_mb"]) == (None, 5)


def test_learning_is_summed_and_of_memory_the_most_is_told():
    results = [
        Result(name, "m", [page(1)], 1.5, memory) for name, memory in (("a", 7_000_000), ("b", 3_000_000))
    ]
    found = summary(results)
    assert (found["learning_seconds"], found["memory_mb"], found["ms_per_page"]) == (3, 7, None)
    assert found["sites"]["b"]["memory_mb"] == 3
