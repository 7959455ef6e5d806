"""The feed format ``operations``: what a search index has to do, one JSON object a line."""

from __future__ import annotations

from typing import Any, Final

from itemadapter import ItemAdapter

from crawler.feeds.exporters import JsonLinesExporter
from crawler.items import Deletion

FORMAT: Final = "operations"


class OperationsExporter(JsonLinesExporter):
    """Writes ``{"op": "index", "url", "document"}`` for a document that is new or has changed, and
    ``{"op": "delete", "url", "reason"}`` for one that is no more.

    The last line of a URL counts; the same line twice does no harm.
    """

    def export_item(self, item: Any) -> None:
        """Writes one operation."""
        if isinstance(item, Deletion):
            super().export_item({"op": "delete", "url": item.url, "reason": item.reason})
        else:
            document = dict(item) if isinstance(item, dict) else ItemAdapter(item).asdict()
            super().export_item({"op": "index", "url": document.get("url"), "document": document})
