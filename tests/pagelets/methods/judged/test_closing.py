"""Lines that close a site's articles are removed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import pagelets
from pagelets.containers import Containers
from pagelets.judging.page_facts import BlockSupport, PageFacts
from pagelets.methods.judged.closing import addressed, closing
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.text import words
from pagelets.reading import read

LINE = "If you have read so far, you may want to write to us."


def marked(
    texts: list[str], *, share: float = 0.6, pages: int = 30, own: float = 0.7, rule: Any = closing,
    tag: str = "p", line: str = LINE,
) -> list[str]:  # fmt: skip
    html = "".join(f"<{tag}>{text}</{tag}>" for text in texts)
    page = read(f"<title>Bread</title>{html}", "https://a.example/")
    support = BlockSupport.none(len(texts))
    repeated = np.array([text == line for text in texts])
    support.placed_shares[repeated], support.placed_pages[repeated] = share, pages
    support.shares[[text == LINE for text in texts]] = share
    support.tag_path_singletons[:] = own
    facts = PageFacts((), (), (), support, [False] * len(texts), pages=50)
    every = np.ones(len(texts), bool)
    found = rule(KeptPage(page, Containers.of(page), facts, words(texts), every * 0.9, every))
    return [text for text, marks in zip(texts, found, strict=True) if marks]


def test_a_repeated_line_among_paragraphs_is_marked_at_the_end_alone() -> None:
    assert marked(["Bread rises.", LINE]) == marked(["Bread rises.", LINE, "By Ada", "2020"]) == [LINE]
    assert marked([LINE, "Bread rises.", "Again.", "And again."]) == []


def test_other_lines_are_not() -> None:
    assert marked(["Bread rises.", LINE], share=0.2) == []  # on few of the site's pages
    assert marked(["Bread rises.", LINE], pages=5) == []
    assert marked(["Bread rises.", LINE], own=0.1) == []  # a place of repeated texts, as of a form
    assert marked(["Bread rises.", "Licence: free"]) == []
    assert marked(["Bread rises.", LINE], tag="pre") == marked(["Bread rises.", LINE], tag="th") == []


def test_dates_and_prices_of_the_page_are_none() -> None:
    for line in ("Published: 2019-12-20 Updated: 2020-01-13", "Salary: Rs.35,000.00 - Rs.45,000.00"):
        assert marked(["Bread rises.", line], line=line) == [], line
    numbered = "You are reader number 17 of this page."
    assert marked(["Bread rises over a long and cool night.", numbered], line=numbered) == [numbered]


def test_lines_that_differ_in_numbers_stay_where_they_are_most_of_the_page() -> None:
    rules = {
        "counter": "Of grain {0} there is something to be said.",
        "closing line": "Of grain {0} there is so much to be said here, before sack {0} goes to the mill, "
        "that no baker of bread {0} would ever have the time to read it.",
        "values": "<table><tr><th>Kind<td>grain G-{0}<tr><th>Weight<td>{0} kg<tr><th>Sack<td>S-{0}</table>",
        "three": "<p>".join(f"Line {n} of grain {{0}} is here for whoever bakes it." for n in range(3)),
    }  # fmt: skip
    for rule, text in rules.items():
        with pagelets.Site() as site:
            for number in range(30):
                html = (
                    f"<title>Grain {number}</title><nav><a href=/>Mill</a> <a href=/a>About</a></nav>"
                    f"<main><h1>Grain {number}</h1><p>{text.format(number)}</main>"
                    f"<footer><p>The mill by the river.<p>{number + 7} views</footer>"
                )
                site.add(f"https://a.example/{number}", html)
            for document in site.documents(["url", "text"]):
                number = document["url"].rpartition("/")[2]
                kept = re.sub("<[^>]*>", " ", text.format(number)).split()
                assert set(kept) <= set(document["text"].split()), rule
                assert "river" not in document["text"], rule
                assert "views" not in document["text"], rule


def test_the_line_of_the_last_change_with_the_page_s_title_is_marked() -> None:
    own = "<p>It is baked in the morning, and sold at noon.</p>"

    def found(line: str, share: float = 0.6, pages: int = 30) -> list[str]:
        page = read(f"<title>Bread - Mill</title>{own}{line}", "https://a.example/")
        texts = [block.text for block in page.blocks]
        support, every = BlockSupport.none(len(texts)), np.ones(len(texts), bool)
        support.tag_path_shares[:], support.tag_path_pages[:] = share, pages
        facts = PageFacts((), (), (), support, [False] * len(texts), pages=50, affixes=frozenset({"Mill"}))
        marks = closing(KeptPage(page, Containers.of(page), facts, words(texts), every * 0.9, every))
        return [text for text, mark in zip(texts, marks, strict=True) if mark]

    edited = "Bread (last edited 2009-08-15 23:47 by localhost)"
    assert found(f"<div>{edited}</div>") == [edited]
    assert found(f"<div>{edited}</div>", share=0.1) == found(f"<div>{edited}</div>", pages=9) == []
    # It is the only line at its place.
    assert found(f"<p>{edited}</p>") == []
    for line in (edited.replace("-08-15", ""), edited.replace("Bread", "Rye"), "Bread of 2009-08-15"):
        assert found(f"<div>{line}</div>") == [], line


def test_no_article_of_a_site_has_a_sentence_with_the_title_filled_in() -> None:
    names = "rye wheat oats millet maize spelt emmer barley teff rice durum sorghum".split()
    line = "<p>Was there enough on Bread of {0}? Then tell your friends of it."
    own = (
        "<p>Of {0} there is much to be said: {0} is ground at the mill by the river, and {1} is not.",
        "<p>Bakers of {0} rise at three, and go home when all of the {1} is sold.",
    )
    for inside in ((own[0], line, own[1], ""), (*own, line, ""), (*own, "", line)):
        with pagelets.Site() as site:
            for number, name in enumerate(names):
                *article, behind = (part.format(name, names[number - 1]) for part in inside)
                site.add(
                    f"https://a.example/{name}",
                    f"<title>Bread of {name}</title><nav><a href=/>Mill</a></nav><article>"
                    f"<h1>Bread of {name}</h1>{''.join(article)}</article>{behind}<footer>The mill.</footer>",
                )
            texts = [document["text"] for document in site.documents(["text"])]
        assert not any("friends" in text for text in texts)
        assert all("at three" in text and "ground" in text for text in texts)


def test_no_article_of_a_site_ends_with_it() -> None:
    with pagelets.Site() as site:
        for name in "rye wheat oats millet maize spelt emmer barley teff rice durum sorghum".split():
            own = f"Of {name} there is much to be said: {name} is ground at the mill by the river, and "
            site.add(
                f"https://a.example/{name}",
                f"<title>{name}</title><article><h1>On {name}</h1><p>{own * 5}<p>{own[::-1] * 5}<p>{LINE}"
                "</article>",
            )
        documents = list(site.documents(["text"]))
    assert not any(LINE in document["text"] for document in documents)
    assert all("ground at the mill" in document["text"] for document in documents)


def test_a_sentence_with_each_page_s_title_in_it_goes_from_a_fifth_of_the_pages_on() -> None:
    line = "Was there enough on {}? Then tell your friends of it."
    grains = "rye wheat oats millet maize spelt emmer barley teff rice durum sorghum fonio".split()
    with pagelets.Site() as site:
        for place, name in enumerate(grains * 3):
            own = f"Of {name} by the river {place} there is much to be said: it is ground at the mill, and "
            end = line.format(name) if place < len(grains) else own[::-1]
            site.add(
                f"https://a.example/{place}",
                f"<title>{name}</title><article><h1>{name}</h1><p>{own * 5}<p>{end}<p>{own[::-1] * 5}"
                "</article>",
            )
        documents = list(site.documents(["text"]))
    assert all("ground at the mill" in document["text"] for document in documents)
    assert not any("Was there enough" in document["text"] for document in documents)


def test_a_small_box_with_the_page_s_own_address_goes_below_its_text() -> None:
    address, text = "https://a.example/posts/7/", "<p>Bread rises in a cold room, as all bakers know.</p>"

    def removed(html: str, url: str = address + "index.html") -> list[str]:
        page = read(html, url)
        counted, every = words([block.text for block in page.blocks]), np.ones(len(page.blocks), bool)
        facts = PageFacts.none(1, len(page.blocks))
        found = addressed(KeptPage(page, Containers.of(page), facts, counted, every * 0.9, every))
        return [block.text for block, marks in zip(page.blocks, found, strict=True) if marks and block.text]

    licence = f"<div><div>Bread</div><div>Link: {address}</div><div>CC BY 4.0</div></div>"
    article = f"<article><h1>Bread</h1>{text * 4}"
    assert removed(article + licence) == ["Bread", f"Link: {address}", "CC BY 4.0"]
    assert removed(f"{article}<br>Cite as {address}") == [f"Cite as {address}"]
    assert removed(f"{article}<div>{text * 3}<p>Link: {address}</div>") == [f"Link: {address}"]
    for line in (f"It is at {address} and elsewhere.", "Link: https://a.example/posts/71"):
        assert removed(f"{article}<div>{line}</div>") == []
    assert removed(licence + text * 9) == removed(article + licence, "https://a.example/") == []


def test_a_line_of_a_template_with_the_end_of_the_page_s_path_goes() -> None:
    def removed(line: str, url: str, pages: int = 10) -> list[str]:
        text = "<p>Bread rises in a cold room.</p>" * 6
        page = read(f"<p>{line}</p><article><h1>guide:first_steps</h1>{text}</article>", url)
        counted, every = words([block.text for block in page.blocks]), np.ones(len(page.blocks), bool)
        facts = PageFacts.none(1, len(page.blocks))
        facts.blocks.tag_path_shares[:], facts.blocks.tag_path_pages[:] = 0.9, pages
        found = addressed(KeptPage(page, Containers.of(page), facts, counted, every * 0.9, every))
        return [block.text for block, marks in zip(page.blocks, found, strict=True) if marks and block.text]

    for line in ("guide:first_steps", "guide/first_steps.txt · changed on 2 May 2024 by Ann"):
        assert removed(line, "https://a.example/doku.php?id=guide:first_steps") == [line]
        assert removed(line, "https://a.example/wiki/guide/first_steps") == [line]
        assert removed(line, "https://a.example/doku.php?id=guide:first") == []
        assert removed(line, "https://a.example/wiki/guide/first_steps", 9) == []
