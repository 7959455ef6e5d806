"""The keys of a site file, what each may be, and which setting it sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, cast, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationInfo,
)

from pagelets.methods import METHODS
from settings.patterns import Pattern
from settings.schedule import expression, zone_name
from settings.values import (
    duration,
    field_name,
    header_name,
    line_of_text,
    nearest,
    private_host,
    secret,
    selector,
    template_name,
    url,
    webhook,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(slots=True, frozen=True)
class Sets:
    """The setting that a key sets. ``live`` settings concern the way to a site over the network."""

    setting: str
    live: bool = False


@dataclass(slots=True, frozen=True)
class Hidden:
    """Marks a type whose values are secret: nothing tells them (`settings.secrets`)."""


def _listed(value: object) -> object:
    """A text, as the command line has it, is a list parted by commas."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _start_urls(value: object) -> object:
    if isinstance(value, str) and not value.strip(" ,"):
        raise ValueError("is empty; give at least one, or [] in a file for crawls of an archive")
    return _listed(value)


def _method(value: str) -> str:
    if value not in METHODS:
        raise ValueError(f"unknown method; {nearest(value, METHODS)}")
    return value


def _of_some_pages(value: str) -> str:
    preset = METHODS[value]
    if preset.settings:
        raise ValueError(
            "finds templates with thresholds of its own, which are a whole site's; write "
            f"{preset.of!r}, which judges alike with those of the site, or give the whole site this method"
        )
    return value


def _secret(value: object, info: ValidationInfo) -> str | dict[str, str]:
    return secret(value, (info.context or {}).get("environ"))


def _user(value: str | dict[str, str], info: ValidationInfo) -> str | dict[str, str]:
    environ = (info.context or {}).get("environ") or {}
    name = environ.get(value["env"], "") if isinstance(value, dict) else value
    if ":" in name:
        raise ValueError("has a colon in it, which basic authentication does not know; give another user")
    return value


