"""Checks settings that are right, each by itself, against each other and against the start URLs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from crawler.configuration.checks import registry_of
from crawler.frontier.scope import ignored_parameters
from pagelets.methods.base import MethodError
from pagelets.patterns import Rules
from search.backends import sink_of
from settings.canonical import canonical
from settings.errors import ConfigurationError, Problem, WrongSetting, WrongSiteFile
from settings.mistakes import Related, key_text, related

if TYPE_CHECKING:
    from settings.site import SiteFile
    from settings.toml import Place


def check_together(name: str, urls: Iterable[str], site: SiteFile | None, settings: BaseSettings) -> None:
    """Raises ConfigurationError for ``settings`` of a ``site``, its ``name`` and ``urls`` that do not fit."""
    messages = placed(_mistakes(name, urls, site, settings), site, settings)
    if problems := [message for message in messages if isinstance(message, Problem)]:
        raise WrongSiteFile(problems)
    if messages:
        raise ConfigurationError(str(messages[0]))


def placed(mistakes: Iterable[Related], site: SiteFile | None, settings: BaseSettings) -> list[Problem | str]:
    """Returns the ``mistakes`` in ``settings`` as texts, with file and line where the ``site`` sets them."""
    messages: list[Problem | str] = []
    for setting, within, text in mistakes:
        priority = settings.getpriority(setting)
        if site is not None and setting in site.places and priority == SETTINGS_PRIORITIES["spider"]:
            messages.append(site.problem(text, *site.places[setting], *within))
        else:
            messages.append(f"{key_text((setting, *within))}: {text}")
    return messages


def _mistakes(
    name: str, urls: Iterable[str], site: SiteFile | None, settings: BaseSettings
) -> Iterator[Related]:
    yield from related(dict(settings))
    # A rule that denies a start URL would leave the crawl nothing to start from.
    rules = Rules.of(settings.getlist("SCOPE_RULES"))
    ignored = ignored_parameters(settings)
    for url in urls:
        if (rule := rules.denying(canonical(url, ignored))) is not None:
            what = f"{rule} denies the start URL {url}; write a rule before it that allows it"
            yield Related("SCOPE_RULES", (rules.rules.index(rule),), what)
    yield from _no_sinks(name, {} if site is None else site.settings, settings)
    # Monitors of our own were removed.
    there = any("spidermon" in str(path).lower() for path in settings.getdict("EXTENSIONS"))
    if str(settings.get("SPIDERMON_ENABLED", 0)).lower() not in ("0", "false") and not there:
        what = "needs Spidermon's own extension in EXTENSIONS; docs/monitoring.md says how"
        yield Related("SPIDERMON_ENABLED", (), what)
    yield from _not_ready(settings)


def _no_sinks(name: str, in_file: Mapping[str, Any], settings: BaseSettings) -> Iterator[Related]:
    """Search indexes that the crawl could not feed, whatever it finds."""
    for place, sink in enumerate(settings.getlist("SINKS")):
        try:
            sink_of(sink, name, settings)
        except ConfigurationError as error:
            if isinstance(error, WrongSetting) and (error.setting in in_file or "SINKS" not in in_file):
                yield Related(error.setting, error.within, error.what)
            else:
                yield Related("SINKS", (place,), str(error))


def _not_ready(settings: BaseSettings) -> Iterator[Related]:
    """Methods that lack what they need, as a model or a package, of the site and of overrides."""
    named: list[tuple[str, Place, str]] = [("METHOD", (), settings["METHOD"])]
    for number, override in enumerate(settings.getlist("OVERRIDES")):
        if "method" in override:
            named.append(("OVERRIDES", (number, "method"), override["method"]))
    registry = registry_of(settings)
    for setting, within, name in named:
        try:
            registry.factory(name)().check()
        except MethodError as error:
            yield Related(setting, within, f"{name} is not ready: {error}")
