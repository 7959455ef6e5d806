from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.methods.judged.joint import NONE
from pagelets.methods.judged.model.tokens import Tokens
from training.corpus import Corpus, Sample
from training.fit import BESIDE, Rows, folds, kept_text, scored
from training.labels import label
from training.report import Figures, table

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
        np.full((2, len(texts)), NONE),
        np.arange(len(texts), dtype=np.uint32),
        Tokens.none(len(texts)),
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


def test_sites_beside_train_nothing_and_have_a_mean_of_their_own() -> None:
    samples = [sample("one", "a"), sample("two", "b"), sample("wcxb", "c"), sample("three", "d")]
    fold = folds(samples, {"two"})
    assert fold.tolist().count(BESIDE) == 1
    assert fold[1] == BESIDE
    assert fold[[0, 2, 3]].tolist() == folds([samples[0], *samples[2:]]).tolist()
    corpus = Corpus(samples, ["feature"], [], [], [], beside=frozenset({"two"}))
    assert set(Rows(corpus).sample.tolist()) == {0, 2, 3}
    judged = [(each, np.array([each.corpus != "two", False])) for each in samples]
    judged[1][0].gold = "gold"
    figures = Figures.of(scored(judged, []), {"two"})
    assert (figures.sites, figures.worst, figures.beside, figures.singles) == (1, 1, 0, 1)
    assert "| sites beside |" in table({"judged": figures})


def test_pages_that_are_absent_count_as_empty_where_their_corpus_is_measured() -> None:
    good = sample("wcxb", "a"), np.array([True, False])
    scores = scored([good], [("wcxb", "forum", "lost"), ("one", "article", "lost")])
    assert scores["corpora"]["wcxb"].f1 == 0.5
    assert set(scores["corpora"]) == {"wcxb"}
    assert scores["groups"]["forum"].f1 == 0
    assert scores["groups"]["article"].f1 == 1


def test_a_page_is_never_emptied() -> None:
    found = sample("one", "a", ("one", "", "two"))
    assert kept_text(found, np.array([True, True, False])) == "one"
    assert kept_text(found, np.array([False, True, False])).split() == ["one", "two"]
