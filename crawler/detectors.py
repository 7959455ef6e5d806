"""Detection as settings ask for it, for a crawl and for what reads its store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawler.selectors import selectors_of
from pagelets.content.model import load
from pagelets.methods.judged import JUDGED
from settings.overrides import Overrides
from store.detection import Detector
from store.templates import Criterion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy.settings import BaseSettings


def detector_of(settings: BaseSettings) -> Detector:
    """The detection that the settings ask for."""
    site = Criterion(
        settings["DETECTION"],
        settings.getint("TEMPLATE_MIN_PAGES"),
        settings.getfloat("TEMPLATE_MIN_SHARE"),
    )
    others, criterion_of = differing(settings.getlist("OVERRIDES"), site)
    return Detector(
        *site,
        settings.getfloat("REPEATED_BLOCK_SHARE"),
        settings["DUCKDB_MEMORY_LIMIT"],
        settings.getint("DUCKDB_THREADS"),
        _judgement(settings),
        others,
        criterion_of,
    )


def differing(
    overrides: Sequence[Mapping[str, Any]], site: Criterion
) -> tuple[tuple[Criterion, ...], Callable[[str], Criterion] | None]:
    """What detection has to find beside the site's own criterion, and the criterion in force for a URL.

    Takes the setting ``OVERRIDES``. Returns ``((), None)`` where no override says anything of templates.
    """
    own = [override for override in overrides if not _KEYS.isdisjoint(override)]
    if not own:
        return (), None
    # One override may give the algorithm of a URL, and another its support.
    algorithms = sorted({override.get("detection", site.algorithm) for override in own})
    least_pages = min(site.min_pages, *(override.get("min_pages", site.min_pages) for override in own))
    least_share = min(site.min_share, *(override.get("min_share", site.min_share) for override in own))
    values_of = Overrides(overrides).of

    def criterion_of(url: str) -> Criterion:
        values = values_of(url)
        return Criterion(
            values.get("detection", site.algorithm),
            values.get("min_pages", site.min_pages),
            values.get("min_share", site.min_share),
        )

    return tuple(Criterion(algorithm, least_pages, least_share) for algorithm in algorithms), criterion_of


_KEYS = frozenset({"detection", "min_pages", "min_share"})


def _judgement(settings: BaseSettings) -> str:
    """Names all that decides on a document beside the site's evidence."""
    method = f"judged {load().name}" if settings["METHOD"] == JUDGED else settings["METHOD"]
    said = {
        "method": method,
        "selectors": str(selectors_of(settings)),
        "nosnippet": settings.getbool("NOSNIPPET_ENABLED"),
        "duplicates": [
            settings.getbool("DUPLICATES_ENABLED"),
            settings.getfloat("DUPLICATE_MIN_SIMILARITY"),
            settings.getbool("DUPLICATES_LEFT_OUT"),
        ],
        "overrides": settings.getlist("OVERRIDES"),
    }
    return repr(said)


def method_of(overrides: Sequence[Mapping[str, Any]], method: str) -> Callable[[str], str]:
    """The method in force for a URL, where ``method`` is the site's."""
    values_of = Overrides(overrides).of
    return lambda url: str(values_of(url).get("method", method))
