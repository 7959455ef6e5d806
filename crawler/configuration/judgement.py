"""Settings to judge with: of a store's crawl, of a trial of others, and of a job over archives."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from cluster.parameters import JobParameters, Reading, SiteBy
from crawler.configuration import checks
from crawler.configuration.judge_config import OF_RUN, config_of, duplicates_of, partition_of
from crawler.configuration.plan import copied, leave_to_command_line, set_read, site_file, with_file
from crawler.frontier.scope import ignored_parameters
from inspection.scratch import Trial
from pagelets.judging.by_url import KINDS, OWN, SELECTORS, VALUES, only_extract, without_extract
from pagelets.judging.config import JudgeConfig
from pagelets.judging.engine import Judge
from pagelets.methods import reads_html
from pagelets.page_bytes import LAYOUT
from pagelets.partitions import Partition
from pagelets.reading.source import MAX_SIZE
from settings.canonical import canonical
from settings.errors import ConfigurationError, UnknownName
from settings.tables import SCHEMA
from settings.types import ready
from store.judging import StoredJudge
from store.meta import DETECTION_RUN, JUDGEMENT
from store.site import Store

_OWN_WINS: Final = ("method", *KINDS)
"""The command line wins over the run in these."""
_TRIED: Final = "k partition detection min_pages min_share keep drop extract overrides taught".split()
ARGUMENTS_OF_TRY: Final = {name: SCHEMA.setters[name].setting for name in ("method", *KINDS, *_TRIED)}
"""What can be tried, and the settings that it is."""
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


def stored_partition(store: Store, settings: BaseSettings) -> Partition:
    """The partition that the store's pagelets were made with; that of the settings where it has none yet."""
    return store.derivation.partition or partition_of(settings)


def stored_judge(store: Store, settings: BaseSettings, *, site: str | None = None) -> StoredJudge:
    """Returns a judge with the parameters of the run that detected the templates of a ``store``; a ``METHOD``
    that ``settings`` have of the command line wins. ``site`` is the site of a store with another name, which
    a crawl builds beside the site's own. Raises ConfigurationError, StoreHalfDerived for pages that are
    partitioned in different ways, and NotLearned for a method that has not learned of the site yet.
    """
    store.derivation.check()
    made = store.meta(JUDGEMENT)
    config = _ready(config_of(stored_settings(store, settings, site=site), site or store.name)).as_known(made)
    remembers_until = store.runs.last_finished() if config.fingerprint == made else -1
    selectors = store.derivation.selectors
    judge = StoredJudge(store, config, recorded_with=selectors, remembers_until=remembers_until)
    for name in config.methods:
        judge.check(name)
    return judge


def _ready(config: JudgeConfig) -> JudgeConfig:
    """Returns the rules if their methods have what they need. Raises ConfigurationError."""
    for name in config.methods:
        ready(name, config.registry)
    return config


def stored_settings(
    store: Store,
    settings: BaseSettings,
    *,
    site: str | None = None,
    left: Collection[str] = (),
    priority: str = "cmdline",
) -> BaseSettings:
    """Returns the settings of the run that detected the templates of a ``store``, with those of the site's
    file; ``METHOD`` and `KINDS` of ``settings`` on the command line count for all pages. ``site`` is as in
    `stored_judge`, ``left`` are settings not taken from the run, whose detection has a ``priority``.
    """
    site_settings = with_site_file(site or store.name, settings)
    parameters = run_parameters(store)
    partition = stored_partition(store, settings)
    site_settings.update({"PARTITION": partition.name, "PAGELET_K": partition.k}, priority="cmdline")
    for name, setting in OF_RUN.items():
        if name in parameters and setting not in left:
            site_settings.set(setting, parameters[name], priority="spider" if name in _OWN_WINS else priority)
    # A run of an earlier version may have had keys that are no more.
    keys = {*OWN, *VALUES} - {name for name in _OWN_WINS if checks.is_asked(OF_RUN[name], site_settings)}
    overrides = [_only(keys, override) for override in parameters.get("overrides", [])]
    # The store has sorted their keys: in another order the same overrides would have another name.
    current = site_settings.getlist("OVERRIDES")
    if overrides != without_extract(current):
        # What is taken from pages is as the site's file says now: it has no part in their judging.
        site_settings.set("OVERRIDES", [*overrides, *only_extract(current)], priority="cmdline")
    method = checks.normal("METHOD", site_settings["METHOD"], schema=checks.schema_of(site_settings))
    set_read(site_settings, {"METHOD": method})
    return site_settings


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
    """Returns the fields of a URL: ``asked`` for, or of a crawl of the ``site`` by ``settings``."""
    site_settings = with_site_file(site, settings)
    if asked is not None:
        site_settings.set("DOCUMENT_FIELDS", asked, priority="cmdline")
    if checks.is_asked("DOCUMENT_FIELDS", site_settings):
        site_settings.set("OVERRIDES", only_extract(site_settings.getlist("OVERRIDES")), priority="cmdline")
    schema = checks.schema_of(site_settings)
    names = checks.normal("DOCUMENT_FIELDS", site_settings["DOCUMENT_FIELDS"], schema=schema)
    site_settings.set("DOCUMENT_FIELDS", names, priority="cmdline")
    return Judge(config_of(site_settings, site)).fields_of


