from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.judging import teaching
from pagelets.judging.page_facts import PageFacts
from pagelets.judging.taught import Taught
from pagelets.judging.teaching import MOST, Candidate, TaughtPage, choose_pages, labels_of, learn
from pagelets.methods.base import Subject, Verdict
from pagelets.partition import partition
from pagelets.reading import read


def page_of(html: str, likely: float, wrong: str) -> TaughtPage:
    """A page whose blocks are all content but for those in an element of a class."""
    page = read(html, "https://example.org/")
    pagelets = partition(page)
    subject, facts = Subject(page, pagelets), PageFacts.none(len(pagelets), len(page.blocks))
    gone = Taught({f".{wrong}": 1.0}).hits(subject.containers, facts, page.blocks)[0]
    words = np.array([len(block.text.split()) for block in page.blocks], float)
    labels = np.where(gone, 0, 1).astype(np.int8)
    return TaughtPage(
        subject.containers, facts, page.blocks, np.full(len(words), likely), words, subject.tag_paths, labels
    )


BODY = "<body><article><h1>Title</h1><p>one two three</p><p>four</p></article>"
RELATED = "<div class='box related n12'><p>five six</p><ul><li>seven<li>eight</ul></div>"


def test_the_plainest_selector_that_explains_the_corrections_is_learned() -> None:
    weights = learn([page_of(BODY + RELATED, 0.95, "related")])
    assert list(weights) == [".box"]
    assert weights[".box"] < -2.5
    for likely in (0.95, 0.6):
        assert learn([page_of(BODY + RELATED, likely, "absent")]) == {}, "nothing was corrected"
    assert learn([]) == {}
    empty = page_of("", 0.5, "x")
    assert learn([empty]) == {}


def test_one_block_that_is_corrected_on_one_page_is_followed() -> None:
    text = f"<p>{'one two three ' * 12}</p>" * 12
    for html in (f"<body>{text}<footer><i>five six</i></footer>", f"<body><h1>five six</h1>{text}"):
        page = page_of(html, 0.99, "absent")
        place = next(place for place, block in enumerate(page.blocks) if block.text == "five six")
        page.labels[place] = 0
        taught = Taught(learn([page]))
        then = taught.likely(page.likely, taught.hits(page.containers, page.evidence, page.blocks))
        assert np.flatnonzero(then < 0.45).tolist() == [place]
    page.labels[:] = 1
    page.labels[3] = 0
    assert learn([page]) == {}, "what is said of one of many alike counts once"


@pytest.mark.parametrize("likely", [0.95, 0.05])
def test_a_short_line_among_paragraphs_is_followed_where_the_site_repeats_it(likely: float) -> None:
    text = f"<p>{'one two three ' * 12}</p>" * 12
    page = page_of(f"<body>{text}<p>by nobody</p>", 0.95, "absent")
    page.evidence.pages, page.evidence.blocks.shares[-1] = 20, 0.7
    page.likely[-1], page.labels[-1] = likely, likely < 0.5
    taught = Taught(learn([page]))
    then = taught.likely(page.likely, taught.hits(page.containers, page.evidence, page.blocks))
    assert (then >= 0.5).tolist() == [True] * 12 + [likely < 0.5]


def test_of_pages_with_many_blocks_and_classes_few_selectors_are_tried(monkeypatch) -> None:
    names = [f"x{a}{b}" for a in "abcdefghij" for b in "abcdefghij"]
    html = "".join(f"<div class='{name} box'><p>{name}</p></div>" for name in names)
    page = page_of(html, 0.95, "xgh")
    for most in (1000, 12):
        monkeypatch.setattr(teaching, "MOST_MATCHED", most * len(page.blocks))
        assert ".xgh" in learn([page]), "those of what was judged wrong come first"
    monkeypatch.setattr(teaching, "MOST_MATCHED", 0)
    assert learn([page]) == {}


def test_names_with_digits_are_not_learned() -> None:
    html = BODY + "".join(
        f"<div class=item-{place} id=n{place}><b>gone {place}</b></div>" for place in range(5)
    )
    page = page_of(html, 0.9, "absent")
    page.labels[3:] = 0
    assert list(learn([page])) == ["body > div"]


