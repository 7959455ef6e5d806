"""Facts of the entries of lists are kept."""

from __future__ import annotations

from pagelets.methods.judged.entry_values import entry_values
from tests.pagelets.methods.judged.test_headings import taken_back

NAMES = ["Nurse", "Driver", "Welder", "Clerk"]
PLACES = ["Leeds", "York", "Leeds", "Hull"]
ENTRY = "<li><h3><a href=/{0}>{0}</a></h3><p>{1}</p><p>{2}</p></li>"


def found(
    places: list[str] = PLACES, *, entry: str = ENTRY, says: str = "Apply",
    names: list[str] = NAMES, kept: list[str] = NAMES, titles: list[str] = NAMES, never: str = "",
) -> list[str]:  # fmt: skip
    rows = zip(names, places, strict=False)
    html = "".join(entry.format(name, at, says.format(number)) for number, (name, at) in enumerate(rows))
    page = f"<title>Jobs</title><ul>{html}</ul>"
    marked = taken_back(entry_values, page, kept, never=[never], titles=titles)
    return [text for _, text in marked]


def test_texts_at_one_place_of_entries_that_differ_in_words_are_marked() -> None:
    assert found() == PLACES
    assert found(never="York") == []
    wrapped = "<li><a href=/{0}><h3>{0}</h3><p>{1}</p><p>{2}</p></a></li>"
    assert found(entry=wrapped) == PLACES


def test_numbers_are_marked_beside_them() -> None:
    beside = "<li><h3><a href=/{0}>{0}</a></h3><ul><li><b>{1}</b><li><b>{2}</b></ul></li>"
    assert sorted(found(entry=beside, says="{} hours")) == sorted(PLACES + [f"{n} hours" for n in range(4)])
    rooms, areas = [f"{number} rooms" for number in range(4)], ["90 m", "70 m", "80 m", "60 m"]
    assert found(areas, entry=beside, says="{} rooms", kept=NAMES + areas) == rooms
    assert found(says="{} votes") == PLACES
    assert found(["1 vote", "2 votes", "1 vote", "5 votes"], says="{} views") == []


def test_other_texts_are_not() -> None:
    assert found(["Leeds"] * 3 + ["Hull"]) == found(titles=[]) == found(kept=NAMES[:1]) == []
    assert found(names=NAMES[:3], kept=NAMES[:3]) == found(titles=["Baker"]) == []
    assert found(entry=ENTRY.replace("</h3>", "</h3><p>" + "It is a long post. " * 20)) == []
    assert found(entry=ENTRY.replace("{1}", "<a href=/in/{1}>{1}</a>")) == []
    assert found(NAMES) == found(["A long text of a great many words of it"] * 2 + PLACES[:2]) == []
