"""The keys of a site file, table by table, and which setting each sets."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from settings.types import (
    LISTED,
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
from settings.values import header_name, private_host


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

    min: Annotated[Duration | None, Sets("REVISIT_MIN")] = None
    max: Annotated[Duration | None, Sets("REVISIT_MAX")] = None


class ThresholdsTable(SchemaTable):
    """``[thresholds]``: what is noticed, and when."""

    loss: Annotated[Share | None, Sets("LOSS_MIN_SHARE")] = None
    missed_runs: Annotated[int | None, Sets("MISSED_RUNS"), Field(ge=1, le=1000)] = None
    block_share: Annotated[Share | None, Sets("REPEATED_BLOCK_SHARE")] = None


class DirectivesTable(SchemaTable):
    """``[directives]``: the directives of pages that are obeyed."""

    noindex: Annotated[bool | None, Sets("NOINDEX_ENABLED")] = None
    nofollow: Annotated[bool | None, Sets("NOFOLLOW_ENABLED")] = None
    nosnippet: Annotated[bool | None, Sets("NOSNIPPET_ENABLED")] = None
    canonical: Annotated[bool | None, Sets("CANONICAL_ENABLED")] = None
    crawl_delay: Annotated[bool | None, Sets("CRAWL_DELAY_ENABLED", live=True)] = None


class DuplicatesTable(SchemaTable):
    """``[duplicates]``: pages whose texts are nearly the same."""

    enabled: Annotated[bool | None, Sets("DUPLICATES_ENABLED")] = None
    similarity: Annotated[
        float | None, Sets("DUPLICATE_MIN_SIMILARITY"), Field(ge=0.5, le=1, allow_inf_nan=False)
    ] = None
    leave_out: Annotated[bool | None, Sets("DUPLICATES_LEFT_OUT")] = None


class AuthTable(SchemaTable):
    """``[auth]``: HTTP basic authentication."""

    user: User
    password: Secret


class TemplatesTable(SchemaTable):
    """``[templates]``: what people decided of templates."""

    pinned: Annotated[list[TemplateName] | None, Sets("PINNED_TEMPLATES")] = None
    rejected: Annotated[list[TemplateName] | None, Sets("REJECTED_TEMPLATES")] = None


class TantivyTable(SinkTable):
    """``[tantivy]``: the search index in the data folder."""

    units: UnitKind | None = None
    language: str | None = None


class PostgresqlTable(SinkTable):
    """``[postgresql]``: full text search in a PostgreSQL database."""

    dsn: Secret | None = None
    table: Line | None = None
    units: UnitKind | None = None
    language: Line | None = None


class OpenSearchTable(SinkTable):
    """``[opensearch]``: an OpenSearch cluster."""

    hosts: Annotated[list[Url] | None, LISTED] = None
    prefix: Line | None = None
    user: Secret | None = None
    password: Secret | None = None
    ca_certs: PathText | None = None
    units: UnitKind | None = None


class ElasticsearchTable(OpenSearchTable):
    """``[elasticsearch]``: an Elasticsearch cluster."""

    api_key: Secret | None = None


class OperationsTable(SinkTable):
    """``[operations]``: a file of operations, for an index of any other kind."""

    path: PathText | None = None


class NotifyTable(SchemaTable):
    """``[notify]``: the receivers of a notice at the end of a run."""

    outcomes: Annotated[list[Outcome] | None, Sets("NOTIFY_OUTCOMES"), LISTED] = None
    command: Annotated[list[Line] | None, Sets("NOTIFY_COMMAND")] = None
    webhook: Annotated[Webhook | None, Sets("NOTIFY_WEBHOOK")] = None


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
    schedule: Annotated[Schedule | None, Sets("SCHEDULE")] = None
    timezone: Annotated[TimeZone | None, Sets("SCHEDULE_TIMEZONE")] = None
    sitemaps: Annotated[list[Url] | None, Sets("SITEMAPS"), LISTED] = None
    max_pages: Annotated[Count | None, Sets("MAX_PAGES")] = None
    k: Annotated[int | None, Sets("PAGELET_K"), Field(ge=1, le=1000)] = None
    template_links: Annotated[TemplateLinks | None, Sets("TEMPLATE_LINKS")] = None
    partition: Annotated[PartitionName | None, Sets("PARTITION")] = None
    detection: Annotated[Detection | None, Sets("DETECTION")] = None
    min_pages: Annotated[MinPages | None, Sets("TEMPLATE_MIN_PAGES")] = None
    min_share: Annotated[Share | None, Sets("TEMPLATE_MIN_SHARE")] = None
    method: Annotated[MethodName | None, Sets("METHOD")] = None
    fields: Annotated[Fields | None, Sets("DOCUMENT_FIELDS")] = None
    extract: Annotated[ExtractTable | None, Sets("EXTRACT")] = None
    rules: Annotated[list[RuleTable] | None, Sets("SCOPE_RULES")] = None
    ignore_parameters: Annotated[list[Text] | None, Sets("IGNORED_PARAMETERS")] = None
    keep: Annotated[list[Selector] | None, Sets("KEEP_SELECTORS")] = None
    drop: Annotated[list[Selector] | None, Sets("DROP_SELECTORS")] = None
    javascript: Annotated[bool | None, Sets("RENDER_JAVASCRIPT", live=True)] = None
    explain: Annotated[bool | None, Sets("EXPLAIN_ENABLED")] = None
    depth: Annotated[Count | None, Sets("DEPTH_LIMIT")] = None
    private_hosts: Annotated[
        list[Annotated[str, AfterValidator(private_host)]] | None,
        Sets("PRIVATE_HOSTS", live=True),
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
        dict[Annotated[str, AfterValidator(header_name)], Secret] | None, Sets("REQUEST_HEADERS", live=True)
    ] = None
    auth: Annotated[AuthTable | None, Sets("REQUEST_AUTH", live=True)] = None
    templates: TemplatesTable | None = None
    taught: Annotated[dict[TaughtSelector, TaughtWeight] | None, Sets("TAUGHT")] = None
    sinks: Annotated[list[Line] | None, Sets("SINKS"), LISTED] = None
    tantivy: TantivyTable | None = None
    postgresql: PostgresqlTable | None = None
    opensearch: OpenSearchTable | None = None
    elasticsearch: ElasticsearchTable | None = None
    operations: OperationsTable | None = None
    notify: NotifyTable | None = None
    overrides: Annotated[list[OverrideTable] | None, Sets("OVERRIDES")] = None
    settings: dict[str, Any] | None = None
