"""A server for tests that answers like OpenSearch or Elasticsearch, as far as their references describe the
calls that the sinks make; what it does not know it refuses. Its documents are in memory, and searches find
what a refresh has shown them.

Faults are put in on purpose: `SearchServer.faults`.
"""

from __future__ import annotations

import json
import re
import secrets
import socket
import struct
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.searchquery import KEYS, answered

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator

BAD_NAME = re.compile(r'[A-Z\\/*?"<>| ,#:]|^[-_+]|^\.\.?$')
TYPES: dict[str, type] = {
    **dict.fromkeys(("keyword", "text", "date"), str),
    "integer": int,
    "double": float,
    "boolean": bool,
}


class Wrong(Exception):
    """An error as a server tells it."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.kind, self.reason = status, kind, reason

    @property
    def error(self) -> dict[str, Any]:
        return {"type": self.kind, "reason": self.reason}

    @property
    def item(self) -> dict[str, Any]:
        return {"status": self.status, "error": self.error}

    @property
    def body(self) -> dict[str, Any]:
        return {"error": {"root_cause": [self.error], **self.error}, "status": self.status}


class Cut(Exception):
    """The connection is to be reset."""


@dataclass
class Fault:
    """What goes wrong with the next ``times`` requests whose method and path match ``on``, once one that
    matches ``after`` has been asked: an answer in place of the right one (``wrong``, ``garbage``), none after
    ``hang`` seconds, none but all is done (``lost``) or a ``share`` of a bulk, or an error for those items of
    a bulk of which ``items`` tells one.
    """

    on: str
    times: int = 1
    wrong: Wrong | None = None
    garbage: tuple[int, str, bytes] | None = None
    after: str = ""
    hang: float = 0.0
    lost: bool = False
    share: float | None = None
    items: Callable[[str], Wrong | None] | None = None


@dataclass
class Index:
    uuid: str
    settings: dict[str, Any]
    mappings: dict[str, Any]
    aliases: dict[str, dict[str, Any]]
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    shown: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, id_: str, source: dict[str, Any]) -> None:
        for name, value in source.items():
            mapped = self.mappings.get("properties", {}).get(name)
            if mapped is None:
                raise Wrong(400, "strict_dynamic_mapping_exception", f"[{name}] is not in the mapping")
            values = value if isinstance(value, list) else [] if value is None else [value]
            if not all(type(one) is TYPES[mapped["type"]] for one in values):
                raise Wrong(400, "document_parsing_exception", f"failed to parse field [{name}]")
        self.documents[id_] = source


class SearchServer(ThreadingHTTPServer):
    """``flavour`` is ``opensearch`` or ``elasticsearch``. ``largest`` is the size of the largest request that
    what stands before it takes; ``known`` are the values of the Authorization header that it knows, None
    where it asks for none.
    """

    daemon_threads = True
    request_queue_size = 32

    def __init__(self, flavour: str, context: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.flavour = flavour
        self.working = threading.RLock()
        self.released = threading.Event()
        self.base = f"{'https' if context else 'http'}://127.0.0.1:{self.server_port}"
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.forget()

    def forget(self) -> None:
        """Begins anew, with nothing in it."""
        self.indexes: dict[str, Index] = {}
        self.templates: dict[str, dict[str, Any]] = {}
        self.faults: list[Fault] = []
        self.scrolls: dict[str, list[dict[str, Any]]] = {}
        self.asked: list[str] = []
        self.bulks: list[int] = []
        self.largest = 100 << 20
        self.known: set[str] | None = None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client may hang up when it likes."""

    def behind(self, name: str) -> dict[str, Index]:
        """The indexes of a name, an alias, or a pattern."""
        return {
            index: found
            for index, found in self.indexes.items()
            if any(fnmatchcase(one, name) if "*" in name else one == name for one in (index, *found.aliases))
        }

    def found(self, name: str) -> dict[str, dict[str, Any]]:
        """What a search finds behind an alias."""
        return {id_: source for index in self.behind(name).values() for id_, source in index.shown.items()}

    def fault(self, asked: str) -> Fault | None:
        with self.working:
            for fault in self.faults:
                begun = any(re.search(fault.after, one) for one in self.asked)
                if fault.times and begun and re.search(fault.on, asked):
                    fault.times -= 1
                    return fault
        return None

    def existing(self, name: str) -> dict[str, Index]:
        found = self.behind(name)
        if not found and "*" not in name:
            raise Wrong(404, "index_not_found_exception", f"no such index [{name}]")
        return found

    def checked(self, indexes: dict[str, Index]) -> dict[str, Index]:
        """A new state of all indexes, where that is one that may be."""
        for alias in {alias for index in indexes.values() for alias in index.aliases}:
            if alias in indexes:
                raise Wrong(400, "invalid_alias_name_exception", f"an index exists with the name [{alias}]")
            writers = [n for n, i in indexes.items() if i.aliases.get(alias, {}).get("is_write_index")]
            if len(writers) > 1:
                listed = ",".join(writers)
                reason = f"alias [{alias}] has more than one write index [{listed}]"
                raise Wrong(500, "illegal_state_exception", reason)
        return indexes

    # --- calls: each gets the groups of its path, the parameters, and the body ---

    def info(self, params: dict[str, str], body: Any) -> dict[str, Any]:
        version = {"number": "3.2.0", "distribution": "opensearch"}
        return {"version": version if self.flavour == "opensearch" else {"number": "9.5.1"}}

    def get_template(self, name: str, params: dict[str, str], body: Any) -> dict[str, Any]:
        if name not in self.templates:
            reason = f"index template matching [{name}] not found"
            raise Wrong(404, "resource_not_found_exception", reason)
        return {"index_templates": [{"name": name, "index_template": self.templates[name]}]}

    def put_template(self, name: str, params: dict[str, str], body: Any) -> dict[str, Any]:
        only(body, "index_patterns", "priority", "version", "_meta", "template")
        only(body["template"], "settings", "mappings", "aliases")
        for other, template in self.templates.items():
            same = template["priority"] == body["priority"]
            alike = any(
                a.startswith(b.rstrip("*")) or b.startswith(a.rstrip("*"))
                for a in template["index_patterns"]
                for b in body["index_patterns"]
            )
            if other != name and same and alike:
                raise Wrong(
                    400, "illegal_argument_exception", f"template [{name}] has the priority of [{other}]"
                )
        self.templates[name] = body
        return {"acknowledged": True}

    def made(self, name: str, body: dict[str, Any]) -> Index:
        matching = [
            template
            for template in self.templates.values()
            if any(fnmatchcase(name, pattern) for pattern in template["index_patterns"])
        ]
        given = max(matching, key=lambda template: template["priority"], default={}).get("template", {})
        settings = {**given.get("settings", {}).get("index", {}), **body.get("settings", {}).get("index", {})}
        mappings = {**given.get("mappings", {}), **body.get("mappings", {})}
        # Servers merge these field by field.
        mappings["properties"] = {
            name: field
            for one in (given, body)
            for name, field in one.get("mappings", {}).get("properties", {}).items()
        }
        uuid = secrets.token_urlsafe(16)
        return Index(uuid, {**settings, "uuid": uuid}, mappings, body.get("aliases", {}))

    def create(self, name: str, params: dict[str, str], body: Any) -> dict[str, Any]:
        body = body or {}
        only(body, "settings", "mappings", "aliases")
        if name in self.indexes:
            raise Wrong(400, "resource_already_exists_exception", f"index [{name}] already exists")
        if BAD_NAME.search(name) or len(name.encode()) > 255 or self.behind(name):
            raise Wrong(400, "invalid_index_name_exception", f"Invalid index name [{name}]")
        self.indexes = self.checked({**self.indexes, name: self.made(name, body)})
        return {"acknowledged": True, "shards_acknowledged": True, "index": name}

    def get(self, name: str, params: dict[str, str], body: Any) -> dict[str, Any]:
        return {
            index: {"aliases": one.aliases, "mappings": one.mappings, "settings": {"index": one.settings}}
            for index, one in self.existing(name).items()
        }

    def delete(self, name: str, params: dict[str, str], body: Any) -> dict[str, Any]:
        if name not in self.existing(name):
            raise Wrong(400, "illegal_argument_exception", f"[{name}] matches an alias")
        del self.indexes[name]
        return {"acknowledged": True}

    def put_settings(self, name: str, params: dict[str, str], body: Any) -> dict[str, Any]:
        only(body, "index")
        only(body["index"], "refresh_interval", "number_of_replicas")
        for index in self.existing(name).values():
            settings = {**index.settings, **body["index"]}
            index.settings = {key: value for key, value in settings.items() if value is not None}
        return {"acknowledged": True}

    def update_aliases(self, params: dict[str, str], body: Any) -> dict[str, Any]:
        only(body, "actions")
        aliases = {name: dict(index.aliases) for name, index in self.indexes.items()}
        for action in body["actions"]:
            ((verb, told),) = action.items()
            index, alias = told.pop("index"), told.pop("alias")
            if index not in aliases:
                raise Wrong(404, "index_not_found_exception", f"no such index [{index}]")
            if verb == "add":
                only(told, "is_write_index", "filter", "index_routing", "search_routing", "is_hidden")
                aliases[index][alias] = told
            elif verb == "remove":
                if aliases[index].pop(alias, None) is None:
                    raise Wrong(404, "aliases_not_found_exception", f"aliases [{alias}] missing")
            else:
                raise Wrong(400, "x_content_parse_exception", f"unknown field [{verb}]")
        after = {
            name: Index(i.uuid, i.settings, i.mappings, aliases[name], i.documents, i.shown)
            for name, i in self.indexes.items()
        }
        self.indexes = self.checked(after)
        return {"acknowledged": True, "errors": False}

    def refresh(self, name: str, params: dict[str, str], body: Any) -> dict[str, Any]:
        for index in self.existing(name).values():
            index.shown = dict(index.documents)
        return {"_shards": {"total": 2, "successful": 1, "failed": 0}}

    def count(self, name: str, params: dict[str, str], body: Any) -> dict[str, Any]:
        return {"count": sum(len(index.shown) for index in self.existing(name).values())}

    def search(self, name: str, params: dict[str, str], body: Any) -> dict[str, Any]:
        body = {**(body or {}), **{key: params[key] for key in ("size", "sort") if key in params}}
        if "query" in body:
            only(body, *KEYS)
            (one,) = self.existing(name).values()
            return self.page("", []) | answered(one.shown, one.mappings["properties"], body)
        only(body, "size", "sort", "_source")
        wanted = body.get("_source", True)
        hits = [
            {"_index": index, "_id": id_, "_source": {key: source[key] for key in wanted if key in source}}
            for index, one in self.existing(name).items()
            for id_, source in one.shown.items()
        ]
        size = int(body.get("size", 10))
        scroll = secrets.token_urlsafe(16)
        self.scrolls[scroll] = hits[size:]
        return self.page(scroll, hits[:size])

    def page(self, scroll: str, hits: list[dict[str, Any]]) -> dict[str, Any]:
        shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
        return {"_scroll_id": scroll, "timed_out": False, "_shards": shards, "hits": {"hits": hits}}

    def scroll(self, params: dict[str, str], body: Any) -> dict[str, Any]:
        only(body, "scroll_id", "scroll")
        scroll = body["scroll_id"]
        if scroll not in self.scrolls:
            raise Wrong(404, "search_context_missing_exception", f"No search context found for [{scroll}]")
        rest = self.scrolls[scroll]
        self.scrolls[scroll] = rest[1000:]
        return self.page(scroll, rest[:1000])

    def clear_scroll(self, params: dict[str, str], body: Any) -> dict[str, Any]:
        only(body, "scroll_id")
        ids = body["scroll_id"]
        for scroll in [ids] if isinstance(ids, str) else ids:
            self.scrolls.pop(scroll)
        return {"succeeded": True}

    def bulk(self, name: str, params: dict[str, str], body: bytes, fault: Fault) -> dict[str, Any]:
        actions = parsed(body)
        self.bulks.append(len(actions))
        aliased = params.get("require_alias") == "true"
        items: list[dict[str, Any]] = []
        for done, (verb, id_, source) in enumerate(actions):
            if fault.share is not None and done >= fault.share * len(actions):
                raise Cut
            wrong = fault.items(id_) if fault.items is not None else None
            told = self.item(name, aliased, verb, id_, source) if wrong is None else wrong.item
            items.append({verb: {"_index": name, "_id": id_, **told}})
        return {"took": 1, "errors": any("error" in next(iter(i.values())) for i in items), "items": items}

    def item(self, *action: Any) -> dict[str, Any]:
        try:
            return self.one(*action)
        except Wrong as error:
            return error.item

    def one(
        self, name: str, aliased: bool, verb: str, id_: str, source: dict[str, Any] | None
    ) -> dict[str, Any]:
        if aliased and (name in self.indexes or not self.behind(name)):
            flag = "[require_alias] request flag is [true]"
            reason = f"no such index [{name}] and {flag} and [{name}] is not an alias"
            raise Wrong(404, "index_not_found_exception", reason)
        if not self.behind(name):
            self.indexes[name] = self.made(name, {})
        indexes = self.behind(name)
        writers = [index for index in indexes.values() if index.aliases.get(name, {}).get("is_write_index")]
        if len(indexes) > 1 and not writers:
            raise Wrong(400, "illegal_argument_exception", f"no write index is defined for alias [{name}].")
        index = writers[0] if writers else next(iter(indexes.values()))
        if source is not None:
            before = id_ in index.documents
            index.take(id_, source)
            return {"result": "updated" if before else "created", "status": 200 if before else 201}
        if index.documents.pop(id_, None) is None:
            return {"result": "not_found", "status": 404}
        return {"result": "deleted", "status": 200}


