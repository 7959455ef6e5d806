"""Site files: settings/sites/NAME.toml."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from settings.mistakes import Wrong, key_text, validated, value_of
from settings.related import related
from settings.removed import removed
from settings.schema import SCHEMA, Schema
from settings.toml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from settings.locate import Locations, Place
    from settings.tables import SiteTable

SITES: Final = Path(__file__).parent / "sites"
"""Where the site files are, unless the setting ``SITES_DIR`` says otherwise."""

SITE_NAME: Final = re.compile(r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._:@-]{0,199}\Z")
"""A site's name is a folder's and a file's, and leads nowhere else."""
SITE_NAME_MEND: Final = "use letters, digits, dots, hyphens and underscores, first a letter or digit"

_SETTING_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_SECOND: Final = 10**9


@dataclass(slots=True, frozen=True, order=True)
class Problem:
    """A mistake in a site file: its line, its key (empty for the whole file), the mistake and the mend."""

    path: Path
    line: int
    key: str
    text: str

    def __str__(self) -> str:
        key = f"key {self.key!r}: " if self.key else ""
        return f"{relative(self.path)}:{self.line}: {key}{self.text}"


class SiteFileError(ValueError):
    """Site files cannot be used; the text is a line for each of the ``problems``."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(map(str, self.problems)))


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


def load(
    name: str,
    folder: Path = SITES,
    *,
    environ: Mapping[str, str] | None = None,
    check: Callable[[str, object], str | None] | None = None,
    schema: Schema = SCHEMA,
) -> SiteFile:
    """Reads a site's file.

    Args:
        name: the name of the site.
        folder: the folder of site files.
        environ: the environment variables that the file names have to be set there, if given.
        check: returns the mistake in a setting of the table ``[settings]``, or None.
        schema: has all keys.

    Raises:
        FileNotFoundError: the site has no file.
        SiteFileError: the file has mistakes; the text names them all.

    """
    if not SITE_NAME.match(name):
        raise SiteFileError([Problem(folder / f"{name}.toml", 1, "", _wrong_name(name))])
    return load_file(folder / f"{name}.toml", environ=environ, check=check, schema=schema)


def load_file(
    path: Path,
    *,
    environ: Mapping[str, str] | None = None,
    check: Callable[[str, object], str | None] | None = None,
    schema: Schema = SCHEMA,
) -> SiteFile:
    """A site file at any path; ``environ``, ``check`` and ``schema`` are as `load` takes them."""
    problems = list(_clashes(path))
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        problem = Problem(path, 1, "", f"cannot be read: {error.strerror}; see its permissions and its kind")
        raise SiteFileError([*problems, problem]) from error
    values, locations, mistakes = read(data)
    problems += [Problem(path, line, key_text(place), text) for place, line, text in mistakes]
    if values is None:
        raise SiteFileError(problems)
    if not values and not mistakes:
        problems.append(Problem(path, 1, "", "is empty; give at least url, the start URLs"))
    table, wrong = validated(values, environ, schema)
    site = _site(path, table, locations, schema)
    faults = [*wrong.items(), *_settings_table(table, check, schema)]
    faults += [((*site.places[setting], *within), fault) for setting, within, fault in related(site.settings)]
    problems += [Problem(path, locations.line(place), key_text(place), str(fault)) for place, fault in faults]
    if problems:
        raise SiteFileError(problems)
    for name, value in (table.settings or {}).items():
        site.settings[name], site.places[name] = value, ("settings", name)
    return site


def check_all(paths: Iterable[Path], schema: Schema = SCHEMA) -> list[Problem]:
    """Returns the mistakes between site files that are right, each by itself: two that name one site.

    Files that cannot be loaded are left out. The schema is as in `load`.
    """
    by_urls: dict[frozenset[str], list[SiteFile]] = defaultdict(list)
    for path in paths:
        try:
            site = load_file(path, schema=schema)
        except (OSError, SiteFileError):
            continue
        if site.urls:
            by_urls[frozenset(_one_form(url) for url in site.urls)].append(site)
    return [
        site.problem(
            f"names the same site as {relative(sites[0].path)}; give other start URLs, or keep one file",
            "url",
        )
        for sites in by_urls.values()
        for site in sites[1:]
    ]


def relative(path: Path) -> Path:
    """Returns a path as a user would write it: from the current folder, if it is below that."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _wrong_name(name: str) -> str:
    return f"site name {name!r}: {SITE_NAME_MEND}"


def _clashes(path: Path) -> Iterator[Problem]:
    if not SITE_NAME.match(path.stem):
        yield Problem(path, 1, "", _wrong_name(path.stem))
    for other in _alike(path.parent).get(path.name.casefold(), ()):
        if other != path.name:
            yield Problem(path, 1, "", f"and {other} differ only in case; rename one of them")


def _alike(folder: Path) -> dict[str, list[str]]:
    """The names in a folder by their form without case."""
    try:
        changed = folder.stat().st_mtime_ns
        # Ten thousand files ask for the same. What has changed just now may change again at the same time.
        look = _listed if time.time_ns() - changed > _SECOND else _listed.__wrapped__
        return look(folder, changed)
    except OSError:
        return {}


@lru_cache(maxsize=1)
def _listed(folder: Path, _changed: int) -> dict[str, list[str]]:
    names: dict[str, list[str]] = defaultdict(list)
    for name in sorted(path.name for path in folder.iterdir()):
        names[name.casefold()].append(name)
    return names


def _settings_table(
    site: SiteTable, check: Callable[[str, object], str | None] | None, schema: Schema
) -> Iterator[tuple[Place, Wrong]]:
    given = {schema.setters[key].setting: key for key in _given(site, schema)}
    for name, value in (site.settings or {}).items():
        if not _SETTING_NAME.match(name):
            what = Wrong(None, "is no name of a setting; they are in upper case, such as DOWNLOAD_DELAY")
        elif gone := removed("setting", name):
            what = Wrong(None, gone)
        elif name in given:
            what = Wrong(None, f"is set by the key {given[name]!r} as well; keep one of the two")
        elif check is not None and (why := check(name, value)):
            what = Wrong(value_of(("settings", name), value, schema), why)
        else:
            continue
        yield ("settings", name), what


def _given(site: SiteTable, schema: Schema) -> Iterator[str]:
    """The keys that are given and set a setting."""
    for key in schema.setters:
        table: Any = site
        *parents, name = key.split(".")
        for parent in parents:
            table = getattr(table, parent)
        if table.has(name):
            yield key


def _site(path: Path, table: SiteTable, locations: Locations, schema: Schema) -> SiteFile:
    """The site of a file's keys, without those of its table ``[settings]``."""
    plain = table.given()
    site = SiteFile(path, table.url, {}, {}, locations, for_archive=table.has("url") and not table.url)
    for key in _given(table, schema):
        value: Any = plain
        for part in key.split("."):
            value = value[part]
        setting = schema.setters[key].setting
        site.settings[setting] = value
        site.places[setting] = tuple(key.split("."))
    return site


def _one_form(url: str) -> str:
    return url.rstrip("/").lower()