def test_lines_that_begin_alike_on_two_pages_are_learned() -> None:
    def message(number: int) -> TaughtPage:
        lines = [
            f"From: {number} a",
            f"Next by date: b {number}",
            f"Subject: c {number}",
            f"Once {number}: d",
        ]
        page = page_of("".join(f"<ul><li>{line}</ul>" for line in lines), 0.7, "absent")
        page.labels[1] = 0
        return page

    learned = 'body > ul > li @"Next by date:"'
    assert learned not in learn([message(1)])
    weights = learn([message(1), message(2)])
    assert min(weights, key=weights.__getitem__) == learned
    assert not [name for name in weights if "Once" in name]


def test_what_no_corrected_page_shows_stays() -> None:
    corrected = page_of(f"<body><div class=wide><p class=note>{'one two ' * 9}</p></div>", 0.9, "wide")
    assert list(learn([corrected])) == [".note"]
    corrected = page_of(f"<body><div class=wide><div>{'one two ' * 9}</div></div>", 0.9, "wide")
    assert list(learn([corrected])) == [".wide"]
    other = page_of(f"<body><div class=wide><article>{'three four ' * 9}</article></div>", 0.9, "absent")
    assert list(learn([corrected], [other])) == ["body > div.wide > div"]
    alike = page_of(f"<body><div class=wide><div>{'three four ' * 9}</div></div>", 0.9, "absent")
    assert learn([corrected], [alike]) == learn([corrected])


def test_a_step_that_decides_against_the_model_is_as_sure_as_may_be() -> None:
    page = read("<p>a<p>b<p>c<p>d", "https://example.org/")
    verdict = Verdict(np.array([False, True, True, False]), np.array([0.8, 0.2, 0.9, 0.1]), list)
    seen = TaughtPage.of(Subject(page, partition(page), PageFacts.none(1, 4)), verdict)
    assert seen.likely.tolist() == [0, 1, 0.9, 0.1]
    assert seen.labels.tolist() == [0, 1, 1, 0]
    corrected = TaughtPage.of(Subject(page, partition(page), PageFacts.none(1, 4)), verdict, [0, -1, 0, 1])
    assert corrected.likely.tolist() == [0, 1, 0.9, 0]


pages = st.lists(
    st.tuples(
        st.lists(
            st.sampled_from(["<p>a b</p>", "<p class=x>c d e</p>", RELATED, "<h2 id=y>f</h2>"]), max_size=6
        ),
        st.sampled_from([0.05, 0.5, 0.9]),
        st.sampled_from(["x", "related", "absent"]),
    ),
    max_size=4,
)


@given(pages, st.randoms())
@settings(max_examples=40)
def test_the_order_of_pages_makes_no_difference(given_pages: list, random) -> None:
    rows = [page_of("".join(parts), likely, wrong) for parts, likely, wrong in given_pages]
    rows, others = rows[::2], rows[1::2]
    weights = learn(rows, others)
    random.shuffle(rows)
    random.shuffle(others)
    assert learn(rows, others) == weights
    assert len(weights) <= MOST
    Taught(weights)


def test_the_pages_that_tell_most_are_chosen_and_differ() -> None:
    sure, doubt = Candidate("a", [1], [50], [0.99]), Candidate("b", [2], [50], [0.5])
    same, other = Candidate("c", [2], [50], [0.5]), Candidate("d", [3], [50], [0.55])
    rows = [same, sure, doubt, other]
    assert choose_pages(rows, 2) == ["b", "d"]
    assert choose_pages(rows, 9) == ["b", "d", "c", "a"]
    assert choose_pages([same, sure, other], 1, [doubt]) == ["d"]
    assert choose_pages([], 3) == []


def test_texts_that_stand_twice_are_told_apart_by_their_order() -> None:
    lesson = [("same", True), ("same", False), ("gone", True)]
    assert labels_of(["same", "new", "same", "same"], lesson).tolist() == [1, -1, 0, -1]
