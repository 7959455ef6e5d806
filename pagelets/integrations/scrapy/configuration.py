"""The settings of the add-on, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pagelets.site.site import Site

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

FIELDS: Final = {"text": "text", "markdown": "markdown"}
"""The fields that items get, unless others are asked for."""
_OF_ALL: Final = "duplicate_of"
"""A field that compares all documents of a site."""


class Configuration(NamedTuple):
    """What the settings ask for.

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
        given = settings.getdictorlist("PAGELETS_FIELDS", FIELDS)
        fields = dict(given) if isinstance(given, dict) else {name: name for name in given}
        arguments = settings.getdict("PAGELETS_SITE", {})
        if "folder" in arguments:
            raise ValueError("PAGELETS_SITE: 'folder' is the setting PAGELETS_FOLDER")
        if _OF_ALL in fields.values():
            raise ValueError(f"PAGELETS_FIELDS: {_OF_ALL!r} takes all documents of a site; leave it out")
        try:
            site = Site(**arguments)
        except (ValueError, TypeError, ImportError) as error:
            raise ValueError(f"PAGELETS_SITE: {error}") from error
        with site:
            try:
                site.documents(fields.values())
            except (ValueError, TypeError) as error:
                raise ValueError(f"PAGELETS_FIELDS: {error}") from error
        folder = settings.get("PAGELETS_FOLDER") or ""
        return cls(fields, settings.getbool("PAGELETS_WAIT", True), arguments, str(folder))
