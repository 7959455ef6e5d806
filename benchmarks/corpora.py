"""Real pages to measure on: the place of the corpora comes from --corpora or the environment."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from w3lib.encoding import html_to_unicode

from pagelets.archives.archive import Archive

SINGLE_PAGES = 300
"""So many pages of the wcxb corpus are measured, the first ones."""


class RawPage(NamedTuple):
    """A page as found: its address, its bytes, and what they are decoded with."""

    url: str
    body: bytes
    encoding: str


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--corpora`` to a benchmark's arguments."""
    parser.add_argument(
        "--corpora",
        type=Path,
        default=os.environ.get("CORPORA") or None,
        help="folder with sites/*.warc.gz and wcxb/dev.warc.gz (default: the environment variable CORPORA)",
    )


def folder(options: argparse.Namespace) -> Path:
    """Returns the corpora's folder; ends the program if it is missing."""
    if options.corpora is None or not Path(options.corpora).is_dir():
        sys.exit("no corpora: give --corpora FOLDER, or set CORPORA, to a folder with sites/ and wcxb/")
    return Path(options.corpora)


def archives(corpora: Path) -> dict[str, Path]:
    """Name -> archive of every site."""
    return {
        path.name.removesuffix(".warc.gz"): path for path in sorted((corpora / "sites").glob("*.warc.gz"))
    }


def pages(archive: Path, limit: int | None = None) -> Iterator[RawPage]:
    """The pages of an archive, in order."""
    with Archive.open([archive]) as opened:
        for number, url in enumerate(opened.urls()):
            if limit is not None and number >= limit:
                return
            response = opened.read(url)
            kind = next((value for name, value in response.headers if name.lower() == "content-type"), "")
            encoding, _ = html_to_unicode(kind, response.body)
            yield RawPage(url, response.body, encoding)


def measured(corpora: Path) -> dict[str, list[RawPage]]:
    """The pages of the speed figures: the first of wcxb as one set, and every site."""
    sets = {"wcxb": list(pages(corpora / "wcxb" / "dev.warc.gz", SINGLE_PAGES))}
    sets.update((name, list(pages(path))) for name, path in archives(corpora).items())
    return sets
