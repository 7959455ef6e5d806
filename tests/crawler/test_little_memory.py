"""A site that detection has too little memory for: nothing goes out, and nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawls import crawl
from tests.served import page, served

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

NAMES = [f"/{number}" for number in range(5)]
SITE = {"/": page("home", *NAMES), **{name: page(name, "/") for name in NAMES}}


def test_pages_stay_held_until_there_is_enough(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As a large site.
    monkeypatch.setattr("pagelets.detection.small.MOST_ROWS", -1)
    with served(SITE) as site:
        first = crawl(tmp_path, settings={"DETECTION_MEMORY": 1}, url=f"{site.base}/", site="s")
        assert set(first.states().values()) == {"held"}
        assert (first.outcome, first.documents) == ("interrupted", [])
        said = [record.getMessage() for record in caplog.records if record.levelname == "CRITICAL"]
        assert len(said) == 1
        assert "DETECTION_MEMORY" in said[0]
        second = crawl(tmp_path, url=f"{site.base}/", site="s")
    assert (second.outcome, len(second.documents)) == ("complete", len(SITE))
