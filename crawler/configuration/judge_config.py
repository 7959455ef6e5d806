"""Makes a `JudgeConfig` of settings: nothing else does."""

from __future__ import annotations

from typing import Final

from scrapy.settings import BaseSettings

from crawler.configuration.checks import ARGUMENTS, extraction_in, normal, registry_of
from pagelets.judging.by_url import KINDS, without_extract
from pagelets.judging.config import JudgeConfig
from pagelets.judging.decisions import states_of
from pagelets.judging.parameters import Detection, Duplicates
from pagelets.overrides import Selectors, WrongSelector
from pagelets.partitions import Partition
from settings.errors import ConfigurationError
from settings.tables import DuplicatesTable

OF_RUN: Final = {
    **{name: ARGUMENTS[name] for name in ("method", *KINDS, "detection", "min_pages", "min_share")},
    "near_duplicates": "TEMPLATE_NEAR_DUPLICATES",
    "block_share": "REPEATED_BLOCK_SHARE",
}
"""What a run notes of how it judges, and the settings that they are."""


def config_of(settings: BaseSettings, site: str = "") -> JudgeConfig:
    """Returns the rules by which settings ask to judge a site. Raises ConfigurationError."""
    registry = registry_of(settings)
    fields = [name.strip() for name in settings.getlist("DOCUMENT_FIELDS")] or list(registry.field_names)
    if settings.getbool("EXPLAIN_ENABLED") and "pagelets" not in fields:
        fields.append("pagelets")
    try:
        decisions = states_of(settings.getlist("PINNED_TEMPLATES"), settings.getlist("REJECTED_TEMPLATES"))
    except ValueError as error:
        raise ConfigurationError(f"PINNED_TEMPLATES, REJECTED_TEMPLATES: {error}") from error
    return JudgeConfig(
        site=site,
        method=settings["METHOD"],
        overrides=without_extract(settings.getlist("OVERRIDES")),
        partition=partition_of(settings),
        detection=detection_of(settings),
        selectors=selectors_of(settings),
        nosnippet=settings.getbool("NOSNIPPET_ENABLED"),
        kinds={name: settings[name.upper()] for name in KINDS},
        decisions=decisions,
        duplicates=duplicates_of(settings),
        taught=settings.getdict("TAUGHT"),
        fields=fields,
        registry=registry,
        extraction=extraction_in(settings),
    )


def detection_of(settings: BaseSettings) -> Detection:
    """Returns the detection that settings ask for."""
    return Detection(
        settings["DETECTION"],
        settings.getint("TEMPLATE_MIN_PAGES"),
        settings.getfloat("TEMPLATE_MIN_SHARE"),
        settings.getfloat("REPEATED_BLOCK_SHARE"),
        settings.getbool("TEMPLATE_NEAR_DUPLICATES"),
    )


def duplicates_of(settings: BaseSettings) -> Duplicates:
    """Returns what settings ask for of pages with nearly the same text."""
    given = DuplicatesTable.filled(settings.getdict("DUPLICATES"))
    return Duplicates(given["enabled"], given["similarity"], given["leave_out"])


def partition_of(settings: BaseSettings) -> Partition:
    """Returns the partition of pages into pagelets that settings ask for."""
    return Partition(settings["PARTITION"], settings.getint("PAGELET_K"))


def selectors_of(settings: BaseSettings) -> Selectors:
    """Returns the CSS selectors that settings ask for. Raises ConfigurationError."""
    keep, drop = (normal(name, settings[name] or []) for name in ("KEEP_SELECTORS", "DROP_SELECTORS"))
    try:
        return Selectors.with_overrides(keep, drop, settings.getlist("OVERRIDES"))
    except WrongSelector as error:
        raise ConfigurationError(f"OVERRIDES: {error}") from error
