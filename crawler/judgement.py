"""Judging the pages of a store as the crawl that detected its templates did."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crawler.exceptions import ConfigurationError
from crawler.plan import ARGUMENTS, ready
from pagelets.document import FIELDS
from settings import site as site_files
from store.detection import DETECTION_RUN, Detector
from store.judging import Judge

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from store.site import Store


def stored_k(store: Store, settings: BaseSettings) -> int:
    """The k that the store's pagelets were made with."""
    derivation = store.meta("derivation")
    return settings.getint("PAGELET_K") if derivation is None else int(json.loads(derivation)["k"])


def stored_judge(store: Store, settings: BaseSettings) -> Judge:
    """A judge with the parameters of the run whose templates the store holds.

    The method is that run's too, unless the command line sets ``METHOD``. Raises ConfigurationError.
    """
    number = store.meta(DETECTION_RUN)
    run = store.runs.last() if number is None else store.runs.get(int(number))
    parameters = {} if run is None else run.parameters
    own = settings.copy()
    if "method" in parameters:
        own.set("METHOD", parameters["method"], priority="spider")
    _, check = ARGUMENTS["method"]
    detector = Detector(
        min_pages=parameters.get("min_pages", settings.getint("TEMPLATE_MIN_PAGES")),
        block_share=parameters.get("block_share", settings.getfloat("REPEATED_BLOCK_SHARE")),
    )
    method = check("METHOD", own["METHOD"])
    ready(method)
    return Judge(store, detector.evidence(store), method, stored_k(store, settings), store.name)


def document_fields(site: str, settings: BaseSettings, asked: str | None = None) -> list[str]:
    """The fields of a site's Documents: those asked for, else as a crawl of the site would make them.

    Takes names parted by commas. Raises ConfigurationError.
    """
    own = settings.copy()
    for name, value in _site_file(site).items():
        own.set(name, value, priority="spider")
    if asked is not None:
        own.set("DOCUMENT_FIELDS", asked, priority="cmdline")
    _, check = ARGUMENTS["fields"]
    fields: list[str] = check("DOCUMENT_FIELDS", own.getlist("DOCUMENT_FIELDS")) or list(FIELDS)
    if own.getbool("EXPLAIN_ENABLED") and "pagelets" not in fields:
        fields.append("pagelets")
    return fields


def _site_file(site: str) -> dict[str, object]:
    try:
        values = site_files.load(site)
    except FileNotFoundError:
        return {}
    except site_files.SiteFileError as error:
        raise ConfigurationError(str(error)) from error
    settings = dict(values.get("settings", {}))
    if "fields" in values:
        settings["DOCUMENT_FIELDS"] = values["fields"]
    return settings
