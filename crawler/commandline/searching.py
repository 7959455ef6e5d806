"""The search index of a site that commands ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.configuration.judge_config import config_of
from crawler.configuration.judgement import with_site_file
from crawler.configuration.plan import named_in_file
from search.backends import SERVERS, sink_names, sink_of
from search.query import Searchable
from settings.errors import ConfigurationError, UnknownName

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from search.sink import Sink

    class SearchableSink(Sink, Searchable):
        """A sink whose index can be searched."""


def searchable(site: str, asked: str | None, project: BaseSettings) -> tuple[str, SearchableSink]:
    """Returns the first sink of a site that can be searched, and its name.

    Args:
        site: the site.
        asked: the name of another of its sinks.
        project: the settings of the project.

    Raises:
        ConfigurationError: there is no such sink.

    """
    settings = with_site_file(site, project)
    names = sink_names(settings)
    if asked is not None and asked not in names:
        raise UnknownName("sink of this site", asked, names)
    # A server is asked where nothing on this machine can be.
    for name in sorted(names, key=SERVERS.__contains__) if asked is None else [asked]:
        with named_in_file(site, settings):
            sink = sink_of(name, site, settings, config_of(settings, site).columns)
        if isinstance(sink, Searchable):
            return name, sink  # type: ignore[return-value]
    which = f"sink {asked} cannot" if asked else f"no sink of {site} can"
    raise ConfigurationError(
        f"{which} be searched from here; tantivy can, and {', '.join(SERVERS)} (sinks, SINKS)"
    )
