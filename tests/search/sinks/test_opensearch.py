"""What only OpenSearch's client does; the rest is in cluster/."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from search.sink import Place, SinkDown
from search.sinks.opensearch import OpenSearchSink
from tests.searchserver import search_server

if TYPE_CHECKING:
    from pathlib import Path


def test_a_server_may_have_a_path(tmp_path: Path) -> None:
    with (
        search_server("opensearch") as server,
        closing(
            OpenSearchSink(Place("example", tmp_path, {"hosts": [f"{server.base}/search"]}, 1.0))
        ) as sink,
        pytest.raises(SinkDown, match="no handler found for"),
    ):
        sink.open()
    assert server.asked[0].startswith("GET /search/_index_template/")