def _not_empty(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty; give a text, or leave the key out")
    return value


def _webhook(value: str | dict[str, str], info: ValidationInfo) -> str | dict[str, str]:
    environ = (info.context or {}).get("environ")
    if isinstance(value, str) and value:
        webhook(value)
    elif isinstance(value, dict) and environ is not None:
        try:
            webhook(environ[value["env"]])
        except ValueError as error:
            raise ValueError(f"environment variable {value['env']}: {error}") from None
    return value


Url = Annotated[str, AfterValidator(url)]
Text = Annotated[str, AfterValidator(_not_empty)]
Line = Annotated[Text, AfterValidator(line_of_text)]
PathText = Annotated[str, AfterValidator(line_of_text)]
Selector = Annotated[str, AfterValidator(selector)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Duration = Annotated[float, BeforeValidator(duration)]
Count = Annotated[int, Field(ge=0, le=1 << 31)]
Detection = Literal["local", "global"]
MethodName = Annotated[str, AfterValidator(_method)]
Fields = Annotated[list[Annotated[str, AfterValidator(field_name)]], BeforeValidator(_listed)]
MinPages = Annotated[int, Field(ge=2, le=1 << 31)]
Secret = Annotated[Any, PlainValidator(_secret), Hidden()]
TemplateName = Annotated[str, AfterValidator(template_name)]
Schedule = Annotated[str, AfterValidator(expression)]
TimeZone = Annotated[str, AfterValidator(zone_name)]
UnitKind = Literal["documents", "sections"]
Webhook = Annotated[Secret, AfterValidator(_webhook)]
Outcome = Literal["complete", "limited", "empty", "interrupted", "suspicious", "undelivered"]
"""How a run may have ended that has requested anything."""
PatternType = Literal["begins", "ends", "contains", "regex"]


class Table(BaseModel):
    """A table of a site file. Of its keys those that are given count; None stands for the others."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    def given(self) -> dict[str, Any]:
        """The keys that are given, with plain values."""
        return {name: _plain(getattr(self, name)) for name in type(self).model_fields if self.has(name)}

    def has(self, name: str) -> bool:
        """Whether a key is given."""
        return name in self.model_fields_set


def _plain(value: Any) -> Any:
    if isinstance(value, Table):
        return value.given()
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _pattern(value: str, info: ValidationInfo) -> str:
    if "type" in info.data:
        Pattern.of(info.data["type"], value)
    return value


PatternText = Annotated[str, AfterValidator(_pattern)]


class RuleTable(Table):
    """``rules``: which URLs in scope are requested."""

    policy: Literal["allow", "deny"]
    type: PatternType
    pattern: PatternText


class RateTable(Table):
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


class BoundsTable(Table):
    """The shortest and the longest time until a page is asked for again."""

    min: Duration | None = None
    max: Duration | None = None


class RevisitTable(Table):
    """``[revisit]``: how long pages wait until they are asked for again."""

    min: Annotated[Duration | None, Sets("REVISIT_MIN")] = None
    max: Annotated[Duration | None, Sets("REVISIT_MAX")] = None


class ThresholdsTable(Table):
    """``[thresholds]``: what is noticed, and when."""

    loss: Annotated[Share | None, Sets("LOSS_MIN_SHARE")] = None
    missed_runs: Annotated[int | None, Sets("MISSED_RUNS"), Field(ge=1, le=1000)] = None
    redesign: Annotated[Share | None, Sets("REDESIGN_MIN_SHARE")] = None
    block_share: Annotated[Share | None, Sets("REPEATED_BLOCK_SHARE")] = None


class DirectivesTable(Table):
    """``[directives]``: which of the things that a page says of itself are obeyed."""

    noindex: Annotated[bool | None, Sets("NOINDEX_ENABLED")] = None
    nofollow: Annotated[bool | None, Sets("NOFOLLOW_ENABLED")] = None
    nosnippet: Annotated[bool | None, Sets("NOSNIPPET_ENABLED")] = None
    canonical: Annotated[bool | None, Sets("CANONICAL_ENABLED")] = None
    crawl_delay: Annotated[bool | None, Sets("CRAWL_DELAY_ENABLED", live=True)] = None


class DuplicatesTable(Table):
    """``[duplicates]``: pages whose texts are nearly the same."""

    enabled: Annotated[bool | None, Sets("DUPLICATES_ENABLED")] = None
    similarity: Annotated[
        float | None, Sets("DUPLICATE_MIN_SIMILARITY"), Field(ge=0.5, le=1, allow_inf_nan=False)
    ] = None
    leave_out: Annotated[bool | None, Sets("DUPLICATES_LEFT_OUT")] = None


class AuthTable(Table):
    """``[auth]``: HTTP basic authentication."""

    user: Annotated[Secret, AfterValidator(_user)]
    password: Secret


class TemplatesTable(Table):
    """``[templates]``: what people decided of templates."""

    pinned: Annotated[list[TemplateName] | None, Sets("PINNED_TEMPLATES")] = None
    rejected: Annotated[list[TemplateName] | None, Sets("REJECTED_TEMPLATES")] = None


class TantivyTable(Table):
    """``[tantivy]``: the search index in the data folder."""

    units: Annotated[UnitKind | None, Sets("TANTIVY_UNITS")] = None
    language: Annotated[str | None, Sets("TANTIVY_LANGUAGE")] = None


class PostgresqlTable(Table):
    """``[postgresql]``: full text search in a PostgreSQL database."""

    dsn: Annotated[Secret | None, Sets("POSTGRESQL_DSN")] = None
    table: Annotated[Line | None, Sets("POSTGRESQL_TABLE")] = None
    units: Annotated[UnitKind | None, Sets("POSTGRESQL_UNITS")] = None
    language: Annotated[Line | None, Sets("POSTGRESQL_LANGUAGE")] = None


class OpenSearchTable(Table):
    """``[opensearch]``: an OpenSearch cluster."""

    hosts: Annotated[list[Url] | None, Sets("OPENSEARCH_HOSTS"), BeforeValidator(_listed)] = None
    prefix: Annotated[Line | None, Sets("OPENSEARCH_PREFIX")] = None
    user: Annotated[Secret | None, Sets("OPENSEARCH_USER")] = None
    password: Annotated[Secret | None, Sets("OPENSEARCH_PASSWORD")] = None
    ca_certs: Annotated[PathText | None, Sets("OPENSEARCH_CA_CERTS")] = None
    units: Annotated[UnitKind | None, Sets("OPENSEARCH_UNITS")] = None


class ElasticsearchTable(Table):
    """``[elasticsearch]``: an Elasticsearch cluster."""

    hosts: Annotated[list[Url] | None, Sets("ELASTICSEARCH_HOSTS"), BeforeValidator(_listed)] = None
    prefix: Annotated[Line | None, Sets("ELASTICSEARCH_PREFIX")] = None
    user: Annotated[Secret | None, Sets("ELASTICSEARCH_USER")] = None
    password: Annotated[Secret | None, Sets("ELASTICSEARCH_PASSWORD")] = None
    api_key: Annotated[Secret | None, Sets("ELASTICSEARCH_API_KEY")] = None
    ca_certs: Annotated[PathText | None, Sets("ELASTICSEARCH_CA_CERTS")] = None
    units: Annotated[UnitKind | None, Sets("ELASTICSEARCH_UNITS")] = None


class OperationsTable(Table):
    """``[operations]``: a file of operations, for an index of any other kind."""

    path: Annotated[PathText | None, Sets("OPERATIONS_PATH")] = None


class NotifyTable(Table):
    """``[notify]``: who is told how a run ended."""

    outcomes: Annotated[list[Outcome] | None, Sets("NOTIFY_OUTCOMES"), BeforeValidator(_listed)] = None
    command: Annotated[list[Line] | None, Sets("NOTIFY_COMMAND")] = None
    webhook: Annotated[Webhook | None, Sets("NOTIFY_WEBHOOK")] = None
    timeout: Annotated[Duration | None, Sets("NOTIFY_TIMEOUT"), Field(gt=0)] = None


class OverrideTable(Table):
    """``[[overrides]]``: what differs for the URLs that match a pattern."""

    type: PatternType
    pattern: PatternText
    priority: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] = 0
    method: Annotated[MethodName, AfterValidator(_of_some_pages)] | None = None
    fields: Fields | None = None
    revisit: BoundsTable | None = None
    javascript: bool | None = None

    def given(self) -> dict[str, Any]:
        """The keys that are given; the bounds of ``revisit`` as seconds ``revisit_min``, ``revisit_max``."""
        given = super().given()
        bounds = given.pop("revisit", {})
        return given | {f"revisit_{name}": seconds for name, seconds in bounds.items()}


class SiteTable(Table):
    """A site file."""

    url: Annotated[list[Url], BeforeValidator(_start_urls)] = Field(default_factory=list)
    schedule: Annotated[Schedule | None, Sets("SCHEDULE")] = None
    timezone: Annotated[TimeZone | None, Sets("SCHEDULE_TIMEZONE")] = None
    sitemaps: Annotated[list[Url] | None, Sets("SITEMAPS"), BeforeValidator(_listed)] = None
    max_pages: Annotated[Count | None, Sets("MAX_PAGES")] = None
    k: Annotated[int | None, Sets("PAGELET_K"), Field(ge=1, le=1000)] = None
    detection: Annotated[Detection | None, Sets("DETECTION")] = None
    min_pages: Annotated[MinPages | None, Sets("TEMPLATE_MIN_PAGES")] = None
    min_share: Annotated[Share | None, Sets("TEMPLATE_MIN_SHARE")] = None
    method: Annotated[MethodName | None, Sets("METHOD")] = None
    fields: Annotated[Fields | None, Sets("DOCUMENT_FIELDS")] = None
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
        BeforeValidator(_listed),
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
    sinks: Annotated[list[Line] | None, Sets("SINKS"), BeforeValidator(_listed)] = None
    tantivy: TantivyTable | None = None
    postgresql: PostgresqlTable | None = None
    opensearch: OpenSearchTable | None = None
    elasticsearch: ElasticsearchTable | None = None
    operations: OperationsTable | None = None
    notify: NotifyTable | None = None
    overrides: Annotated[list[OverrideTable] | None, Sets("OVERRIDES")] = None
    settings: dict[str, Any] | None = None


def table_of(annotation: Any) -> type[Table] | None:
    """The table that an annotation speaks of, in a list or not; None where there is none."""
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        table = table_of(argument)
        if table is not None:
            return table
    return None


def keys(table: type[Table] = SiteTable, prefix: str = "") -> Iterator[str]:
    """All keys that a site file may have, those of tables with dots."""
    for name, field in table.model_fields.items():
        yield prefix + name
        inner = table_of(field.annotation)
        if inner is not None:
            yield from keys(inner, f"{prefix}{name}.")


def _type(annotation: Any) -> type:
    """The type of TOML's that an annotation stands for."""
    if annotation is Any:
        return object
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return dict if issubclass(annotation, Table) else annotation
    origin = get_origin(annotation)
    if origin is Literal:
        return str
    if origin in (list, dict):
        return cast("type", origin)
    return _type(get_args(annotation)[0])


def type_of(setting: str) -> type:
    """The type of a setting that a key sets: bool, int, float, str, list or dict; object for a secret, which
    is a text or a dict.
    """
    table: type[Table] | None = SiteTable
    *parents, name = KEY_OF[setting].split(".")
    for parent in parents:
        assert table is not None
        table = table_of(table.model_fields[parent].annotation)
    assert table is not None
    return _type(table.model_fields[name].annotation)


def _setters(table: type[Table], prefix: str = "") -> Iterator[tuple[str, Sets]]:
    for name, field in table.model_fields.items():
        sets = next((one for one in field.metadata if isinstance(one, Sets)), None)
        inner = table_of(field.annotation)
        if sets is not None:
            yield prefix + name, sets
        elif inner is not None:
            yield from _setters(inner, f"{prefix}{name}.")


SETTERS: Final[Mapping[str, Sets]] = dict(_setters(SiteTable))
"""Key -> the setting that it sets."""
KEY_OF: Final[Mapping[str, str]] = {sets.setting: key for key, sets in SETTERS.items()}
"""Setting -> the key that sets it."""
LIVE: Final = frozenset(sets.setting for sets in SETTERS.values() if sets.live)
"""Settings that are about the network: of no matter for an archive."""
