"""All settings of ours: the keys of a site file with what each sets, settings without a key, their schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, cast, get_args, get_origin

from pydantic import BeforeValidator, Field, PlainValidator, create_model

from pagelets import partitions
from pagelets.judging import parameters
from pagelets.methods import DEFAULT
from pagelets.registry import OURS, Registry
from settings import types as t
from settings.types import OptionsTable, SchemaTable, Sets, SinkTable, key
from settings.values import Place, published

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

_detection, _duplicates = parameters.Detection(), parameters.Duplicates()


class RuleTable(SchemaTable):
    """``rules``: which URLs in scope are requested."""

    policy: Literal["allow", "deny"]
    type: t.PatternType
    pattern: t.PatternText


class RateTable(SchemaTable):
    """``[rate]``: how fast pages are asked for."""

    delay: t.Seconds = key("DOWNLOAD_DELAY", live=True, ge=0)
    concurrency: int = key("CONCURRENT_REQUESTS_PER_DOMAIN", live=True, ge=1, le=1000)
    timeout: t.Seconds = key("DOWNLOAD_TIMEOUT", live=True, gt=0)
    retries: int = key("RETRY_TIMES", live=True, ge=0, le=100)
    adaptive: bool = key("AUTOTHROTTLE_ENABLED", live=True)


class RevisitTable(SchemaTable):
    """``[revisit]``: how long pages wait until they are asked for again."""

    min: t.Duration = key("REVISIT_MIN", 0.0)
    max: t.Duration = key("REVISIT_MAX", 0.0)


class ThresholdsTable(SchemaTable):
    """``[thresholds]``: what is noticed, and when."""

    loss: t.Share = key("LOSS_MIN_SHARE", 0.6)
    missed_runs: int = key("MISSED_RUNS", 3, ge=1, le=1000)
    block_share: t.Share = key("REPEATED_BLOCK_SHARE", _detection.block_share)


class DirectivesTable(SchemaTable):
    """``[directives]``: the directives of pages that are obeyed."""

    noindex: bool = key("NOINDEX_ENABLED", True)
    nofollow: bool = key("NOFOLLOW_ENABLED", True)
    nosnippet: bool = key("NOSNIPPET_ENABLED", True)
    canonical: bool = key("CANONICAL_ENABLED", False)
    crawl_delay: bool = key("CRAWL_DELAY_ENABLED", True, live=True)


class DuplicatesTable(OptionsTable):
    """``[duplicates]``: pages whose texts are nearly the same."""

    enabled: bool = _duplicates.compared
    similarity: Annotated[float, Field(ge=0.5, le=1, allow_inf_nan=False)] = _duplicates.min_similarity
    leave_out: bool = _duplicates.left_out


class AuthTable(SchemaTable):
    """``[auth]``: HTTP basic authentication."""

    user: t.User
    password: t.Secret


class TemplatesTable(SchemaTable):
    """``[templates]``: what people decided of templates."""

    pinned: list[t.TemplateName] = key("PINNED_TEMPLATES", [])
    rejected: list[t.TemplateName] = key("REJECTED_TEMPLATES", [])


class TantivyTable(SinkTable):
    """``[tantivy]``: the search index in the data folder."""

    units: t.UnitKind = "documents"
    language: str = "auto"


class PostgresqlTable(SinkTable):
    """``[postgresql]``: full text search in a PostgreSQL database."""

    units: t.UnitKind = "documents"
    dsn: t.Secret = ""
    table: t.Line = "pagelets_units"
    language: t.Line = "simple"


class OpenSearchTable(SinkTable):
    """``[opensearch]``: an OpenSearch cluster."""

    units: t.UnitKind = "documents"
    hosts: t.Urls = Field(default_factory=list)
    prefix: t.Line = "site-"
    user: t.Secret = ""
    password: t.Secret = ""
    ca_certs: t.PathText = ""


class ElasticsearchTable(OpenSearchTable):
    """``[elasticsearch]``: an Elasticsearch cluster."""

    api_key: t.Secret = ""


class OperationsTable(SinkTable):
    """``[operations]``: a file of operations, for an index of any other kind."""

    path: t.PathText = ""


class NotifyTable(SchemaTable):
    """``[notify]``: the receivers of a notice at the end of a run."""

    outcomes: t.Outcomes = key("NOTIFY_OUTCOMES", ["empty", "interrupted", "suspicious", "undelivered"])
    command: list[t.Line] = key("NOTIFY_COMMAND", [])
    webhook: t.Webhook = key("NOTIFY_WEBHOOK", "")


class FieldsTable(SchemaTable, extra="allow"):
    """Fields by name, beside the keys of the table."""

    __pydantic_extra__: dict[t.NewField, t.FieldGiven] = {}

    def given(self) -> dict[str, Any]:
        """The keys that are given, and the fields, in their normal form."""
        return {**(self.model_extra or {}), **super().given()}


class ExtractPagesTable(FieldsTable):
    """``[[extract.pages]]``: further fields of the pages whose URLs match."""

    match: t.Match


class ExtractTable(FieldsTable):
    """``[extract]``: fields of documents by selector."""

    pages: list[ExtractPagesTable] = []


class OverrideTable(SchemaTable):
    """``[[overrides]]``: what differs for the URLs that match a pattern."""

    type: t.PatternType
    pattern: t.PatternText
    priority: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] = 0
    method: t.MethodOfSomePages = ""
    fields: t.Fields = []
    bylines: t.Fate = "auto"
    comments: t.Fate = "auto"
    reviews: t.Fate = "auto"
    related: t.Fate = "auto"
    keep: list[t.Selector] = []
    drop: list[t.Selector] = []
    revisit: RevisitTable = RevisitTable()
    javascript: bool = False
    extract: FieldsTable = FieldsTable()

    def given(self) -> dict[str, Any]:
        """The keys that are given; the bounds of ``revisit`` as seconds ``revisit_min``, ``revisit_max``."""
        given = super().given()
        bounds = given.pop("revisit", {})
        return given | {f"revisit_{name}": seconds for name, seconds in bounds.items()}


class SiteTable(SchemaTable):
    """A site file."""

    url: t.StartUrls = []
    schedule: t.Schedule = key("SCHEDULE", "")
    timezone: t.TimeZone = key("SCHEDULE_TIMEZONE", "")
    sitemaps: t.Urls = key("SITEMAPS", [])
    max_pages: t.Count = key("MAX_PAGES", 0, "stop after so many pages")
    k: int = key("PAGELET_K", partitions.DEFAULT.k, "links that make a pagelet", ge=1, le=1000)
    template_links: t.TemplateLinks = key(
        "TEMPLATE_LINKS", "as-others", "site: URLs that templates alone link to: as-others, later, last, drop"
    )
    partition: t.PartitionName = key(
        "PARTITION", partitions.DEFAULT.name, "how pages are cut: k-links, fixed, dom, vips, combps"
    )
    detection: t.Detection = key("DETECTION", _detection.algorithm, "local or global")
    min_pages: t.MinPages = key("TEMPLATE_MIN_PAGES", _detection.min_pages, "a template is on so many pages")
    min_share: t.Share = key("TEMPLATE_MIN_SHARE", _detection.min_share, "and on this share of the pages")
    method: t.MethodName = key("METHOD", DEFAULT, "how blocks are judged: judged, paper or another")
    fields: t.Fields = key("DOCUMENT_FIELDS", [], "fields of the documents, parted by commas")
    extract: ExtractTable = key("EXTRACT", {})
    rules: list[RuleTable] = key("SCOPE_RULES", [])
    ignore_parameters: list[t.Text] = key("IGNORED_PARAMETERS", [])
    bylines: t.Fate = key("BYLINES", "auto", "keep, drop or auto: lines that name authors")
    comments: t.Fate = key("COMMENTS", "auto", "keep, drop or auto: comments of readers")
    reviews: t.Fate = key("REVIEWS", "auto", "keep, drop or auto: reviews of customers")
    related: t.Fate = key("RELATED", "auto", "keep, drop or auto: boxes that name other pages")
    keep: list[t.Selector] = key("KEEP_SELECTORS", [])
    drop: list[t.Selector] = key("DROP_SELECTORS", [])
    javascript: bool = key("RENDER_JAVASCRIPT", False, live=True)
    explain: bool = key("EXPLAIN_ENABLED", False)
    depth: t.Count = key("DEPTH_LIMIT")
    private_hosts: t.PrivateHosts = key("PRIVATE_HOSTS", [], live=True)
    robots: bool = key("ROBOTSTXT_OBEY", live=True)
    user_agent: t.Line = key("USER_AGENT", live=True)
    rate: RateTable = RateTable()
    revisit: RevisitTable = RevisitTable()
    thresholds: ThresholdsTable = ThresholdsTable()
    directives: DirectivesTable = DirectivesTable()
    duplicates: DuplicatesTable = DuplicatesTable()
    headers: dict[t.HeaderName, t.Secret] = key("REQUEST_HEADERS", {}, live=True)
    auth: AuthTable = key("REQUEST_AUTH", {}, live=True)
    templates: TemplatesTable = TemplatesTable()
    taught: dict[t.TaughtSelector, t.TaughtWeight] = key("TAUGHT", {})
    sinks: t.Lines = key("SINKS", ["tantivy"])
    tantivy: TantivyTable = TantivyTable()
    postgresql: PostgresqlTable = PostgresqlTable()
    opensearch: OpenSearchTable = OpenSearchTable()
    elasticsearch: ElasticsearchTable = ElasticsearchTable()
    operations: OperationsTable = OperationsTable()
    notify: NotifyTable = NotifyTable()
    overrides: list[OverrideTable] = key("OVERRIDES", [])
    settings: dict[str, Any] = {}


class ProjectTable(SchemaTable):
    """The settings that no key of a site file sets; its table ``[settings]`` may have them."""

    DETECTION_MEMORY: Annotated[int, Field(ge=0, le=1 << 20)] = 0
    DOCUMENTS_FILE: bool = True
    FIELD_FUNCTIONS: t.ImportPaths = {}
    METHOD_CLASSES: t.ImportPaths = {}
    METRICS_DIR: Annotated[str, BeforeValidator(str)] = ""
    PROGRESS_ENABLED: bool = True
    PUBLISH_TABLES: Annotated[Any, PlainValidator(published)] = False
    RELEASE_PROCESSES: Annotated[int, Field(ge=0, le=256)] = 0
    SINK_BACKENDS: t.ImportPaths = {}
    SINK_TIMEOUT: Annotated[t.Duration, Field(gt=0)] = 30.0
    SITEMAPS_ENABLED: bool = True
    TEMPLATE_NEAR_DUPLICATES: bool = _detection.near_duplicates
    TRAP_MAX_QUERIES: Annotated[int, Field(ge=1, le=1 << 31)] = 5000


def table_of(annotation: Any) -> type[SchemaTable] | None:
    """Returns the table in an annotation, in a list or not, or None."""
    kinds = (annotation, *get_args(annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, SchemaTable)), None)


def type_of(annotation: Any) -> type:
    """Returns TOML's type for an annotation; object for one that may be of several, such as a secret."""
    if table_of(annotation) is annotation:
        return dict
    kind: Any = get_origin(annotation) or annotation
    return object if kind is Any else str if kind is Literal else cast("type", kind)


