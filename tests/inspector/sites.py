"""A made site for the inspector: articles with a menu, teasers and a footer, and a hostile page."""

from __future__ import annotations

from pathlib import Path
from typing import Final

BYLINE: Final = "By Ada Sawyer, 3 March 2024"
BASE: Final = "https://shed.example"
OUTSIDE: Final = "http://outside.example"
WOODS: Final = "oak ash elm lime pear plum yew box larch beech".split()
MENU: Final = (
    '<nav class="menu"><a href="/">Home</a> <a href="/oak.html">Oak</a> <a href="/ash.html">Ash</a></nav>'
)
FOOTER: Final = "<footer><p>The shed is run by three joiners who answer letters on Fridays only.</p></footer>"


def article(number: int) -> str:
    wood = WOODS[number]
    others = [WOODS[(number + step) % len(WOODS)] for step in (1, 2, 3)]
    lines = "".join(
        f"<p>In the {place} of the shed stands {wood} that was felled {7 + 3 * number} winters ago and is "
        f"dry enough by now for {use}.</p>"
        for place, use in (("corner", "a chair"), ("middle", "a chest"), ("loft", "a plane"))
    )
    teasers = "".join(f'<li><a href="/{one}.html">More about {one}</a></li>' for one in others)
    return (
        f"<!DOCTYPE html><html lang=en><head><title>{wood.title()} | The shed</title>"
        "<style>h1{color:#333}.menu{display:block}</style></head>"
        f'<body>{MENU}<main><h1>{wood.title()}</h1><p class="by">{BYLINE}</p>{lines}'
        f'<p class="letter">{letter(number)}</p>'
        f'<p class="price">Price: {40 + number} euros</p></main>'
        f'<aside class="related"><h2>Related</h2><ul>{teasers}</ul></aside>{FOOTER}</body></html>'
    )


def letter(number: int) -> str:
    """A teaser in the text of an article, which reads like its content."""
    other = WOODS[(number + 5) % len(WOODS)]
    return (
        f"Next month we tell at length of {other}, of its {3 + number} kinds, and of a joiner who "
        f"asked for a bench of {other} and waited {5 + 2 * number} summers until the boards of it were dry."
    )


def hostile() -> str:
    """A page that tries to run scripts, to reach the network, and to get out of its frame."""
    tries = (Path(__file__).parent / "hostile.html").read_text(encoding="utf-8").replace("OUTSIDE", OUTSIDE)
    deep = "<div>" * 1500 + "Deep in the page is a text that stands in many elements." + "</div>" * 1500
    words = "Words that a reader may want to read. " * 8
    return (
        f"<!DOCTYPE html><html manifest={OUTSIDE}/manifest onclick=top.ran=29><title>Hostile</title>"
        f"<body>{MENU}<main><h1>A hostile page</h1><p>{words}</p>{deep}{tries}</main>{FOOTER}</body></html>"
    )


def huge() -> str:
    """A page of more blocks, and with a longer title, than are shown."""
    rows = "".join(
        f"<p>Row {number} of a table that nobody will read to its end.</p>" for number in range(5_100)
    )
    title = "Huge " * 20_000
    return f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{MENU}{rows}{FOOTER}</body></html>"


def pages() -> dict[str, str]:
    """The pages by the names of their files."""
    listed = "".join(f'<li><a href="/{one}.html">{one}</a></li>' for one in [*WOODS, "hostile", "huge"])
    home = f"<html><title>The shed</title><body>{MENU}<main><ul>{listed}</ul></main>{FOOTER}</body></html>"
    own = {f"{wood}.html": article(number) for number, wood in enumerate(WOODS)}
    return {"index.html": home, **own, "hostile.html": hostile(), "huge.html": huge()}
