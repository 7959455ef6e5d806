"""Notes beside a text are kept."""

from __future__ import annotations

from pagelets.methods.judged.asides import asides
from tests.pagelets.methods.judged.test_headings import taken_back

PAGE = "<main><p>Fill the kettle.<aside><p>Hint<p>Use cold water.</aside></main><aside><p>News</aside>"


def marked(html: str = PAGE, kept: str = "Fill the kettle.", pages: int = 9, there: int = 1) -> list[str]:
    return [text for _, text in taken_back(asides, html, [kept], pages=pages, placed_pages=there)]


def test_a_note_behind_a_text_of_the_element_around_it_is_marked() -> None:
    assert marked() == ["Hint", "Use cold water."]
    assert marked(PAGE.replace("Use cold water.", "<a href=/tea>Tea</a>")) == ["Hint"]


def test_other_texts_beside_are_not() -> None:
    assert marked(pages=1) == marked(there=2) == marked(kept="") == marked("<p>Fill the kettle.") == []
    assert marked("<aside><p>Fill the kettle.</aside><main><aside><p>News</aside></main>") == []
