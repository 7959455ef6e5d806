"""Links within a page: to its headings, and to its top."""

from __future__ import annotations

from pagelets.methods.judged.contents import contents
from tests.pagelets.methods.judged.test_neighbours import removed

NAMES = ("Water", "Copper and tin", "A lid")
TEXT = "".join(
    f"<h2 id=n{number}>{number + 1}. {name}</h2><p>{'It boils water for tea and for soup. ' * 8}</p>"
    for number, name in enumerate(NAMES)
)


def listed(names: tuple[str, ...] = NAMES, more: str = "") -> str:
    return "".join(f"<li><a href=#n{number}>{name}</a>{more}</li>" for number, name in enumerate(names))


def test_a_list_of_links_to_the_headings_goes_with_its_label() -> None:
    for label in ("<h3>On this page</h3>", "<p>Contents [hide]</p>", ""):
        found = removed(f"<h1>A kettle</h1><div>{label}<ul>{listed()}</ul></div>{TEXT}", contents)
        assert found[-3:] == [*NAMES], label
        assert len(found) == 3 + bool(label), label
    numbered = tuple(f"1.{number} {name}" for number, name in enumerate(NAMES))
    assert removed(f"<div>{listed(numbered)}</div>{TEXT}", contents) == [*numbered]


def test_other_lists_stay() -> None:
    for html in (
        f"<ul>{listed(NAMES[:2])}</ul>{TEXT}",
        f"<ul>{listed(('Tea', 'Soup', 'Rice'))}</ul>{TEXT}",
        f"<ul>{listed(more=' is what it is made of, by hand')}</ul>{TEXT}",
        f"<ul>{listed()}</ul>{TEXT}{'<h2>More of it</h2><p>It is hot.</p>' * 8}",
        f"<ul>{listed().replace('#', '/b#')}</ul>{TEXT}",
        "".join(
            f"<h2 id=n{number}><a href=#n{number}>{name}</a></h2><p>It is hot.</p>"
            for number, name in enumerate(NAMES)
        ),
    ):
        assert removed(f"<h1>A kettle</h1>{html}", contents) == [], html


def test_lines_to_the_top_go() -> None:
    for line in ("<p><a href=#top>Back to top</a>", "<div>[<a href='#page-top'>nach oben</a>]</div>"):
        assert len(removed(f"<h1>A kettle</h1>{TEXT}{line}", contents)) == 1, line
    for line in (
        f"<p><a href=#{'_' * 60}x>Back</a>",
        "<p><a href=#n1>Back</a>",
        "<p>See the <a href=#top>list</a> of all",
        "<p><a href=#stop>Stop</a>",
    ):
        assert removed(f"<h1>A kettle</h1>{TEXT}{line}", contents) == [], line
