"""A site whose crawls feed search indexes of every kind, and what these hold in the end."""

from __future__ import annotations

import json
import os
import random
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

import psycopg
import tantivy
from psycopg.rows import dict_row
from scrapy.cmdline import execute
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from crawler.run.outcome import EXIT_CODES
from search.backends import BACKENDS, sink_of
from search.query import Query
from search.sink import document_id
from search.sinks.cluster.index import alias_of, is_index_of
from store.site import Store
from tests.changing import prose
from tests.crawls import QUICK, Crawled, crawl
from tests.faultysinks import MOMENT
from tests.forked import begin
from tests.served import page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tests.searchserver import SearchServer

FILES = ("tantivy", "operations")
SEARCH_SERVERS = ("opensearch", "elasticsearch")
SINKS = (*FILES, "postgresql", *SEARCH_SERVERS)
SITE = "handbook"

_NAMES = [f"p{number}" for number in range(13)]
_MENU = '<nav><a href="/">Home</a> <a href="/p1">First</a> <a href="/p2">Second</a></nav>'
_OF_A_RUN = ("fetched_at", "day", "template_version")
"""What a document has of the run that it came out of."""


def pages(*, after: bool = False) -> dict[str, str]:
    """The pages of the site; ``after`` some time three have changed, two are new and two are gone."""
    texts = {name: f"The page of {name}." for name in ["", *_NAMES]}
    if after:
        del texts["p6"], texts["p11"]
        texts |= {name: f"The page of {name} as it is by now." for name in ("p2", "p7", "p12", "q1", "q2")}
    every = [f"/{name}" for name in texts]
    own = {name: f"{text} {prose(random.Random(text), 12)}" for name, text in texts.items()}
    return {
        f"/{name}": page(name or "home", *([] if name else every), text=text, around=_MENU)
        for name, text in own.items()
    }


class Fed:
    """A data folder with the store of a site, and the indexes of its own that the site's crawls feed.

    ``base`` is where the site is, ``dsn`` where PostgreSQL is, ``servers`` are search servers; ``name`` tells
    the indexes from those of others on these.
    """

    def __init__(
        self,
        base: str,
        folder: Path,
        name: str,
        dsn: str = "",
        servers: Mapping[str, SearchServer] | None = None,
    ) -> None:
        self.base = base
        self.folder = folder
        self.table = f"units_{name}"
        self.prefix = f"{name}-"
        self.dsn = dsn
        self.servers = servers or {}
        self.settings: dict[str, Any] = {
            "DATA_DIR": str(folder),
            "SINK_TIMEOUT": 2.0,
            "POSTGRESQL": {"dsn": dsn, "table": self.table},
        }
        for sink, server in self.servers.items():
            self.settings[sink.upper()] = {"hosts": [server.base], "prefix": self.prefix}

    def crawl(self, *sinks: str, **settings: Any) -> Crawled:
        """Crawls the site once more, and feeds the sinks."""
        return _crawl(self.base, SITE, {**self.settings, "SINKS": list(sinks), **settings})

    def crawling(self, *sinks: str, base: str | None = None, name: str = SITE, **settings: Any) -> Running:
        """Crawls a site in another process."""
        given = {**self.settings, "SINKS": list(sinks), **settings}
        return Running(_crawl_and_exit, base or self.base, name, given)

    def rebuilding(self, sink: str, **settings: Any) -> Running:
        """Runs ``scrapy index --rebuild`` in another process."""
        return Running(_rebuild, SITE, {**self.settings, "SINKS": [sink], **settings})

    def check(self, *sinks: str, name: str = SITE) -> int:
        """The exit code of ``scrapy index --check``."""
        return _command(["index", name, "--check"], {**self.settings, "SINKS": list(sinks)})

    def contents(self, sink: str, name: str = SITE) -> dict[str, Any]:
        """All that an index holds of a site, by the ids of its units, but for what tells of the run; and what
        a search finds, where the sink searches.
        """
        index = self.sink(sink, name)
        with closing(index):
            index.open()
            held = list(index.held())
            found: dict[str, Any] = {"held": dict(held), "units": getattr(self, f"_{sink}")(name)}
            if hasattr(index, "search"):
                hits = index.search(Query.parse("page", limit=100)).hits
                found["hits"] = sorted((hit.unit, hit.url, hit.title, hit.snippet) for hit in hits)
                assert {hit.unit for hit in hits} == set(found["held"])
        # No unit is there twice.
        assert len(found["held"]) == len(held)
        assert set(found["units"]) == set(found["held"])
        return found

    def sink(self, sink: str, name: str = SITE) -> Any:
        """A sink of these indexes, not open."""
        return sink_of(sink, name, _project(self.settings))

    def _tantivy(self, name: str) -> dict[str, Any]:
        folder = self.folder / "_index" / name / "tantivy"
        searcher = tantivy.Index.open(str(folder / (folder / "current").read_text())).searcher()
        units: dict[str, Any] = {}
        for _, address in searcher.search(tantivy.Query.all_query(), 1000).hits:
            stored = searcher.doc(address)
            shown = json.loads(bytes(stored.get_first("shown")))
            units[shown["unit"]] = (_timeless(shown), bytes(stored.get_first("original")).decode())
        return units

    def _operations(self, name: str) -> dict[str, Any]:
        units: dict[str, Any] = {}
        for line in (self.folder / "_index" / name / "operations.jsonl").read_text().splitlines():
            operation = json.loads(line)
            units.pop(document_id(operation["url"]), None)
            if operation["op"] == "index":
                units[document_id(operation["url"])] = _timeless(operation["document"])
        return units

    def _postgresql(self, name: str) -> dict[str, Any]:
        with psycopg.connect(self.dsn, row_factory=dict_row) as connection:
            rows = connection.execute(f"SELECT * FROM {self.table} WHERE site = %s", (name,)).fetchall()
        return {row["id"]: _timeless(row) for row in rows}

    def _opensearch(self, name: str) -> dict[str, Any]:
        return self._searched("opensearch", name)

    def _elasticsearch(self, name: str) -> dict[str, Any]:
        return self._searched("elasticsearch", name)

    def _searched(self, sink: str, name: str) -> dict[str, Any]:
        server, alias = self.servers[sink], alias_of(self.prefix, name)
        # What rebuilds have left that were killed is gone.
        assert len([index for index in server.indexes if is_index_of(alias, index)]) == 1
        return {id_: _timeless(source) for id_, source in server.found(alias).items()}

    def letters(self, sink: str) -> dict[str, str]:
        """The paths of the documents that an index has refused, with its reasons."""
        with Store.open(self.folder / SITE) as store:
            letters = store.deliveries.dead_letters(sink)
        return {letter.url.removeprefix(self.base): letter.reason for letter in letters}


