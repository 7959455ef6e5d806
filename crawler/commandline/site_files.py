"""The site file that a command changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crawler.commandline.base import written
from crawler.configuration.plan import site_name
from inspection.taught_change import TaughtFiles
from settings.errors import ConfigurationError
from settings.places import sites_dir

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def taught_files(site: str, settings: BaseSettings) -> TaughtFiles:
    """Returns the files of a site that take what is taught. Raises ConfigurationError."""
    return TaughtFiles(sites_dir(settings) / f"{site_name(site)}.toml", read_source, write_source)


def read_source(path: Path) -> str:
    """Returns the text of a site file with its line ends. Raises ConfigurationError and OSError."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: {error}") from error


def write_source(path: Path, text: str) -> None:
    """Writes the text of a site file, whose mode stays; makes its folder. A file of which nothing is left is
    removed. Raises OSError.
    """
    if not text.strip():
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode if path.exists() else None
    with written(path) as file:
        file.write(text.encode())
    if mode is not None:
        path.chmod(mode)
