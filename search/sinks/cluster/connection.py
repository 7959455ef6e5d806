"""The connection to an OpenSearch or Elasticsearch server: its address, credentials, retries, bulk calls."""

from __future__ import annotations

import base64
import json
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlsplit

from search.sink import resolved
from search.sinks.cluster.trouble import BUSY, TOO_LARGE, ServerDown, Trouble, answered, trouble_of
from settings.errors import WrongSetting

_Read = TypeVar("_Read")

_PORTS: Final = {"http": 80, "https": 443}
_RETRIES: Final = 4
"""Tries after the first of what is answered with 429."""
_FIRST_PAUSE: Final = 1 / 60
_LONGEST_PAUSE: Final = 1 / 6
"""The pauses before tries, the first and the longest, as shares of the timeout."""
_ACTIONS: Final = 1000
_BYTES: Final = 8 << 20
_PASSING: Final = BUSY - {429}


@dataclass(slots=True, frozen=True)
class Access:
    """Access to a server: URLs with ports, and credentials of at most one kind.

    ``section`` is the table of a site file that says so; ``basic`` is what basic authentication sends of a
    user (RFC 7617, in UTF-8).
    """

    section: str
    hosts: tuple[str, ...]
    basic: str | None = field(repr=False)
    api_key: str | None = field(repr=False)
    ca_certs: str | None
    timeout: float

    @classmethod
    def of(cls, section: str, given: Mapping[str, Any], timeout: float) -> Self:
        """Reads the options ``given`` in the ``section`` of a sink, with its ``timeout``. Raises
        WrongSetting, whose text holds no secret.
        """
        prefix = section.upper()
        hosts = tuple(_host(section, str(host)) for host in given["hosts"])
        if not hosts:
            raise WrongSetting(
                f"{prefix}.hosts",
                f'is missing; give the URL of the server as hosts in [{section}]: ["http://127.0.0.1:9200"]',
            )
        user, password, api_key = (
            resolved(given.get(name) or "", f"{prefix}.{name}") for name in ("user", "password", "api_key")
        )
        if len({urlsplit(host).scheme for host in hosts}) > 1:
            raise WrongSetting(f"{prefix}.hosts", "are of http and of https; give those of one kind")
        if bool(user) != bool(password):
            alone = f"{prefix}.{'user' if user else 'password'}"
            raise WrongSetting(alone, "user and password belong together; give both, or none")
        if user and api_key:
            raise WrongSetting(f"{prefix}.api_key", "is given beside user and password; give one of the two")
        if ":" in user:
            raise WrongSetting(f"{prefix}.user", "has a colon in it, which basic authentication ends it at")
        if not (api_key.isascii() and api_key.isprintable()) or " " in api_key:
            raise WrongSetting(f"{prefix}.api_key", "is no encoded key; copy it anew, without line breaks")
        ca_certs = str(given.get("ca_certs") or "")
        if ca_certs and not Path(ca_certs).is_file():
            raise WrongSetting(f"{prefix}.ca_certs", f"{ca_certs!r}: there is no such file; give its path")
        # Neither client encodes what is not Latin.
        basic = base64.b64encode(f"{user}:{password}".encode()).decode() if user else None
        trusted = ca_certs if ca_certs and hosts[0].startswith("https:") else None
        return cls(section, hosts, basic, api_key or None, trusted, timeout)


