"""Types of the values in a site file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, PlainValidator, ValidationInfo

from pagelets.judging.taught import LARGEST
from pagelets.judging.taught import TaughtSelector as Taught
from pagelets.methods.base import MethodError, UnknownMethod
from pagelets.overrides import Selectors
from pagelets.patterns import Pattern
from pagelets.reading.fields import match_of
from pagelets.reading.fields.description import ExtractedField
from pagelets.registry import OURS, Registry
from settings.errors import ConfigurationError, UnknownName
from settings.schedule import expression, zone_name
from settings.values import duration, line_of_text, listed, nearest, private_host, url, webhook


@dataclass(slots=True, frozen=True, eq=False)
class Sets:
    """The setting that a key sets, its default (None for one of Scrapy's), and the help of the spider
    argument of the key's name, if there is one. A ``live`` one concerns the way to a site over the network.
    """

    setting: str
    default: Any = None
    argument: str = ""
    live: bool = False


def key(setting: str, default: Any = None, argument: str = "", *, live: bool = False, **bounds: Any) -> Any:
    """Returns a field that sets a ``setting``: ``default``, ``argument``, ``live`` of `Sets`; ``bounds``."""
    field = Field(default=None, **bounds)
    field.metadata.append(Sets(setting, default, argument, live))
    return field


class Hidden:
    """Marks a type whose values are secret: nothing tells them (`settings.mistakes`)."""


def form(pattern: str, wrong: str) -> AfterValidator:
    """Returns a check of texts by a ``pattern``; ``wrong`` is the mistake of others, with the mend."""

    def check(value: str) -> None:
        if not re.fullmatch(pattern, value):
            raise ValueError(wrong)

    return accepted_by(check)


def accepted_by(check: Callable[[Any], object]) -> AfterValidator:
    """Returns a check of values that stay as they are; ``check`` raises ValueError for wrong ones."""

    def checked(value: Any) -> Any:
        check(value)
        return value

    return AfterValidator(checked)


def _listed(value: object) -> object:
    return listed(value) if isinstance(value, str) else value


def _start_urls(value: object) -> object:
    if isinstance(value, str) and not value.strip(" ,"):
        raise ValueError("is empty; give at least one, or [] in a file for crawls of an archive")
    return _listed(value)


def _given(info: ValidationInfo, name: str, default: Any = None) -> Any:
    return (info.context or {}).get(name, default)


def _method(value: str, info: ValidationInfo) -> str:
    registry: Registry = _given(info, "registry", OURS)
    try:
        registry.factory(value)
    except UnknownMethod as error:
        of = "" if error.name == value else f" {error.name!r}"
        raise ValueError(f"unknown method{of}; {nearest(error.name, registry.known_methods())}") from None
    except MethodError as error:
        raise ValueError(str(error)) from None
    return value


def ready(method: str, registry: Registry) -> None:
    """Checks that the registry knows a method, and that it has what it needs. Raises ConfigurationError."""
    try:
        registry.factory(method)().check()
    except UnknownMethod as error:
        raise UnknownName("method", error.name, registry.known_methods()) from error
    except MethodError as error:
        raise ConfigurationError(f"method {method}: {error}") from error


def _of_some_pages(value: str, info: ValidationInfo) -> str:
    preset = _given(info, "registry", OURS).factory(value)
    if preset.settings:
        raise ValueError(
            "finds templates with thresholds of its own, which are a whole site's; write "
            f"{preset.of!r}, which judges alike with those of the site, or give the whole site this method"
        )
    return value


def _field(value: str, info: ValidationInfo) -> str:
    registry, extracted = _given(info, "registry", OURS), _given(info, "extracted", ())
    if value not in extracted and not registry.has_field(value):
        raise ValueError(f"unknown field; {nearest(value, [*registry.known_fields(), *extracted])}")
    return value


def _secret(value: object, info: ValidationInfo) -> str | dict[str, str]:
    """A secret: a text, or the environment variable that has it, which has to be set where one is asked."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or set(value) != {"env"} or not isinstance(value["env"], str):
        raise ValueError('is no text; give one, or { env = "VARIABLE" }')
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value["env"]):
        raise ValueError("env: is no name of an environment variable; use letters, digits and underscores")
    environ = _given(info, "environ")
    if environ is not None and value["env"] not in environ:
        raise ValueError(f"the environment variable {value['env']} is not set; set it first")
    return value


def _secret_for(check: Callable[[str], object]) -> AfterValidator:
    """A check of a secret's text, also of one in an environment variable, whose message does not tell it."""

    def checked(value: str | dict[str, str], info: ValidationInfo) -> str | dict[str, str]:
        if value and isinstance(value, str):
            check(value)
        elif isinstance(value, dict) and (environ := _given(info, "environ")) is not None:
            try:
                check(environ[value["env"]])
            except ValueError as error:
                raise ValueError(f"environment variable {value['env']}: {error}") from None
        return value

    return AfterValidator(checked)


def _user(value: str) -> None:
    if ":" in value:
        raise ValueError("has a colon in it, which basic authentication does not know; give another user")


