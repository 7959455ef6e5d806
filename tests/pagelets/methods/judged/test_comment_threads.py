"""Comments below a line that calls them so are marked, whatever their elements are called."""

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

PARAGRAPH = "The dough rests for a night in a cool room and is baked in the morning, when all are asleep. "
TEXT = PARAGRAPH * 3
COMMENT = "I tried it twice, with rye, and my whole family liked how it came out."
ENTRY = f"<li><b>Ann</b> <time>3 May</time><p>{COMMENT}</li>"
FORM = "<form><textarea name=comment></textarea><button>Send it</button></form>"


def marked(
    below: str, before: str = TEXT, more: str = TEXT, path: str = "food/bread", label_pages: int = 5
) -> bool:
    page = read(
        f"<title>Rye bread</title><h1>Rye bread</h1><div><p>{before}</p><p>{more}</p>{below}</div><p>Footer",
        f"https://a.example/{path}",
    )
    texts = [block.text for block in page.blocks]
    evidence = replace(PageFacts.none(1, len(texts)), pages=9)
    evidence.blocks.pages[:] = evidence.blocks.placed_pages[:] = label_pages
    everything = np.ones(len(texts))
    mask = comments(
        KeptPage(
            page, Containers.of(page), evidence, spoken_words(texts), everything, everything.astype(bool)
        )
    )
    gone = [text for text, one in zip(texts, mask, strict=True) if one]
    assert not {"Rye bread", before.strip(), more.strip(), "Footer"}.intersection(gone)
    return COMMENT in gone


def test_comments_are_below_a_line_that_calls_them_so() -> None:
    for line in (
        "3 comments", "Comments (3)", "1 Comment", "12 Leserkommentare", "2 commentaires", "Comentarios (1)",
        "3 komentarze", "Комментарии: 4", "3 reacties", "4 yorum", "评论 (3)", "3条评论", "3件のコメント",
        "댓글 2", "3 thoughts on “Rye bread”", "2 Antworten auf „Rye bread“",
        "Un commentaire sur « Rye bread »",
    ):  # fmt: skip
        assert marked(f"<section><h3>{line}</h3><ol>{ENTRY}</ol></section>"), line
    for line in ("Comments", "3 commentators", "Commentary", "3 tips", "Ingredients", "2 replies"):
        assert not marked(f"<section><h3>{line}</h3><ol>{ENTRY}</ol></section>"), line
    assert marked(f"<section><h3>Comments</h3><ol>{ENTRY}</ol>{FORM}<p>Sent</p></section>")


def test_a_thread_stands_beside_its_line_or_with_it() -> None:
    for thread in (
        f"<h3>3 comments</h3><ol>{ENTRY}</ol>",
        f"<p>3 comments</p><p><b>Ann</b>, 3 days ago</p><p>{COMMENT}</p>",
        f"<div><div><h3>2 comments</h3><a href=/feed>Feed</a></div><dl><dt>Ann, 2024-05-03<dd>{COMMENT}</dl>",
        f"<div><p>Comments</p>{FORM}<p>{COMMENT}</p>{FORM.replace('comment', 'x')}</div>",
    ):
        assert marked(thread), thread
    answers = (
        f"<h3>1 comment</h3><p>Ann, 2024-05-03</p><p>{PARAGRAPH}</p><{{0}}>2 answers</{{0}}><p>{COMMENT}</p>"
    )
    assert marked(answers.format("h4"))
    assert not marked(answers.format("h3"))
    assert not marked(answers.format("h2"))


def test_what_may_be_content_stays() -> None:
    thread = f"<h3>3 comments</h3><ol>{ENTRY}</ol>"
    assert not marked(thread, label_pages=2)
    assert not marked(f"<h3>3 comments</h3><p>{COMMENT}</p><p>Since a long time</p>")
    # Of a forum and a book of guests the posts are the most; each entry of a list has such a line.
    assert not marked(thread, before="Short.", more=TEXT)
    assert not marked(thread, more="Short.")
    assert not marked(f"<h3>3 comments</h3><ol>{ENTRY * 8}</ol>")
    assert not marked(thread * 2)
    assert not marked(f"<h3><a href=/b>3 comments</a></h3><ol>{ENTRY}</ol>")
    assert not marked(thread, path="issues/3")


def test_a_line_of_a_stranger_is_read_once() -> None:
    for line in (f"1 comment{',' * 50_000}x", f"{'1,' * 50_000}x", f"3 comments{'1.' * 50_000}x"):
        assert not marked(f"<section><h3>{line}</h3><ol>{ENTRY}</ol></section>")


def test_sites_without_names_lose_their_comments() -> None:
    page = "<title>{0} - The Post</title><a href=/>The Post</a><h1>{0}</h1><div><p>{1}<p>{1} {0}</p>{2}</div>"
    with pagelets.Site() as site:
        for number, name in enumerate(("Bread", "Cheese", "Wine", "Oil", "Salt", "Herbs")):
            thread = f"<h4>{number} comments</h4>" + number * ENTRY.replace("rye", name)
            site.add(f"https://a.example/food/{name}", page.format(name, TEXT, thread))
        texts = [document["text"] for document in site.documents(["text"])]
    assert all("The dough rests" in text and "my whole family" not in text for text in texts)
