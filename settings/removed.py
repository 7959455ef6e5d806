"""Names that were removed, and what replaces each. An entry stays for one release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MONITORS: Final = "write a suite of Spidermon's, or alerts on METRICS_DIR: docs/monitoring.md"

_NOTIFIED: Final = "leave it out: a command may take 60 seconds, each of three calls of a webhook 10"
_REDESIGN: Final = "leave it out: where half of the pages have lost most of their templates, it is a redesign"

_OPTIONS: Final = {
    "duplicates": {
        "DUPLICATES_ENABLED": "enabled",
        "DUPLICATE_MIN_SIMILARITY": "similarity",
        "DUPLICATES_LEFT_OUT": "leave_out",
    },
    **{
        sink: {f"{sink}_{key}".upper(): key for key in keys.split()}
        for sink, keys in (
            ("tantivy", "units language"),
            ("postgresql", "dsn table units language"),
            ("opensearch", "hosts prefix user password ca_certs units"),
            ("elasticsearch", "hosts prefix user password api_key ca_certs units"),
            ("operations", "path"),
        )
    },
}
"""Settings that are options of a table now, which is one setting."""

REMOVED: Final[Mapping[tuple[str, str], str]] = {
    ("sink", "fts5"): "name 'tantivy' in its place",
    ("setting", "FTS5_UNITS"): 'set TANTIVY={"units": …}, and SINKS to tantivy',
    ("text search configuration", "auto"): "name one of the server's, such as 'english': docs/postgresql.md",
    ("key", "fts5"): "write [tantivy], and name 'tantivy' in sinks",
    **{
        ("key", f"overrides.{name}"): f"write {name} for the whole site, and overrides.method for some pages"
        for name in ("detection", "min_pages", "min_share")
    },
    **{
        ("setting", f"SKETCH_{name}"): "leave it out: sketches are made with the values that do best"
        for name in ("LINKS", "NUM_PERM", "SHINGLE_SIZE")
    },
    **{
        ("setting", f"DUCKDB_{name}"): "leave it out: detection uses the disk where 256 MB do not do"
        for name in ("MEMORY_LIMIT", "THREADS")
    },
    ("setting", "BODY_MAX_SIZE"): "leave it out: it is fixed now; of a body the first 8 MiB are read",
    (
        "setting",
        "TEMPLATE_LINKS_EVERY",
    ): "leave it out: it is fixed now; templates are first looked for after 3 pages",
    ("setting", "SITEMAPS_MAX_FILES"): "leave it out: 1,000 files are read; name others in SITEMAPS",
    **{
        ("setting", f"TRAP_MAX_{name}"): f"leave it out: {what}"
        for name, what in (
            ("PARAMETERS", "more than 10 are a trap; name those that make no page in IGNORED_PARAMETERS"),
            ("REPEATS", "a path that holds one folder more than 3 times is a trap"),
            ("SEGMENTS", "a path of more than 20 folders is a trap"),
        )
    },
    **{
        ("setting", setting): f'set {table.upper()}={{"{key}": …}}; in a site file, {key} of [{table}] stays'
        for table, options in _OPTIONS.items()
        for setting, key in options.items()
    },
    ("setting", "CRAWL_DELAY_MAX"): "leave it out: it is fixed now; a Crawl-delay is obeyed up to 60 seconds",
    ("setting", "RENDER_WAIT"): "leave it out: it is fixed now; a page may take 10 seconds in the browser",
    ("setting", "PUBLISH_TEXT"): "set PUBLISH_TABLES=text",
    ("setting", "RUN_LOGS_KEPT"): "leave it out: the last 30 logs of a site are kept",
    ("setting", "REDESIGN_MIN_SHARE"): _REDESIGN,
    ("key", "thresholds.redesign"): _REDESIGN,
    ("setting", "NOTIFY_TIMEOUT"): _NOTIFIED,
    ("key", "notify.timeout"): _NOTIFIED,
    ("setting", "VALIDATORS_TRUSTED_FOR"): "set HTTPCACHE_ENABLED=0 to have every page sent whole",
    **{
        ("setting", f"SINK_BATCH_{name}"): "leave it out: a sink says how many documents it takes at once"
        for name in ("BYTES", "DOCUMENTS")
    },
    **{
        ("setting", f"MONITOR_{name}"): _MONITORS
        for name in (
            "DOCUMENTS_MIN_SHARE",
            "FAILED_ACTIONS",
            "FAILED_MAX_SHARE",
            "MIN_RUNS",
            "REMOVED_MAX_CHANGE",
            "REMOVED_MIN_DOCUMENTS",
            "SUITES",
        )
    },
}
"""(kind, name) -> what to do instead. Kinds are ``setting``, ``key`` (of a site file, those of tables with
dots), ``sink``, ``spider argument`` and ``text search configuration`` (of the sink postgresql).
"""


def removed(kind: str, name: str) -> str | None:
    """Returns the message on a removed name, with its replacement; None for any other name."""
    instead = REMOVED.get((kind, name))
    return None if instead is None else f"was removed; {instead}"


def removed_settings() -> Iterable[str]:
    """The settings that were removed."""
    return (name for kind, name in REMOVED if kind == "setting")