def only(given: Any, *keys: str) -> None:
    """Refuses keys that the server does not know."""
    for key in given:
        if key not in keys:
            raise Wrong(400, "parsing_exception", f"unknown key [{key}]")


def parsed(body: bytes) -> list[tuple[str, str, dict[str, Any] | None]]:
    """The actions of a bulk request."""
    if not body.endswith(b"\n"):
        raise Wrong(
            400, "illegal_argument_exception", "The bulk request must be terminated by a newline [\\n]"
        )
    lines = iter(body.split(b"\n")[:-1])
    actions = []
    for line in lines:
        try:
            ((verb, told),) = json.loads(line).items()
            only(told, "_id")
            source = None if verb == "delete" else json.loads(next(lines))
        except (ValueError, StopIteration, AttributeError) as error:
            raise Wrong(400, "x_content_parse_exception", f"malformed line: {error}") from error
        if verb not in ("index", "delete") or not 0 < len(told["_id"].encode()) <= 512:
            raise Wrong(400, "illegal_argument_exception", f"malformed action [{verb}]")
        actions.append((verb, told["_id"], source))
    return actions


NAME = r"/([^/_][^/]*)"
CALLS: list[tuple[str, str, frozenset[str]]] = [
    (r"GET /", "info", frozenset()),
    (r"GET /_index_template/([^/]+)", "get_template", frozenset()),
    (r"(?:PUT|POST) /_index_template/([^/]+)", "put_template", frozenset()),
    (r"POST /_aliases", "update_aliases", frozenset()),
    (r"POST /_search/scroll", "scroll", frozenset()),
    (r"DELETE /_search/scroll", "clear_scroll", frozenset()),
    (rf"POST {NAME}/_refresh", "refresh", frozenset()),
    (rf"(?:POST|GET) {NAME}/_count", "count", frozenset()),
    (rf"(?:POST|GET) {NAME}/_search", "search", frozenset({"scroll", "size", "sort"})),
    (rf"(?:POST|PUT) {NAME}/_bulk", "bulk", frozenset({"require_alias"})),
    (rf"PUT {NAME}/_settings", "put_settings", frozenset()),
    (rf"PUT {NAME}", "create", frozenset()),
    (rf"GET {NAME}", "get", frozenset({"expand_wildcards"})),
    (rf"DELETE {NAME}", "delete", frozenset()),
]


