"""Keeps a site's documents in an Elasticsearch cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from search.sinks.cluster.connection import Client
from search.sinks.cluster.server import SearchServerSink
from settings.schema import options_of
from settings.tables import ElasticsearchTable

if TYPE_CHECKING:
    from search.sinks.cluster.connection import Access


class ElasticsearchSink(SearchServerSink):
    """Settings: ``ELASTICSEARCH_HOSTS``, URLs of one cluster; ``ELASTICSEARCH_PREFIX``, which all index names
    begin with; ``ELASTICSEARCH_USER`` and ``ELASTICSEARCH_PASSWORD``, or ``ELASTICSEARCH_API_KEY``, encoded;
    ``ELASTICSEARCH_CA_CERTS``, a file of certificates to trust; ``ELASTICSEARCH_UNITS``.
    """

    options = options_of(ElasticsearchTable)
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
