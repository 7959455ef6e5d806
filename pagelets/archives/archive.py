"""Pages out of WARC files and folders of HTML files, found by URL.

    archive = Archive.open([Path("site.warc.gz")])
    for url in archive.urls():
        page = archive.read(url)

Opening reads every record once and keeps of each page its URL and where it stands; a body is read when it is
asked for. An `ArchiveError` names what is wrong with a file as a whole, and the mend, in one line; records
that cannot be used are skipped, counted and named in `Archive.skipped`. A `revisit` record has no body: it
takes the page of the record it refers to, if the archive has that, else it is in `Archive.unchanged`.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, TypeAlias
from urllib.parse import quote, urlsplit

from pagelets.archives.files import begins_as_html, named_html
from pagelets.archives.index import LONG_AGO, PageIndex
from pagelets.archives.records import (
    ArchivedPage,
    ArchivedResponse,
    ArchiveError,
    BodyTooLarge,
    RevisitRecord,
    SkippedRecord,
    unreadable,
)
from pagelets.archives.spelling import normal_form
from pagelets.archives.warc import WarcFile

SKIPPED_KEPT = 1000
"""How many skipped records are kept by name; all are counted."""

_PATH_SAFE = "/!$&'()*+,;=:@~"


class Archive:
    """The pages of some WARC files and folders of HTML files.

    A URL that occurs more than once leads to its latest record (WARC-Date; for a file of a folder the time
    of its last change), among equally old ones to the last in the order of the paths. `unchanged` has the
    revisits of records in other archives, by URLs without any other record. Not for use by several threads
    at once.
    """

    def __init__(self) -> None:
        self.skipped: list[SkippedRecord] = []
        self.skipped_count = 0
        self._sources: list[_Source] = []
        self.unchanged: dict[str, RevisitRecord] = {}
        self._index = PageIndex()
        # Of a page that is as another one: the place and the URL of its record.
        self._recorded_as: dict[str, tuple[int, int, str]] = {}
        self._revisits: dict[str, RevisitRecord] = {}
        # URLs of records that cannot be used, "" for an unknown one.
        self._lost: set[str] = set()
        self._spelled: Callable[[str], int | None] | None = None
        self._other_spellings: dict[str, str] = {}

    @classmethod
    def open(cls, paths: Sequence[Path], base: str | None = None) -> Self:
        """Index the WARC files and folders at `paths`; `base` is the URL of the folders among them.

        Without it a folder's URL is `http://<its name>/`. Raises ArchiveError for a path that is missing or
        unreadable, a folder without HTML files, a file that is no WARC or is compressed as one stream, a
        `base` that is no URL or has no folder to go with, and folders of two names with the same URL.
        """
        archive = cls()
        try:
            for path in paths:
                archive._add(_source(path, base))
            archive._index.seal()
            archive._resolve()
            archive._check_base(base)
        except BaseException:
            archive.close()
            raise
        return archive

    def _check_base(self, base: str | None) -> None:
        folders = [source.path for source in self._sources if isinstance(source, _Folder)]
        if base is not None and not folders:
            raise ArchiveError(f"base={base}: only a folder of HTML files takes a base URL; leave it out")
        named: dict[str, Path] = {}
        for path in () if base is not None else folders:
            # Folders of one name may be copies of a site; of two names ("ä", "ö") they are two sites.
            other = named.setdefault(_default_base(path), path)
            if other.resolve().name != path.resolve().name:
                raise ArchiveError(
                    f"{other} and {path}: both would be {_default_base(path)}; rename one, or give a base URL"
                )

    def _add(self, source: _Source) -> None:
        number = len(self._sources)
        self._sources.append(source)
        try:
            for record in source.scan():
                if isinstance(record, SkippedRecord):
                    self.skipped_count += 1
                    self._lost.add(record.url)
                    if len(self.skipped) < SKIPPED_KEPT:
                        self.skipped.append(record)
                    continue
                date = record.date or LONG_AGO
                if isinstance(record, RevisitRecord):
                    known = self._revisits.get(record.url)
                    if known is None or date >= (known.date or LONG_AGO):
                        self._revisits[record.url] = record
                    continue
                self._index.add(record.url, date, number, record.place)
        except OSError as error:
            raise unreadable(source.path, error) from error

    def _resolve(self) -> None:
        for url, revisit in self._revisits.items():
            other, date = self._index.find(revisit.refers_to), revisit.date or LONG_AGO
            number = self._index.find(url)
            if other not in (number, None) and (number is None or date >= self._index.date(number)):
                self._recorded_as[url] = self._record(revisit.refers_to)
            elif number is None:
                self.unchanged[url] = revisit
        self._revisits.clear()

    def _record(self, url: str) -> tuple[int, int, str]:
        """The source of a page, the place of its record there, and the URL of that. Raises KeyError."""
        if (recorded := self._recorded_as.get(url)) is not None:
            return recorded
        if (record := self._index.find(url)) is None:
            raise KeyError(url)
        return *self._index.place(record), url

    def urls(self) -> Iterator[str]:
        """Yield the URL of each page, to the byte, in order of first appearance."""
        yield from self._index.urls()
        yield from (url for url in self._recorded_as if self._index.find(url) is None)

    def may_have(self, url: str) -> bool:
        """Returns True if a missing page may be in a record that cannot be read."""
        return "" in self._lost or url in self._lost

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self._index) + sum(self._index.find(url) is None for url in self._recorded_as)

    def __contains__(self, url: object) -> bool:
        """Tell whether there is a page under exactly this URL."""
        return isinstance(url, str) and (self._index.find(url) is not None or url in self._recorded_as)

    def find(self, url: str) -> str | None:
        """Returns the URL of the page that answers `url`, or None.

        `url` itself comes first, then the first page with the same `normal_form`; a folder's URL (`/a/`) is
        answered by its index.html, or index.htm. Pages that are `unchanged` count.
        """
        if url in self or url in self.unchanged:
            return url
        normal = normal_form(url)
        if normal != url and (normal in self or normal in self.unchanged):
            return normal
        if self._spelled is None:
            self._spelled = self._index.by(normal_form)
            self._other_spellings = self._spellings_of_others()
        record = self._spelled(normal)
        return self._other_spellings.get(normal) if record is None else self._index.url(record)

    def _spellings_of_others(self) -> dict[str, str]:
        """The URLs of pages without a record of their own by their normal forms, and those of folders."""
        spellings: dict[str, str] = {}
        for url in (*self._recorded_as, *self.unchanged):
            normal = normal_form(url)
            if normal != url:
                spellings.setdefault(normal, url)
        for source in self._sources:
            if isinstance(source, _Folder):
                for alias, url in source.aliases.items():
                    spellings.setdefault(normal_form(alias), url)
        return spellings

    def read(self, url: str, max_size: int = 0) -> ArchivedResponse:
        """Returns the page under exactly this URL.

        Raises KeyError without such a page, BodyTooLarge for a body of more than `max_size` bytes (0: no
        limit), and ArchiveError for a record that was damaged or replaced after the archive was opened.
        """
        number, place, recorded = self._record(url)
        source = self._sources[number]
        try:
            page = source.read(recorded, place, max_size)
        except OSError as error:
            raise unreadable(source.path, error) from error
        if max_size and len(page.body) > max_size:
            raise BodyTooLarge(url, len(page.body))
        return page if page.url == url else replace(page, url=url)

    def close(self) -> None:
        """Close the files."""
        for source in self._sources:
            source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _source(path: Path, base: str | None) -> _Source:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _Folder(path, base)
        if stat.S_ISREG(mode):
            return WarcFile(path)
    except FileNotFoundError:
        raise ArchiveError(f"{path}: no such file or directory; check the path") from None
    except OSError as error:
        raise unreadable(path, error) from error
    raise ArchiveError(
        f"{path}: neither a file nor a directory; give a .warc.gz, .warc or folder of HTML files"
    )


class _Folder:
    """The HTML files under a folder; a page's place is its file's, in the order of their names.

    Names that mirrors have from URLs with a query give that. Linked folders are not entered, linked files
    only read where they are in the folder too.
    """

    def __init__(self, path: Path, base: str | None) -> None:
        self.path = path
        self.aliases: dict[str, str] = {}
        self._base = _default_base(path) if base is None else _checked_base(base)
        self._files: list[str] = []

    def close(self) -> None:
        """Nothing is open between two reads."""

    def scan(self) -> Iterator[ArchivedPage | SkippedRecord]:
        errors: list[OSError] = []
        files = sorted(
            Path(folder, name).relative_to(self.path)
            for folder, _, names in os.walk(self.path, onerror=errors.append)
            for name in names
            if named_html(name) is not False
        )
        for error in errors:
            yield SkippedRecord(Path(os.fsdecode(error.filename)), 0, error.strerror or str(error))
        root = self.path.resolve()
        for relative in files:
            file = self.path / relative
            try:
                state = file.stat()
                wrong = None
                if not stat.S_ISREG(state.st_mode):
                    wrong = "no regular file"
                elif file.is_symlink() and not file.resolve().is_relative_to(root):
                    wrong = "a link out of the folder"
                elif not named_html(file.name) and not begins_as_html(file):
                    continue
            except OSError as error:
                wrong = error.strerror or str(error)
            if wrong is None:
                yield self._page(relative, _file_date(state))
            else:
                yield SkippedRecord(file, 0, wrong, self._url(relative))
        if not self._files:
            raise ArchiveError(
                f"{self.path}: no HTML file in this folder can be read;"
                " give one that has some, or WARC files by their names"
            )

    def _url(self, relative: Path) -> str:
        url = self._base + quote(os.fsencode(relative.as_posix()), safe=_PATH_SAFE)
        if "?" not in relative.name or named_html(relative.name):
            return url
        folder, _, name = url.rpartition("/")
        asked = f"{folder}/{name.replace('%3F', '?').replace('%25', '%')}"
        self.aliases[url] = asked
        return asked

    def _page(self, relative: Path, date: datetime | None) -> ArchivedPage:
        url = self._url(relative)
        folder = url[: url.rindex("/") + 1]
        if relative.name == "index.html":
            self.aliases[folder] = url
        elif relative.name == "index.htm":
            self.aliases.setdefault(folder, url)
        self._files.append(str(relative))
        return ArchivedPage(url, len(self._files) - 1, date)

    def read(self, url: str, place: int, max_size: int) -> ArchivedResponse:
        file = self.path / self._files[place]
        state = file.stat()
        if max_size and state.st_size > max_size:
            raise BodyTooLarge(url, state.st_size)
        return ArchivedResponse(
            url, 200, [("Content-Type", "text/html")], file.read_bytes(), _file_date(state)
        )


_Source: TypeAlias = WarcFile | _Folder


def _file_date(state: os.stat_result) -> datetime | None:
    try:
        return datetime.fromtimestamp(state.st_mtime, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _default_base(path: Path) -> str:
    labels = (
        re.sub(r"[^a-z0-9]+", "-", label)[:63].strip("-") for label in path.resolve().name.lower().split(".")
    )
    return f"http://{'.'.join(filter(None, labels)) or 'archive'}/"


def _checked_base(base: str) -> str:
    try:
        parts = urlsplit(base)
        usable = parts.scheme in ("http", "https") and parts.hostname and not (parts.query or parts.fragment)
    except ValueError:
        usable = False
    if not usable:
        raise ArchiveError(f"base={base}: no base URL; give one such as https://example.org/docs/")
    return base if base.endswith("/") else f"{base}/"
