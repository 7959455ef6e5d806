"""The archives that a job reads: which they are, and how an executor comes by one."""

from __future__ import annotations

import contextlib
import gzip
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from cluster.parameters import ArchiveJobError

_LISTS: Final = (".paths", ".paths.gz")
"""Ends of the names of files that list archives, as Common Crawl publishes them."""
_REMOTE: Final = re.compile(r"(s3a?|hdfs)://", re.IGNORECASE)
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_ARCHIVE: Final = re.compile(r"\.warc(\.gz)?\Z")
_CHUNK: Final = 1 << 20
_HADOOP: Final = re.compile(r"(?<=Unable to load )lib(jvm|hdfs)")


class Input(NamedTuple):
    """An archive: its path, the name of its site if each file is one, its bytes, and the time of its last
    change as text, if known.
    """

    path: str
    site: str
    size: int
    changed: str


def inputs_of(paths: Sequence[str], prefix: str, limit: int = 0) -> list[Input]:
    """The archives at paths: files, folders of ``*.warc.gz`` and ``*.warc``, lists of them (``*.paths``,
    packed or not), and s3a:// and hdfs:// addresses. A name in a list without a scheme is looked for behind
    ``prefix``, or else beside the list. Of all ``paths`` the first ``limit`` are returned, 0 for all.

    Raises ArchiveJobError.
    """
    archives: list[Input] = []
    for path in _expanded(paths, prefix):
        if limit and len(archives) >= limit:
            break
        archives.append(_input(path))
    if not archives:
        raise ArchiveJobError(f"{', '.join(paths)}: no .warc or .warc.gz file there; give archives by name")
    return archives


def check_sites(inputs: Sequence[Input]) -> None:
    """Raises ArchiveJobError where two files would be one site."""
    known: dict[str, str] = {}
    for archive in inputs:
        if (other := known.setdefault(archive.site, archive.path)) != archive.path:
            raise ArchiveJobError(
                f"{archive.path}: {other} has the same name, and each file is a site (--site-by file); "
                "rename one of them, or give --site-by host"
            )


def _expanded(paths: Iterable[str], prefix: str) -> Iterator[str]:
    for path in paths:
        if path.endswith(_LISTS):
            yield from _listed(path, prefix)
        elif not _REMOTE.match(path) and Path(_local(path)).is_dir():
            folder = Path(_local(path))
            yield from sorted(str(file) for file in folder.iterdir() if _ARCHIVE.search(file.name))
        else:
            yield path


def _listed(path: str, prefix: str) -> Iterator[str]:
    try:
        with local_copy(path) as here:
            text = here.read_bytes()
        if text.startswith(b"\x1f\x8b"):
            text = gzip.decompress(text)
    except (OSError, EOFError, zlib.error) as error:
        raise ArchiveJobError(
            f"{path}: the list cannot be read ({_said(error)}); see that it is there"
        ) from error
    base = prefix or path.rpartition("/")[0]
    for line in text.decode("utf-8", "replace").splitlines():
        name = line.strip()
        if name:
            yield name if _SCHEME.match(name) or name.startswith("/") else f"{base.rstrip('/')}/{name}"


def _input(path: str) -> Input:
    if _SCHEME.match(path) and not _REMOTE.match(path) and not path.lower().startswith("file://"):
        raise ArchiveJobError(f"{path}: no such kind of address; give a file, s3a://BUCKET/KEY or hdfs://…")
    site = _ARCHIVE.sub("", path.rstrip("/").rpartition("/")[2])
    if _REMOTE.match(path):
        return Input(path, site, 0, "")
    here = Path(_local(path)).absolute()
    try:
        state = here.stat()
        if not here.is_file():
            raise ArchiveJobError(f"{path}: no file; give archives by name, or a folder of them")
        with here.open("rb"):
            pass
    except (OSError, ValueError) as error:
        # ValueError: with a NUL, as in a list in UTF-16.
        raise ArchiveJobError(f"{path}: {_said(error)}; check the path and its permissions") from error
    return Input(str(here), _ARCHIVE.sub("", here.resolve().name), state.st_size, str(state.st_mtime_ns))


def _local(path: str) -> str:
    return path[len("file://") :] if path.lower().startswith("file://") else path


def _said(error: BaseException) -> str:
    return getattr(error, "strerror", None) or " ".join(str(error).split())[:300] or type(error).__name__


@contextlib.contextmanager
def local_copy(path: str) -> Iterator[Path]:
    """The file at a path, on this machine: one of s3a:// or hdfs:// is fetched for the time inside.

    Raises OSError where it cannot be had, or there is no room for it.
    """
    if not _REMOTE.match(path):
        yield Path(_local(path))
        return
    folder = Path(tempfile.mkdtemp(prefix="archive-"))
    try:
        here = folder / path.rpartition("/")[2]
        with _stream(path) as source, here.open("wb") as target:
            shutil.copyfileobj(source, target, _CHUNK)
        yield here
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _stream(path: str) -> Any:
    # Loads the clients of all stores.
    from pyarrow import fs

    uri = f"s3://{path.partition('://')[2]}" if path.lower().startswith("s3") else path
    try:
        system, place = fs.FileSystem.from_uri(uri)
    except OSError as error:
        if missing := _HADOOP.search(str(error)):
            raise OSError(
                f"{missing[0]} is missing, of Hadoop's client: install it, set JAVA_HOME and HADOOP_HOME"
            ) from error
        raise
    return system.open_input_stream(place)
