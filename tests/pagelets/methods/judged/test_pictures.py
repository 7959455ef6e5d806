"""Pictures between texts that are kept."""

from __future__ import annotations

from pagelets.methods.judged.pictures import pictures
from tests.pagelets.methods.judged.test_headings import taken_back

TEXT, MORE = "It boils water for tea.", "It whistles when it is done."


def marked(picture: str, kept: set[str]) -> int:
    return len(taken_back(pictures, f"<p>{TEXT}</p>{picture}<p>{MORE}</p>", kept))


def test_pictures_between_kept_texts_are_marked() -> None:
    for picture in (
        "<p><img src=kettle.jpg></p>", "<figure><img data-src=kettle.jpg width=640 height=480></figure>",
        "<a href=/kettles/><img src=kettle.jpg width=50%></a>",
        "<a href=https://cdn.example/kettle.JPG?large><img src=kettle.jpg></a>",
    ):  # fmt: skip
        assert marked(picture, {TEXT, MORE}) == 1, picture
        assert marked(picture, {TEXT}) == marked(picture, {MORE}) == marked(picture, set()) == 0, picture


def test_icons_and_other_blocks_are_not() -> None:
    for other in (
        "<p><img src=star.png width=16></p>", "<p><img src=ann.jpg height=48px></p>", "<p>•</p>",
        "<p><a href=/kettles/></a></p>", "<p><a href=https://share.example/?u=x><img src=share.png></a></p>",
    ):  # fmt: skip
        assert marked(other, {TEXT, MORE}) == 0, other
