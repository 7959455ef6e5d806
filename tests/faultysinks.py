"""The real sinks with what may go wrong beside them: processes that die, and documents that are not taken."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from search.sink import Sink
from search.sinks.elasticsearch import ElasticsearchSink
from search.sinks.opensearch import OpenSearchSink
from search.sinks.operations import OperationsSink
from search.sinks.postgresql import PostgresqlSink
from search.sinks.tantivy import TantivySink

if TYPE_CHECKING:
    from collections.abc import Iterator

DYING = {
    name: f"tests.faultysinks.Dying{sink}"
    for name, sink in {
        "tantivy": "Tantivy",
        "operations": "Operations",
        "postgresql": "Postgresql",
        "opensearch": "OpenSearch",
        "elasticsearch": "Elasticsearch",
    }.items()
}
POISONED = {"tantivy": "tests.faultysinks.PoisonedTantivy"}
MOMENT = "DIES"
"""The environment variable that says when: ``written 2`` is after the second batch was taken, ``rebuilt``
after a new index has taken the place of the old one; the store has not heard of it then.
"""
POISON = "arsenic"


class _Dying(Sink):
    """Ends its process with SIGKILL at a moment."""

    def __init__(self, place: Any) -> None:
        super().__init__(place)
        self._moment, _, batches = os.environ[MOMENT].partition(" ")
        self._left = int(batches or 0)

    def write(self, operations):
        refusals = super().write(operations)
        self._left -= 1
        if self._moment == "written" and self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return refusals

    @contextlib.contextmanager
    def rebuild(self) -> Iterator[None]:
        with super().rebuild():
            yield
        if self._moment == "rebuilt":
            os.kill(os.getpid(), signal.SIGKILL)


class DyingTantivy(_Dying, TantivySink):
    pass


class DyingOperations(_Dying, OperationsSink):
    pass


class DyingPostgresql(_Dying, PostgresqlSink):
    pass


class DyingOpenSearch(_Dying, OpenSearchSink):
    pass


class DyingElasticsearch(_Dying, ElasticsearchSink):
    pass


class _Poisoned(Sink):
    """Spoils the documents with `POISON` in their text, so that the index that it is put before cannot take
    them: no page of the web gives such documents.
    """

    spoilt: dict[str, Any]

    def write(self, operations):
        return super().write([self._spoil(operation) for operation in operations])

    def _spoil(self, operation):
        document = operation.document
        if document is None or POISON not in document["text"]:
            return operation
        return replace(operation, document={**document, **self.spoilt})


class PoisonedTantivy(_Poisoned, TantivySink):
    spoilt = {"content_hash": "no hash"}  # noqa: RUF012
