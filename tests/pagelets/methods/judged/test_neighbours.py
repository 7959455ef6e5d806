"""Boxes and lines that lead to the page before or after."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.neighbours import neighbours
from pagelets.methods.judged.text import words as count_words
from pagelets.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

TEXT = f"<h1>A kettle</h1><p>{'It boils water for tea and for soup. ' * 8}</p>"
LABELS = """Previous post|Next article:|« Older entries|Prev post|Post navigation|Vorheriger Beitrag|
Nächster Artikel|Beitragsnavigation|Article suivant|Navigation de l’article|Entrada anterior|Próximo post|
Articolo precedente|Volgend bericht|Nästa inlägg|Poprzedni wpis|Další článek|Следующая запись|Önceki yazı|
Artikel selanjutnya|Bài viết trước|Következő bejegyzés|Следваща статия|Επόμενο άρθρο|הפוסט הבא|
المقال السابق|مطلب قبلی|अगला लेख|上一篇|下一篇文章|Prev by Date|Next message:|
前の記事|次の投稿|이전 글|다음글"""


def removed(
    html: str, step: Callable[[KeptPage], NDArray[np.bool_]] = neighbours, pages: int = 0
) -> list[str]:
    """The texts that a step removes of a page of a site of so many ``pages``."""
    page = read(html, "https://a.example/271")
    words, every = count_words([block.text for block in page.blocks]), np.ones(len(page.blocks), bool)
    facts = replace(PageFacts.none(1, len(page.blocks)), pages=pages)
    gone = step(KeptPage(page, Containers.of(page), facts, words, every * 0.9, every))
    return [block.text for block, boxed in zip(page.blocks, gone, strict=True) if boxed and block.text]


def test_a_box_below_the_text_goes_with_the_title_and_the_beginning_of_the_other_page() -> None:
    for label in (label.strip() for label in LABELS.split("|")):
        card = f"<nav><a href=/pot><div>{label}</div><div>Pots</div><div>They are of brass.</div></a></nav>"
        assert removed(TEXT + card) == [label, "Pots", "They are of brass."], label
        assert removed(card + TEXT) == [], label


def test_a_box_of_links_may_be_called_so_by_its_name() -> None:
    card = "<div class={}><a href=/pot><div>前へ</div><div>Pots</div><div>They are of brass.</div></a></div>"
    for name in ("post-navigation", "entry-pagination", "prev-post", "nav-previous", "td-pagination"):
        assert len(removed(TEXT + card.format(name))) == 3, name
        assert removed(TEXT + card.format(name).replace("<a href=/pot>", "<a href=/pot></a>")) == [], name
    for name in ("preview", "navy", "with-ajax-pagination", "next"):
        assert removed(TEXT + card.format(name)) == [], name


def test_a_line_goes_whether_its_label_is_a_part_of_its_link_or_not() -> None:
    for line in (
        "上一篇：<a href=/p>茶壶的故事</a>",
        "<a href=/p>前の記事 鍋</a>",
        "<a href=/p>Next post: Pots</a>",
    ):
        assert len(removed(f"{TEXT}<p>{line}</p><p>Brass is heavy.</p>")) == 1, line


def test_other_boxes_and_lines_stay() -> None:
    for html in (
        "<div><a href=/2>Next</a><p>Pots of brass</p></div>",
        "<p><a href=/p>Next steps: buy a pot</a></p>",
        "<p>Next post: it will be about pots.</p>",
        "<section><h2>Previous post</h2><p>In it we have seen that pots of brass are heavy.</p></section>",
        f"<ul><li>Older posts</li>{''.join(f'<li><a href=/{n}>Pot {n}</a></li>' for n in range(20))}</ul>",
    ):
        assert removed(TEXT + html) == [], html


def test_a_page_of_little_else_stays_whole() -> None:
    assert removed("<h1>A kettle</h1><p>Of brass.</p><nav>上一篇：<a href=/p>茶壶的故事</a></nav>") == []
