"""What only the client of Elasticsearch does; the rest is in cluster/."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from search.sink import Place, SinkDown
from search.sinks.elasticsearch import ElasticsearchSink
from tests.searchserver import SearchServer, search_server

if TYPE_CHECKING:
    from pathlib import Path


def sink_at(server: SearchServer, folder: Path, **options: Any) -> ElasticsearchSink:
    return ElasticsearchSink(Place("example", folder, {"hosts": [server.base], **options}, 1.0))


def test_a_key_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_KEY", "aWQ6a2V5")
    with search_server("elasticsearch") as server:
        server.known = {"ApiKey aWQ6a2V5"}
        for key in ("aWQ6a2V5", {"env": "SEARCH_KEY"}):
            with closing(sink_at(server, tmp_path, api_key=key)) as sink:
                assert sink.open()


def test_another_product_is_not_taken_for_elasticsearch(tmp_path: Path) -> None:
    with (
        search_server("opensearch") as server,
        closing(sink_at(server, tmp_path)) as sink,
        pytest.raises(SinkDown, match="is no elasticsearch server; see hosts"),
    ):
        sink.open()
