"""A server for the tests of both clients, as each of them knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from search.sinks.elasticsearch import ElasticsearchSink
from search.sinks.opensearch import OpenSearchSink
from tests.searchserver import SearchServer, search_server

if TYPE_CHECKING:
    from collections.abc import Iterator

BACKENDS = {"opensearch": OpenSearchSink, "elasticsearch": ElasticsearchSink}


@pytest.fixture(scope="module", params=list(BACKENDS))
def running(request: pytest.FixtureRequest) -> Iterator[SearchServer]:
    with search_server(request.param) as server:
        yield server


@pytest.fixture
def server(running: SearchServer) -> SearchServer:
    running.forget()
    return running
