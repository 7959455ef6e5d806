"""Errors in a user's input, and names that were removed: an entry stays for one release.

ConfigurationError
├── UnknownName     an argument, key, site or method that does not exist
├── WrongSetting    a setting that is right by itself and cannot be used
└── WrongSiteFile   all that is wrong in a site file
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from settings.values import key_text, nearest

_NOTIFIED: Final = "leave it out: a command may take 60 seconds, each of three calls of a webhook 10"
_REDESIGN: Final = "leave it out: where half of the pages have lost most of their templates, it is a redesign"
_MONITORED: Final = "write a suite of Spidermon's, or alerts on METRICS_DIR: docs/monitoring.md"
_FIXED: Final = "leave it out: it is fixed now"
_SETTINGS: Final = {
    "FTS5_UNITS": 'set TANTIVY={"units": …}, and SINKS to tantivy',
    "SKETCH_LINKS SKETCH_NUM_PERM SKETCH_SHINGLE_SIZE": f"{_FIXED}; the best values are used",
    "DUCKDB_MEMORY_LIMIT DUCKDB_THREADS": "leave it out: detection uses the disk where 256 MB do not do",
    "BODY_MAX_SIZE": f"{_FIXED}; of a body the first 8 MiB are read",
    "TEMPLATE_LINKS_EVERY": f"{_FIXED}; templates are first looked for after 3 pages",
    "CRAWL_DELAY_MAX": f"{_FIXED}; a Crawl-delay is obeyed up to 60 seconds",
    "RENDER_WAIT": f"{_FIXED}; a page may take 10 seconds in the browser",
    "PUBLISH_TEXT": "set PUBLISH_TABLES=text",
    "SITEMAPS_MAX_FILES": "leave it out: 1,000 files are read; name others in SITEMAPS",
    "TRAP_MAX_PARAMETERS": "leave it out: more than 10 are a trap; name useless ones in IGNORED_PARAMETERS",
    "TRAP_MAX_REPEATS": "leave it out: a path that holds one folder more than 3 times is a trap",
    "TRAP_MAX_SEGMENTS": "leave it out: a path of more than 20 folders is a trap",
    "RUN_LOGS_KEPT": "leave it out: the last 30 logs of a site are kept",
    "REDESIGN_MIN_SHARE": _REDESIGN,
    "NOTIFY_TIMEOUT": _NOTIFIED,
    "VALIDATORS_TRUSTED_FOR": "set HTTPCACHE_ENABLED=0 to have every page sent whole",
    "SINK_BATCH_BYTES SINK_BATCH_DOCUMENTS": f"{_FIXED}; each sink has a batch size of its own",
    "MONITOR_DOCUMENTS_MIN_SHARE MONITOR_FAILED_ACTIONS MONITOR_FAILED_MAX_SHARE": _MONITORED,
    "MONITOR_MIN_RUNS MONITOR_REMOVED_MAX_CHANGE MONITOR_REMOVED_MIN_DOCUMENTS MONITOR_SUITES": _MONITORED,
}
"""Settings, those of one fate together."""
_OPTIONS: Final = {
    "DUPLICATES": "enabled",
    "TANTIVY": "units language",
    "POSTGRESQL": "dsn table units language",
    "OPENSEARCH": "hosts prefix user password ca_certs units",
    "ELASTICSEARCH": "hosts prefix user password api_key ca_certs units",
    "OPERATIONS": "path",
}
"""Settings that are tables of options, each of which was a setting ``TABLE_OPTION``."""
_NOW: Final = 'set {0}={{"{1}": …}}; in a site file, {1} of [{2}] stays'
REMOVED: Final[Mapping[tuple[str, str], str]] = {
    ("sink", "fts5"): "name 'tantivy' in its place",
    ("text search configuration", "auto"): "name one of the server's, such as 'english': docs/postgresql.md",
    ("key", "fts5"): "write [tantivy], and name 'tantivy' in sinks",
    ("key", "thresholds.redesign"): _REDESIGN,
    ("key", "notify.timeout"): _NOTIFIED,
    **{
        ("key", f"overrides.{name}"): f"write {name} for the whole site, and overrides.method for some pages"
        for name in ("detection", "min_pages", "min_share")
    },
    **{("setting", name): instead for names, instead in _SETTINGS.items() for name in names.split()},
    **{
        ("setting", f"{table}_{option}".upper()): _NOW.format(table, option, table.lower())
        for table, options in _OPTIONS.items()
        for option in options.split()
    },
    ("setting", "DUPLICATES_LEFT_OUT"): _NOW.format("DUPLICATES", "leave_out", "duplicates"),
    ("setting", "DUPLICATE_MIN_SIMILARITY"): _NOW.format("DUPLICATES", "similarity", "duplicates"),
}
"""(kind, name) -> what to do instead. Kinds are ``setting``, ``key`` (of a site file, those of tables with
dots), ``sink``, ``spider argument`` and ``text search configuration`` (of the sink postgresql).
"""


def removed(kind: str, name: str) -> str | None:
    """Returns the message on a removed name, with its replacement; None for any other name."""
    instead = REMOVED.get((kind, name))
    return None if instead is None else f"was removed; {instead}"


class ConfigurationError(ValueError):
    """A wrong argument, setting or site file; the text is one line that names it and the mend."""


class UnknownName(ConfigurationError):
    """Raised for an unknown name; the text names the one that replaced it, or the nearest."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        gone = removed(kind, name)
        super().__init__(
            f"{kind} {name!r} {gone}" if gone else f"unknown {kind} {name!r}; {nearest(name, known)}"
        )


class WrongSetting(ConfigurationError):
    """A setting, or a part ``within`` it (``POSTGRESQL.dsn``) that cannot be used; ``what`` is the reason."""

    def __init__(self, name: str, what: str, *within: str | int) -> None:
        self.setting, *parts = name.split(".")
        self.within, self.what = (*parts, *within), what
        super().__init__(f"{key_text((self.setting, *self.within))}: {what}")


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


class WrongSiteFile(ConfigurationError):
    """Raised for a site file that cannot be used; the text is a line for each of the ``problems``."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(map(str, self.problems)))


def relative(path: Path) -> Path:
    """Returns a path as a user would write it: from the current folder, if it is below that."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