def _host(section: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        port = None
        parts = urlsplit("")
    if port is None or not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
        raise WrongSetting(
            f"{section.upper()}.hosts",
            "give addresses such as https://search.example.org:9200, and users in the keys user and password",
        )
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{name}:{port}{parts.path.rstrip('/')}"


@dataclass(slots=True, frozen=True)
class Client:
    """An official client: its object, its helpers, all that it raises of its own accord, and its loggers."""

    api: Any
    streaming_bulk: Callable[..., Any]
    scan: Callable[..., Any]
    errors: tuple[type[Exception], ...]
    loggers: tuple[str, ...]


class Connection:
    """Asks a server. All methods raise SinkDown."""

    def __init__(self, access: Access, client: Client) -> None:
        self._access = access
        self._client = client
        self._first_pause = access.timeout * _FIRST_PAUSE
        self._longest_pause = access.timeout * _LONGEST_PAUSE
        self._bytes = _BYTES
        for name in client.loggers:
            # They tell each request, and each that fails with a traceback. Who has set a level wants that.
            if logging.getLogger(name).level == logging.NOTSET:
                logging.getLogger(name).setLevel(logging.ERROR)

    @property
    def where(self) -> str:
        """The server's address, for messages."""
        first, *others = self._access.hosts
        return f"{first} and {len(others)} more" if others else first

    def ask(self, call: Callable[[Any], Any], absent: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """Returns the answer to a call of the client's object, ``absent`` for a 404. Asks again while the
        server is busy, until the timeout is over.
        """
        until = time.monotonic() + self._access.timeout
        pause = self._first_pause
        while True:
            try:
                with self._asking():
                    return _object(call(self._client.api))
            except ServerDown as error:
                if error.trouble.status == 404 and absent is not None:
                    return absent
                if error.trouble.status not in BUSY or time.monotonic() + pause >= until:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, self._longest_pause)

    def send(self, actions: Mapping[str, dict[str, Any]], **target: Any) -> dict[str, Trouble]:
        """Sends index and delete actions by their ids, to what ``target`` names; returns what is wrong with
        each that was not taken. To delete what is not there is nothing wrong. Where it raises, any part may
        have been taken.

        The client's ``streaming_bulk`` makes requests of a number of actions and of bytes, and sends what is
        answered with 429 again, ever later. What it does not know of is done here: that 502, 503 and 504
        pass, so that they are tried again until the timeout is over, and that a request may be too large for
        what is in between (413), so that smaller ones are sent from then on.
        """
        until = time.monotonic() + self._access.timeout
        pause = self._first_pause
        failed: dict[str, Trouble] = {}
        pending = actions
        with self._asking():
            while pending:
                wrong, again = self._round(pending, target)
                busy = {id_ for id_, trouble in wrong.items() if trouble.status in _PASSING}
                if busy and time.monotonic() + pause < until:
                    again |= busy
                    time.sleep(pause)
                    pause = min(2 * pause, self._longest_pause)
                failed.update((id_, trouble) for id_, trouble in wrong.items() if id_ not in again)
                pending = {id_: actions[id_] for id_ in again}
        return failed

    def reading(self, read: Callable[[], _Read]) -> _Read:
        """Returns the result of reading an answer. Raises SinkDown if the answer is malformed."""
        with self._asking():
            return read()

    def scan(self, index: str, fields: list[str]) -> Iterator[Mapping[str, Any]]:
        """All entries of an index, with some fields of their sources."""
        with self._asking():
            yield from self._client.scan(self._client.api, index=index, query={"_source": fields})

    def refresh(self, index: str) -> None:
        """Makes what was written be found by searches."""
        shards = self.ask(lambda api: api.indices.refresh(index=index)).get("_shards", {})
        if shards.get("failed"):
            raise self.down(Trouble(503, "", f"{shards['failed']} shards of {index} were not refreshed"))

    def indexes(self, name: str, **how: str) -> Mapping[str, Any]:
        """Returns aliases, mappings and settings of the indexes of a name, empty without such an index."""
        return self.ask(lambda api: api.indices.get(index=name, **how), absent={})

    def down(self, trouble: Trouble) -> ServerDown:
        """The error for a trouble."""
        return ServerDown(self.where, self._access.section, trouble, self._access.timeout)

    def close(self) -> None:
        """Closes all connections."""
        self._client.api.close()

    def _round(
        self, actions: Mapping[str, dict[str, Any]], target: Mapping[str, Any]
    ) -> tuple[dict[str, Trouble], set[str]]:
        """Sends actions once; returns what is wrong, and what has to go in smaller requests."""
        wrong: dict[str, Trouble] = {}
        seen: set[str] = set()
        # What is wrong with a whole request is one exception, which each of its actions has.
        too_large: defaultdict[BaseException, list[str]] = defaultdict(list)
        for ok, result in self._client.streaming_bulk(
            self._client.api,
            ({"_id": id_, **action} for id_, action in actions.items()),
            chunk_size=_ACTIONS,
            max_chunk_bytes=self._bytes,
            raise_on_error=False,
            raise_on_exception=False,
            max_retries=_RETRIES,
            initial_backoff=self._first_pause,
            max_backoff=self._longest_pause,
            **target,
        ):
            ((operation, item),) = result.items()
            seen.add(item["_id"])
            if ok:
                continue
            error = item.get("exception")
            trouble = trouble_of(error) if error is not None else answered(item["status"], item.get("error"))
            if error is not None and trouble.status == TOO_LARGE:
                too_large[error].append(item["_id"])
            elif error is not None and trouble.status not in _PASSING:
                raise self.down(trouble)
            elif error is None and operation == "delete" and item["status"] == 404 and "error" not in item:
                continue
            elif error is None and trouble.concerns_all:
                raise self.down(trouble)
            wrong[item["_id"]] = trouble
        if actions.keys() - seen:
            raise self.down(Trouble(None, "SerializationError", "results are missing"))
        again = self._parted(actions, too_large.values())
        return {id_: trouble for id_, trouble in wrong.items() if id_ not in again}, again

    def _parted(self, actions: Mapping[str, dict[str, Any]], requests: Iterable[list[str]]) -> set[str]:
        """Makes requests small enough that each of those that were too large becomes several; returns the
        actions of those. What was too large alone has no other way to go.
        """
        several = [ids for ids in requests if len(ids) > 1]
        for ids in several:
            size = sum(len(json.dumps(actions[id_], ensure_ascii=False).encode()) for id_ in ids)
            self._bytes = max(1, min(self._bytes, size // 2))
        return {id_ for ids in several for id_ in ids}

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Makes one kind of error of all that the client raises."""
        try:
            yield
        except self._client.errors as error:
            raise self.down(trouble_of(error)) from error
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            # The clients take it for granted that an answer has the form that it should have.
            trouble = Trouble(None, "SerializationError", f"{type(error).__name__}: {error}")
            raise self.down(trouble) from error


def _object(answer: Any) -> Mapping[str, Any]:
    body = getattr(answer, "body", answer)
    if not isinstance(body, Mapping):
        raise TypeError(f"not an object but {type(body).__name__}")
    return body
