"""Settings of every crawl. docs/configuration.md explains those that Scrapy does not have."""

from __future__ import annotations

import os

from pagelets import partitions
from pagelets.judging import parameters
from pagelets.methods import registry
from settings import program

_detection, _duplicates = parameters.Detection(), parameters.Duplicates()

BOT_NAME = "site-pagelets"
SPIDER_MODULES = ["crawler.spiders"]
COMMANDS_MODULE = program.commands_module()

# --- Where the stores are, and what is found and made ---
DATA_DIR = os.environ.get("PAGELETS_DATA_DIR") or "data"
SITES_DIR = os.environ.get("PAGELETS_SITES_DIR") or "settings/sites"
MAX_PAGES = 0
PAGELET_K = partitions.DEFAULT.k
PARTITION = partitions.DEFAULT.name
DETECTION = _detection.algorithm
DETECTION_MEMORY = 0
TEMPLATE_MIN_PAGES = _detection.min_pages
TEMPLATE_MIN_SHARE = _detection.min_share
TEMPLATE_NEAR_DUPLICATES = _detection.near_duplicates
TEMPLATE_LINKS = "as-others"
TEMPLATE_LINKS_EVERY = 3
REPEATED_BLOCK_SHARE = _detection.block_share
METHOD = registry.DEFAULT
METHOD_CLASSES: dict[str, str] = {}
DOCUMENT_FIELDS: list[str] = []
EXTRACT: dict[str, object] = {}
FIELD_FUNCTIONS: dict[str, str] = {}
EXPLAIN_ENABLED = False
PUBLISH_TABLES = False
PUBLISH_TEXT = False
DOCUMENTS_FILE = True
BODY_MAX_SIZE = 8 * 1024 * 1024
RELEASE_PROCESSES = 0
PROGRESS_ENABLED = True

# --- What a crawl asks for ---
SITEMAPS_ENABLED = True
DEPTH_LIMIT = 100
TRAP_MAX_QUERIES = 5000
IGNORED_PARAMETERS: list[str] = []
SITEMAPS: list[str] = []
SCOPE_RULES: list[dict[str, str]] = []
RENDER_JAVASCRIPT = False
RENDER_WAIT = 10.0
PRIVATE_HOSTS: list[str] = []
REQUEST_HEADERS: dict[str, object] = {}
REQUEST_AUTH: dict[str, object] = {}

# --- What differs by URL, and what people decided ---
OVERRIDES: list[dict[str, object]] = []
BYLINES = "auto"
KEEP_SELECTORS: list[str] = []
DROP_SELECTORS: list[str] = []
PINNED_TEMPLATES: list[str] = []
REJECTED_TEMPLATES: list[str] = []
TAUGHT: dict[str, float] = {}

# --- Directives of a page ---
NOINDEX_ENABLED = True
NOFOLLOW_ENABLED = True
NOSNIPPET_ENABLED = True
CANONICAL_ENABLED = False
CRAWL_DELAY_ENABLED = True
CRAWL_DELAY_MAX = 60.0
DUPLICATES_ENABLED = _duplicates.compared
DUPLICATE_MIN_SIMILARITY = _duplicates.min_similarity
DUPLICATES_LEFT_OUT = _duplicates.left_out

# --- Recrawls ---
REVISIT_MIN = 0.0
REVISIT_MAX = 0.0
MISSED_RUNS = 3
LOSS_MIN_SHARE = 0.6

# --- Search indexes (docs/search-index.md) ---
SINKS: list[str] = ["tantivy"]
SINK_BACKENDS: dict[str, str] = {}
SINK_TIMEOUT = 30.0
TANTIVY_UNITS = "documents"
TANTIVY_LANGUAGE = "auto"
POSTGRESQL_DSN: object = ""
POSTGRESQL_TABLE = "pagelets_units"
POSTGRESQL_UNITS = "documents"
POSTGRESQL_LANGUAGE = "simple"
OPENSEARCH_HOSTS: list[str] = []
OPENSEARCH_PREFIX = "site-"
OPENSEARCH_USER: object = ""
OPENSEARCH_PASSWORD: object = ""
OPENSEARCH_CA_CERTS = ""
OPENSEARCH_UNITS = "documents"
ELASTICSEARCH_HOSTS: list[str] = []
ELASTICSEARCH_PREFIX = "site-"
ELASTICSEARCH_USER: object = ""
ELASTICSEARCH_PASSWORD: object = ""
ELASTICSEARCH_API_KEY: object = ""
ELASTICSEARCH_CA_CERTS = ""
ELASTICSEARCH_UNITS = "documents"
OPERATIONS_PATH = ""

# --- Schedules (docs/nightly.md) ---
SCHEDULE = ""
SCHEDULE_TIMEZONE = ""

# --- Being told (docs/monitoring.md) ---
METRICS_DIR = ""
NOTIFY_OUTCOMES: list[str] = ["empty", "interrupted", "suspicious", "undelivered"]
NOTIFY_COMMAND: list[str] = []
NOTIFY_WEBHOOK: object = ""

# --- Politeness ---
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
# A refresh is followed as a link of the page, which is kept.
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
