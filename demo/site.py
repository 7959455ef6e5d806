"""The demo site as data: every path with the response it gets, the same at each call.

A query string changes nothing about a response (`/?ref=home` is `/`); the server cuts it off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING

from demo import assets
from demo.content import load
from demo.template import render, render_not_found
from demo.views import views

if TYPE_CHECKING:
    from collections.abc import Mapping

BASE = "http://127.0.0.1:8765"

REDIRECTS = {"/blog/": "/magazine/", "/shop/tools/folding-bone/": "/shop/tools/bone-folder/"}

ROBOTS = """\
User-agent: *
Disallow: /cart/

Sitemap: {base}/sitemap.xml
"""

IMPOSITION = [
    "In a section of n pages the two pages on one side of a sheet add up to n + 1.",
    "2 sheets: 8 | 1, 2 | 7, 6 | 3, 4 | 5",
    "3 sheets: 12 | 1, 2 | 11, 10 | 3, 4 | 9, 8 | 5, 6 | 7",
    "4 sheets: 16 | 1, 2 | 15, 14 | 3, 4 | 13, 12 | 5, 6 | 11, 10 | 7, 8 | 9",
]


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to a GET. `headers` leaves out those that every response has."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_html(self) -> bool:
        return self.content_type.startswith("text/html")


def pages(base: str = BASE) -> dict[str, Response]:
    """Returns the response of every path; `base` (no slash at its end) begins the absolute URLs."""
    site = load()
    built = site.wording.generated
    responses = {
        view.path: _response("text/html; charset=utf-8", render(site, view, base), view.modified)
        for view in views(site)
    }
    files: dict[str, tuple[str, str | bytes]] = {
        "/robots.txt": ("text/plain; charset=utf-8", ROBOTS.format(base=base)),
        "/sitemap.xml": ("application/xml", _sitemap(base)),
        "/static/site.css": ("text/css", assets.STYLE),
        "/static/site.js": ("text/javascript", assets.SCRIPT),
        "/static/logo.svg": ("image/svg+xml", assets.logo()),
        "/downloads/imposition-sheet.pdf": ("application/pdf", assets.pdf("Imposition", IMPOSITION)),
    }
    files |= {f"/img/{name}.svg": ("image/svg+xml", assets.drawing(name)) for name in assets.DRAWINGS}
    files |= {
        product.picture: ("image/svg+xml", assets.product_picture(product.number))
        for product in site.products
    }
    responses |= {path: _response(kind, body, built) for path, (kind, body) in files.items()}
    responses |= {
        path: Response(301, "text/plain; charset=utf-8", b"Moved\n", {"Location": base + target})
        for path, target in REDIRECTS.items()
    }
    return responses


def not_found() -> Response:
    """Returns the response of every path that `pages` lacks."""
    return Response(404, "text/html; charset=utf-8", render_not_found(load()).encode())


def _sitemap(base: str) -> str:
    urls = "".join(
        f"<url><loc>{escape(base + view.path)}</loc><lastmod>{view.modified}</lastmod></url>\n"
        for view in views(load())
        if view.in_sitemap
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'
    )


def _response(content_type: str, body: str | bytes, modified: date) -> Response:
    data = body.encode() if isinstance(body, str) else body
    moment = datetime.combine(modified, time(9), UTC)
    headers = {
        "ETag": f'"{sha256(data).hexdigest()[:20]}"',
        "Last-Modified": format_datetime(moment, usegmt=True),
        "Cache-Control": "max-age=600",
    }
    return Response(200, content_type, data, headers)
