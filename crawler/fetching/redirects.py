"""Redirects, as browsers follow them."""

from __future__ import annotations

from scrapy import Request, Spider
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.http import Response

from pagelets.reading.references import slashed


class Redirects(RedirectMiddleware):
    """Scrapy's redirects. Before query and fragment of a ``Location`` a backslash is a slash."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Returns the request to which a ``response`` redirects, or the response; takes its ``request`` and
        the ``spider``.
        """
        location = response.headers.get(b"Location")
        if location is not None and b"\\" in location:
            response.headers[b"Location"] = slashed(location.decode("latin-1")).encode("latin-1")
        return super().process_response(request, response)
