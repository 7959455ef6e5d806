"""Corpora: archives, each with the gold text of its pages beside it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from pagelets.patterns import host_of
from settings.errors import ConfigurationError

ARCHIVE: Final = ".warc.gz"
GOLD: Final = ".gold.jsonl"


@dataclass(slots=True, frozen=True)
class GoldPage:
    """A page's reference: its URL, the text to find, and the kind of page, where the corpus tells it."""

    url: str
    text: str
    group: str | None


@dataclass(slots=True, frozen=True)
class Archive:
    """An archive of a corpus and the gold text of its pages."""

    name: str
    path: Path
    gold: list[GoldPage]


def find_archives(paths: Iterable[Path]) -> list[Archive]:
    """The archives that are named, or lie in the folders that are named, with their gold text.

    Raises ConfigurationError where a path, an archive or its gold text is missing or of no use.
    """
    archives: dict[str, Archive] = {}
    for path in paths:
        if not path.exists():
            raise ConfigurationError(
                f"{path}: no such file or folder; give *{ARCHIVE} files or a folder of them"
            )
        files = sorted(path.glob(f"*{ARCHIVE}")) if path.is_dir() else [path]
        if not files:
            raise ConfigurationError(f"{path}: no *{ARCHIVE} in this folder")
        for file in files:
            name = file.name.removesuffix(ARCHIVE)
            if name in archives:
                raise ConfigurationError(
                    f"{file}: an archive of this name is given already; evaluate them apart"
                )
            archives[name] = Archive(name, file, read_gold(file.with_name(name + GOLD)))
    return list(archives.values())


def read_gold(path: Path) -> list[GoldPage]:
    """The gold text of an archive's pages; lines without a text are left out.

    Raises ConfigurationError, with the line's number, where the file is of no use.
    """
    if not path.exists():
        raise ConfigurationError(
            f"{path}: no such file; each archive NAME{ARCHIVE} needs its NAME{GOLD} beside it"
        )
    pages: dict[str, GoldPage] = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                url, text, group = str(row.get("id") or row["url"]), row.get("text"), row.get("group")
            except (ValueError, KeyError, AttributeError, RecursionError) as error:
                raise ConfigurationError(
                    f"{path}, line {number}: {type(error).__name__}: {error}; "
                    "each line is an object with id and text"
                ) from error
            if url in pages:
                raise ConfigurationError(
                    f"{path}, line {number}: {url!r} occurs twice; give each page one line"
                )
            if isinstance(text, str):
                pages[url] = GoldPage(url, text, None if group is None else str(group))
    if not pages:
        raise ConfigurationError(f"{path}: no line has a text; there is nothing to compare with")
    return list(pages.values())


def write_archive(path: Path, pages: Iterable[tuple[str, str]]) -> None:
    """Writes an archive of pages, each a URL and its HTML: a compressed record a page."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for url, html in pages:
            head = StatusAndHeaders(
                "200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1"
            )
            body = html.encode("utf-8", "replace")
            # Of unknown length it would be spooled to a file.
            record = writer.create_warc_record(
                url, "response", payload=BytesIO(body), length=len(body), http_headers=head
            )
            writer.write_record(record)


def is_seen(archive: Archive, hosts: Collection[str]) -> bool:
    """Returns True if a model that was trained on pages of these hosts, in lower case, has seen an archive:
    at least half of its gold pages are theirs.
    """
    return 2 * sum(host_of(page.url) in hosts for page in archive.gold) >= len(archive.gold)
