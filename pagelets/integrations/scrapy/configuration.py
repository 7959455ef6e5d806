"""The settings of the add-on, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pagelets.site.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.settings import BaseSettings

FIELDS: Final = {"text": "text", "markdown": "markdown"}
"""The fields that items get, unless others are asked for."""
_OF_ALL: Final = "duplicate_of"
"""A field that compares all documents of a site."""


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
        given = read("PAGELETS_FIELDS", settings.getdictorlist, FIELDS)
        fields = dict(given) if isinstance(given, dict) else {name: name for name in given}
        arguments = read("PAGELETS_SITE", settings.getdict, {})
        waits = read("PAGELETS_WAIT", settings.getbool, True)
        if "folder" in arguments:
            raise ValueError("PAGELETS_SITE: 'folder' is the setting PAGELETS_FOLDER")
        if _OF_ALL in fields.values():
            raise ValueError(f"PAGELETS_FIELDS: {_OF_ALL!r} takes all documents of a site; leave it out")
        with read("PAGELETS_SITE", lambda *_: Site(**arguments), None) as site:
            read("PAGELETS_FIELDS", lambda *_: site.documents(fields.values()), None)
        return cls(fields, waits, arguments, str(settings.get("PAGELETS_FOLDER") or ""))


def read(name: str, read: Callable[[str, Any], Any], default: Any) -> Any:
    """Returns the setting ``name``, else ``default``. Raises ValueError where ``read`` cannot read it."""
    try:
        return read(name, default)
    except (ValueError, TypeError, ImportError) as error:
        raise ValueError(f"{name}: {error}") from error
