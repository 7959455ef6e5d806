"""Agreement of texts, and its figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold import GoldPage
from evaluation.scoring import Result, Score, ScoredPage, mean, score, summary, words

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "Ünï", "1_2", ",", "\n", "\0", "石"])).map(" ".join)


def test_repetition_counts_and_order_does_not():
    found = score("the stone The stone sea", "Sea, stone; the hill")
    assert found.precision == pytest.approx(3 / 5)
    assert found.recall == pytest.approx(3 / 4)
    assert found.f1 == pytest.approx(2 * 0.6 * 0.75 / 1.35)


@pytest.mark.parametrize(
    ("text", "reference", "agreement"),
    [
        ("", "", 1),
        ("", "...", 1),
        ("stone", "", 0),
        ("", "stone", 0),
        ("stone", "sea", 0),
        ("Stone!", "stone", 1),
    ],
)
def test_texts_without_common_or_any_words(text, reference, agreement):
    assert score(text, reference) == Score(agreement, agreement, agreement)


def test_words_are_runs_of_word_characters_in_lower_case():
    assert words("Don't re_use ŠKODA 12,5") == {"don": 1, "t": 1, "re_use": 1, "škoda": 1, "12": 1, "5": 1}


@given(TEXTS, TEXTS)
def test_measures_lie_between_nothing_and_all(text, reference):
    found = score(text, reference)
    assert all(0 <= value <= 1 for value in found)
    assert min(found.precision, found.recall) <= found.f1 + 1e-12
    assert found.f1 <= max(found.precision, found.recall) + 1e-12


@given(TEXTS, TEXTS)
def test_precision_and_recall_change_places_with_the_texts(text, reference):
    one, other = score(text, reference), score(reference, text)
    assert one == Score(other.f1, other.recall, other.precision)


@given(TEXTS)
def test_a_text_agrees_with_itself_wholly(text):
    assert score(text, text) == Score(1, 1, 1)


def test_a_mean_is_taken_of_each_measure():
    assert mean([Score(1, 0.5, 0), Score(0, 0.5, 1)]) == Score(0.5, 0.5, 0.5)


def test_there_is_no_mean_of_nothing():
    with pytest.raises(ValueError, match="no scores"):
        mean([])


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
