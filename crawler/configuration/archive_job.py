"""The parameters of a job over archives, from settings and a site's file."""

from __future__ import annotations

from typing import Any, Final

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from cluster.parameters import JobParameters, Reading, SiteBy
from crawler.configuration.checks import registry_of, set_presets
from crawler.configuration.judge_config import config_of, duplicates_of
from crawler.configuration.judgement import with_site_file
from pagelets.methods import reads_html
from pagelets.page_bytes import LAYOUT
from pagelets.reading.source import MAX_SIZE
from settings.errors import ConfigurationError
from settings.types import ready

_REFUSED: Final[dict[str, tuple[Any, str]]] = {
    "MAX_PAGES": (0, "give --limit, so many archives"),
    "CANONICAL_ENABLED": (False, "documents say what they declare (canonical_url)"),
    "PUBLISH_TABLES": (False, "no store is made; documents have the text"),
    "OPERATIONS": ({}, "no index is fed; documents are files"),
    "FEEDS": ({}, "documents go to OUT"),
    "ITEM_PIPELINES": ({}, "pages go through no pipelines of Scrapy's; crawl the archive for these"),
    "DOWNLOAD_MAXSIZE": (64 * 1024 * 1024, "bodies of more than 64 MB are no pages"),
}
"""Settings that change what a crawl makes, unknown to a job: what they have to be, and the mend."""
_ONLY_ASKED: Final = {
    "SINKS": "no index is fed; documents are files",
    "NOINDEX_ENABLED": "an archive's pages all have documents",
}
"""The same of those that count where the command line or the site's file sets them."""


def parameters_of(
    name: str | None, settings: BaseSettings, site_by: SiteBy, most_pages: int
) -> JobParameters:
    """Returns the parameters of a job by the project's ``settings`` and the site file of a ``name``, if one
    holds for all pages. Raises ConfigurationError for a setting that is wrong, or unknown to a job.

    ``site_by`` is what makes pages a site, ``most_pages`` how many of a site a task takes.
    """
    of_job = with_site_file("archive-job" if name is None else name, settings)
    project = SETTINGS_PRIORITIES["project"]
    asked = {name: mend for name, mend in _ONLY_ASKED.items() if (of_job.getpriority(name) or 0) > project}
    mends = {name: mend for name, (known, mend) in _REFUSED.items() if of_job.get(name) != known} | asked
    if duplicates_of(of_job).left_out:
        what = "documents say what they duplicate (duplicate_of); leave those out that do"
        mends["DUPLICATES.leave_out"] = what
    for setting, mend in mends.items():
        if of_job.get(setting, True):
            raise ConfigurationError(f"{setting}: a job over archives does not know it; {mend}")
    registry = registry_of(of_job)
    set_presets(of_job)
    config = config_of(of_job)
    for method in config.methods:
        ready(method, registry)
    needs_html = any(reads_html(registry.factory(chosen)()) for chosen in config.methods)
    return JobParameters(
        Reading(
            site_by,
            config.partition,
            config.selectors,
            MAX_SIZE,
            links=config.needs_links,
            layout=0 if needs_html else LAYOUT,
            extraction=config.extraction,
        ),
        config,
        columns=registry.ordered(config.all_fields),
        parquet=False,
        most_pages=most_pages,
    )
