"""Authors and dates of what is kept."""

from __future__ import annotations

from pagelets.methods.judged.bylines import bylines, years
from tests.pagelets.methods.judged.test_headings import taken_back

TEXT = "It boils water for tea."
LINES = (
    "<p>By Ann Smith</p>", "<div>14 March 2024</div>", "<div><time>3 May</time></div>", "<p>2024-03-14</p>",
    "<p>09-26</p>", "<p>12:36</p>", "<address><a href=/author/ann.html>ann75</a></address>",
    "<li><a href=/2024/>March 14, 2024</a></li>", "<p><time datetime=2024-03-14>14 sty</time></p>",
    "<p><a name=top></a>March 14, 2024 <a href=#comments>11</a></p>", "<p>3/14/2024 <a href=/?s=1></a></p>",
    "<p>Scritto da Ann Smith, Eva Berg Gennaio 2023 · 25 secondi per leggere</p>",
    "<p>Napisane przez Eva</p>", "<p>Published: Mon 14 July 2025 Updated: Mon 21 July 2025</p>",
)  # fmt: skip


def marked(html: str, kept: set[str], pages: int = 9) -> list[str]:
    return [text for _, text in taken_back(bylines, f"<title>A kettle</title>{html}", kept, pages=pages)]


def test_lines_beside_the_headline_are_marked() -> None:
    for line in LINES:
        for html in (f"<h1>A kettle</h1>{line}<p>{TEXT}</p>", f"{line}<h1>A kettle</h1><p>{TEXT}</p>"):
            assert len(marked(html, {"A kettle", TEXT})) == 1, html
            assert marked(html, {"A kettle", TEXT}, pages=1) == []
            assert marked(html, {TEXT}) == marked(html, set()) == []
    assert len(marked(f"<h1>A kettle of brass</h1>{LINES[0]}<p>{TEXT}", {"A kettle of brass", TEXT})) == 1
    assert len(marked(f"<h1>A kettle</h1>{LINES[0]}{LINES[1]}<p>{TEXT}", {"A kettle", TEXT})) == 2


def test_short_lines_may_stand_between_a_date_and_the_headline() -> None:
    for line in ("<p><a href=/tag/tea/>tea</a></p>", "<p>371 words, 4 minutes</p>"):
        for html in (f"<h1>A kettle</h1>{line}{LINES[1]}", f"{LINES[1]}{line}<h1>A kettle</h1>"):
            assert marked(f"{html}<p>{TEXT}</p>", {"A kettle", TEXT}) == ["14 March 2024"], html
    long = f"<h1>A kettle</h1><p>{TEXT * 4}</p>{LINES[1]}<p>{TEXT}</p><p>Tea</p>"
    assert marked(long, {"A kettle", "Tea"}) == []


def test_lines_of_entries_are_marked() -> None:
    titles = [f"Pot {number}" for number in range(4)]
    for line in LINES:
        html = "".join(f"<li><h2>{title}</h2>{line}</li>" for title in titles)
        assert len(marked(f"<ul>{html}</ul>", set(titles))) == 4, line
        assert marked(f"<ul>{html}</ul>", set(titles[:2])) == [], line
    entries = "".join(
        f"<li><h2>{title}</h2><p>{day} March 2024</p></li>" for day, title in enumerate(titles, 10)
    )
    labelled = "".join(f"<li><p>{TEXT}</p>{LINES[1]}<p>Tea</p><h2>{title}</h2></li>" for title in titles)
    assert len(marked(f"<ul>{labelled}</ul>", set(titles))) == 4
    assert marked(f"<ul>{labelled.replace('Tea', TEXT)}</ul>", set(titles)) == []
    linked = "".join(f"<li><a href=/{title}><p>09-26</p><h2>{title}</h2></a></li>" for title in titles)
    assert len(marked(f"<ul>{linked}</ul>", set(titles))) == 4
    kept = {*titles, "10 March 2024", "12 March 2024"}
    assert marked(f"<ul>{entries}</ul>", kept) == ["11 March 2024", "13 March 2024"]


def test_other_lines_are_not() -> None:
    for line in (
        "<p>Ann<br>Joined: 14 March 2024</p>", "<p>Mitglied seit 14.3.2024</p>",
        "<p>Buy it</p>", "<p>$0.00</p>", "<p>50-50</p>", "<p>5 minutes read</p>",
        "<p>2024-03-14 <a href=/2>Next</a></p>",
        "<p><a href=/tag/tea/>tea</a></p>", "<p><a href=https://cc.example/licenses/by/4.0/>CC BY</a></p>",
        f"<p>On 14 March 2024 {TEXT} We drank all of it then.</p>", "<p>Da Vinci</p>",
        f"<p>By Ann Smith it is said on 14 March 2024: {TEXT} We drank it.</p>",
    ):  # fmt: skip
        assert marked(f"<h1>A kettle</h1>{line}<p>{TEXT}</p>", {"A kettle", TEXT}) == [], line
    page = f"<title>A kettle</title><h1>A kettle</h1>{{}}<p>{TEXT}</p>"
    for line, count in zip(LINES[:2], (1, 0), strict=True):
        html, kept = page.format(line), {"A kettle", TEXT}
        assert len(taken_back(bylines, html, kept, placed_shares=0.6)) == 1, line
        assert len(taken_back(bylines, html, kept, shares=0.6, placed_shares=0.6)) == count, line
    far = f"<h1>A kettle</h1>{'<p>Water</p>' * 6}{LINES[0]}<p>{TEXT}</p>"
    assert marked(far, {"A kettle", TEXT, "Water"}) == []


def test_years_above_dates_are_marked() -> None:
    for entry in ("09-26 Pot", "26 March", "<time>26 sty</time>"):
        html, kept = f"<b>2024</b><p>{entry}</p><b>2023</b><p>Cup</p>", {entry, "26 sty", "Cup"}
        assert [text for _, text in taken_back(years, html, kept)] == ["2024"], entry
        assert taken_back(years, html, {"Cup"}) == taken_back(years, html, kept, pages=1) == []
