"""Site files: settings/sites/NAME.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

SITES: Final = Path(__file__).parent / "sites"
KEYS: Final = frozenset(
    {"url", "max_pages", "k", "detection", "min_pages", "min_share", "method", "fields", "settings"}
)
"""The keys of a site file: the arguments of a spider, and ``settings`` for any Scrapy setting."""


class SiteFileError(ValueError):
    """A site file cannot be used; the text is one line that names the file and the mend."""


def names(folder: Path = SITES) -> list[str]:
    """The sites that have a file."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load(name: str, folder: Path = SITES) -> dict[str, Any]:
    """The keys and values of a site's file.

    Raises FileNotFoundError where the site has none, SiteFileError where it is no TOML or has a key that does
    not exist.
    """
    path = folder / f"{name}.toml"
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SiteFileError(f"{path}: {error}; see that it is TOML in UTF-8") from error
    for key in values:
        if key not in KEYS:
            raise SiteFileError(f"{path}: unknown key {key!r}; there are: {', '.join(sorted(KEYS))}")
    return values
