"""What a crawl needs and takes a second to load: importing this loads it, for processes to be forked."""

from __future__ import annotations

import importlib

from pagelets.metadata.declarations import Declarations
from pagelets.metadata.language import find_language
from pagelets.reading import read

MODULES = (
    "crawler.commands.crawl",
    "crawler.monitoring.notify",
    "crawler.survey",
    "duckdb",
    "pipelines.indexing",
    "scrapy.core.downloader.contextfactory",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.extensions.feedexport",
    "crawler.run.progress",
    "crawler.spiders.site",
    "pipelines.processor",
    "pipelines.stripping",
    "scrapy.core.downloader.handlers._aiohttp",
    "settings.base",
    "tests.fed",
    "tldextract",
)
ENOUGH = "What language a text is in, a large model tells where there is enough of the text. " * 5


def load() -> None:
    """Imports modules, and has a language told, which loads the model."""
    for module in MODULES:
        importlib.import_module(module)
    page = read(f"<p>{ENOUGH}</p>", "http://127.0.0.1/")
    find_language(Declarations(page), [True] * len(page.blocks))


load()
