"""Tables of properties are kept whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.properties import properties, site_properties
from pagelets.methods.judged.text import words
from pagelets.reading import read
from tests.pagelets.methods.judged.test_headings import taken_back

ROWS = [("Weight", "2 kg"), ("Case pack", "1"), ("Made in", "Italy"), ("Owner", "Ann"), ("Due", "")]
KEPT = {"Weight", "2 kg"}


def table(rows: list[tuple[str, str]], in_row: int = 1) -> str:
    cells = [f"<th>{name}</th><td>{value}</td>" for name, value in rows]
    lines = ("".join(cells[place : place + in_row]) for place in range(0, len(cells), in_row))
    return f"<p>A kettle<table><tr>{'<tr>'.join(lines)}</table>"


def test_what_is_removed_in_a_table_of_which_some_is_kept_is_marked() -> None:
    rest = [text for row in ROWS for text in row if text and text not in KEPT]
    for html in (table(ROWS), table(ROWS, 2)):
        assert [text for _, text in taken_back(properties, html, KEPT)] == rest
        assert [text for _, text in taken_back(properties, html, KEPT, never={"Ann"})] == [
            text for text in rest if text != "Ann"
        ]


def test_a_table_below_a_row_of_names_is_kept_whole_if_half_of_it_is() -> None:
    rows = [("Id", "Made in", "Year"), ("5", "Italy", "1999")]
    head, row = (
        f"<tr><{tag}>{f'</{tag}><{tag}>'.join(row)}" for tag, row in zip(("th", "td"), rows, strict=True)
    )
    for html, kept, rest in (
        (head + row, {"Made in", "Italy", "1999"}, ["Id", "Year", "5"]),
        (head + row, {"Italy", "1999"}, []),
        (head.replace("<th>Made", "<td>Made") + row, {"Made in", "Italy", "1999"}, []),
    ):
        assert [text for _, text in taken_back(properties, f"<table>{html}</table>", kept)] == rest, html


def test_other_tables_are_not() -> None:
    for html, kept in (
        (table(ROWS), {"Weight"}),
        (table([*ROWS, *[(f"Name {number}", "It") for number in range(9)]]), KEPT),
        (table(ROWS[:2]), KEPT),
        (table(ROWS).replace("th>", "td>"), KEPT),
        (table([(name, f"{value}</td><td>More") for name, value in ROWS]), KEPT),
        (table(ROWS).replace("td>", "th>"), KEPT),
    ):
        assert taken_back(properties, html, kept) == [], html


def test_rows_whose_names_the_site_shares_are_marked_and_no_others() -> None:
    def found(html: str, *, pages: int = 9, kept: str = "A kettle", never: str = "") -> list[str]:
        page = read(f"<p>A kettle{html}<p>Us", "https://a.example/pots/kettle/")
        texts = [block.text for block in page.blocks]
        facts = replace(PageFacts.none(1, len(texts)), pages=pages)
        facts.blocks.tag_path_pages[:] = pages
        # Values are each page's own.
        facts.blocks.tag_path_singletons[:] = [text in values for text in texts]
        mask = np.array([text == kept for text in texts])
        seen = KeptPage(page, Containers.of(page), facts, words(texts), np.full(len(texts), 0.9), mask)
        marks = site_properties(seen, np.array([text == never for text in texts]))
        return [text for text, marked in zip(texts, marks, strict=True) if marked]

    rows = [("Weight", "2 kg"), ("Case pack", "1"), ("Made in", "Italy")]
    texts = [text for row in rows for text in row]
    values = {value for _, value in rows}
    for row in ("<dt>{}<dd>{}", "<tr><th>{}<td><b>{}</b>", "<li><p>{}</p><div>{}</div></li>"):
        lines = [row.format(*texts) for texts in rows]
        around = "<table>{}</table>" if "th" in row else "<dl>{}</dl>"
        html = around.format("".join(lines))
        assert found(html) == texts, row
        assert found(html, never="Italy") == texts[:-1]
        assert (
            found(html, pages=4)
            == found(html, pages=1)
            == found(html, kept="Us")
            == found(html, kept="")
            == []
        )
        # A profile beside each post.
        assert found(html + around.format(lines[0])) == []
        assert found(around.format("".join(lines[:2]))) == []
        assert found(html.replace("Weight", "<a href=/weight>Weight</a>")) == []
    lines = [f"{name}: {value}" for name, value in rows]
    values = {*lines, "Us: them"}
    items = "".join(f"<li>{line}" for line in lines)
    assert found(f"<ul>{items}</ul>") == lines
    assert (
        found(f"<ul>{items}<li>{lines[0]}</ul>") == found(f"<ul>{items.replace('Made in:', 'In')}</ul>") == []
    )
    assert found(f"<ul>{items.replace('<li>', '<li><a href=/>')}</ul>") == []
    values = {*lines, lines[0] + " a.example/pots/kettle"}
    assert found(f"<ul>{items.replace('2 kg', '2 kg a.example/pots/kettle')}</ul>") == []
    counts = "".join(f"<dt>{name}<dd>{number}" for number, (name, _) in enumerate(rows))
    values = {"0", "1", "2"}
    assert found(f"<dl>{counts}</dl>") == []
