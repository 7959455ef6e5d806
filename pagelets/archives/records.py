"""Pages in archives of any kind, and the errors of unusable ones."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, TypeAlias

MAX_HEAD = 1 << 20
"""Bytes that the header of a record, or of an HTTP response in it, may have."""


class ArchiveError(Exception):
    """A file, a folder or a record cannot be used; the message is one line that names it and the mend."""


class BodyTooLarge(ArchiveError):
    """A body has more bytes than the reader wants."""

    def __init__(self, url: str, size: int) -> None:
        super().__init__(f"{url}: the archived body has {size} bytes")


@dataclass(frozen=True)
class SkippedRecord:
    """A record that is not used: its file, the offset in the file's bytes (0 for a folder), and why."""

    path: Path
    offset: int
    reason: str
    url: str = ""
    """Of the page that the record is of, where that can be read."""


@dataclass(frozen=True)
class ArchivedResponse:
    """A page as its server sent it.

    `headers` are in their order, repeated ones repeated, decoded as Latin-1 (encode them so to have the
    bytes). The body is free of transfer codings, and still in the content coding that its header names.
    `cut` is the reason for a body that is not whole, as WARC-Truncated has it (`length`, `disconnect`).
    """

    url: str
    status: int
    headers: list[tuple[str, str]]
    body: bytes
    date: datetime | None
    cut: str = ""


class ArchivedPage(NamedTuple):
    url: str
    place: int
    date: datetime | None


class RevisitRecord(NamedTuple):
    """A record that says that a page is as another record has it, which is of the URL `refers_to`."""

    url: str
    refers_to: str
    date: datetime | None


Record: TypeAlias = ArchivedPage | RevisitRecord | SkippedRecord
"""A record of a page, of its being as before, or one that is not used."""


def unreadable(path: Path, error: OSError) -> ArchiveError:
    name = os.fsdecode(error.filename) if error.filename else path
    return ArchiveError(
        f"{name}: cannot be read ({error.strerror or error}); check its permissions and the disk"
    )


class Damaged(Exception):
    """A record cannot be read; the message is the reason."""