class Schema:
    """The keys of site files, and the settings that they set: ours, and those of the tables of added sinks,
    by the names of the sinks. The ``registry`` knows the methods and fields that values name.

    ``keys`` has the fields of all keys, those of tables with dots, ``setters`` what keys set, ``key_of`` the
    keys of settings, ``fields`` the fields of settings. Raises ValueError for a table named like one of ours.
    """

    def __init__(
        self, registry: Registry = OURS, tables: Mapping[str, type[SinkTable]] = MappingProxyType({})
    ) -> None:
        for name in tables:
            if name in SiteTable.model_fields or name.upper() in DEFAULTS:
                raise ValueError(f"{name!r} is a key of ours, or makes one; give the sink another name")
        self.registry = registry
        self.table = _with(tuple(tables.items())) if tables else SiteTable
        self.setters: dict[str, Sets]
        self.keys, self.setters = _keys_and_setters(self.table)
        self.key_of = {sets.setting: key for key, sets in self.setters.items()}
        of_keys = {setting: self.keys[key] for setting, key in self.key_of.items()}
        self.fields = of_keys | ProjectTable.model_fields

    def place_of(self, setting: str) -> Place:
        """Returns the place of a setting in a site file."""
        return tuple(self.key_of[setting].split(".")) if setting in self.key_of else ("settings", setting)


