"""Judging the pages of a store as the crawl that detected its templates did."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from crawler.configuration.checks import ARGUMENTS, check_settings, normal, registry_of, schema_of
from crawler.configuration.judge_config import config_of, partition_of
from crawler.configuration.plan import copied, set_read, site_file, with_file
from pagelets.judging.by_url import KINDS, OWN, SELECTORS, VALUES, only_extract, without_extract
from pagelets.judging.engine import Judge
from settings.types import ready
from store.judging import StoredJudge
from store.meta import DETECTION_RUN, JUDGEMENT

if TYPE_CHECKING:
    from pagelets.judging.config import JudgeConfig
    from pagelets.partitions import Partition
    from store.site import Store

_OF_RUN: Final = {
    **{name: ARGUMENTS[name] for name in ("method", *KINDS, "detection", "min_pages", "min_share")},
    "near_duplicates": "TEMPLATE_NEAR_DUPLICATES",
    "block_share": "REPEATED_BLOCK_SHARE",
}
"""What a run has noted of its parameters, and the settings that they are."""
_OWN_WINS: Final = ("method", *KINDS)
"""The command line wins over the run in these."""


def stored_partition(store: Store, settings: BaseSettings) -> Partition:
    """The partition that the store's pagelets were made with; that of the settings where it has none yet."""
    return store.derivation.partition or partition_of(settings)


def stored_judge(store: Store, settings: BaseSettings, *, site: str | None = None) -> StoredJudge:
    """Returns a judge with the parameters of the run that detected the templates of a ``store``.

    Args:
        store: the store.
        settings: those of the project and the command line, whose ``METHOD`` wins over the run's.
        site: the name of the site, if the store has another: a crawl may build it beside the site's own.

    Raises:
        ConfigurationError: the site's file is wrong, or a method lacks what it needs.
        StoreHalfDerived: not all pages are partitioned alike.
        NotLearned: a method has not learned of the site yet.

    """
    store.derivation.check()
    config = config_of(stored_settings(store, settings, site=site), site or store.name)
    for name in config.methods:
        ready(name, config.registry)
    made = store.meta(JUDGEMENT)
    config = config.as_known(made)
    remembers_until = store.runs.last_finished() if config.fingerprint == made else -1
    selectors = store.derivation.selectors
    judge = StoredJudge(store, config, recorded_with=selectors, remembers_until=remembers_until)
    for name in config.methods:
        judge.check(name)
    return judge


def stored_settings(
    store: Store,
    settings: BaseSettings,
    *,
    site: str | None = None,
    left: Collection[str] = (),
    priority: str = "cmdline",
) -> BaseSettings:
    """Returns the settings of the run that detected the store's templates, and those of the site's file.

    Args:
        store: the store.
        settings: those of the project and the command line, whose ``METHOD`` and `KINDS` count for all pages.
        site: the name of the site, if the store has another.
        left: settings that are not taken from the run.
        priority: the priority of the run's detection.

    """
    site_settings = with_site_file(site or store.name, settings)
    parameters = run_parameters(store)
    partition = stored_partition(store, settings)
    site_settings.update({"PARTITION": partition.name, "PAGELET_K": partition.k}, priority="cmdline")
    for name, setting in _OF_RUN.items():
        if name in parameters and setting not in left:
            site_settings.set(setting, parameters[name], priority="spider" if name in _OWN_WINS else priority)
    # A run of an earlier version may have had keys that are no more.
    keys = {*OWN, *VALUES} - {name for name in _OWN_WINS if _is_asked(_OF_RUN[name], site_settings)}
    overrides = [_only(keys, override) for override in parameters.get("overrides", [])]
    # The store has sorted their keys: in another order the same overrides would have another name.
    current = site_settings.getlist("OVERRIDES")
    if overrides != without_extract(current):
        # What is taken from pages is as the site's file says now: it has no part in their judging.
        site_settings.set("OVERRIDES", [*overrides, *only_extract(current)], priority="cmdline")
    method = normal("METHOD", site_settings["METHOD"], schema=schema_of(site_settings))
    set_read(site_settings, {"METHOD": method})
    return site_settings


def _is_asked(setting: str, settings: BaseSettings) -> bool:
    """Returns True if the command line sets it."""
    return (settings.getpriority(setting) or 0) > SETTINGS_PRIORITIES["spider"]


def _only(keys: Collection[str], override: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in override.items() if key in keys}


def run_parameters(store: Store) -> Mapping[str, Any]:
    """The parameters of the run whose templates the store holds; of the last one where it holds none yet."""
    number = store.meta(DETECTION_RUN)
    run = store.runs.last() if number is None else store.runs.get(number)
    return {} if run is None else run.parameters


def document_fields(
    site: str, settings: BaseSettings, asked: str | None = None
) -> Callable[[str], Collection[str]]:
    """Returns what tells the fields of the Document of a URL: names that are ``asked`` for, parted by commas,
    else as a crawl of the ``site`` by the project's ``settings`` would make them. Raises ConfigurationError.
    """
    site_settings = with_site_file(site, settings)
    if asked is not None:
        site_settings.set("DOCUMENT_FIELDS", asked, priority="cmdline")
    if _is_asked("DOCUMENT_FIELDS", site_settings):
        site_settings.set("OVERRIDES", only_extract(site_settings.getlist("OVERRIDES")), priority="cmdline")
    names = normal("DOCUMENT_FIELDS", site_settings["DOCUMENT_FIELDS"], schema=schema_of(site_settings))
    site_settings.set("DOCUMENT_FIELDS", names, priority="cmdline")
    return Judge(config_of(site_settings, site)).fields_of


def with_site_file(site: str, settings: BaseSettings) -> BaseSettings:
    """The settings as a crawl of the site has them, where it has a file. Raises ConfigurationError."""
    site_settings = with_file(site_file(site, settings, required=False, live=False), settings)
    set_read(site_settings, check_settings(site_settings))
    return site_settings


def config_for(method: str, settings: BaseSettings) -> JudgeConfig:
    """Returns how a method judges all pages by these settings; those of a preset win. Of overrides by URL the
    selectors count.
    """
    method_settings = copied(settings)
    overrides = [
        _only((*OWN, *SELECTORS), override)
        for override in settings.getlist("OVERRIDES")
        if not override.keys().isdisjoint(SELECTORS)
    ]
    asked = {**registry_of(settings).factory(method).settings, "METHOD": method, "OVERRIDES": overrides}
    method_settings.update(asked, priority=SETTINGS_PRIORITIES["cmdline"] + 1)
    return config_of(method_settings)
