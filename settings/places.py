"""Places on the disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from settings import site as site_files
from settings.packed import project_folder, unpacked

if TYPE_CHECKING:
    from collections.abc import Mapping

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