class _Handler(BaseHTTPRequestHandler):
    server: SearchServer
    protocol_version = "HTTP/1.1"
    timeout = 10
    wbufsize = -1
    disable_nagle_algorithm = True

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            status, kind, found = self.reply(body)
        except Cut:
            # Closed with nothing lingering, a connection is reset, as by a process that is killed.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(found)))
        if self.server.flavour == "elasticsearch":
            self.send_header("X-Elastic-Product", "Elasticsearch")
        self.end_headers()
        self.wfile.write(found)

    def reply(self, body: bytes) -> tuple[int, str, bytes]:
        """Status, content type and body."""
        parts = urlsplit(self.path)
        asked = f"{self.command} {unquote(parts.path)}"
        self.server.asked.append(asked)
        fault = self.server.fault(asked) or Fault("")
        if fault.hang:
            self.server.released.wait(fault.hang)
            raise Cut
        if fault.garbage is not None:
            return fault.garbage
        if len(body) > self.server.largest:
            return 413, "text/html", b"<html><h1>413 Request Entity Too Large</h1></html>"
        try:
            status, found = 200, self.called(asked, dict(parse_qsl(parts.query, True)), body, fault)
        except Wrong as error:
            status, found = error.status, error.body
        if fault.lost:
            raise Cut
        kind = "application/json"
        if "compatible-with=9" in self.headers.get("Accept", ""):
            kind = "application/vnd.elasticsearch+json;compatible-with=9"
        return status, kind, json.dumps(found).encode()

    def called(self, asked: str, params: dict[str, Any], body: bytes, fault: Fault) -> dict[str, Any]:
        if self.server.known is not None and self.headers["Authorization"] not in self.server.known:
            raise Wrong(401, "security_exception", "missing or wrong credentials")
        if fault.wrong is not None:
            raise fault.wrong
        for pattern, call, known in CALLS:
            match = re.fullmatch(pattern, asked)
            if match is None:
                continue
            if unknown := params.keys() - known:
                reason = f"request [{asked}] contains unrecognized parameters: {sorted(unknown)}"
                raise Wrong(400, "illegal_argument_exception", reason)
            with self.server.working:
                if call == "bulk":
                    return self.server.bulk(*match.groups(), params, body, fault)
                found: dict[str, Any] = getattr(self.server, call)(*match.groups(), params, self.json(body))
                return found
        raise Wrong(400, "illegal_argument_exception", f"no handler found for [{asked}]")

    def json(self, body: bytes) -> Any:
        if body and "json" not in self.headers.get("Content-Type", ""):
            raise Wrong(406, "media_type_header_exception", "Content-Type is not supported")
        try:
            return json.loads(body) if body else None
        except ValueError as error:
            raise Wrong(400, "parse_exception", str(error)) from error

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Says nothing."""


@contextmanager
def search_server(flavour: str, context: ssl.SSLContext | None = None) -> Iterator[SearchServer]:
    """Serves while the context lasts."""
    with SearchServer(flavour, context) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()
