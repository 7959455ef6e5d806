"""The search indexes that the settings ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy.utils.misc import load_object

from pagelets.installed import installed
from search.sink import Place, Sink
from settings.errors import UnknownName, WrongSetting
from settings.places import data_dir

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from scrapy.settings import BaseSettings

    from pagelets.fields import FieldColumn

BACKENDS: Final = {
    "tantivy": "search.sinks.tantivy.TantivySink",
    "postgresql": "search.sinks.postgresql.PostgresqlSink",
    "opensearch": "search.sinks.opensearch.OpenSearchSink",
    "elasticsearch": "search.sinks.elasticsearch.ElasticsearchSink",
    "operations": "search.sinks.operations.OperationsSink",
}
"""The classes of our sinks, by name."""
SERVERS: Final = ("postgresql", "opensearch", "elasticsearch")
"""Those of them whose indexes are not on this machine."""
GROUP: Final = "pagelets.sinks"
"""The group of entry points in which installed packages name classes of sinks."""

FOLDER: Final = "_index"
"""The folder beside the stores that holds the indexes which are files; no site has such a name."""


def index_folder(site: str, settings: BaseSettings) -> Path:
    """Returns the folder of a site's indexes that are files."""
    return data_dir(settings) / FOLDER / site


def sink_names(settings: BaseSettings) -> list[str]:
    """The sinks that the settings ask for, each once."""
    return list(dict.fromkeys(name.strip() for name in settings.getlist("SINKS") if name.strip()))


def backend_of(name: str, settings: BaseSettings) -> type[Sink]:
    """Returns the class of a sink. Raises UnknownName for an unknown name, and WrongSetting."""
    backends = {**BACKENDS, **settings.getdict("SINK_BACKENDS")}
    if name not in backends:
        others = {other: path.replace(":", ".") for other, path in installed(GROUP).items()}
        backends = {**others, **backends}
    if name not in backends:
        raise UnknownName("sink", name, backends)
    try:
        backend: type[Sink] = load_object(backends[name])
    except (ImportError, NameError, ValueError) as error:
        raise WrongSetting(
            "SINK_BACKENDS",
            f"sink {name!r}: {error}; install what it needs: pip install -r requirements-sinks.txt",
        ) from error
    return backend


def sink_of(name: str, site: str, settings: BaseSettings, columns: Iterable[FieldColumn] = ()) -> Sink:
    """The sink of a name, for a site; it is not open yet.

    Args:
        name: the name of the sink.
        site: the name of the site.
        settings: those of the project, which hold the site file's.
        columns: the fields that Documents have beside ours.

    Raises:
        WrongSetting: an option is wrong or missing.
        ConfigurationError: there is no such sink, or it cannot be made.

    """
    backend = backend_of(name, settings)
    try:
        options = settings.getdict(name.upper())
    except ValueError as error:
        raise WrongSetting(name.upper(), f"give a table of options as JSON ({error})") from error
    timeout = settings.getfloat("SINK_TIMEOUT")
    return backend(Place(site, index_folder(site, settings), options, timeout, tuple(columns)))
