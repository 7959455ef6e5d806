from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from pagelets.metadata.language_model import identifier, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXTS = [
    "Flour, water, salt and time make bread.", "Mehl, Wasser, Salz und Zeit ergeben Brot.",
    "Un pain se fait de farine, d'eau, de sel et de temps.", "面粉、水、盐和时间做成面包。",
    "", "\ud800 \x00", "мука и вода " * 90,
]  # fmt: skip


@pytest.fixture(scope="module")
def own() -> Iterator[LanguageIdentifier]:
    """The model, unpacked once: it takes half a second."""
    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LanguageIdentifier, "from_model_file", lambda *_, **__: found)
        yield found


def test_mapped_tables_give_the_same_answers_to_the_last_bit(tmp_path: Path, own: LanguageIdentifier) -> None:
    tables = tmp_path / "language.tables"
    write(tables)
    mapped = identifier(tables)
    for text in TEXTS:
        assert mapped.rank(text) == own.rank(text)
        assert mapped.classify(text) == own.classify(text)
    assert mapped.labels == own.labels


@pytest.mark.usefixtures("own")
def test_tables_that_are_missing_or_damaged_are_not_used(tmp_path: Path) -> None:
    tables = tmp_path / "language.tables"
    answer = identifier(tables).rank(TEXTS[0])
    for damaged in (b"", b"{}", b'{"version": "0"}\n', b"\xff\x00"):
        tables.write_bytes(damaged)
        assert identifier(tables).rank(TEXTS[0]) == answer
    write(tables)
    whole = tables.read_bytes()
    tables.write_bytes(whole[:-64])
    assert identifier(tables).rank(TEXTS[0]) == answer
    write(tables)
    assert tables.read_bytes() == whole
