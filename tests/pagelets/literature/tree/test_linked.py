from __future__ import annotations

import numpy as np
import pytest

from pagelets.containers import Containers
from pagelets.literature.tree.linked import CLUTTER, LINKS, CrunchMethod, LqfMethod, linked_words, scores
from pagelets.methods.base import CONTENT, Subject
from pagelets.reading import read

URL = "https://example.org/"


def subject_of(html: str) -> Subject:
    return Subject(read(html, URL), [])


def kept(method: LqfMethod | CrunchMethod, html: str) -> list[str]:
    subject = subject_of(html)
    mask = method.judge(subject).mask.tolist()
    return [block.text for block, keep in zip(subject.page.blocks, mask, strict=True) if keep]


def test_words_are_counted_of_blocks_and_of_links_in_any_script() -> None:
    page = read(
        "<p>One <a href=/a>two three</a><p>汉字 <a href=/b>汉</a><p><a href=/c><img></a><p><a>no</a>", URL
    )
    counted = linked_words(page, Containers.of(page))
    assert counted.words.tolist() == [3, 3, 0, 1]
    assert counted.linked.tolist() == [2, 1, 0, 0]
    assert counted.of_link.tolist() == [2, 1, 0]
    assert counted.blocks.tolist() == [0, 1, 2]


def test_blocks_in_a_link_stand_in_it() -> None:
    page = read("<a href=/x><p>one two</p>three<p>four</p></a>five<a><p>six</p></a>", URL)
    counted = linked_words(page, Containers.of(page))
    assert [block.text for block in page.blocks] == ["", "one two", "three", "four", "five", "six"]
    # Text between them is in no element of its own.
    assert counted.linked.tolist() == [0, 2, 0, 1, 0, 0]


@pytest.mark.parametrize(
    ("linked", "stays"),
    [("one two three", False), ("one two", True), ("one", True)],
    ids=["6/8", "4/8", "2/8"],
)
def test_the_quota_is_of_all_words_and_has_to_be_exceeded(linked: str, stays: bool) -> None:
    rest = "one two three four"[len(linked) + 1 :]
    item = f"<li><a href=/x>{linked}</a> {rest}</li>"
    html = f"<ul>{item}{item}</ul><p>Text"
    assert ("Text" in kept(LqfMethod(), html)) and (len(kept(LqfMethod(), html)) == 3) is stays


def test_what_goes_inside_counts_no_more_around_it() -> None:
    menu = "<ul>" + "<li><a href=/x>a long name of a page</a></li>" * 9 + "</ul>"
    html = f"<div>{menu}<div><p>Words of the page</p><p>and <a href=/y>a link</a> more</p></div></div>"
    assert kept(LqfMethod(), html) == ["Words of the page", "and a link more"]
    # Nothing but links, in the body itself: it stays.
    assert kept(LqfMethod(), "<body><a href=/x>One</a>") == ["One"]
    assert kept(LqfMethod(quota=0.25), html) == ["Words of the page"]


def test_scores_are_the_ratio_against_what_is_allowed() -> None:
    subject = subject_of("<div><p>a b c <a href=/x>d</a></p><p>e <a href=/x>f g h</a></p></div><p>i")
    verdict = LqfMethod().judge(subject)
    # 2 words allowed of 4 and 1 linked; 2 of 4 and 3; what is left of the div is the first paragraph.
    assert verdict.scores.tolist() == pytest.approx([2 / 3, 2 / 5, 1])
    assert [reason.name for reason in verdict.reasons()] == [CONTENT, LINKS, CONTENT]


def test_only_candidates_go() -> None:
    page = read("<div><p>a</p></div>", URL)
    containers = Containers.of(page)
    for tag, score in (("p", 1 / 3), ("div", 1 / 3), ("span", 1.0)):
        chosen = containers.numbered({tag: 1}) == 1
        assert scores(containers, chosen, np.ones(1), np.ones(1), 0.5).tolist() == [pytest.approx(score)]


def test_a_cell_goes_that_has_many_links_for_its_words() -> None:
    cell = "<td>{words} <a href=/a>link text of any length</a> <a href=/b>x</a></td>"
    few, many = (cell.format(words=" ".join(["word"] * count)) for count in (5, 6))
    for html, stays in ((few, False), (many, True)):
        # 2 links for 5 words are more than 0.35, for 6 words they are not.
        assert bool(kept(CrunchMethod(), f"<table><tr>{html}</table>")) is stays
        assert bool(kept(CrunchMethod(), html.replace("td>", "p>"))) is True
    assert kept(CrunchMethod(cells=("td", "p")), few.replace("td>", "p>")) == []


def test_links_to_advertisers_go_and_count_no_more() -> None:
    ad = "<a href='https://{host}/click'>Buy this now</a>"
    for host, stays in (
        ("ad.doubleclick.net", False), ("doubleclick.net:80", False), ("Taboola.com", False),
        ("doubleclick.net.example.org", True), ("notdoubleclick.net", True),
    ):  # fmt: skip
        assert kept(CrunchMethod(), f"<p>{ad.format(host=host)}<p>Text") == [
            *["Buy this now"] * stays,
            "Text",
        ]
    bought = ad.format(host="doubleclick.net")
    assert kept(CrunchMethod(), f"<div>A word {bought}</div>") == ["A word Buy this now"]
    assert kept(CrunchMethod(ads=("example.com",)), "<p><a href=https://example.com/>Buy") == []


def test_tables_go_that_are_left_empty() -> None:
    links = "<td><a href=/a>One</a></td>" * 3
    html = f"<table><tr>{links}<th><img src=x></th></tr></table><table><tr><td>A word</table>"
    assert kept(CrunchMethod(), html) == ["A word"]
    assert kept(CrunchMethod(least=3), html) == []
    verdict = CrunchMethod().judge(subject_of(html))
    assert [reason.name for reason in verdict.reasons()] == [CLUTTER] * 4 + [CONTENT]
