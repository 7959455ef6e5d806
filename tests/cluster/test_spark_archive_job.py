"""Documents of a job are those of a crawl of the same archive."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from cluster.inputs import inputs_of
from cluster.job import Job
from cluster.parameters import ArchiveJobError
from cluster.session import session
from crawler.configuration.judgement import parameters_of
from crawler.configuration.plan import copied
from pagelets.judging.decisions import sketch_name
from settings.errors import ConfigurationError
from store.site import Store
from tests.crawls import crawl, project
from tests.hostile import ANSWERS
from tests.hostile import record as hostile_record
from tests.pagelets.archives.test_archive import record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


BASE = "http://site.example/"
MENU = '<ul><li><a href="/p0">Home</a><li><a href="/p1">News</a><li><a href="/p2?b=%7e">About</a></ul>'
ASIDE = '<aside><a href="/p3">One</a><a href="/p4">Two</a><a href="/p5">Three</a> See also</aside>'
TRACKED = b"<div><a href=/t1>T</a><a href=/t2>U</a><a href=/t3>V</a> Written by three of us</div>"


def page(number: int, more: str = "") -> bytes:
    words = " ".join(f"word{number}x{place}" for place in range(30))
    links = "".join(f'<a href="/p{(number + step) % 12}">{number}{step}</a> ' for step in (1, 2, 3))
    return (
        f"<html lang=en><title>Page {number} | The bakery</title>{MENU}"
        f"<h1>Page {number}</h1><p>{words}. {more}</p><div>{links}</div><div>{990 + number:,} views</div>"
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
        # Without text, and a host of its own.
        record("http://silent.example/", b"<html><title>Silent</title><script>1</script>"),
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
        record(f"{BASE}dated", b'<meta name=pubdate content="2026-01-02">' + page(31)),
        # Nothing but these links joins the three.
        record(f"{BASE}shared", TRACKED + page(32)),
        record(f"{BASE}mailed", TRACKED + b'<a href="/shared?utm_source=mail">It</a>' + page(33)),
        record(f"{BASE}posted", TRACKED + b'<a href="/Shared/../shared?fbclid=1#top">It</a>' + page(34)),
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
    judging = parameters_of(None, own, given["site_by"], given["most_pages"])
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
    "paper": {"METHOD": "templates", "TEMPLATE_NEAR_DUPLICATES": True, "TEMPLATE_MIN_PAGES": 2},
    "judged": {"METHOD": "judged", "EXPLAIN_ENABLED": True},
    "global": {"DETECTION": "global", "TEMPLATE_MIN_SHARE": 0.0, "EXPLAIN_ENABLED": True},
    "selectors": {"KEEP_SELECTORS": ["footer"], "DROP_SELECTORS": ["h1", "div a"], "PAGELET_K": 2},
    "overrides": {
        "OVERRIDES": [
            {"type": "regex", "pattern": "/p[0-4]", "method": "all-text", "fields": ["url", "text"]},
            {"type": "regex", "pattern": "/p[3-6]", "keep": ["footer"], "drop": ["h1", "footer a"]},
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


def test_documents_of_hostile_records_are_those_of_a_crawl(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "site.warc.gz"
    # A crawl reads what has a coding that nobody knows as if it had none; a job skips it.
    read = {name: payload for name, payload in ANSWERS.items() if not name.startswith("coding")}
    hostile = [
        hostile_record(f"{BASE}h{number}".encode(), payload) for number, payload in enumerate(read.values())
    ]
    good = [record(f"{BASE}p{number}", page(number)) for number in range(12)]
    path.write_bytes(b"".join([*good, *map(gzip.compress, hostile)]))
    crawled = crawl(tmp_path / "data", "archive", path=path, site="site")
    job(path, tmp_path / "out", {}).run(spark)
    assert len(crawled.documents) > len(read) / 2
    assert timeless(documents(tmp_path / "out")) == timeless(crawled.documents)


@pytest.mark.parametrize("algorithm", ["local", "global"])
def test_decided_templates_are_those_of_a_crawl(
    spark: SparkSession, archive: Path, tmp_path: Path, algorithm: str
) -> None:
    settings = {"DETECTION": algorithm, "TEMPLATE_MIN_SHARE": 0.0, "EXPLAIN_ENABLED": True}
    crawl(tmp_path / "first", "archive", settings, path=archive, site="site")
    with Store.open(tmp_path / "first" / "site") as store:
        names = [sketch_name(sketch) for sketch in sorted({one.sketch for one in store.templates.all()})]
    assert len(names) > 2
    settings |= {"REJECTED_TEMPLATES": names[:1], "PINNED_TEMPLATES": [names[-1], "0" * 15 + "1"]}
    crawled = crawl(tmp_path / "data", "archive", settings, path=archive, site="site")
    job(archive, tmp_path / "out", settings).run(spark)
    last = {document["url"]: document for document in crawled.documents}
    assert timeless(documents(tmp_path / "out")) == timeless(list(last.values()))


def test_files_are_the_same_when_a_job_is_run_again(
    spark: SparkSession, archive: Path, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        job(archive, tmp_path / name, {}).run(spark)
    one, two = (
        {part.name: part.read_bytes() for part in (tmp_path / name / "documents").iterdir()}
        for name in ("one", "two")
    )
    assert one == two
    assert not (tmp_path / "one" / "work").exists()


def test_what_was_cut_short_goes_on_with_what_is_not_done(
    spark: SparkSession, archive: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "site.warc.gz"
    copy.write_bytes(archive.read_bytes())
    cut = job(copy, tmp_path / "out", {})

    def stop(what: str) -> None:
        if what == "judging pages":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace(cut, tell=stop).run(spark)
    assert not (tmp_path / "out" / "documents").exists()
    # What is read already is not read again.
    copy.unlink()
    cut.run(spark)
    job(archive, tmp_path / "whole", {}).run(spark)
    assert timeless(documents(tmp_path / "out")) == timeless(documents(tmp_path / "whole"))
    # And what is complete is told once more.
    assert cut.run(spark).counts["documents"] == len(documents(tmp_path / "out"))


def test_disks_have_back_what_detection_kept_before_pages_are_judged(
    spark: SparkSession, archive: Path, tmp_path: Path
) -> None:
    kept: dict[str, int] = {}

    def look(what: str) -> None:
        kept[what] = len(spark.sparkContext._jsc.getPersistentRDDs())  # type: ignore[attr-defined]

    replace(job(archive, tmp_path / "out", {"DETECTION": "global"}), tell=look).run(spark)
    assert kept["counting blocks"] > 0
    assert kept["judging pages"] == 0


def test_a_folder_with_something_else_is_left_alone(
    spark: SparkSession, archive: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(ArchiveJobError, match="mine: the folder is not empty"):
        job(archive, tmp_path / "mine", {}).run(spark)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "job.json").write_text('{"job": "another"}')
    with pytest.raises(ArchiveJobError, match="other: the folder is of another job"):
        job(archive, tmp_path / "other", {}).run(spark)


def test_documents_as_parquet(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    job(archive, tmp_path / "lines", {}).run(spark)
    job(archive, tmp_path / "tables", {}, parquet=True).run(spark)
    table = pq.read_table(tmp_path / "tables" / "documents").to_pylist()
    lines = {line["url"]: line for line in documents(tmp_path / "lines")}
    assert len(table) == len(lines)
    for row in table:
        line = lines[row["url"]]
        assert {**row, "fetched_at": row["fetched_at"].isoformat(timespec="seconds")} == line


def test_the_latest_record_of_a_host_s_archives_counts(spark: SparkSession, tmp_path: Path) -> None:
    old, new = tmp_path / "1.warc.gz", tmp_path / "2.warc.gz"
    was = [record(f"{BASE}p{number}", page(number, "It is as it was.")) for number in range(6)]
    date = {"date": "2026-05-01T00:00:00Z"}
    now = [
        record(f"{BASE}p2", page(2, "It is another now."), **date),
        record(f"{BASE}p3", b"", status="404 Not Found", **date),
        record(f"{BASE}p4", page(4, "It is older."), date="2020-05-01T00:00:00Z"),
        record("http://other.example/p1", page(1)),
    ]
    old.write_bytes(b"".join(was))
    new.write_bytes(b"".join(now))
    summary = job(tmp_path, tmp_path / "out", {}, site_by="host").run(spark)
    found = {document["url"]: document for document in documents(tmp_path / "out")}
    assert sorted(found) == ["http://other.example/p1", *(f"{BASE}p{number}" for number in (0, 1, 2, 4, 5))]
    assert "another now" in found[f"{BASE}p2"]["text"]
    assert "as it was" in found[f"{BASE}p4"]["text"]
    assert {document["site"] for document in found.values()} == {"site.example", "other.example"}
    assert summary.counts["sites"] == 2


def test_a_site_that_a_task_cannot_hold_is_named(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    with pytest.raises(ArchiveJobError, match="site site: it has 26 pages, and a task takes 25"):
        job(archive, tmp_path / "out", {}, most_pages=25).run(spark)


def test_an_archive_that_is_none_is_named_and_skipped(
    spark: SparkSession, archive: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "archives"
    folder.mkdir()
    (folder / "site.warc.gz").write_bytes(archive.read_bytes())
    (folder / "text.warc").write_bytes(b"no archive")
    summary = job(folder, tmp_path / "out", {}).run(spark)
    assert summary.counts["skipped"] == 2
    assert any("text.warc: no WARC file" in line for line in summary.skipped)
    assert summary.counts["documents"] == 26


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_PAGES", 5),
        ("SINKS", ["tantivy"]),
        ("DUPLICATES", {"leave_out": True}),
        ("NOINDEX_ENABLED", True),
    ],
)
def test_a_setting_that_a_job_does_not_know_is_refused_by_its_name(
    archive: Path, tmp_path: Path, name: str, value: object
) -> None:
    with pytest.raises(ConfigurationError, match=rf"{name}(\.\w+)?: a job over archives does not know it"):
        job(archive, tmp_path / "out", {name: value})
