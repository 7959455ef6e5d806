from pagelets.render.outline import MAX_HEADING
from tests.pagelets.render.rendered import render, sections


def paths(source, removed=()):
    return [(section["heading"], section["text"]) for section in render(sections, source, removed)]


def test_cut_at_headings_with_the_path_above():
    source = "start<h1>A</h1>a<p>a2<h2>B</h2>b<h3>C</h3>c<h2>D</h2>d<h1>E</h1>e"
    assert paths(source) == [
        ([], "start"),
        (["A"], "a\n\na2"),
        (["A", "B"], "b"),
        (["A", "B", "C"], "c"),
        (["A", "D"], "d"),
        (["E"], "e"),
    ]


def test_levels_may_be_left_out():
    assert paths("<h3>A</h3>a<h6>B</h6>b<h4>C</h4>c<h2>D</h2>d") == [
        (["A"], "a"),
        (["A", "B"], "b"),
        (["A", "C"], "c"),
        (["D"], "d"),
    ]


def test_a_heading_without_text_is_told_once():
    assert paths("<h1>A</h1><h2>B</h2>b<h2>C</h2><h2>D</h2><h1>E</h1>") == [
        (["A", "B"], "b"),
        (["A", "C"], ""),
        (["A", "D"], ""),
        (["E"], ""),
    ]


def test_removed_headings_are_in_no_path():
    assert paths("<h1>A</h1>a<h2>B</h2>b", removed={"A"}) == [([], "a"), (["B"], "b")]


def test_a_heading_of_several_blocks_and_lines_is_one():
    assert paths("<h1>A<div>B<br>C</div></h1>a") == [(["A B C"], "a")]


def test_headings_count_wherever_they_stand():
    assert paths("<ul><li><h2>A</h2>a<li><h2>B</h2>b</ul>") == [(["A"], "a"), (["B"], "b")]


def test_a_heading_too_long_for_a_path_is_text():
    long = "x" * (MAX_HEADING + 1)
    assert paths(f"<h1>A</h1><h2>{long}</h2>a") == [(["A"], f"{long}\n\na")]


def test_pictures_have_no_text():
    assert paths("<h1><img src=x></h1><p><img src=y>") == []
