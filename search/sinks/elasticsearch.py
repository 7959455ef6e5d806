"""Keeps a site's documents in an Elasticsearch cluster."""

from __future__ import annotations

from typing import Any

from search.sinks.cluster.connection import Access, Client
from search.sinks.cluster.server import SearchServerSink
from settings.tables import ElasticsearchTable


class ElasticsearchSink(SearchServerSink):
    """As `search.sinks.opensearch.OpenSearchSink`; an ``api_key``, encoded, may be in place of the user."""

    options = ElasticsearchTable.filled()
    section = "elasticsearch"
    package = "elasticsearch"

    def client(self, access: Access) -> Client:
        """Makes elasticsearch-py's."""
        import elasticsearch
        from elasticsearch import helpers

        given: dict[str, Any] = {
            "basic_auth": access.basic,
            "api_key": access.api_key,
            "ca_certs": access.ca_certs,
        }
        api = elasticsearch.Elasticsearch(
            list(access.hosts),
            request_timeout=access.timeout,
            max_retries=len(access.hosts) - 1,
            retry_on_status=(),
            retry_on_timeout=False,
            **{name: value for name, value in given.items() if value is not None},
        )
        return Client(
            api,
            helpers.streaming_bulk,
            helpers.scan,
            (elasticsearch.ApiError, elasticsearch.TransportError, helpers.ScanError),
            ("elastic_transport", "elasticsearch"),
        )