# Each crawl makes several schemas, of the same tables.
@cache
def _keys_and_setters(table: type[SiteTable]) -> tuple[dict[str, FieldInfo], dict[str, Sets]]:
    keys = dict(_keys(table))
    setters: dict[str, Sets] = {}
    for name, field in keys.items():
        # What is below such a key is a part of its setting.
        if (sets := _sets(name, field)) is not None and name.partition(".")[0] not in setters:
            setters[name] = sets
    return keys, setters


def _keys(table: type[SchemaTable], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    for name, field in table.model_fields.items():
        yield prefix + name, field
        if (inner := table_of(field.annotation)) is not None:
            yield from _keys(inner, f"{prefix}{name}.")


def _sets(name: str, field: FieldInfo) -> Sets | None:
    if issubclass(table_of(field.annotation) or object, OptionsTable):
        return Sets(name.upper(), {})
    return next((item for item in field.metadata if isinstance(item, Sets)), None)


@cache
def _with(tables: tuple[tuple[str, type[SinkTable]], ...]) -> type[SiteTable]:
    added: dict[str, Any] = {name: (table, None) for name, table in tables}
    return create_model("SiteTable", __base__=SiteTable, **added)


SCHEMA: Final = Schema()
"""Ours alone."""
DEFAULTS: Final[Mapping[str, Any]] = {
    **{sets.setting: sets.default for sets in SCHEMA.setters.values() if sets.default is not None},
    **{name: field.default for name, field in ProjectTable.model_fields.items()},
}
"""The settings of ours, but for places, with their defaults."""
LIVE: Final = frozenset(sets.setting for sets in SCHEMA.setters.values() if sets.live)
"""Settings that are about the network: of no matter for an archive."""
