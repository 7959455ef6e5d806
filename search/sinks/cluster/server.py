"""The base of the sinks of OpenSearch and Elasticsearch: all but the client.

An alias names the site's index, and points to exactly one, which has a name of its own. A rebuild fills
another one, which takes the alias over in one call when it is whole.
"""

from __future__ import annotations

import importlib.util
import logging
from abc import abstractmethod
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from search.columns import as_rows, of_rows
from search.query import Found, NoIndex, Query, check_columns
from search.sink import PAGELETS, Operation, Place, Refusal, Sink, SinkDown, stale_ids, units_of
from search.sinks.cluster import index as names
from search.sinks.cluster import query as queries
from search.sinks.cluster.connection import Access, Client, Connection
from search.sinks.cluster.trouble import TOO_LARGE, Trouble
from settings.errors import ConfigurationError, WrongSetting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pagelets.fields import FieldColumn

logger = logging.getLogger(__name__)

_MOST: Final = 0.9
"""The share of a batch that a server has to put off to count as one that takes nothing now."""


class SearchServerSink(Sink):
    """A site's index on a server that speaks the API that OpenSearch and Elasticsearch have in common.

    A subclass names its table in a site file and the package of its client, and makes the client.
    """

    section: ClassVar[str]
    package: ClassVar[str]

    def __init__(self, place: Place) -> None:
        """Raises ConfigurationError also where the client's package is not installed."""
        super().__init__(place)
        if importlib.util.find_spec(self.package) is None:
            raise ConfigurationError(
                f"sink {self.section!r}: the package {self.package} is not installed; "
                "run pip install -r requirements-sinks.txt"
            )
        prefix = str(self.given["prefix"])
        if not names.PREFIX.match(prefix):
            raise WrongSetting(
                f"{self.section.upper()}.prefix",
                f"{prefix!r}: use at most 50 lower-case letters, digits, dots, hyphens "
                "and underscores, first a letter or digit",
            )
        if wrong := next((column.name for column in place.columns if column.name.startswith("_")), None):
            raise ConfigurationError(
                f"field {wrong!r}: {self.section} keeps names that begin with _ for itself; give it another"
            )
        self._access = Access.of(self.section, self.given, place.timeout)
        self._prefix = prefix
        self._alias = names.alias_of(prefix, place.site)
        self._entries = names.entries_version(self.units, place.columns)
        self._there: tuple[FieldColumn, ...] = ()
        self._connection: Connection | None = None
        self._building: str | None = None

    @abstractmethod
    def client(self, access: Access) -> Client:
        """Makes the client. It asks nothing yet, and tries nothing twice but with another host."""

    def open(self) -> str:
        """Makes the index template if it is missing or older, and the index if it is missing.

        An index with entries of another kind stays behind the alias until a rebuild takes its place; the name
        that is returned is not the one that it had.
        """
        self._make_template()
        self._sweep()
        if self._index() is None:
            self._make_first()
        name, index = self._present()
        made = index.get("mappings", {}).get("_meta", {})
        if made.get("site") != self.place.site:
            raise SinkDown(
                f"{self._server.where} has the index {name} behind {self._alias}, which is not of this site; "
                f"give another prefix in [{self.section}]"
            )
        if made.get("entries") != self._entries and not self._holds_any():
            with self.rebuild():
                pass
            name, index = self._present()
        self._there = _columns(index)
        return f"{_uuid(index)}-{self._entries}"

    def columns_there(self) -> tuple[FieldColumn, ...]:
        """As `Sink.columns_there`."""
        return self._there

    def searched_columns(self) -> tuple[FieldColumn, ...]:
        """As `search.query.Filtered`."""
        return (*queries.COLUMNS, *self._to_read())

    def search(self, query: Query) -> Found:
        """As `search.query.Searchable`."""
        added = self._to_read()
        check_columns(query, (*queries.COLUMNS, *added), self.mend)
        body = queries.body(query, self.units, added)
        answer = self._server.ask(lambda api: api.search(index=self._alias, body=body))
        return self._server.reading(lambda: queries.found(answer, query, added))

    def _to_read(self) -> tuple[FieldColumn, ...]:
        """The fields of the index that are not ours. Raises NoIndex, SinkDown."""
        index = self._index()
        if index is None:
            raise NoIndex(f"{self._server.where}: no index of {self.place.site}; {self.mend}")
        return _columns(index[1])

    def write(self, operations: Sequence[Operation]) -> Mapping[str, Refusal]:
        """Ends with a refresh, so that searches find the new entries. An entry that the mapping does not take
        is finally refused, one that the server has no time for is not.
        """
        actions: dict[str, dict[str, Any]] = {}
        owner: dict[str, str] = {}
        columns = self.place.columns
        for operation in operations:
            of_it: dict[str, dict[str, Any]] = {
                unit.id: {"_op_type": "index", "_source": names.source(unit, self.units, columns)}
                for unit in units_of(operation, self.units, columns)
            }
            of_it |= {unit: {"_op_type": "delete"} for unit in stale_ids(operation, self.units)}
            actions |= of_it
            owner |= dict.fromkeys(of_it, operation.id)
        if not actions:
            return {}
        # Without the alias, the server would make an index of its name, with a mapping of its own.
        troubles = self._server.send(
            actions, index=self._building or self._alias, require_alias=self._building is None
        )
        refused = self._refusals(troubles, owner, len(operations))
        if self._building is None:
            self._server.refresh(self._alias)
        return refused

    def _refusals(
        self, troubles: Mapping[str, Trouble], owner: Mapping[str, str], documents: int
    ) -> dict[str, Refusal]:
        refused: dict[str, Refusal] = {}
        put_off: dict[str, Trouble] = {}
        for unit, trouble in troubles.items():
            if trouble.status in (400, TOO_LARGE):
                refused.setdefault(owner[unit], Refusal(trouble.said))
            else:
                put_off[owner[unit]] = trouble
        put_off = {document: trouble for document, trouble in put_off.items() if document not in refused}
        if len(put_off) >= _MOST * documents:
            raise self._server.down(next(iter(put_off.values())))
        for document, trouble in put_off.items():
            refused[document] = Refusal(f"{trouble.status} {trouble.said}", lasting=False)
        return refused

    @contextmanager
    def rebuild(self) -> Iterator[None]:
        """Other aliases of the old index move to the new one along with the site's."""
        self._sweep()
        name = names.new_index(self._alias)
        body = self._body({"refresh_interval": "-1"})
        self._server.ask(lambda api: api.indices.create(index=name, body=body))
        try:
            uuid = _uuid(self._server.indexes(name)[name])
            self._building = name
            try:
                yield
            finally:
                self._building = None
            put = {"index": {"refresh_interval": None}}
            self._server.ask(lambda api: api.indices.put_settings(index=name, body=put))
            self._server.refresh(name)
            self._check_same(name, uuid)
            old = self._server.indexes(self._alias)
        except BaseException:
            self._drop([name])
            raise
        self._swap(name, old)
        self._drop(old)

    def held(self) -> Iterator[tuple[str, str]]:
        """Yields entries of a process that was killed before it refreshed, too."""
        self._server.refresh(self._alias)
        for hit in self._server.scan(self._alias, ["content_hash"]):
            yield hit["_id"], hit["_source"].get("content_hash", "")

    def close(self) -> None:
        """Closes all connections."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @property
    def _server(self) -> Connection:
        if self._connection is None:
            self._connection = Connection(self._access, self.client(self._access))
        return self._connection

    def _make_template(self) -> None:
        name = names.template_name(self._prefix)
        answer = self._server.ask(lambda api: api.indices.get_index_template(name=name), absent={})
        versions = [entry["index_template"].get("version", 0) for entry in answer.get("index_templates", ())]
        # One of this version or a later one may be people's own, and stays.
        if max(versions, default=0) < names.VERSION:
            body = names.template(self._prefix)
            self._server.ask(lambda api: api.indices.put_index_template(name=name, body=body))

    def _body(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the body of an index beside its template."""
        made: dict[str, Any] = {"site": self.place.site, "entries": self._entries}
        if self.place.columns:
            made["fields"] = as_rows(self.place.columns)
        fields = {**names.mapped(self.place.columns), **(names.OF_PAGELETS if self.units == PAGELETS else {})}
        properties = {"properties": fields} if fields else {}
        return {"mappings": {"_meta": made, **properties}, "settings": {"index": settings}}

    def _make_first(self) -> None:
        # As the one to be written to, it makes servers refuse a second index with this alias.
        body = {**self._body({}), "aliases": {self._alias: {"is_write_index": True}}}
        name = names.new_index(self._alias)
        try:
            self._server.ask(lambda api: api.indices.create(index=name, body=body))
        except SinkDown:
            # Another may have been first, or an answer was lost.
            if self._index() is None:
                raise

    def _index(self) -> tuple[str, Mapping[str, Any]] | None:
        """Returns the index behind the alias, or None. Raises SinkDown if there are several."""
        indexes = self._server.indexes(self._alias)
        if self._alias in indexes:
            raise SinkDown(
                f"{self._server.where} has an index {self._alias}, where an alias of this name has to be; "
                f"delete it, or give another prefix in [{self.section}]"
            )
        if len(indexes) > 1:
            raise SinkDown(
                f"{self._server.where} has several indexes behind {self._alias} "
                f"({', '.join(sorted(indexes))}); take the alias from all but one"
            )
        return next(iter(indexes.items()), None)

    def _present(self) -> tuple[str, Mapping[str, Any]]:
        index = self._index()
        if index is None:
            raise self._server.down(Trouble(404, "", self._alias))
        return index

    def _holds_any(self) -> bool:
        self._server.refresh(self._alias)
        return bool(self._server.ask(lambda api: api.count(index=self._alias))["count"])

    def _swap(self, new: str, old: Mapping[str, Any]) -> None:
        aliases = {alias: how for index in old.values() for alias, how in index.get("aliases", {}).items()}
        aliases[self._alias] = {"is_write_index": True}
        actions: list[dict[str, Any]] = [
            {"remove": {"index": name, "alias": alias}}
            for name, index in old.items()
            for alias in index.get("aliases", {})
        ]
        actions += [{"add": {**how, "index": new, "alias": alias}} for alias, how in aliases.items()]
        try:
            self._server.ask(lambda api: api.indices.update_aliases(body={"actions": actions}))
        except SinkDown:
            # The answer may have been lost. Where nobody can tell, the one of the two that is left without
            # the alias goes at the next sweep.
            if not self._stands_for(new):
                raise
        if not self._stands_for(new):
            raise SinkDown(f"{self._server.where} has not moved {self._alias} to {new}; try again")

    def _stands_for(self, name: str) -> bool:
        return set(self._server.indexes(self._alias)) == {name}

    def _check_same(self, name: str, uuid: str) -> None:
        # Bulk calls make an index that is not there: one that was deleted meanwhile is back, and half empty.
        if _uuid(self._server.indexes(name).get(name, {})) != uuid:
            raise SinkDown(f"{self._server.where} has lost {name} while it was filled; try again")

    def _sweep(self) -> None:
        """Deletes what rebuilds have left that were killed."""
        indexes = self._server.indexes(f"{self._alias}-*", expand_wildcards="open,closed")
        self._drop(
            name
            for name, index in indexes.items()
            if names.is_index_of(self._alias, name) and not index.get("aliases")
        )

    def _drop(self, names: Iterable[str]) -> None:
        """Deletes indexes. Where that fails, the next sweep does."""
        for name in names:
            try:
                self._server.ask(partial(_delete, name=name), absent={})
            except SinkDown as error:
                logger.warning("Index %s is not deleted, the next run will: %s", name, error)


def _delete(api: Any, name: str) -> Any:
    return api.indices.delete(index=name)


def _columns(index: Mapping[str, Any]) -> tuple[FieldColumn, ...]:
    """The fields that an index has beside ours; none where an earlier version has made it."""
    return of_rows(index.get("mappings", {}).get("_meta", {}).get("fields", ()))


def _uuid(index: Mapping[str, Any]) -> str:
    return str(index.get("settings", {}).get("index", {}).get("uuid", ""))