def _selector(value: str) -> None:
    try:
        Selectors((value,))
    except ValueError as error:
        raise ValueError(f"{error}; write one such as 'nav.menu'") from error


def _pattern(value: str, info: ValidationInfo) -> str:
    if "type" in info.data:
        Pattern.of(info.data["type"], value)
    return value


def _extracted(value: object) -> dict[str, Any]:
    """A field in its normal form: a selector alone is one of CSS."""
    field = {"css": value} if isinstance(value, str) else value
    ExtractedField.of("", field)
    return cast("dict[str, Any]", field)


def _new_field(value: str, info: ValidationInfo) -> str:
    return str(_given(info, "registry", OURS).check_new_field(value))


def _paths(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(
        isinstance(path, str) and "." in path for path in value.values()
    ):
        raise ValueError('give names with import paths, such as {"mine": "mine.module.Name"}')
    return dict(value)


Url = Annotated[str, AfterValidator(url)]
Text = Annotated[str, form(r"(?s).*\S.*", "is empty; give a text, or leave the key out")]
Line = Annotated[Text, AfterValidator(line_of_text)]
PathText = Annotated[str, AfterValidator(line_of_text)]
HeaderName = Annotated[
    str, form(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", "is no name of a header; use letters, digits and hyphens")
]
"""A field name of RFC 9110, section 5.1."""
Selector = Annotated[str, accepted_by(_selector)]
TaughtSelector = Annotated[str, accepted_by(Taught.parse)]
TaughtWeight = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Seconds = Annotated[float, Field(le=86_400, allow_inf_nan=False)]
Duration = Annotated[float, BeforeValidator(duration)]
Count = Annotated[int, Field(ge=0, le=1 << 31)]
Detection = Literal["local", "global"]
Fate = Literal["keep", "drop", "auto"]
TemplateLinks = Literal["as-others", "later", "last", "drop"]
PartitionName = Literal["k-links", "fixed", "dom", "vips", "combps"]
MethodName = Annotated[str, AfterValidator(_method)]
MethodOfSomePages = Annotated[MethodName, AfterValidator(_of_some_pages)]
_LISTED: Final = BeforeValidator(_listed)
"""Of a list: it may be given as one text, whose parts stand between commas."""
Lines = Annotated[list[Line], _LISTED]
Urls = Annotated[list[Url], _LISTED]
StartUrls = Annotated[list[Url], BeforeValidator(_start_urls)]
PrivateHosts = Annotated[list[Annotated[str, AfterValidator(private_host)]], _LISTED]
ImportPaths = Annotated[dict[str, str], BeforeValidator(_paths)]
Fields = Annotated[list[Annotated[str, AfterValidator(_field)]], _LISTED]
NewField = Annotated[str, AfterValidator(_new_field)]
FieldGiven = Annotated[Any, PlainValidator(_extracted)]
MinPages = Annotated[int, Field(ge=2, le=1 << 31)]
Secret = Annotated[Any, PlainValidator(_secret), _secret_for(line_of_text), Hidden()]
User = Annotated[Secret, _secret_for(_user)]
Webhook = Annotated[Secret, _secret_for(webhook)]
TemplateName = Annotated[
    str,
    form(r"[0-9a-fA-F]{16}", "is no name of a template; it has 16 hexadecimal digits, see scrapy templates"),
    AfterValidator(str.lower),
]
Schedule = Annotated[str, AfterValidator(expression)]
TimeZone = Annotated[str, AfterValidator(zone_name)]
UnitKind = Literal["documents", "sections", "pagelets"]
Outcome = Literal["complete", "limited", "empty", "interrupted", "suspicious", "undelivered"]
"""How a run may have ended that has requested anything."""
Outcomes = Annotated[list[Outcome], _LISTED]
PatternType = Literal["begins", "ends", "contains", "regex"]
PatternText = Annotated[str, AfterValidator(_pattern)]
Match = Annotated[Any, accepted_by(match_of)]


class SchemaTable(BaseModel, strict=True, extra="forbid"):
    """A table of a site file. Only given keys count: of most, the setting has the default."""

    def given(self) -> dict[str, Any]:
        """The keys that are given, with plain values."""
        return {name: plain(getattr(self, name)) for name in type(self).model_fields if self.has(name)}

    def has(self, name: str) -> bool:
        """Returns True if a key is given."""
        return name in self.model_fields_set


class Options(dict[str, Any]):
    """Options that are given in a table; those that are not are the project's, or have their defaults."""


class OptionsTable(SchemaTable):
    """A table that is one setting, of its name in capitals."""

    def given(self) -> Options:
        """The options that are given."""
        return Options(super().given())

    @classmethod
    def filled(cls, given: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
        """Returns the options that are ``given``, and the defaults of the others."""
        return {**vars(cls.model_construct()), **given}


class SinkTable(OptionsTable):
    """The table of a search index, named as that is in ``sinks``."""


def plain(value: Any) -> Any:
    """A value without tables of ours: dicts of what they were given."""
    if isinstance(value, SchemaTable):
        return value.given()
    return [plain(item) for item in value] if isinstance(value, list) else value
