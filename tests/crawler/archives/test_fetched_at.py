"""A page of an archive was fetched when the archive says so, and published no later."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pagelets.__main__ import main
from tests.crawls import crawl
from tests.pagelets.archives.test_archive import record

if TYPE_CHECKING:
    from pathlib import Path

BASE = "https://site.example/"
PUBLISHED = "2026-01-02"
DATES = {
    "later": ("2026-02-03T10:00:00.9Z", "2026-02-03T10:00:00+00:00", PUBLISHED),
    # It is tomorrow already where the page is.
    "day-before": ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00+00:00", PUBLISHED),
    "earlier": ("2026-01-01T01:00:00+03:00", "2025-12-31T22:00:00+00:00", None),
    "none": ("", "1970-01-01T00:00:00+00:00", PUBLISHED),
    "first": ("0001-01-01T00:00:00Z", "1970-01-01T00:00:00+00:00", PUBLISHED),
    "last": ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59+00:00", PUBLISHED),
}


def dated() -> list[bytes]:
    """Pages that were published on a day, by what their records say of when they were fetched."""
    page = f'<meta name=pubdate content="{PUBLISHED}"><p>A text of some words, which is on'
    return [
        record(f"{BASE}{name}", f"{page} {name}.".encode(), date=date) for name, (date, *_) in DATES.items()
    ]


def test_pages_have_the_date_of_their_records(tmp_path: Path) -> None:
    path = tmp_path / "site.warc.gz"
    path.write_bytes(b"".join(dated()))
    crawled = crawl(tmp_path / "data", "archive", path=path)
    output = tmp_path / "documents.jsonl"
    assert main([str(path), "-o", str(output)]) == 0
    alone = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    for documents in (crawled.documents, alone):
        found = {one["url"].removeprefix(BASE): [one["fetched_at"], one["published"]] for one in documents}
        assert found == {name: expected for name, (_, *expected) in DATES.items()}
