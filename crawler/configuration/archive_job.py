"""What a job over archives judges by, as settings and a site's file ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from scrapy.settings import SETTINGS_PRIORITIES

from cluster.parameters import Judging, Reading
from crawler.configuration.detectors import detector_of
from crawler.configuration.judgement import made_fields, with_site_file
from crawler.configuration.partition import partition_of
from crawler.configuration.plan import methods_of
from crawler.configuration.selectors import selectors_of
from pagelets.extensions import extensions
from pagelets.methods import factory, learns, reads_html
from pagelets.page_bytes import LAYOUT
from settings.errors import ConfigurationError
from settings.methods import ready
from settings.overrides import Overrides
from settings.values import all_fields
from store.decisions import states_of
from store.templates import REJECTED

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from cluster.parameters import SiteBy

_REFUSED: Final[dict[str, tuple[Any, str]]] = {
    "MAX_PAGES": (0, "give --limit, so many archives"),
    "DUPLICATES_LEFT_OUT": (
        False,
        "documents say what they duplicate (duplicate_of); leave those out that do",
    ),
    "CANONICAL_ENABLED": (False, "documents say what they declare (canonical_url)"),
    "PUBLISH_TEXT": (False, "no store is made; documents have the text"),
    "OPERATIONS_PATH": ("", "no index is fed; documents are files"),
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


def judging_of(name: str | None, settings: BaseSettings, site_by: SiteBy, most_pages: int) -> Judging:
    """What pages are judged by. Takes the name of the site file that holds for all pages, None for none.

    Raises ConfigurationError, for a setting that a job does not know by its name.
    """
    own = with_site_file("archive-job" if name is None else name, settings)
    for setting, (known, mend) in _REFUSED.items():
        if own.get(setting) and own[setting] != known:
            raise ConfigurationError(f"{setting}: a job over archives does not know it; {mend}")
    for setting, mend in _ONLY_ASKED.items():
        if (own.getpriority(setting) or 0) > SETTINGS_PRIORITIES["project"] and own.get(setting):
            raise ConfigurationError(f"{setting}: a job over archives does not know it; {mend}")
    for setting, value in factory(own["METHOD"]).settings.items():
        if (own.getpriority(setting) or 0) <= SETTINGS_PRIORITIES["project"]:
            own.set(setting, value, priority="project")
    methods = methods_of(own)
    for method in methods:
        ready(method)
    try:
        states = states_of(own.getlist("PINNED_TEMPLATES"), own.getlist("REJECTED_TEMPLATES"))
    except ValueError as error:
        raise ConfigurationError(f"PINNED_TEMPLATES, REJECTED_TEMPLATES: {error}") from error
    overrides = own.getlist("OVERRIDES")
    Overrides(overrides)
    fields = made_fields(own)
    asked = {*fields, *(field for one in overrides for field in one.get("fields", ()))}
    detector = detector_of(own)
    needs_links = detector.algorithm == "global" or any(learns(factory(one)()) for one in methods)
    needs_html = any(reads_html(factory(one)()) for one in methods)
    return Judging(
        Reading(
            site_by,
            partition_of(own),
            selectors_of(own),
            own.getint("BODY_MAX_SIZE"),
            links=needs_links,
            layout=0 if needs_html else LAYOUT,
            extensions=extensions(),
        ),
        detector,
        method=own["METHOD"],
        nosnippet=own.getbool("NOSNIPPET_ENABLED"),
        overrides=overrides,
        decisions=sorted(states.items()),
        decided={sketch: state == REJECTED for sketch, state in states.items()},
        fields=fields,
        columns=[one for one in all_fields() if one in asked],
        similarity=own.getfloat("DUPLICATE_MIN_SIMILARITY") if own.getbool("DUPLICATES_ENABLED") else None,
        parquet=False,
        most_pages=most_pages,
    )
