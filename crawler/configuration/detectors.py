"""Detection as settings ask for it, for a crawl and for what reads its store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawler.configuration.partition import derivation
from crawler.configuration.plan import methods_of
from pagelets.methods import factory, version_of
from release.detection import Detector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.settings import BaseSettings


def detector_of(settings: BaseSettings) -> Detector:
    """The detection that the settings ask for."""
    return Detector(
        settings["DETECTION"],
        settings.getint("TEMPLATE_MIN_PAGES"),
        settings.getfloat("TEMPLATE_MIN_SHARE"),
        settings.getfloat("REPEATED_BLOCK_SHARE"),
        judgement_of(settings),
        settings.getint("DETECTION_MEMORY"),
    )


def judgement_of(settings: BaseSettings) -> str:
    """Names all that decides on a document beside the site's evidence."""
    own, *others = map(version_of, methods_of(settings))
    return _judgement(settings, own, others)


def judgement_before(settings: BaseSettings) -> str:
    """The same as programs named it that made stores of version 5: an upgrade alone judges no page otherwise.

    Of methods they named the site's alone, and its model.
    """
    name = settings["METHOD"]
    return _judgement(settings, name if factory(name)().training is None else version_of(name), ())


def _judgement(settings: BaseSettings, method: str, others: Sequence[str]) -> str:
    said: dict[str, Any] = {
        "method": method,
        "derivation": derivation(settings),
        "nosnippet": settings.getbool("NOSNIPPET_ENABLED"),
        "duplicates": [
            settings.getbool("DUPLICATES_ENABLED"),
            settings.getfloat("DUPLICATE_MIN_SIMILARITY"),
            settings.getbool("DUPLICATES_LEFT_OUT"),
        ],
        "overrides": settings.getlist("OVERRIDES"),
    }
    if others:
        said["methods"] = others
    return repr(said)
