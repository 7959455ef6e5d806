"""Tables of properties are kept whole."""

from __future__ import annotations

from pagelets.methods.judged.properties import properties
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
