"""Settings of every crawl. docs/configuration.md explains those that Scrapy does not have."""

from __future__ import annotations

import os

from settings import places, tables

BOT_NAME = "site-pagelets"
SPIDER_MODULES = ["crawler.spiders"]
COMMANDS_MODULE = places.commands_module()

# --- Ours: docs/configuration.md lists them. Those that follow these lines win ---
globals().update(tables.DEFAULTS)
DATA_DIR = os.environ.get("PAGELETS_DATA_DIR") or "data"
SITES_DIR = os.environ.get("PAGELETS_SITES_DIR") or "settings/sites"

# --- Politeness ---
DEPTH_LIMIT = 100
USER_AGENT = "site-pagelets/0.1 (Scrapy; removes boilerplate from crawled pages)"
ROBOTSTXT_OBEY = True
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 0.5
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0
CONCURRENT_REQUESTS_PER_DOMAIN = 4
DOWNLOAD_TIMEOUT = 60
DOWNLOAD_MAXSIZE = 64 * 1024 * 1024
DOWNLOAD_WARNSIZE = 16 * 1024 * 1024
# A body that broke off is worth more than none: the page is kept with the flag "truncated".
DOWNLOAD_FAIL_ON_DATALOSS = False
# A refresh is followed as a link of the page, which is kept; but for start pages that lead elsewhere.
METAREFRESH_ENABLED = False
# The end of a crawl waits for no look-up of a name.
TWISTED_DNS_RESOLVER = "crawler.fetching.names.NameResolver"
# Cookies need the list of public suffixes, which is fetched from the network.
COOKIES_ENABLED = False

# --- The way of a page ---
# Which components take part in a crawl of ours; other spiders are left as Scrapy has them.
ADDONS = {"crawler.addon.PageletsAddon": 0}
EXTENSIONS: dict[str, int | None] = {}

# --- Scrapy's own ---
# The summary has their number; a line for each page is at level INFO.
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"
FEED_EXPORT_ENCODING = "utf-8"
FEED_EXPORTERS = {
    **dict.fromkeys(("jl", "jsonl", "jsonlines"), "crawler.feeds.exporters.JsonLinesExporter"),
    "operations": "crawler.feeds.operations.OperationsExporter",
    "parquet": "crawler.feeds.exporters.ParquetExporter",
}
# The summary at the end of a crawl is told at any level.
LOG_LEVEL = "WARNING"
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
# Scrapy would look for this mistake in the callback's source anew at each response.
WARN_ON_GENERATOR_RETURN_VALUE = False
