"""The settings of the add-on, checked, and the fields that items get by them."""

from __future__ import annotations

import logging
from copy import deepcopy
from numbers import Number
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from itemadapter import ItemAdapter

from pagelets.methods.base import MethodError
from pagelets.registry import OURS
from pagelets.site.arguments import texts_of
from pagelets.site.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy.settings import BaseSettings

FIELDS: Final = {"text": "text", "markdown": "markdown"}
"""The fields that items get, unless others are asked for."""
_OF_ALL: Final = "duplicate_of"
"""A field that compares all documents of a site."""
_NAMES: Final = tuple(f"PAGELETS_{name}" for name in ("ENABLED", "FIELDS", "FOLDER", "SITE", "WAIT"))
META: Final = "pagelets"
"""The key of a field's metadata that names the field of documents that it gets."""

logger = logging.getLogger(__name__)


class Configuration(NamedTuple):
    """The settings of the add-on.

    ``fields`` maps fields of items to fields of documents, ``site`` holds arguments of `pagelets.Site`, and
    ``folder`` is where items wait, empty for a temporary folder.
    """

    fields: Mapping[str, str]
    waits: bool
    site: Mapping[str, Any]
    folder: str

    @classmethod
    def of(cls, settings: BaseSettings) -> Configuration:
        """Returns the settings of a crawl. Raises ValueError with one sentence that names what is wrong."""
        for name in settings:
            if str(name).startswith("PAGELETS_") and name not in _NAMES:
                raise ValueError(f"{name}: unknown setting; there are {', '.join(_NAMES)}")
        fields = read("PAGELETS_FIELDS", lambda *named: _by_name(settings.getdictorlist(*named)), FIELDS)
        arguments = read("PAGELETS_SITE", settings.getdict, {})
        waits = read("PAGELETS_WAIT", settings.getbool, True)
        if "folder" in arguments:
            raise ValueError("PAGELETS_SITE: 'folder' is the setting PAGELETS_FOLDER")
        if _OF_ALL in fields.values():
            raise ValueError(f"PAGELETS_FIELDS: {_OF_ALL!r} takes all documents of a site; leave it out")
        with read("PAGELETS_SITE", lambda *_: Site(**arguments), None) as site:
            read("PAGELETS_FIELDS", lambda *_: site.documents(fields.values()), None)
        return cls(fields, waits, arguments, str(settings.get("PAGELETS_FOLDER") or ""))


def _by_name(fields: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    if isinstance(fields, dict):
        return dict(fields)
    names = [name.strip() for name in texts_of("fields", fields)]
    return dict(zip(names, names, strict=True))


def read(name: str, read: Callable[[str, Any], Any], default: Any) -> Any:
    """Returns the setting ``name``, else ``default``. Raises ValueError where ``read`` cannot read it."""
    try:
        return read(name, default)
    except (ValueError, TypeError, ImportError, MethodError) as error:
        raise ValueError(f"{name}: {error}") from error


def _is_empty(value: object) -> bool:
    try:
        # 0 and False are values: a price, or what is not in stock.
        return not value and not isinstance(value, Number)
    except Exception:
        # An array of NumPy is neither true nor false.
        return False


class Fields:
    """The fields that items get.

    Args:
        named: field of items -> field of documents. An item class that declares its fields gets those that it
            declares, and those whose metadata have ``pagelets``.

    """

    def __init__(self, named: Mapping[str, str]) -> None:
        self._named = dict(named)
        self._of_class: dict[type, dict[str, str]] = {}
        self._told: set[tuple[type, str]] = set()

    def of(self, item: Any) -> dict[str, str]:
        """Returns the fields that an item lacks: its field -> the field of documents."""
        kind = type(item)
        wanted = self._of_class.get(kind)
        if wanted is None:
            wanted = self._of_class[kind] = self._declared(kind)
        adapter = ItemAdapter(item)
        lacking = {name: field for name, field in wanted.items() if _is_empty(adapter.get(name))}
        for name in wanted.keys() - lacking.keys():
            self._tell(
                kind,
                name,
                "%s: the spider gives the field %r a value, which is kept; "
                "PAGELETS_FIELDS = {'another_name': %r} takes another field",
                wanted[name],
            )
        return lacking

    def fill(self, item: Any, wanted: Mapping[str, str], document: Mapping[str, Any]) -> bool:
        """Fills fields of an item from its document.

        Args:
            item: the item.
            wanted: its fields -> fields of documents.
            document: the document of its page.

        Returns:
            True if at least one field was filled.

        """
        adapter, filled = ItemAdapter(item), False
        for name, field in wanted.items():
            try:
                # Other items of the page get its document, too, and pipelines may change theirs.
                adapter[name] = deepcopy(document[field])
                filled = True
            except Exception as error:
                # A frozen class, or a validator of the project's.
                self._tell(type(item), name, "%s: the field %r takes no value: %s", error)
        return filled

    def _declared(self, kind: type) -> dict[str, str]:
        names = ItemAdapter.get_field_names_from_class(kind)
        if names is None:
            return self._named
        wanted = {name: field for name, field in self._named.items() if name in names}
        for name in names:
            field = ItemAdapter.get_field_meta_from_class(kind, name).get(META)
            if field is None:
                continue
            if OURS.has_field(field):
                wanted[name] = field
            else:
                self._tell(
                    kind, name, "%s: the metadata of the field %r ask for %r, which no document has", field
                )
        if not wanted and self._named:
            self._tell(
                kind, ", ".join(self._named), "%s declares none of the fields %s: its items go on as they are"
            )
        return wanted

    def _tell(self, kind: type, name: str, message: str, *more: object) -> None:
        """Warns once of a field of a class."""
        if (kind, name) not in self._told:
            self._told.add((kind, name))
            logger.warning(message, kind.__name__, name, *more)
