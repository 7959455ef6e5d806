from __future__ import annotations

from pagelets.literature.source.regions import AdDANAgMethod, DANAgMethod
from tests.pagelets.literature.source.pages import SENTENCE, subject_of


def test_the_difference_is_smoothed_over_three_lines() -> None:
    """Formula 1: T1 - T2 is 5, -2, 13 and -4."""
    html = "<p>abcdefgh\n<p>a\n<p>abcdefghijklmnop\n<div>a"
    assert DANAgMethod().curve(subject_of(html)).values.tolist() == [3, 16, 7, 9]
    assert DANAgMethod().curve(subject_of(html)).content.all()


def gap_of(lines: int) -> list[bool]:
    html = f"<p>{SENTENCE}</p>{'<br class=empty-line>' * lines}<p>{SENTENCE * 2}</p>"
    return DANAgMethod().judge(subject_of(html)).mask.tolist()


def test_paragraphs_are_no_more_than_twenty_lines_apart() -> None:
    """The smoothing makes a region one line longer at either end."""
    assert gap_of(22) == [True, True]
    assert gap_of(23) == [False, True]


def test_text_between_two_paragraphs_is_content() -> None:
    links = "<ul>" + "<li><a href='/a/long/address'>Link</a></li>" * 5 + "</ul>"
    html = f"{links * 10}<hr><p>{SENTENCE * 3}</p>{links}<p>{SENTENCE * 3}</p><hr>{links * 10}"
    mask = DANAgMethod().judge(subject_of(html)).mask.tolist()
    assert mask == [False] * 50 + [True] * 7 + [False] * 50


def test_much_markup_within_the_text_hides_it() -> None:
    """Why the paper's method fails on Wikipedia (Section 4.3, Figures 5 and 6)."""
    words = " ".join(f"<a href='/wiki/{word}' title='{word}'>{word}</a>" for word in SENTENCE.split())
    html = f"<p>{words}</p>" * 5 + f"<p>{SENTENCE}</p>"
    curve = DANAgMethod(gap=0).curve(subject_of(html))
    assert (curve.values[:4] < 0).all()


def test_links_hide_no_text_once_their_syntax_is_damped() -> None:
    words = " ".join(f"<a href='/wiki/{word}' title='{word}'>{word}</a> said so" for word in SENTENCE.split())
    subject = subject_of(f"<p>{words}</p>" * 3)
    assert (DANAgMethod().curve(subject).values < 0).all()
    assert (AdDANAgMethod().curve(subject).values > 0).all()
