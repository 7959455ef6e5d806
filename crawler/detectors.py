"""Detection as settings ask for it, for a crawl and for what reads its store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.job import derivation
from pagelets.content.model import load
from pagelets.methods.judged import JUDGED
from store.detection import Detector

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def detector_of(settings: BaseSettings) -> Detector:
    """The detection that the settings ask for."""
    return Detector(
        settings["DETECTION"],
        settings.getint("TEMPLATE_MIN_PAGES"),
        settings.getfloat("TEMPLATE_MIN_SHARE"),
        settings.getfloat("REPEATED_BLOCK_SHARE"),
        settings["DUCKDB_MEMORY_LIMIT"],
        settings.getint("DUCKDB_THREADS"),
        judgement_of(settings),
    )


def judgement_of(settings: BaseSettings) -> str:
    """Names all that decides on a document beside the site's evidence."""
    method = f"judged {load().name}" if settings["METHOD"] == JUDGED else settings["METHOD"]
    said = {
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
    return repr(said)