def with_site_file(site: str | None, settings: BaseSettings, *, required: bool = False) -> BaseSettings:
    """The settings as a crawl of the site has them, where it has a file. Raises ConfigurationError, also
    for a site without a file that is ``required``.
    """
    file = None if site is None else site_file(site, settings, required=required, live=False)
    site_settings = with_file(file, settings)
    set_read(site_settings, checks.check_settings(site_settings))
    return site_settings


def config_for(method: str, settings: BaseSettings) -> JudgeConfig:
    """Returns how a method, with its presets, judges all pages; of overrides by URL the selectors count."""
    method_settings = copied(settings)
    overrides = [
        _only((*OWN, *SELECTORS), override)
        for override in settings.getlist("OVERRIDES")
        if not override.keys().isdisjoint(SELECTORS)
    ]
    presets = checks.registry_of(settings).factory(method).settings
    asked = {**presets, "METHOD": method, "OVERRIDES": overrides}
    method_settings.update(asked, priority=SETTINGS_PRIORITIES["cmdline"] + 1)
    return config_of(method_settings)


def asked_of(arguments: Sequence[str], settings: BaseSettings) -> dict[str, Any]:
    """The values of arguments NAME=VALUE, checked by the settings. Raises ConfigurationError."""
    asked, schema = {}, checks.schema_of(settings)
    for argument in arguments:
        name, parted, value = argument.partition("=")
        if name not in ARGUMENTS_OF_TRY:
            raise UnknownName("argument of try", name, ARGUMENTS_OF_TRY)
        if not parted:
            raise ConfigurationError(f"-a {argument}: give NAME=VALUE")
        asked[name] = checks.normal(ARGUMENTS_OF_TRY[name], value, name, schema)
    if not asked:
        raise ConfigurationError(f"give -a NAME=VALUE; what can be tried: {', '.join(ARGUMENTS_OF_TRY)}")
    return asked


def trial_of(store: Store, settings: BaseSettings, asked: Mapping[str, Any]) -> Trial:
    """Returns the judgement of a ``store``'s last crawl by ``settings``, with what is ``asked`` otherwise."""
    tried = _trial_settings(store, settings, asked)
    before = config_of(_trial_settings(store, settings, {}), store.name)
    config = _ready(config_of(tried, store.name))
    made, remembers_until = store.meta(JUDGEMENT), -1
    same = config.fingerprint == before.fingerprint
    if same and made in (before.fingerprint, before.fingerprint_before):
        # Blocks in doubt keep their verdict where pages are judged as they were.
        config, remembers_until = config.as_known(made), store.runs.last_finished()
    form_of = partial(canonical, ignored=ignored_parameters(tried))
    return Trial(asked, config, remembers_until, form_of, same and config.detection == before.detection)


def _trial_settings(store: Store, settings: BaseSettings, asked: Mapping[str, Any]) -> BaseSettings:
    """The settings of the run whose templates a store holds, with those asked for, and their presets."""
    presets: set[str] = set()
    if "method" in asked:
        registry = checks.registry_of(settings)
        of_run = registry.methods.get(run_parameters(store).get("method", ""))
        presets = {*registry.factory(asked["method"]).settings, *(of_run.settings if of_run else ())}
    trial_settings = stored_settings(store, settings, left=presets, priority="spider")
    for name, value in asked.items():
        trial_settings.set(ARGUMENTS_OF_TRY[name], value, priority="cmdline")
    if presets:
        checks.set_presets(trial_settings)
    return trial_settings


def parameters_of(
    name: str | None, settings: BaseSettings, site_by: SiteBy, most_pages: int
) -> JobParameters:
    """Returns the parameters of a job by the project's ``settings`` and the site file of a ``name``, if one
    holds for all pages; ``site_by`` is what makes pages a site, ``most_pages`` how many of a site a task
    takes. Raises ConfigurationError for a setting that is wrong, or unknown to a job.
    """
    of_job = with_site_file(name, settings, required=True)
    leave_to_command_line(of_job)
    project = SETTINGS_PRIORITIES["project"]
    asked = {name: mend for name, mend in _ONLY_ASKED.items() if (of_job.getpriority(name) or 0) > project}
    mends = {name: mend for name, (known, mend) in _REFUSED.items() if of_job.get(name) != known} | asked
    if duplicates_of(of_job).left_out:
        what = "documents say what they duplicate (duplicate_of); leave those out that do"
        mends["DUPLICATES.leave_out"] = what
    for setting, mend in mends.items():
        if of_job.get(setting, True):
            raise ConfigurationError(f"{setting}: a job over archives does not know it; {mend}")
    checks.set_presets(of_job)
    config = _ready(config_of(of_job))
    registry, links = config.registry, config.needs_links
    layout = 0 if any(reads_html(registry.factory(chosen)()) for chosen in config.methods) else LAYOUT
    partition, selectors, extraction = config.partition, config.selectors, config.extraction
    reading = Reading(site_by, partition, selectors, MAX_SIZE, links, layout, extraction)
    columns = registry.ordered(config.all_fields)
    return JobParameters(reading, config, columns, parquet=False, most_pages=most_pages)
