"""The blocks of a page that say its title."""

from __future__ import annotations

from pagelets.methods.judged.headlines import headlines
from pagelets.reading import read


def test_the_name_of_the_site_is_no_headline() -> None:
    page = read(
        "<title>On rye - The Post</title><a href=/>The Post</a><h1>On rye</h1><p>Rye.", "https://a.example/x"
    )
    assert list(headlines(page, frozenset({"The Post"}))) == [1]
    home = read("<title>The Post</title><a href=/>The Post</a><p>Rye.", "https://a.example/")
    assert list(headlines(home, frozenset({"The Post"}))) == [0]
