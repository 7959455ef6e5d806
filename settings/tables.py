"""The keys of a site file, table by table, and which setting each sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import AfterValidator, ConfigDict, Field

from pagelets import partitions
from pagelets.judging import parameters
from pagelets.methods import registry
from settings.types import (
    LISTED,
    Bylines,
    Count,
    Detection,
    Duration,
    FieldGiven,
    Fields,
    Line,
    Match,
    MethodName,
    MethodOfSomePages,
    MinPages,
    NewField,
    OptionsTable,
    Outcome,
    PartitionName,
    PathText,
    PatternText,
    PatternType,
    Schedule,
    SchemaTable,
    Secret,
    Selector,
    Sets,
    Share,
    SinkTable,
    StartUrls,
    TaughtSelector,
    TaughtWeight,
    TemplateLinks,
    TemplateName,
    Text,
    TimeZone,
    UnitKind,
    Url,
    User,
    Webhook,
)
from settings.values import flag, flag_or, header_name, paths, private_host, seconds, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_detection, _duplicates = parameters.Detection(), parameters.Duplicates()


class RuleTable(SchemaTable):
    """``rules``: which URLs in scope are requested."""

    policy: Literal["allow", "deny"]
    type: PatternType
    pattern: PatternText


class RateTable(SchemaTable):
    """``[rate]``: how fast pages are asked for."""

    delay: Annotated[
        float | None, Sets("DOWNLOAD_DELAY", live=True), Field(ge=0, le=86_400, allow_inf_nan=False)
    ] = None
    concurrency: Annotated[
        int | None, Sets("CONCURRENT_REQUESTS_PER_DOMAIN", live=True), Field(ge=1, le=1000)
    ] = None
    timeout: Annotated[
        float | None, Sets("DOWNLOAD_TIMEOUT", live=True), Field(gt=0, le=86_400, allow_inf_nan=False)
    ] = None
    retries: Annotated[int | None, Sets("RETRY_TIMES", live=True), Field(ge=0, le=100)] = None
    adaptive: Annotated[bool | None, Sets("AUTOTHROTTLE_ENABLED", live=True)] = None


class BoundsTable(SchemaTable):
    """The shortest and the longest time until a page is asked for again."""

    min: Duration | None = None
    max: Duration | None = None


class RevisitTable(SchemaTable):
    """``[revisit]``: how long pages wait until they are asked for again."""

    min: Annotated[Duration | None, Sets("REVISIT_MIN", 0.0)] = None
    max: Annotated[Duration | None, Sets("REVISIT_MAX", 0.0)] = None


class ThresholdsTable(SchemaTable):
    """``[thresholds]``: what is noticed, and when."""

    loss: Annotated[Share | None, Sets("LOSS_MIN_SHARE", 0.6)] = None
    missed_runs: Annotated[int | None, Sets("MISSED_RUNS", 3), Field(ge=1, le=1000)] = None
    block_share: Annotated[Share | None, Sets("REPEATED_BLOCK_SHARE", _detection.block_share)] = None


class DirectivesTable(SchemaTable):
    """``[directives]``: the directives of pages that are obeyed."""

    noindex: Annotated[bool | None, Sets("NOINDEX_ENABLED", True)] = None
    nofollow: Annotated[bool | None, Sets("NOFOLLOW_ENABLED", True)] = None
    nosnippet: Annotated[bool | None, Sets("NOSNIPPET_ENABLED", True)] = None
    canonical: Annotated[bool | None, Sets("CANONICAL_ENABLED", False)] = None
    crawl_delay: Annotated[bool | None, Sets("CRAWL_DELAY_ENABLED", True, live=True)] = None


class DuplicatesTable(OptionsTable):
    """``[duplicates]``: pages whose texts are nearly the same."""

    enabled: bool = _duplicates.compared
    similarity: Annotated[float, Field(ge=0.5, le=1, allow_inf_nan=False)] = _duplicates.min_similarity
    leave_out: bool = _duplicates.left_out


class AuthTable(SchemaTable):
    """``[auth]``: HTTP basic authentication."""

    user: User
    password: Secret


class TemplatesTable(SchemaTable):
    """``[templates]``: what people decided of templates."""

    pinned: Annotated[list[TemplateName] | None, Sets("PINNED_TEMPLATES", [])] = None
    rejected: Annotated[list[TemplateName] | None, Sets("REJECTED_TEMPLATES", [])] = None


class TantivyTable(SinkTable):
    """``[tantivy]``: the search index in the data folder."""

    units: UnitKind = "documents"
    language: str = "auto"


class PostgresqlTable(SinkTable):
    """``[postgresql]``: full text search in a PostgreSQL database."""

    units: UnitKind = "documents"
    dsn: Secret = ""
    table: Line = "pagelets_units"
    language: Line = "simple"


class OpenSearchTable(SinkTable):
    """``[opensearch]``: an OpenSearch cluster."""

    units: UnitKind = "documents"
    hosts: Annotated[list[Url], LISTED] = Field(default_factory=list)
    prefix: Line = "site-"
    user: Secret = ""
    password: Secret = ""
    ca_certs: PathText = ""


class ElasticsearchTable(OpenSearchTable):
    """``[elasticsearch]``: an Elasticsearch cluster."""

    api_key: Secret = ""


class OperationsTable(SinkTable):
    """``[operations]``: a file of operations, for an index of any other kind."""

    path: PathText = ""


class NotifyTable(SchemaTable):
    """``[notify]``: the receivers of a notice at the end of a run."""

    outcomes: Annotated[
        list[Outcome] | None,
        Sets("NOTIFY_OUTCOMES", ["empty", "interrupted", "suspicious", "undelivered"]),
        LISTED,
    ] = None
    command: Annotated[list[Line] | None, Sets("NOTIFY_COMMAND", [])] = None
    webhook: Annotated[Webhook | None, Sets("NOTIFY_WEBHOOK", "")] = None


class FieldsTable(SchemaTable):
    """Fields by name, beside the keys of the table."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    __pydantic_extra__: dict[NewField, FieldGiven] = {}  # noqa: RUF012 - pydantic's way to type them

    def given(self) -> dict[str, Any]:
        """The keys that are given, and the fields, in their normal form."""
        return {**(self.model_extra or {}), **super().given()}