class Running:
    """A function that runs in a process of its own, which may be killed without harm to this one."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self._process = begin(_told, os.environ.get(MOMENT), function, *arguments)

    def ended(self) -> int:
        """Waits for the end, and returns the exit code; a negative one is the signal that was the end."""
        self._process.join(60)
        code = self._process.exitcode
        assert code is not None
        self._process.close()
        return code


def _told(moment: str | None, function: Any, *arguments: Any) -> None:
    if moment is not None:
        os.environ[MOMENT] = moment
    raise SystemExit(function(*arguments))


@contextmanager
def _small_batches() -> Iterator[None]:
    """Several of them for a site as small as this one."""
    with ExitStack() as sinks:
        for path in BACKENDS.values():
            sinks.enter_context(mock.patch.object(load_object(path), "most_documents", 4))
        yield


def _crawl(base: str, name: str, settings: dict[str, Any]) -> Crawled:
    with _small_batches():
        crawled = crawl(settings["DATA_DIR"], url=f"{base}/", site=name, settings=settings)
    assert crawled.errors == []
    return crawled


def _crawl_and_exit(base: str, name: str, settings: dict[str, Any]) -> int:
    return EXIT_CODES[_crawl(base, name, settings).outcome or "interrupted"]


def _rebuild(name: str, settings: dict[str, Any]) -> int:
    return _command(["index", name, "--rebuild"], settings)


def _command(arguments: Sequence[str], settings: Mapping[str, Any]) -> int:
    try:
        with _small_batches():
            execute(["scrapy", *arguments], _project(settings))
    except SystemExit as ended:
        return int(ended.code or 0)
    raise AssertionError("the command has not ended")


def _project(settings: Mapping[str, Any]) -> Settings:
    project = Settings()
    project.setmodule("settings.base", priority="project")
    project.update({**QUICK, **settings}, priority="project")
    return project


def _timeless(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _OF_A_RUN}
