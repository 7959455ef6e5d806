"""Site files: settings/sites/NAME.toml."""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any, Final

from settings.errors import ConfigurationError, Problem, WrongSiteFile, relative, removed
from settings.mistakes import related, validated, value_of
from settings.places import SITES
from settings.tables import SCHEMA, Schema
from settings.toml import Locations, read
from settings.values import Place, key_text

SITE_NAME: Final = re.compile(r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._:@-]{0,199}\Z")
"""A site's name is a folder's and a file's, and leads nowhere else."""
SITE_NAME_MEND: Final = "use ASCII letters, digits, dots, hyphens and underscores, first a letter or digit"
Check = Callable[[str, object], str | None] | None
"""Returns the mistake in the value of a setting, if there is one."""


@dataclass(slots=True, frozen=True)
class SiteFile:
    """A site file that is right.

    ``settings`` has the settings that it sets, in their normal form (those of its table ``[settings]`` as
    written), ``places`` their places in the file. ``for_archive`` is True if the file has an empty list of
    start URLs, as an archive needs none.
    """

    path: Path
    urls: list[str]
    settings: dict[str, Any]
    places: dict[str, Place]
    locations: Locations = field(repr=False)
    for_archive: bool = False

    def problem(self, text: str, *place: str | int) -> Problem:
        """A mistake at a place of the file."""
        return Problem(self.path, self.locations.line(place), key_text(place), text)


def names(folder: Path = SITES) -> list[str]:
    """The sites that have a file."""
    return [path.stem for path in files(folder)]


def files(folder: Path = SITES) -> list[Path]:
    """The site files of a folder."""
    return sorted(path for path in folder.glob("*.toml") if not path.name.startswith("."))


def check_folder(folder: Path) -> None:
    """Raises ConfigurationError if there is no such folder of site files."""
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: no folder of site files; see SITES_DIR and PAGELETS_SITES_DIR")


def load(
    path: Path, *, environ: Mapping[str, str] | None = None, check: Check = None, schema: Schema = SCHEMA
) -> SiteFile:
    """Reads the site file at a ``path`` by the keys of the ``schema``. The environment variables that it
    names have to be in ``environ``, if that is given; ``check`` returns the mistake in a setting of
    ``[settings]``, or None. Raises FileNotFoundError, and WrongSiteFile, which names all mistakes.
    """
    problems: list[Problem] = []
    if not SITE_NAME.match(path.stem):
        problems.append(Problem(path, 1, "", f"site name {path.stem!r}: {SITE_NAME_MEND}"))
    try:
        values, locations, mistakes = read(path.read_bytes())
    except FileNotFoundError:
        raise
    except OSError as error:
        problem = Problem(path, 1, "", f"cannot be read: {error.strerror}; see its permissions and its kind")
        raise WrongSiteFile([*problems, problem]) from error
    problems += [Problem(path, line, key_text(place), text) for place, line, text in mistakes]
    if values is None:
        raise WrongSiteFile(problems)
    if not values and not mistakes:
        problems.append(Problem(path, 1, "", "is empty; give at least url, the start URLs"))
    table, wrong = validated(values, environ, schema)
    site = SiteFile(path, table.url, {}, {}, locations, for_archive=table.has("url") and not table.url)
    given = table.given()
    for key, sets in schema.setters.items():
        *parents, name = place = key.split(".")
        inner: Mapping[str, Any] = reduce(lambda outer, parent: outer.get(parent, {}), parents, given)
        if name in inner:
            site.settings[sets.setting], site.places[sets.setting] = inner[name], tuple(place)
    faults = list(wrong.items())
    for name, value in table.settings.items():
        if fault := _setting_fault(name, value, site, check, schema):
            faults.append((("settings", name), fault))
    faults += [((*site.places[wrong.setting], *wrong.within), wrong.what) for wrong in related(site.settings)]
    problems += [site.problem(fault, *place) for place, fault in faults]
    if problems:
        raise WrongSiteFile(problems)
    for name, value in table.settings.items():
        site.settings[name], site.places[name] = value, ("settings", name)
    return site


def check_all(paths: Iterable[Path], schema: Schema = SCHEMA) -> list[Problem]:
    """Returns mistakes between site files by the ``schema``: names alike but for case, two of one site."""
    by_name: dict[str, list[Path]] = defaultdict(list)
    by_urls: dict[frozenset[str], list[SiteFile]] = defaultdict(list)
    for path in paths:
        by_name[str(path).casefold()].append(path)
        with contextlib.suppress(OSError, WrongSiteFile):
            site = load(path, schema=schema)
            if site.urls:
                by_urls[frozenset(url.rstrip("/").lower() for url in site.urls)].append(site)
    problems = [
        Problem(path, 1, "", f"and {alike[0].name} differ only in case; rename one of them")
        for alike in by_name.values()
        for path in alike[1:]
    ]
    for first, *others in by_urls.values():
        what = f"names the same site as {relative(first.path)}; give other start URLs, or keep one file"
        problems += [other.problem(what, "url") for other in others]
    return problems


def _setting_fault(name: str, value: object, site: SiteFile, check: Check, schema: Schema) -> str | None:
    if not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
        return "is no name of a setting; they are in upper case, such as DOWNLOAD_DELAY"
    if gone := removed("setting", name):
        return gone
    if name in site.places:
        return f"is set by the key {key_text(site.places[name])!r} as well; keep one of the two"
    why = None if check is None else check(name, value)
    return f"value {value_of(('settings', name), value, schema)}: {why}" if why else None
