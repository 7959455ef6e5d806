"""Texts of forms among what is kept."""

from __future__ import annotations

import numpy as np

from pagelets.methods.judged.form_texts import form_texts
from tests.pagelets.methods.judged.test_repeated_lines import seen

TEXT = f"<h1>Jobs</h1><p>{'A nurse is wanted in Leeds. ' * 9}</p>"


def found(html: str, placed: int = 3) -> list[str]:
    kept = seen(html, set(), placed_pages=placed)
    return [kept.page.blocks[place].text for place in np.flatnonzero(form_texts(kept)).tolist()]


def test_short_texts_of_forms_that_pages_share_are_marked() -> None:
    box = "<form><input><div>Found 12 jobs</div></form>"
    assert found(box + TEXT) == ["Found 12 jobs"]
    assert found(box.replace("form", "fieldset") + TEXT) == ["Found 12 jobs"]
    assert found(box + TEXT, placed=2) == []


def test_others_stay() -> None:
    for html in (
        TEXT + "<form><div>Found 12 jobs</div></form>",
        TEXT + "<form><input><h2>Found 12 jobs</h2></form>",
        TEXT + "<form><input><div>£ 12</div></form>",
        f"<form><input>{TEXT}<div>Found 12 jobs</div></form>",
        TEXT,
    ):
        assert found(html) == [], html
