"""Keeps a site's documents in an OpenSearch cluster."""

from __future__ import annotations

from typing import Any

from search.sinks.cluster.connection import Access, Client
from search.sinks.cluster.server import SearchServerSink
from settings.tables import OpenSearchTable


class OpenSearchSink(SearchServerSink):
    """Options: ``hosts``, URLs of one cluster; ``prefix``, which all index names begin with; ``user`` and
    ``password``; ``ca_certs``, a file of certificates to trust; ``units``.
    """

    options = OpenSearchTable.filled()
    section = "opensearch"
    package = "opensearchpy"

    def client(self, access: Access) -> Client:
        """Makes opensearch-py's."""
        import opensearchpy
        from opensearchpy import helpers

        headers = {} if access.basic is None else {"authorization": f"Basic {access.basic}"}
        trusted: dict[str, Any] = {"ca_certs": access.ca_certs} if access.ca_certs else {}
        api = opensearchpy.OpenSearch(
            list(access.hosts),
            headers=headers,
            timeout=access.timeout,
            max_retries=len(access.hosts) - 1,
            retry_on_status=(),
            **trusted,
        )
        return Client(
            api,
            helpers.streaming_bulk,
            helpers.scan,
            (opensearchpy.OpenSearchException, opensearchpy.ImproperlyConfigured),
            ("opensearch",),
        )
