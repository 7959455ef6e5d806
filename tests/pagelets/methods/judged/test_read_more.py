"""Links that say the same in each entry of a list."""

from __future__ import annotations

from pagelets.methods.judged.read_more import read_more
from tests.pagelets.methods.judged.test_neighbours import removed

ENTRY = (
    "<h2><a href=/{0}>Pot {0}</a></h2><p>It is made of brass and sings.</p><p><a href=/{0}{1}>{2}</a>{3}</p>"
)


def entries(count: int, anchor: str = "", says: str = "Read more", behind: str = "") -> str:
    return "".join(ENTRY.format(number, anchor, says, behind) for number in range(count))


def test_a_link_of_each_entry_to_where_its_title_leads_goes() -> None:
    for given in ("#more-12", "#more", ""):
        assert removed(entries(3, given), read_more) == ["Read more"] * 3, given


def test_such_a_link_may_say_the_title_too() -> None:
    html = "".join(ENTRY.format(name, "", f"Read more of Pot {name}", "") for name in ("in", "on", "of"))
    assert removed(html, read_more) == [f"Read more of Pot {name}" for name in ("in", "on", "of")]
    other = html.replace("Read more of", "1 of").replace("of Pot in", "if Pot in")
    assert removed(other, read_more) == []


def test_other_links_stay() -> None:
    for html in (
        entries(2),
        entries(3, "/reviews"),
        entries(3, "#reviews"),
        entries(3, behind=" of pots and pans"),
        entries(3, says="£ 20"),
        entries(3, says="Read more of what pots of brass say"),
        "".join(f"<p><a href=/{number}>Pot</a></p>" for number in range(5)),
    ):
        assert removed(html, read_more) == [], html
