"""What `scrapy try` is to try: the judgement of a site's last crawl, with some of it otherwise."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from scrapy.settings import SETTINGS_PRIORITIES

from crawler.configuration.converters import ARGUMENTS, normal
from crawler.configuration.detectors import detector_of, judgement_before
from crawler.configuration.judgement import (
    run_overrides,
    run_parameters,
    set_partition,
    stored_partition,
    with_site_file,
)
from crawler.configuration.partition import derivation, partition_of
from crawler.configuration.plan import methods_of
from crawler.configuration.selectors import selectors_of
from crawler.frontier.scope import ignored_parameters
from inspection.scratch import Trial
from pagelets.methods import METHODS, factory
from release.judging import Judging
from settings.canonical import canonical
from settings.errors import ConfigurationError, UnknownName
from settings.methods import ready
from settings.schema import SETTERS
from store.meta import JUDGEMENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy.settings import BaseSettings

    from store.site import Store

_OF_RUN: Final = {
    "method": "METHOD",
    "detection": "DETECTION",
    "min_pages": "TEMPLATE_MIN_PAGES",
    "min_share": "TEMPLATE_MIN_SHARE",
    "block_share": "REPEATED_BLOCK_SHARE",
}
"""What a run has noted of its parameters, and the settings that they are."""

ARGUMENTS_OF_TRY: Final = {
    **{name: ARGUMENTS[name] for name in ("k", "partition", "method", "detection", "min_pages", "min_share")},
    **{name: SETTERS[name].setting for name in ("keep", "drop")},
}
"""What can be tried, and the settings that it is."""


def asked_of(arguments: Sequence[str]) -> dict[str, Any]:
    """The values of arguments NAME=VALUE, checked. Raises ConfigurationError."""
    asked = {}
    for argument in arguments:
        name, parted, value = argument.partition("=")
        if name not in ARGUMENTS_OF_TRY:
            raise UnknownName("argument of try", name, ARGUMENTS_OF_TRY)
        if not parted:
            raise ConfigurationError(f"-a {argument}: give NAME=VALUE")
        asked[name] = normal(ARGUMENTS_OF_TRY[name], value, name)
    if not asked:
        raise ConfigurationError(f"give -a NAME=VALUE; what can be tried: {', '.join(ARGUMENTS_OF_TRY)}")
    return asked


def trial_of(store: Store, settings: BaseSettings, asked: Mapping[str, Any]) -> Trial:
    """The judgement of the run whose templates a store holds, but for what is asked. Raises
    ConfigurationError.
    """
    before, own = _settings(store, settings, {}), _settings(store, settings, asked)
    methods = methods_of(own)
    for method in methods:
        ready(method)
    detector, detector_before = detector_of(own), detector_of(before)
    made, remembers_until = store.meta(JUDGEMENT), -1
    if detector.judgement == detector_before.judgement and made in (
        detector.judgement,
        judgement_before(before),
    ):
        # Blocks in doubt keep their verdict where pages are judged as they were.
        detector, remembers_until = replace(detector, judgement=made), store.runs.last_finished()
    return Trial(
        asked=asked,
        derivation=derivation(own),
        judging=Judging(
            detector=detector,
            method=own["METHOD"],
            partition=partition_of(own),
            site=store.name,
            selectors=selectors_of(own),
            nosnippet=own.getbool("NOSNIPPET_ENABLED"),
            overrides=own.getlist("OVERRIDES"),
            fields=(),
            more_fields=frozenset(),
            compares=False,
            remembers_until=remembers_until,
        ),
        methods=methods,
        form_of=partial(canonical, ignored=ignored_parameters(own)),
        same=detector_of(own) == detector_before,
    )


def _settings(store: Store, settings: BaseSettings, asked: Mapping[str, Any]) -> BaseSettings:
    """The settings of the run whose templates a store holds, with those that are asked for. Those that come
    with a method are left to the method that is asked for.
    """
    own = with_site_file(store.name, settings)
    parameters = run_parameters(store)
    presets: set[str] = set()
    if "method" in asked:
        of_run = METHODS.get(parameters.get("method", ""))
        presets = {*factory(asked["method"]).settings, *(of_run.settings if of_run else ())}
    for name, setting in _OF_RUN.items():
        if name in parameters and setting not in presets:
            own.set(setting, parameters[name], priority="spider")
    own.set("OVERRIDES", run_overrides(parameters), priority="cmdline")
    set_partition(own, stored_partition(store, settings))
    for name, value in asked.items():
        own.set(ARGUMENTS_OF_TRY[name], value, priority="cmdline")
    for name in presets:
        value = factory(own["METHOD"]).settings.get(name)
        if value is not None and (own.getpriority(name) or 0) <= SETTINGS_PRIORITIES["project"]:
            own.set(name, value, priority="project")
    return own
