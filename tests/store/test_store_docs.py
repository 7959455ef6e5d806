from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from release.detection import Detector
from store.site import Store
from tests.store.sites import Pagelet, begin, record, rows

if TYPE_CHECKING:
    import pytest

DOCUMENT = (Path(__file__).parents[2] / "docs" / "store.md").read_text(encoding="utf-8")


def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(tmp_path / "data" / "docs.example.org", create=True) as store:
        run = begin(store)
        for name in ("", "a", "b"):
            menu = Pagelet("home and more", ("https://docs.example.org/a",), "html/body/nav#menu")
            record(
                store,
                f"https://docs.example.org/{name}",
                [menu, Pagelet(f"text of {name}")],
                run,
                body=b"<p>as it was fetched",
            )
        detector = Detector()
        detector.save(store, detector.find(store), run)
        store.publish()
    monkeypatch.chdir(tmp_path)
    for example in re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL):
        exec(example, {})
    printed = capsys.readouterr().out
    for part in ("html/body/nav#menu", "https://docs.example.org/b", "<p>as it was fetched"):
        assert part in printed


def test_every_table_of_the_database_is_described(store: Store) -> None:
    for (name,) in rows(store, "SELECT name FROM sqlite_master WHERE type = 'table'"):
        assert name.startswith("sqlite_") or f"`{name}`" in DOCUMENT or f"**{name}**" in DOCUMENT


def test_every_published_column_is_described(store: Store) -> None:
    from store.publish import TABLES

    for name, (_, columns) in TABLES.items():
        section = DOCUMENT.partition(f"**{name}**")[2].partition("\n**")[0].partition("In `store.sqlite`")[0]
        missing = [column for column in columns if f"`{column}`" not in section]
        assert not missing, name