class ExtractPagesTable(FieldsTable):
    """``[[extract.pages]]``: further fields of the pages whose URLs match."""

    match: Match


class ExtractTable(FieldsTable):
    """``[extract]``: fields of documents by selector."""

    pages: list[ExtractPagesTable] | None = None


class OverrideTable(SchemaTable):
    """``[[overrides]]``: what differs for the URLs that match a pattern."""

    type: PatternType
    pattern: PatternText
    priority: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] = 0
    method: MethodOfSomePages | None = None
    fields: Fields | None = None
    bylines: Bylines | None = None
    keep: list[Selector] | None = None
    drop: list[Selector] | None = None
    revisit: BoundsTable | None = None
    javascript: bool | None = None
    extract: FieldsTable | None = None

    def given(self) -> dict[str, Any]:
        """The keys that are given; the bounds of ``revisit`` as seconds ``revisit_min``, ``revisit_max``."""
        given = super().given()
        bounds = given.pop("revisit", {})
        return given | {f"revisit_{name}": seconds for name, seconds in bounds.items()}


class SiteTable(SchemaTable):
    """A site file."""

    url: StartUrls = Field(default_factory=list)
    schedule: Annotated[Schedule | None, Sets("SCHEDULE", "")] = None
    timezone: Annotated[TimeZone | None, Sets("SCHEDULE_TIMEZONE", "")] = None
    sitemaps: Annotated[list[Url] | None, Sets("SITEMAPS", []), LISTED] = None
    max_pages: Annotated[Count | None, Sets("MAX_PAGES", 0, "stop after so many pages")] = None
    k: Annotated[
        int | None,
        Sets("PAGELET_K", partitions.DEFAULT.k, "links that make a pagelet"),
        Field(ge=1, le=1000),
    ] = None
    template_links: Annotated[
        TemplateLinks | None,
        Sets(
            "TEMPLATE_LINKS",
            "as-others",
            "site: URLs that templates alone link to: as-others, later, last, drop",
        ),
    ] = None
    partition: Annotated[
        PartitionName | None,
        Sets(
            "PARTITION",
            partitions.DEFAULT.name,
            "how pages are cut into pagelets: k-links, fixed, dom, vips, combps",
        ),
    ] = None
    detection: Annotated[Detection | None, Sets("DETECTION", _detection.algorithm, "local or global")] = None
    min_pages: Annotated[
        MinPages | None,
        Sets("TEMPLATE_MIN_PAGES", _detection.min_pages, "a template is on so many pages"),
    ] = None
    min_share: Annotated[
        Share | None,
        Sets("TEMPLATE_MIN_SHARE", _detection.min_share, "and on this share of the pages"),
    ] = None
    method: Annotated[
        MethodName | None,
        Sets(
            "METHOD",
            registry.DEFAULT,
            "how blocks are judged: judged, templates, paper, all-text or another",
        ),
    ] = None
    fields: Annotated[
        Fields | None, Sets("DOCUMENT_FIELDS", [], "fields of the documents, parted by commas")
    ] = None
    extract: Annotated[ExtractTable | None, Sets("EXTRACT", {})] = None
    rules: Annotated[list[RuleTable] | None, Sets("SCOPE_RULES", [])] = None
    ignore_parameters: Annotated[list[Text] | None, Sets("IGNORED_PARAMETERS", [])] = None
    bylines: Annotated[Bylines | None, Sets("BYLINES", "auto", "keep, drop or auto")] = None
    keep: Annotated[list[Selector] | None, Sets("KEEP_SELECTORS", [])] = None
    drop: Annotated[list[Selector] | None, Sets("DROP_SELECTORS", [])] = None
    javascript: Annotated[bool | None, Sets("RENDER_JAVASCRIPT", False, live=True)] = None
    explain: Annotated[bool | None, Sets("EXPLAIN_ENABLED", False)] = None
    depth: Annotated[Count | None, Sets("DEPTH_LIMIT")] = None
    private_hosts: Annotated[
        list[Annotated[str, AfterValidator(private_host)]] | None,
        Sets("PRIVATE_HOSTS", [], live=True),
        LISTED,
    ] = None
    robots: Annotated[bool | None, Sets("ROBOTSTXT_OBEY", live=True)] = None
    user_agent: Annotated[Line | None, Sets("USER_AGENT", live=True)] = None
    rate: RateTable | None = None
    revisit: RevisitTable | None = None
    thresholds: ThresholdsTable | None = None
    directives: DirectivesTable | None = None
    duplicates: DuplicatesTable | None = None
    headers: Annotated[
        dict[Annotated[str, AfterValidator(header_name)], Secret] | None,
        Sets("REQUEST_HEADERS", {}, live=True),
    ] = None
    auth: Annotated[AuthTable | None, Sets("REQUEST_AUTH", {}, live=True)] = None
    templates: TemplatesTable | None = None
    taught: Annotated[dict[TaughtSelector, TaughtWeight] | None, Sets("TAUGHT", {})] = None
    sinks: Annotated[list[Line] | None, Sets("SINKS", ["tantivy"]), LISTED] = None
    tantivy: TantivyTable | None = None
    postgresql: PostgresqlTable | None = None
    opensearch: OpenSearchTable | None = None
    elasticsearch: ElasticsearchTable | None = None
    operations: OperationsTable | None = None
    notify: NotifyTable | None = None
    overrides: Annotated[list[OverrideTable] | None, Sets("OVERRIDES", [])] = None
    settings: dict[str, Any] | None = None


WITHOUT_KEY: Final[Mapping[str, tuple[object, Callable[[object], Any] | None]]] = {
    "DETECTION_MEMORY": (0, whole(0, 1 << 20)),
    "DOCUMENTS_FILE": (True, flag),
    "FIELD_FUNCTIONS": ({}, paths),
    "METHOD_CLASSES": ({}, paths),
    "METRICS_DIR": ("", None),
    "PROGRESS_ENABLED": (True, flag),
    "PUBLISH_TABLES": (False, flag_or("text")),
    "RELEASE_PROCESSES": (0, whole(0, 256)),
    "SINK_BACKENDS": ({}, paths),
    "SINK_TIMEOUT": (30.0, seconds),
    "SITEMAPS_ENABLED": (True, flag),
    "TEMPLATE_NEAR_DUPLICATES": (_detection.near_duplicates, flag),
    "TRAP_MAX_QUERIES": (5000, whole(1)),
}
"""Settings that no key of a site file sets, each with its default and the function that reads it."""
