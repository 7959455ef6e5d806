"""Small sites of our own with the main text of each page: what the quality of extraction is held to.

Run as a module, it writes them into the folders ``own`` and ``made`` of a folder, for ``scrapy evaluate``.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tests.quality.gold import AnnotatedPage, annotate, visible
from tests.quality.made import magazine, newspaper, shop
from tests.quality.sites import brevonne, colmena, ferrule, slowspoke, tanalog, wittmoor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["MADE", "SITES", "AnnotatedPage", "annotate", "visible", "write"]

SITES: Final[dict[str, Callable[[], list[AnnotatedPage]]]] = {
    "brevonne": cache(brevonne.pages),
    "colmena": cache(colmena.pages),
    "ferrule": cache(ferrule.pages),
    "slowspoke": cache(slowspoke.pages),
    "tanalog": cache(tanalog.pages),
    "wittmoor": cache(wittmoor.pages),
}
"""By name, what makes a site's pages, at the first call; the first page leads to all others."""

MADE: Final[dict[str, Callable[[], list[AnnotatedPage]]]] = {
    "magazine": cache(magazine.pages),
    "newspaper": cache(newspaper.pages),
    "shop": cache(shop.pages),
}
"""The same of larger sites whose texts are made by chance: each piece of their boilerplate is known."""

_FETCHED: Final = "2026-01-15T09:00:00Z"
"""The same at each call, so that the archives of two calls differ in the ids of their records only."""


def write(folder: Path, sites: Mapping[str, Callable[[], list[AnnotatedPage]]] = SITES) -> None:
    """Writes each site as ``NAME.warc.gz`` and ``NAME.gold.jsonl``, as ``scrapy evaluate`` reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in sites.items():
        pages = make()
        with (folder / f"{name}.warc.gz").open("wb") as file:
            writer = WARCWriter(file, gzip=True)
            for page in pages:
                body = page.html.encode()
                headers = StatusAndHeaders(
                    "200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1"
                )
                record = writer.create_warc_record(
                    page.url,
                    "response",
                    payload=BytesIO(body),
                    length=len(body),
                    http_headers=headers,
                    warc_headers_dict={"WARC-Date": _FETCHED},
                )
                writer.write_record(record)
        rows = [{"id": page.url, "text": page.text, "group": page.group, "cluster": name} for page in pages]
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.gold.jsonl").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) / "own")
    write(Path(sys.argv[1]) / "made", MADE)
