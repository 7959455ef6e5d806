"""Follows redirects to where browsers go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.redirect import RedirectMiddleware

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.http import Response


class Redirects(RedirectMiddleware):
    """Scrapy's redirects, but before the query of a Location a backslash is a slash (URL Standard, 4.4)."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Makes the request that a ``response`` to a ``request`` of a ``spider`` asks for, if any."""
        del spider
        path, mark, query = (response.headers.get("Location") or b"").partition(b"?")
        if b"\\" in path:
            response.headers["Location"] = path.replace(b"\\", b"/") + mark + query
        return super().process_response(request, response)
