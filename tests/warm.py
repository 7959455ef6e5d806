"""What a crawl needs and takes a second to load: importing this loads it, for processes to be forked."""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import sys

from scrapy.cmdline import _get_commands_from_module
from scrapy.settings import Settings, default_settings
from scrapy.utils.misc import load_object

from crawler.configuration.checks import check_settings
from crawler.configuration.components import COMPONENTS, PARTS
from pagelets import registry
from pagelets.installed import installed
from pagelets.metadata.declarations import Declarations
from pagelets.metadata.language import find_language
from pagelets.reading import read
from search.backends import GROUP
from tests import forked

# A command looks at all of them to find its own.
COMMANDS = ("scrapy.commands", "crawler.commands")
MODULES = (
    "crawler.addon",
    "crawler.survey",
    "duckdb",
    "numpy.ma",
    "numpy.random",
    "pyarrow.compute",
    "scrapy.core.downloader.contextfactory",
    "scrapy.core.downloader.handlers._aiohttp",
    "scrapy.core.downloader.handlers.datauri",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.dupefilters",
    "scrapy.extensions.feedexport",
    "scrapy.extensions.httpcache",
    "scrapy.robotstxt",
    "scrapy.statscollectors",
    "crawler.run.log",
    "crawler.spiders.archive",
    "crawler.spiders.similar",
    "crawler.spiders.site",
    "crawler.spiders.template",
    "numpy.strings",
    "pagelets.metadata.titles",
    "pagelets.methods.templates",
    "pytest",
    "settings.base",
    "tests.fed",
    "tldextract",
    "warcio",
)
ENOUGH = "What language a text is in, a large model tells where there is enough of the text. " * 5


def load() -> None:
    """Imports modules, and does once what each crawl has to find out, and remembers: what commands there are,
    what is installed, what forms settings have, what language a text is in."""
    if path := os.environ.pop(forked.MODULE_PATH, ""):
        sys.path[:] = path.split(os.pathsep)
    defaults = (
        default_settings.DOWNLOADER_MIDDLEWARES_BASE,
        default_settings.SPIDER_MIDDLEWARES_BASE,
        default_settings.EXTENSIONS_BASE,
    )
    for path in [*PARTS.values(), *(path for paths in (*COMPONENTS.values(), *defaults) for path in paths)]:
        load_object(path)
    for name in MODULES:
        importlib.import_module(name)
    forked.remember_commands()
    for group in (registry.METHOD_GROUP, registry.FIELD_GROUP, GROUP):
        installed(group)
    # After all imports: Python forgets which class is of which kind when a class is registered as of one.
    for package in COMMANDS:
        _get_commands_from_module(package, inproject=True)
    settings = Settings()
    settings.setmodule("settings.base", priority="project")
    check_settings(settings)
    page = read(f"<p>{ENOUGH}</p>", "http://127.0.0.1/")
    find_language(Declarations(page), [True] * len(page.blocks))
    # A collection in a forked process would else look at all of this, and have it copied.
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)


load()
