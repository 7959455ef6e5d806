"""Judging the pages of a store as the crawl that detected its templates did."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy.settings import SETTINGS_PRIORITIES

from crawler.configuration.checks import check_settings
from crawler.configuration.converters import normal
from crawler.configuration.detectors import detector_of, judgement_before, judgement_of
from crawler.configuration.partition import partition_of
from crawler.configuration.plan import copied, methods_of, site_file
from crawler.configuration.selectors import selectors_of
from pagelets.document import field_names
from pagelets.methods import factory
from release.detection import Detector
from settings.methods import ready
from settings.overrides import OWN, VALUES, Overrides, method_of
from store.judging import Judge
from store.meta import DETECTION_RUN, JUDGEMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy.settings import BaseSettings

    from pagelets.partitions import Partition
    from store.site import Store


def stored_partition(store: Store, settings: BaseSettings) -> Partition:
    """The partition that the store's pagelets were made with; that of the settings where it has none yet."""
    return store.derivation.partition or partition_of(settings)


def set_partition(settings: BaseSettings, partition: Partition) -> None:
    """Has settings ask for a partition, whatever they say otherwise."""
    settings.set("PARTITION", partition.name, priority="cmdline")
    settings.set("PAGELET_K", partition.k, priority="cmdline")


def stored_judge(store: Store, settings: BaseSettings, *, site: str | None = None) -> Judge:
    """A judge with the parameters of the run whose templates the store holds.

    Takes the site's name where that is not the store's, which a crawl builds beside the site's own.
    The method is that run's too, unless the command line sets ``METHOD``. Raises ConfigurationError,
    StoreHalfDerived, and NotLearned.
    """
    store.derivation.check()
    parameters = run_parameters(store)
    name = site or store.name
    own = with_site_file(name, settings)
    set_partition(own, stored_partition(store, settings))
    if "method" in parameters:
        own.set("METHOD", parameters["method"], priority="spider")
    detector = Detector(
        parameters.get("detection", settings["DETECTION"]),
        parameters.get("min_pages", settings.getint("TEMPLATE_MIN_PAGES")),
        parameters.get("min_share", settings.getfloat("TEMPLATE_MIN_SHARE")),
        parameters.get("block_share", settings.getfloat("REPEATED_BLOCK_SHARE")),
    )
    overrides = run_overrides(parameters)
    asked = (own.getpriority("METHOD") or 0) > SETTINGS_PRIORITIES["spider"]
    method = normal("METHOD", own["METHOD"])
    own.set("METHOD", method, priority=own.getpriority("METHOD") or 0)
    in_use = [method] if asked else [method, *(own["method"] for own in overrides if "method" in own)]
    for used in {*methods_of(own), *in_use}:
        ready(used)
    made, judgement = store.meta(JUDGEMENT), judgement_of(own)
    if made == judgement_before(own):
        judgement = made
    judge = Judge(
        store,
        detector.evidence(store),
        method,
        stored_partition(store, settings),
        name,
        selectors=selectors_of(own),
        nosnippet=own.getbool("NOSNIPPET_ENABLED"),
        recorded_with=store.derivation.selectors,
        method_of=None if asked else method_of(overrides, method),
        judgement=judgement,
        remembers_until=store.runs.last_finished() if judgement == made else -1,
    )
    for used in in_use:
        judge.check(used)
    return judge


def run_parameters(store: Store) -> Mapping[str, Any]:
    """The parameters of the run whose templates the store holds; of the last one where it holds none yet."""
    number = store.meta(DETECTION_RUN)
    run = store.runs.last() if number is None else store.runs.get(number)
    return {} if run is None else run.parameters


def run_overrides(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The overrides of a run: one of an earlier version may have had keys that are no more."""
    return [
        {key: value for key, value in one.items() if key in (*OWN, *VALUES)}
        for one in parameters.get("overrides", [])
    ]


def document_fields(
    site: str, settings: BaseSettings, asked: str | None = None
) -> Callable[[str], Sequence[str]]:
    """The fields of the Document of a URL: those asked for, else as a crawl of the site would make them.

    Takes names parted by commas. Raises ConfigurationError.
    """
    own = with_site_file(site, settings)
    if asked is not None:
        own.set("DOCUMENT_FIELDS", asked, priority="cmdline")
    is_asked = (own.getpriority("DOCUMENT_FIELDS") or 0) > SETTINGS_PRIORITIES["spider"]
    own.set("DOCUMENT_FIELDS", normal("DOCUMENT_FIELDS", own["DOCUMENT_FIELDS"]), priority="cmdline")
    fields = made_fields(own)
    overrides = Overrides([] if is_asked else own.getlist("OVERRIDES"))
    return lambda url: overrides.of(url).get("fields", fields)


def made_fields(settings: BaseSettings) -> list[str]:
    """The fields that Documents have, where no override says otherwise."""
    fields = [name.strip() for name in settings.getlist("DOCUMENT_FIELDS")] or list(field_names())
    if settings.getbool("EXPLAIN_ENABLED") and "pagelets" not in fields:
        fields.append("pagelets")
    return fields


def with_site_file(site: str, settings: BaseSettings) -> BaseSettings:
    """The settings as a crawl of the site has them, where it has a file. Raises ConfigurationError."""
    own = copied(settings)
    # Those of a crawl that runs are frozen, and a copy would be.
    own.frozen = False
    found = site_file(site, settings, required=False, live=False)
    for name, value in ({} if found is None else found.settings).items():
        own.set(name, value, priority="spider")
    for name, value in check_settings(own).items():
        own.set(name, value, priority=own.getpriority(name) or 0)
    return own


def detector_for(method: str, settings: BaseSettings) -> Detector:
    """The detection that the settings ask for, with what a preset asks for in the place of theirs."""
    own = copied(settings)
    asked = {**factory(method).settings, "METHOD": method, "OVERRIDES": []}
    own.update(asked, priority=SETTINGS_PRIORITIES["cmdline"] + 1)
    # Whichever method it is that judges by them, templates are found once.
    return replace(detector_of(own), judgement="")
