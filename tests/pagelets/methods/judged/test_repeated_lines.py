"""Lines of a template among a page's own texts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.repeated_lines import actions, calls, labels_alone
from pagelets.methods.judged.text import words
from pagelets.reading import read


def seen(html: str, removed: set[str], **support: int) -> KeptPage:
    """A page whose blocks all have some support on their site, but for what is removed all of it kept."""
    page = read(html, "https://a.example/kettle")
    texts = [block.text for block in page.blocks]
    facts = replace(PageFacts.none(1, len(texts)), pages=9)
    for name, value in support.items():
        getattr(facts.blocks, name)[:] = value
    mask = np.array([text not in removed for text in texts])
    return KeptPage(page, Containers.of(page), facts, words(texts), np.full(len(texts), 0.9), mask)


def test_what_readers_may_do_is_marked_where_all_pages_say_it() -> None:
    first = "<li><a href=/review>Be the first to review</a></li>"

    def found(html: str = first, pages: int = 9, placed: int = 9, paths: int = 9) -> list[str]:
        kept = seen(
            f"<h1>Kettle</h1><ul>{html}</ul><p>Of brass.</p>",
            set(),
            pages=pages,
            placed_pages=placed,
            tag_path_pages=paths,
        )
        return [kept.page.blocks[place].text for place in np.flatnonzero(actions(kept)).tolist()]

    assert found() == ["Be the first to review"]
    assert found(pages=4) == found(placed=4, paths=4) == found(paths=12) == []
    for other in (
        first + first.replace("Be", "Or be"),
        first.replace("a href", "b title"),
        first.replace("first", "1st"),
        first.replace("Be the first to review", "Review it"),
        first.replace("<li>", "<li><h2>"),
    ):
        assert found(other) == [], other


def test_lines_to_call_are_marked_where_all_pages_have_the_same() -> None:
    def found(text: str, pages: int = 10, placed: int = 10, paths: int = 10, tag: str = "p") -> bool:
        counts = {"pages": pages, "placed_pages": placed, "tag_path_pages": paths}
        return bool(calls(seen(f"<p>Of brass.</p><{tag}>{text}</{tag}>", set(), **counts))[-1])

    for line in (
        "Tel:13671889020",
        "Call +49 (0)7423 86-54-722",
        "Telefon 042-10 50 001",
        "kettle@a.example",
    ):
        assert found(line), line
        assert not found(line, pages=9)
        assert not found(line, placed=1, paths=1), "the page about contacts"
        assert not found(line, paths=11)
        assert not found(line, tag="h2")
    for line in (
        "2010-2011",
        "Of 1200 ml",
        "12:30 14:30",
        "@kettle",
        "Tel. " * 9 + "0123456",
    ):
        assert not found(line), line


def test_labels_of_what_is_removed_are_marked() -> None:
    def found(removed: set[str], pages: int = 3, html: str = "<p>Follow us:<p>Here<p>Of brass:") -> list[str]:
        kept = seen(f"<h1>Kettle</h1>{html}", removed, pages=pages)
        return [kept.page.blocks[place].text for place in np.flatnonzero(labels_alone(kept)).tolist()]

    assert found({"Here"}) == ["Follow us:", "Of brass:"]
    assert found(set()) == ["Of brass:"]
    assert found({"Here"}, pages=2) == []
    assert found({"Here", "Follow us:", "Of brass:"}) == []
    assert found({"Here"}, html=f"<p>{'Of brass ' * 9}:<p>Here") == []
