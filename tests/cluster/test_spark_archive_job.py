"""Documents of a job are those of a crawl of the same archive."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from cluster.inputs import inputs_of
from cluster.job import Job
from cluster.session import session
from crawler.configuration.archive_job import judging_of
from crawler.configuration.plan import copied
from tests.crawls import crawl, project
from tests.pagelets.archives.test_archive import record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


BASE = "http://site.example/"
MENU = '<ul><li><a href="/p0">Home</a><li><a href="/p1">News</a><li><a href="/p2?b=%7e">About</a></ul>'
ASIDE = '<aside><a href="/p3">One</a><a href="/p4">Two</a><a href="/p5">Three</a> See also</aside>'


def page(number: int, more: str = "") -> bytes:
    words = " ".join(f"word{number}x{place}" for place in range(30))
    links = "".join(f'<a href="/p{(number + step) % 12}">{number}{step}</a> ' for step in (1, 2, 3))
    return (
        f"<html lang=en><title>Page {number} | The bakery</title>{MENU}"
        f"<h1>Page {number}</h1><p>{words}. {more}</p><div>{links}</div>"
        f"{ASIDE if number % 2 else ''}<footer>All of it is ours, and nobody else's.</footer>"
    ).encode()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages, and all that an archive has beside."""
    html = [("Content-Type", "text/html; charset=utf-8")]
    records = [
        *(record(f"{BASE}p{number}", page(number)) for number in range(12)),
        record(f"{BASE}p0", page(0, "It was fetched again."), date="2026-02-01T00:00:00Z"),
        record(f"{BASE}p1", page(1, "It is older."), date="2025-02-01T00:00:00Z"),
        record(f"{BASE}p2?b=~", page(20)),
        record(f"{BASE}near", page(3)),
        record(f"{BASE}gone", page(21), status="404 Not Found"),
        record(f"{BASE}moved", b"", status="301 Moved", headers=[*html, ("Location", "/p1")]),
        record(f"{BASE}image", b"GIF89a", headers=[("Content-Type", "image/gif")]),
        record(f"{BASE}packed", gzip.compress(page(22)), headers=[*html, ("Content-Encoding", "gzip")]),
        record(
            f"{BASE}latin",
            page(23, "Brötchen").decode().encode("latin-1"),
            headers=[("Content-Type", "text/html")],
        ),
        record(f"{BASE}untyped", page(24), headers=[]),
        record(f"{BASE}named.html", page(28), headers=[("Content-Type", "application/octet-stream")]),
        record(f"{BASE}plain.html", page(29), headers=[("Content-Type", "text/plain")]),
        record(f"{BASE}empty", b""),
        record(f"{BASE}noindex", b'<meta name=robots content="noindex,nofollow">' + page(25)),
        record("http://other.example/p1", page(26)),
        record(
            f"{BASE}same",
            b"",
            kind="revisit",
            WARC_Refers_To_Target_URI=f"{BASE}p5",
            date="2026-03-01T00:00:00Z",
        ),
        record(f"{BASE}elsewhere", b"", kind="revisit", WARC_Refers_To_Target_URI=f"{BASE}nowhere"),
        record(f"{BASE}broken", page(27))[:-20],
        record(f"{BASE}p30", page(30)),
    ]
    path = tmp_path_factory.mktemp("archive") / "site.warc.gz"
    path.write_bytes(b"".join(records))
    return path


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    found = session("local[2]", 2, {})
    yield found
    found.stop()


def job(path: Path, out: Path, settings: dict[str, Any], **more: Any) -> Job:
    own = copied(project())
    own.update(settings, priority="cmdline")
    given = {"site_by": "file", "parquet": False, "most_pages": 1000, **more}
    judging = judging_of(None, own, given["site_by"], given["most_pages"])
    return Job(
        inputs_of([str(path)], ""),
        replace(judging, parquet=given["parquet"]),
        out.as_uri(),
        2,
        lambda _: None,
    )


def documents(out: Path) -> list[dict[str, Any]]:
    parts = sorted(out.glob("documents/part-*"))
    return [json.loads(line) for part in parts for line in gzip.decompress(part.read_bytes()).splitlines()]


def timeless(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    own = [{name: value for name, value in one.items() if name != "fetched_at"} for one in found]
    return sorted(own, key=lambda one: one["url"])


VARIANTS: dict[str, dict[str, Any]] = {
    "local": {},
    "judged": {"METHOD": "judged", "EXPLAIN_ENABLED": True},
    "global": {"DETECTION": "global", "TEMPLATE_MIN_SHARE": 0.0, "EXPLAIN_ENABLED": True},
    "selectors": {"KEEP_SELECTORS": ["footer"], "DROP_SELECTORS": ["h1", "div a"], "PAGELET_K": 2},
    "overrides": {
        "OVERRIDES": [
            {"type": "regex", "pattern": "/p[0-4]", "method": "all-text", "fields": ["url", "text"]}
        ]
    },
    "learning": {"METHOD": "sst"},
}


@pytest.mark.parametrize("name", VARIANTS)
def test_documents_are_those_of_a_crawl(
    spark: SparkSession, archive: Path, tmp_path: Path, name: str
) -> None:
    crawled = crawl(tmp_path / "data", "archive", VARIANTS[name], path=archive, site="site")
    summary = job(archive, tmp_path / "out", VARIANTS[name]).run(spark)
    last = {document["url"]: document for document in crawled.documents}
    assert timeless(documents(tmp_path / "out")) == timeless(list(last.values()))
    assert summary.counts["skipped"] == 1
    assert "site.warc.gz: at byte" in summary.skipped[0]
