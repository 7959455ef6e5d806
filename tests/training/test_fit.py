from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

try:
    from training.fit import folds, scored, text_of
except OSError as error:
    pytest.skip(f"lightgbm needs the Debian package libgomp1: {error}", allow_module_level=True)

from training.corpus import Sample
from training.labels import label

NAMES = st.sampled_from("a b c d e f g h i j".split())


def sample(corpus: str, host: str, texts: tuple[str, ...] = ("text", ""), gold: str = "text") -> Sample:
    return Sample(
        corpus,
        f"https://{host}.example/page",
        "article",
        gold,
        list(texts),
        label(texts, gold),
        np.zeros((len(texts), 1), np.float32),
        np.zeros(len(texts), bool),
    )


@given(st.lists(st.tuples(st.sampled_from(["wcxb", "one", "two", "three"]), NAMES), min_size=1, max_size=40))
def test_folds_part_no_site_and_no_host(pages: list[tuple[str, str]]) -> None:
    samples = [sample(corpus, host) for corpus, host in pages]
    fold = folds(samples)
    for kind in ("single", "site"):
        of_domain: dict[str, set[int]] = {}
        for found, number in zip(samples, fold.tolist(), strict=True):
            if (found.corpus == "wcxb") == (kind == "single"):
                of_domain.setdefault(found.domain, set()).add(number)
        assert all(len(numbers) == 1 for numbers in of_domain.values())
    assert fold.tolist() == folds(samples).tolist()


def test_pages_that_are_absent_count_as_empty_where_their_corpus_is_measured() -> None:
    good = sample("wcxb", "a"), np.array([True, False])
    scores = scored([good], [("wcxb", "forum", "lost"), ("one", "article", "lost")])
    assert scores["corpora"]["wcxb"].f1 == 0.5
    assert set(scores["corpora"]) == {"wcxb"}
    assert scores["groups"]["forum"].f1 == 0
    assert scores["groups"]["article"].f1 == 1


def test_a_page_is_never_emptied() -> None:
    found = sample("one", "a", ("one", "", "two"))
    assert text_of(found, np.array([True, True, False])) == "one"
    assert text_of(found, np.array([False, True, False])).split() == ["one", "two"]
