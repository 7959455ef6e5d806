"""`scrapy archive-job`: what it refuses before Spark is started."""

from __future__ import annotations

import pytest

from store.lock import SiteLock


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "give --master"),
        (["--master", "somewhere"], "--master somewhere"),
        (["--master", "local[2]", "--site-by", "hosts"], "--site-by hosts"),
        (["--master", "local[2]", "--format", "csv"], "--format csv"),
        (["--master", "local[2]", "--conf", "memory=4g"], "--conf memory=4g"),
        (["--master", "local[2]", "--limit", "many"], "--limit many"),
        (["--master", "local[2]", "--limit", "0"], "--limit 0: give a whole number, 1 or more"),
        (["--master", "local[2]", "--partitions", "0"], "--partitions 0: give a whole number from 1"),
        (["--master", "local[2]", "--partitions", "9999999"], "--partitions 9999999: give a whole number"),
        (["--master", "local[2]", "--site-pages", "0"], "--site-pages 0: give a whole number, 1 or more"),
        (["--master", "local[2]", "--site", "handbok"], "unknown site 'handbok'"),
        (["--master", "local[2]", "-s", "MAX_PAGES=5"], "MAX_PAGES"),
        (["--master", "local[2]", "-s", "SINKS=tantivy"], "SINKS"),
    ],
)
def test_what_is_wrong_is_named(scrapy, crawled, tmp_path, options, said):
    scrapy("archive-job", *options, crawled.archive, tmp_path / "out").refused(said)
    assert not (tmp_path / "out").exists()


def test_archives_and_folders_that_are_missing_are_named(scrapy, crawled, tmp_path):
    options = ("archive-job", "--master", "local[2]")
    scrapy(*options, crawled.archive).refused("give archives and a folder")
    scrapy(*options, tmp_path / "no.warc.gz", tmp_path / "out").refused("no.warc.gz")
    scrapy(*options, crawled.archive, tmp_path / "nowhere" / "out").refused("nowhere")
    (tmp_path / "file").write_text("mine")
    scrapy(*options, crawled.archive, tmp_path / "file").refused("it is a file; give a new folder")
    assert (tmp_path / "file").read_text() == "mine"


def test_another_job_that_writes_there_is_waited_for(scrapy, crawled, tmp_path):
    lock = SiteLock(tmp_path / ".out.lock")
    try:
        ran = scrapy("archive-job", "--master", "local[2]", crawled.archive, tmp_path / "out")
    finally:
        lock.release()
    assert ran.code == 6
    assert "another job writes to it" in ran.err
