from __future__ import annotations

import pytest

import pagelets
from pagelets.literature.source.regions import DANAMethod, R2LMethod
from tests.pagelets.literature.source.pages import SENTENCE, subject_of

PERSIAN = "نان را شب گذاشتند تا ور بیاید و هیچ کس به آن دست نزد. "
MENU = "".join(f"<a class='menu-item' href='/section/{n}'>خبر</a>\n" for n in range(25))


def test_r2l_counts_each_line_without_smoothing() -> None:
    curve = R2LMethod().curve(subject_of("<p>نان</p>\n<p>نان نان نان نان نان نان</p>\n<p>bread</p>"))
    assert curve.values.tolist() == [-4, 6, -12]
    assert curve.content.tolist() == [False, True, False]


def test_dana_smooths_as_danag_does() -> None:
    curve = DANAMethod().curve(subject_of("<p>نان</p>\n<p>نان نان نان نان نان نان</p>\n<p>bread</p>"))
    assert curve.values.tolist() == [2, -10, -6]
    assert curve.content.tolist() == [True, False, False]


def test_r2l_loses_the_latin_words_of_the_content_and_dana_does_not() -> None:
    """Section 2.3 of the paper on DANAg."""
    html = f"{MENU}<br>{'<br>' * 3}\n<p>{PERSIAN * 4}</p>\n<p>Sourdough</p>\n<p>{PERSIAN * 4}</p>\n{MENU}"
    for method, kept in ((R2LMethod(), [True, False, True]), (DANAMethod(), [True, True, True])):
        subject = subject_of(html)
        texts = [block.text for block in subject.page.blocks]
        first = texts.index((PERSIAN * 4).strip())
        assert method.judge(subject).mask[first : first + 3].tolist() == kept


def test_nothing_of_a_page_in_ascii_is_content() -> None:
    for method in (R2LMethod(), DANAMethod()):
        assert not method.judge(subject_of(f"<p>{SENTENCE}</p>")).mask.any()


@pytest.mark.parametrize("method", ["r2l", "dana"])
@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "نان را شب گذاشتند تا ور بیاید و هیچ کس به آن دست نزد و صبح در تنور سنگی پختند."),
        ("utf-8", "آٹے کو رات بھر گرم جگہ پر رکھا گیا تاکہ وہ پھول جائے اور صبح تندور میں پکایا گیا۔"),
        ("utf-8", "ډوډۍ یې ټوله شپه په ګرم ځای کې پرېښوده او سهار یې په ډبرین تنور کې پخه کړه."),
        ("windows-1256", "يوضع العجين في مكان دافئ طوال الليل حتى يختمر ثم يخبز في الصباح في فرن من الحجر."),
        ("windows-1255", "את הבצק השאירו לתפוח כל הלילה במקום חם ובבוקר אפו אותו בתנור אבן ליד הבית הישן."),
    ],
    ids=["Persian", "Urdu", "Pashto", "Arabic", "Hebrew"],
)
def test_the_article_of_a_page_stays_and_its_menus_go(method: str, encoding: str, text: str) -> None:
    entry = text.split()[1]
    menu = "".join(f'<li class="item"><a href="/section/{n}">{entry}</a>\n' for n in range(25))
    lines = [f"{text} {text} (Sourdough {n})" for n in range(4)]
    article = "".join(f"<p>{line}</p>\n" for line in lines)
    html = (
        f'<html dir="rtl"><head><meta charset="{encoding}"><title>{entry}</title></head><body>\n'
        f"<ul>{menu}</ul>\n{article}<ul>{menu}</ul>"
    )
    kept = pagelets.extract(html.encode(encoding), method=method, format="text").splitlines()
    assert [line for line in kept if line] == lines
