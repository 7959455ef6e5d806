"""Places on the disk, also of a project that is packed into one file, the egg that Scrapyd runs."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from settings import site as site_files


def project_folder(code: Path) -> Path:
    """Returns the folder that relative places, such as DATA_DIR, begin at: the one of the project's code; of
    an egg, which has no room for files, the current one, where Scrapyd has its own eggs, logs and items.
    """
    return code if code.is_dir() else Path.cwd()


@cache
def unpacked(egg: Path, folder: str) -> Path | None:
    """Returns a folder with the files of one of an egg's, removed at the end of the process, or None."""
    if not zipfile.is_zipfile(egg):
        return None
    with zipfile.ZipFile(egg) as file:
        names = [name for name in file.namelist() if PurePosixPath(name).parent == PurePosixPath(folder)]
        if not names:
            return None
        place = tempfile.mkdtemp(prefix="pagelets-")
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        file.extractall(place, names)
    return Path(place, folder)


_CODE: Final = Path(__file__).resolve().parents[1]
PROJECT: Final = project_folder(_CODE)
"""Relative places, such as DATA_DIR, begin here, so that commands work in any folder."""


def data_dir(settings: Mapping[str, object]) -> Path:
    """Returns the folder of the stores."""
    return PROJECT / str(settings.get("DATA_DIR", "data"))


def sites_dir(settings: Mapping[str, object]) -> Path:
    """Returns the folder of the site files. Those packed with the project are read from there."""
    given = str(settings.get("SITES_DIR", site_files.SITES))
    return unpacked(_CODE, given) or PROJECT / given
