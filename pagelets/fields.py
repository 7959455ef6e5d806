"""Fields that Documents have beside ours, each computed by a function of somebody else's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, Protocol, get_args, get_type_hints

from pagelets.text.surrogates import replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pagelets.page import Page

TEXTS: Final = list[str]
TYPES: Final[Mapping[Any, str]] = {str: "str", bool: "bool", int: "int", float: "float", TEXTS: "list[str]"}
"""What a field may be, and how its function says so."""
FIELD_TYPES: Final = ("text", "number", "date", "boolean", "url", "html")
"""Types of the values of a field: a date is ISO 8601, a number int or float, others but booleans are str."""
REPLACEABLE: Final = frozenset({"author"})
"""Fields of ours that a site may take from its pages itself, as a text."""
TAKEN: Final = frozenset(
    {
        *("page", "run", "delivered", "op", "version", "kept_back"),
        *("id", "document", "position", "path", "headings", "day", "configuration", "tsv"),
        *("published_as_declared", "pagelet"),
    }
)
"""Names of columns that tables and indexes have beside the fields of a Document."""


@dataclass(slots=True, frozen=True)
class FieldColumn:
    """A field that is not ours, as a table, feed or index has it.

    Args:
        name: the key of the Document.
        type: one of `FIELD_TYPES`.
        many: True if the value is a list.

    """

    name: str
    type: str
    many: bool = False


def moment_of(text: str) -> datetime | None:
    """Returns the moment of a date or date-time in ISO 8601, in UTC, which is also the zone of one without;
    of a date its first moment. None for another text.
    """
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


class DocumentField(Protocol):
    """A field of Documents beside ours."""

    @property
    def name(self) -> str:
        """The key of the Document."""

    @property
    def type(self) -> Any:
        """The type of its values: one of `FIELD_TYPES`, or of `TYPES`."""

    @property
    def column(self) -> FieldColumn:
        """The field as tables and indexes have it."""

    def value(self, page: Page, document: Mapping[str, Any]) -> Any:
        """Returns the field of a page; ``document`` has the other fields."""


@dataclass(slots=True, frozen=True)
class AddedField:
    """A field of a type of `TYPES`, or None, that the ``function`` at an import path computes: it takes the
    page, and the fields of its Document that are ours, each of which is made when it is read.
    """

    name: str
    path: str
    type: Any
    function: Callable[[Page, Mapping[str, Any]], Any]

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process imports the function anew, with an error that names the path.
        return imported, (self.name, self.path)

    @property
    def column(self) -> FieldColumn:
        """The field as tables and indexes have it."""
        types = {str: "text", bool: "boolean", int: "number", float: "number", TEXTS: "text"}
        return FieldColumn(self.name, types[self.type], many=self.type == TEXTS)

    def value(self, page: Page, document: Mapping[str, Any]) -> Any:
        """The field of a page, with U+FFFD for lone surrogates. Raises TypeError where the function returns
        something else than it says.
        """
        value = self.function(page, document)
        if self.type is float and type(value) is int:
            return float(value)
        if value is not None and type(value) is not (list if self.type == TEXTS else self.type):
            raise TypeError(f"field {self.name!r}: {TYPES[self.type]} was promised, not {value!r:.80}")
        return replaced(value)


def imported(name: str, path: str) -> AddedField:
    """The field of the function at a path, whose return annotation says its type. Raises ValueError."""
    module, _, attribute = path.rpartition(".")
    try:
        function = getattr(import_module(module), attribute)
        wanted = get_type_hints(function)["return"]
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise ValueError(f"{path} is no function that says what it returns ({why}); mend it") from error
    kinds = [wanted] if wanted in TYPES else [kind for kind in get_args(wanted) if kind is not NoneType]
    if len(kinds) != 1 or kinds[0] not in TYPES:
        known = ", ".join(TYPES.values())
        raise ValueError(f"{path} returns {wanted}; have it return {known}, or one of them | None")
    return AddedField(name, path, kinds[0], function)
