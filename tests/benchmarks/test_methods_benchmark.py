"""The benchmark on one of our own sites; what it measures on real ones is in docs/methods.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from benchmarks.methods import main
from pagelets.literature.baselines.extractors import ResiliparseMethod
from tests.crawler.commands.conftest import write_archive

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_each_method_has_a_line_and_those_that_learn_tell_how_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sites").mkdir()
    write_archive(tmp_path / "sites" / "stones.warc.gz", "https://stones.example")
    main(
        ["--corpora", str(tmp_path), "--method", "all-text,danag,infodiscoverer,resiliparse", "--pages", "4"]
    )
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert head.count("|") == 5
    assert [row.split("`")[1] for row in rows] == ["all-text", "danag", "infodiscoverer", "resiliparse"]
    # A page that an extractor fails on ends nothing.
    monkeypatch.setattr(ResiliparseMethod, "extract", lambda *_: 1 / 0)
    main(["--corpora", str(tmp_path), "--method", "resiliparse", "--pages", "1"])
    learning = [bool(re.search(r"\d+\.\d \|$", row)) for row in rows]
    assert learning == [False, False, True, False]
