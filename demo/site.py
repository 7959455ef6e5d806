"""The demo site as data: every path with the response it gets, the same at each call.

A query string changes nothing about a response (`/?ref=home` is `/`); the server cuts it off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from hashlib import sha256
from html import escape
from pathlib import Path

from demo.content import load
from demo.rendering import render, render_not_found, views

BASE = "http://127.0.0.1:8765"

REDIRECTS = {"/blog/": "/magazine/", "/shop/tools/folding-bone/": "/shop/tools/bone-folder/"}

ROBOTS = """\
User-agent: *
Disallow: /cart/

Sitemap: {base}/sitemap.xml
"""

STATIC = Path(__file__).parent / "static"
"""The files that are no pages: style sheet, script, drawings and one PDF."""


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
    }
    files |= {path: (kind, (STATIC / Path(path).name).read_bytes()) for path, kind in site.files.items()}
    files |= {
        product.picture: ("image/svg+xml", product_picture(product.number)) for product in site.products
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


def product_picture(number: str) -> str:
    """Returns the picture of a product as SVG: a still life whose shapes follow from its number."""
    shapes = []
    for index, byte in enumerate(sha256(number.encode()).digest()[:6]):
        hue, size = byte * 360 // 256, 40 + byte % 50
        shapes.append(
            f'<rect x="{20 + index * 45}" y="{200 - size}" width="36" height="{size}" '
            f'fill="hsl({hue} 35% 55%)"/>'
        )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240" width="320" height="240">'
        f"{''.join(shapes)}</svg>\n"
    )


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
