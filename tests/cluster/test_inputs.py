"""Which archives a job reads."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from cluster.inputs import check_sites, inputs_of
from cluster.parameters import ArchiveJobError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.warc.gz", "a.warc", "notes.txt", "more/a.warc.gz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


def test_a_folder_stands_for_its_archives(folder: Path) -> None:
    found = inputs_of([str(folder)], "")
    assert [(Path(one.path).name, one.site, one.size) for one in found] == [
        ("a.warc", "a", 1),
        ("b.warc.gz", "b", 1),
    ]
    assert [one.site for one in inputs_of([str(folder)], "", limit=1)] == ["a"]


@pytest.mark.parametrize("packed", [False, True])
def test_a_list_names_archives_beside_it_or_behind_a_prefix(folder: Path, packed: bool) -> None:
    path = folder / ("warc.paths.gz" if packed else "warc.paths")
    text = b"b.warc.gz\n\ns3a://bucket/key/c.warc.gz\n"
    path.write_bytes(gzip.compress(text) if packed else text)
    found = inputs_of([str(path)], "")
    assert [one.path for one in found] == [str(folder / "b.warc.gz"), "s3a://bucket/key/c.warc.gz"]
    assert found[1].site == "c"
    assert inputs_of([str(path)], "s3a://commoncrawl/", limit=1)[0].path == "s3a://commoncrawl/b.warc.gz"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.warc.gz", "missing.warc.gz: No such file"),
        ("missing.paths", "missing.paths: the list cannot be read"),
        ("more/../notes.paths.gz", "notes.paths.gz: the list cannot be read"),
        ("broken.paths.gz", "broken.paths.gz: the list cannot be read"),
        ("wide.paths", "embedded null .*; check the path"),
        ("https://example.org/a.warc.gz", "no such kind of address"),
    ],
)
def test_what_cannot_be_read_is_named(folder: Path, name: str, said: str) -> None:
    (folder / "notes.paths.gz").write_bytes(b"\x1f\x8bno")
    (folder / "broken.paths.gz").write_bytes(gzip.compress(b"")[:10] + b"\xff" * 20)
    (folder / "wide.paths").write_bytes("a.warc\n".encode("utf-16"))
    with pytest.raises(ArchiveJobError, match=said):
        inputs_of([name if "://" in name else str(folder / name)], "")


def test_a_folder_without_archives_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArchiveJobError, match="give archives by name"):
        inputs_of([str(tmp_path)], "")


def test_two_files_of_one_name_are_no_two_sites(folder: Path) -> None:
    found = inputs_of([str(folder), str(folder / "more")], "")
    with pytest.raises(ArchiveJobError, match=r"a\.warc has the same name"):
        check_sites(found)
