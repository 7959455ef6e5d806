"""The connection to an OpenSearch or Elasticsearch server: its address, credentials and retries."""

from __future__ import annotations

import base64
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlsplit

from search.sink import resolved
from search.sinks.cluster.bulk import FIRST_PAUSE, LONGEST_PAUSE, Bulk, NotTaken
from search.sinks.cluster.trouble import BUSY, ServerDown, Trouble, trouble_of
from settings.errors import WrongSetting

_Read = TypeVar("_Read")

_PORTS: Final = {"http": 80, "https": 443}


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
        self._bulk = Bulk(client.streaming_bulk, access.timeout)
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
        pause = self._access.timeout * FIRST_PAUSE
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
            pause = min(2 * pause, self._access.timeout * LONGEST_PAUSE)

    def send(self, actions: Mapping[str, dict[str, Any]], **target: Any) -> dict[str, Trouble]:
        """Sends actions to an index, see `Bulk.send`."""
        with self._asking():
            return self._bulk.send(self._client.api, actions, **target)

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

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Makes one kind of error of all that the client raises."""
        try:
            yield
        except NotTaken as error:
            raise self.down(error.trouble) from error
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
