"""Kinds of blocks, such as comments, are kept or dropped as asked, whatever the method says."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import pagelets
from pagelets.judging.by_url import KINDS

NAMES = ("Bread", "Cheese", "Wine", "Oil")
URL = "https://a.example/food/"
TEXT = "The dough of {0} rests for a night in a cool room, and is baked before the town wakes up. "
LINES = {
    "bylines": "By Ann Smith",
    "comments": "I tried {0} twice, and my family liked how it came out.",
    "reviews": "Whoever bought {0} from here will come back for more.",
    "related": "All about {1}",
}
PAGE = """<title>All about {0}</title><h1>All about {0}</h1><div>By Ann Smith</div><main><p>{2}</main>
<section class=more><p><a href={1}>All about {1}</a><p><a href={3}>All about {3}</a></section>
<ol class=reviews><li><i>4 stars</i><p>Whoever bought {0} from here will come back for more.</ol>
<section id=comments><p>I tried {0} twice, and my family liked how it came out.<p>Answer
<form><p>Leave a word on {0}<input name=word></form></section>"""


def texts(page: str = PAGE, long: int = 7, **arguments: Any) -> dict[str, str]:
    """The texts of a site of four short articles, by their names."""
    with pagelets.Site(**arguments) as site:
        for name, other, third in zip(NAMES, NAMES[1:] + NAMES[:1], NAMES[2:] + NAMES[:2], strict=True):
            text = TEXT.format(name) + "Salt, time and heat. " * long
            site.add(URL + name, page.format(name, other, text, third))
        documents = site.documents(["url", "text"])
        return {document["url"].removeprefix(URL): document["text"] for document in documents}


@cache
def of_the_method(name: str) -> dict[str, str]:
    """The texts where nothing is said of kinds."""
    return texts(method=name)


def having(kind: str, found: dict[str, str]) -> list[bool]:
    others = dict(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True))
    return [LINES[kind].format(name, others[name]) in text for name, text in found.items()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["judged", "all-text"])
def test_a_kind_is_kept_or_dropped_whatever_the_method_says(method: str, kind: str) -> None:
    dropped = texts(method=method, **{kind: "drop"})
    assert having(kind, dropped) == [False] * 4
    assert having(kind, texts(method=method, **{kind: "keep"})) == [True] * 4
    for other in KINDS.keys() - {kind} if method == "all-text" else ():
        assert having(other, dropped) == [True] * 4
    assert of_the_method(method) == texts(method=method, **{kind: "auto"})


@pytest.mark.parametrize("kind", KINDS)
def test_selectors_taught_weights_and_overrides_by_url_win(kind: str) -> None:
    own = [{"type": "ends", "pattern": "/Oil", kind: "keep"}]
    assert having(kind, texts(method="all-text", overrides=own, **{kind: "drop"})) == [False] * 2 + [
        True,
        False,
    ]
    inside = {"bylines": "div", "comments": "#comments", "reviews": ".reviews", "related": ".more"}[kind]
    assert having(kind, texts(method="all-text", keep=inside, **{kind: "drop"})) == [True] * 4
    assert having(kind, texts(method="all-text", drop=inside, **{kind: "keep"})) == [False] * 4
    assert having(kind, texts(taught={inside: 6.0}, **{kind: "drop"})) == [True] * 4
    assert having(kind, texts(taught={inside: -6.0}, **{kind: "keep"})) == [False] * 4


def test_forms_and_what_the_site_repeats_among_comments_stay_with_the_method() -> None:
    kept = texts(method="templates", comments="keep").values()
    assert all("my family liked" in text for text in kept)
    assert not any("Answer" in text.split() for text in kept)
    assert not any("Leave a word" in text for text in texts(comments="keep").values())


def test_comments_of_forums_and_boxes_that_are_called_related_are_dropped_too() -> None:
    forum = PAGE.replace("<h1>", '<div itemscope itemtype="https://schema.org/QAPage"></div><h1>')
    assert having("comments", texts(forum, 90, comments="drop")) == [False] * 4
    named = PAGE.replace("<section class=more>", "<section class='related-posts'><p>New: a guide to {0}")
    assert not any("a guide to" in text for text in texts(named, method="all-text", related="drop").values())


def test_a_first_line_calls_a_box_related_and_it_is_kept_or_dropped() -> None:
    labelled = PAGE.replace("<section class=more>", "<section><h3>You may also like</h3><p>A guide to {0}")
    for method in ("judged", "all-text"):
        for choice in ("keep", "drop"):
            found = texts(labelled, method=method, related=choice).values()
            assert ["A guide to" in text for text in found] == [choice == "keep"] * 4


def test_menus_are_no_related_boxes() -> None:
    menu = "".join(f"<li><a href={URL}p{number}>All about page {number}</a>" for number in range(12))
    with pagelets.Site(method="all-text", related="drop") as site:
        for number in range(12):
            name = f"page {number}"
            head = f"<title>All about {name}</title><h1>All about {name}</h1><p>{TEXT.format(name) * 3}"
            site.add(f"{URL}p{number}", f"{head}<ul>{menu}</ul>")
        assert all(document["text"].count("All about page") >= 12 for document in site.documents(["text"]))


def test_listings_are_no_related_boxes() -> None:
    listing = "<title>Food</title><h1>Food</h1>" + "".join(
        f"<p><a href={name}>All about {name}</a>" for name in NAMES
    )
    with pagelets.Site(method="all-text", related="drop") as site:
        for name in NAMES:
            site.add(
                URL + name, f"<title>All about {name}</title><h1>All about {name}</h1><p>{TEXT.format(name)}"
            )
        site.add(f"{URL}all", listing)
        text = [
            document["text"] for document in site.documents(["url", "text"]) if document["url"] == f"{URL}all"
        ]
    assert all(f"All about {name}" in text[0] for name in NAMES)


@pytest.mark.parametrize("method", ["judged", "all-text"])
def test_a_page_that_is_of_a_kind_alone_is_left_to_the_method(method: str) -> None:
    for kind, page in (
        ("bylines", "<h1></h1><div>By Ann Smith</div>"),
        ("comments", "<p id=comments>By Ann Smith"),
    ):
        with pagelets.Site(method=method, **{kind: "drop"}) as site:  # type: ignore[arg-type]
            site.add(URL, f"<body><i></i>{page}")
            assert [document["text"] for document in site.documents(["text"])] == ["By Ann Smith"]


@pytest.mark.parametrize("kind", KINDS)
def test_another_choice_is_refused(kind: str) -> None:
    for given in ({kind: "never"}, {"overrides": [{"type": "ends", "pattern": "a", kind: 1}]}):
        with pytest.raises(ValueError, match=f"{kind}=.*give keep, drop, auto"):
            pagelets.Site(**given)  # type: ignore[arg-type]
