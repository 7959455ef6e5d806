"""Archives that cannot be had."""

from __future__ import annotations

import gzip
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from cluster.inputs import Input
from cluster.parameters import ArchiveJobError, Reading
from cluster.records import read_archives
from cluster.schemas import ANSWER, PAGE, SKIPPED
from pagelets.overrides import NO_SELECTORS
from pagelets.partitions import DEFAULT
from tests.hostile import ANSWERS, answer, record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

READING = Reading("host", DEFAULT, NO_SELECTORS, 1 << 20, links=False, layout=0)


class Refusing(BaseHTTPRequestHandler):
    """A bucket: of some keys it says that they are not there, of all others that nobody may know."""

    def do_HEAD(self) -> None:
        self.send_response(404 if "missing" in self.path else 403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_HEAD

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    yield
    server.shutdown()
    server.server_close()


def rows(path: str) -> list[dict[str, object]]:
    numbers = pa.RecordBatch.from_arrays([pa.array([0])], names=["id"])
    batches = read_archives(iter([numbers]), [Input(path, "site", 0, "")], READING)
    return [row for batch in batches for row in batch.to_pylist()]


def test_a_bucket_that_refuses_ends_the_job_with_the_archive_s_name(bucket: None) -> None:
    with pytest.raises(
        ArchiveJobError, match=r"s3a://bucket/a\.warc\.gz: .*ACCESS_DENIED.*; see that executors"
    ):
        rows("s3a://bucket/a.warc.gz")


def test_an_archive_that_is_missing_is_named_and_skipped(bucket: None) -> None:
    (row,) = rows("s3a://bucket/missing.warc.gz")
    assert (row["kind"], row["flags"]) == (SKIPPED, "s3a://bucket/missing.warc.gz: no such file")


def test_what_hdfs_takes_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HADOOP_HOME", "ARROW_LIBHDFS_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ArchiveJobError, match=r"lib(jvm|hdfs) is missing, of Hadoop's client: install it"):
        rows("hdfs://127.0.0.1:1/a.warc.gz")


def test_every_hostile_record_is_a_row(tmp_path: Path) -> None:
    urls = [f"http://a.example/{number}".encode() for number in range(len(ANSWERS))]
    records = [record(url, payload) for url, payload in zip(urls, ANSWERS.values(), strict=True)]
    odd = (
        b"http://[",
        b"http:///x",
        b"http://a:99999/",
        b"http://\xff/",
        b"http://a.example/\0",
        b"http://a..b/",
    )
    records += [record(url, answer()) for url in odd]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(gzip.compress(one, 1) for one in records))
    found = Counter(row["kind"] for row in rows(str(tmp_path / "a.warc.gz")))
    assert found[PAGE] + found[ANSWER] + found[SKIPPED] >= len(records)
    assert found[PAGE] > len(records) / 2
