"""Comments of readers below an article are marked where the site is known; those of a forum are content."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import pagelets
from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.comments import comments
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.text import spoken_words
from pagelets.reading import read

TEXT = "The dough rests for a night in a cool room and is baked in the morning. "
COMMENT = "I tried it twice, with rye, and my whole family liked how it came out."
FORUM = '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>'
QUESTION = '<div itemscope itemtype="https://schema.org/QAPage">'


def marked(
    attributes: str, before: str = TEXT * 9, head: str = "", path: str = "a/b", pages: int = 9,
    title: str = "Bread", shared: int = 3,
) -> set[str]:  # fmt: skip
    page = read(
        f"<title>{title}</title>{head}<h1>{title}</h1><p>{before}"
        f"<div {attributes}><p>{COMMENT}</div><p>Footer",
        f"https://a.example/{path}",
    )
    texts = [block.text for block in page.blocks]
    evidence = replace(PageFacts.none(1, len(texts)), pages=pages)
    evidence.blocks.pages[:] = shared
    everything = np.ones(len(texts))
    mask = comments(
        KeptPage(
            page, Containers.of(page), evidence, spoken_words(texts), everything, everything.astype(bool)
        )
    )
    return {text for text, gone in zip(texts, mask, strict=True) if gone}


def test_comments_are_marked_by_their_names() -> None:
    for attributes in (
        'class="comments"',
        'id="comment-list"',
        'class="box Kommentare"',
        'class="commentlist x"',
        'class="comments-body"',
        'class="trackback"',
    ):
        assert marked(attributes) == {COMMENT}, attributes
    for short in ("Bread in the evening is better than none.", "晚上的面包总比没有好，早上更好吃。"):
        assert marked('id="comments"', before=short) == {COMMENT}
    for attributes in ('class="commented-code"', 'class="no-comment-here"', 'title="comments"'):
        assert marked(attributes) == set(), attributes


def test_a_few_words_may_stand_before_the_headline() -> None:
    some, many = (f"<p>{'Baked on a Monday in May by us. ' * times}" for times in (2, 6))
    assert marked("id=comments", head=some) == {COMMENT}
    assert marked("id=comments", head=many) == set()


def test_what_may_be_content_is_not_marked() -> None:
    name = 'class="comments"'
    assert marked(name, before="Short.") == set()
    # Of a thread the headline alone stands above the posts.
    assert marked(name, before="", title="How bread rises in a cool room over one night") == set()
    assert marked(name, head=FORUM) == marked(name, head=QUESTION) == set()
    assert marked(name, path="") == marked(name, pages=1) == set()


def test_a_page_without_a_headline_has_more_of_its_own_above_its_comments() -> None:
    for before, gone in ((TEXT, set()), (TEXT * 9, {COMMENT})):
        assert marked("class=comments", before=before, title="") == gone, before


def test_what_stands_beside_the_form_for_a_comment_is_marked() -> None:
    page = "class=card><form><label>You</label>{}</form><p"
    for field in ("name=comment", 'placeholder="Leave a comment!"', "id=kommentar", "aria-label=コメント"):
        assert marked(page.format(f"<textarea {field}></textarea>")) == {"You", COMMENT}, field
    for other in (
        "<textarea name=message></textarea>",
        "<input name=comment>",
        "<select><option>Tea</select><textarea name=comment></textarea>",
    ):
        assert marked(page.format(other)) == set(), other
    field = page.format("<textarea name=comment></textarea>")
    assert (
        marked(field, head=FORUM) == marked(field, path="ticket/1") == marked(field, before="Short.") == set()
    )
    assert marked(field, shared=2) == set()
    dated = "class=card><form><textarea name=comment></textarea></form><p>Updated: 2020-01-13</p></div>"
    assert marked(dated + "<div") == set()
    # The rest of an article, and entries with a form each.
    assert marked(f"class=text><p>{TEXT}</p>{field[11:-2]}</div><p") == set()
    several = f"><p>{TEXT}</p><form><textarea name=comment></textarea></form>" * 2
    assert marked(f"class=list{several}<p") == set()


def test_comments_of_a_ticket_are_not_marked() -> None:
    name = "class=comments"
    for path in ("trac/ticket/12", "group/project/issues/7?x=1", "browse/BREAD-3", "show_bug.cgi?id=5"):
        assert marked(name, path=path) == set(), path
    for path in ("issues/12/bread", "tickets/bread-2", "browse/bread-3"):
        assert marked(name, path=path) == {COMMENT}, path


def test_comments_are_left_out_of_documents() -> None:
    page = "<title>{0}</title><article><h1>{0}</h1><p>{1}</article><div class=comments><p>{2} {0}</div>"
    with pagelets.Site() as site:
        for name in ("Bread", "Cheese", "Wine", "Oil"):
            site.add(f"https://a.example/food/{name}", page.format(name, TEXT * 9 + name, COMMENT * 2))
        texts = [document["text"] for document in site.documents(["text"])]
    assert all("The dough rests" in text and "my whole family" not in text for text in texts)
