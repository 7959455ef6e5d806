"""Parameters of a trial judgement, derived from those of the site's last crawl."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from crawler.configuration.checks import normal, registry_of, schema_of, set_presets
from crawler.configuration.judge_config import config_of
from crawler.configuration.judgement import run_parameters, stored_settings
from crawler.frontier.scope import ignored_parameters
from inspection.scratch import Trial
from pagelets.judging.by_url import KINDS
from settings.canonical import canonical
from settings.errors import ConfigurationError, UnknownName
from settings.schema import SCHEMA
from settings.types import ready
from store.meta import JUDGEMENT

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from store.site import Store

_KEYS: Final = ("k", "partition", "method", *KINDS, "detection", "min_pages", "min_share", "keep", "drop")
ARGUMENTS_OF_TRY: Final = {
    name: SCHEMA.setters[name].setting for name in (*_KEYS, "extract", "overrides", "taught")
}
"""What can be tried, and the settings that it is."""


def asked_of(arguments: Sequence[str], settings: BaseSettings) -> dict[str, Any]:
    """The values of arguments NAME=VALUE, checked by the settings. Raises ConfigurationError."""
    asked, schema = {}, schema_of(settings)
    for argument in arguments:
        name, parted, value = argument.partition("=")
        if name not in ARGUMENTS_OF_TRY:
            raise UnknownName("argument of try", name, ARGUMENTS_OF_TRY)
        if not parted:
            raise ConfigurationError(f"-a {argument}: give NAME=VALUE")
        asked[name] = normal(ARGUMENTS_OF_TRY[name], value, name, schema)
    if not asked:
        raise ConfigurationError(f"give -a NAME=VALUE; what can be tried: {', '.join(ARGUMENTS_OF_TRY)}")
    return asked


def trial_of(store: Store, settings: BaseSettings, asked: Mapping[str, Any]) -> Trial:
    """The judgement of the run whose templates a ``store`` holds, by the project's ``settings`` and with what
    is ``asked``, values by the arguments of ``scrapy try``. Raises ConfigurationError.
    """
    tried = _settings(store, settings, asked)
    config, before = config_of(tried, store.name), config_of(_settings(store, settings, {}), store.name)
    for method in config.methods:
        ready(method, config.registry)
    made, remembers_until = store.meta(JUDGEMENT), -1
    same = config.fingerprint == before.fingerprint
    if same and made in (before.fingerprint, before.fingerprint_before):
        # Blocks in doubt keep their verdict where pages are judged as they were.
        config, remembers_until = config.as_known(made), store.runs.last_finished()
    form_of = partial(canonical, ignored=ignored_parameters(tried))
    return Trial(asked, config, remembers_until, form_of, same and config.detection == before.detection)


def _settings(store: Store, settings: BaseSettings, asked: Mapping[str, Any]) -> BaseSettings:
    """The settings of the run whose templates a store holds, with those that are asked for. Those that come
    with a method are left to the method that is asked for.
    """
    presets: set[str] = set()
    registry = registry_of(settings)
    if "method" in asked:
        of_run = registry.methods.get(run_parameters(store).get("method", ""))
        presets = {*registry.factory(asked["method"]).settings, *(of_run.settings if of_run else ())}
    trial_settings = stored_settings(store, settings, left=presets, priority="spider")
    for name, value in asked.items():
        trial_settings.set(ARGUMENTS_OF_TRY[name], value, priority="cmdline")
    if presets:
        set_presets(trial_settings)
    return trial_settings
