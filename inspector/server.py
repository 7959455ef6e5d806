"""The inspector's server: on 127.0.0.1 alone, until Ctrl-C."""

from __future__ import annotations

import ctypes
import errno
import secrets
import socket
import threading
from typing import TYPE_CHECKING, Final

import uvicorn

from inspector.app import application
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.stores import Stores

HOST = "127.0.0.1"
_TOKEN_BYTES = 24
_MALLOC: Final = {-8: 1, -1: 1 << 20}
"""Parameters of glibc's ``mallopt``: one arena (M_ARENA_MAX), trimmed from 1 MB on (M_TRIM_THRESHOLD)."""


def serve(stores: Stores, port: int, path: str, ready: Callable[[str], None]) -> None:
    """Serves until Ctrl-C or SIGTERM.

    Args:
        stores: opens stores.
        port: the port, 0 for a free one.
        path: the path that the address leads to, behind the token.
        ready: called with the address once it answers.

    Raises:
        ConfigurationError: the port is taken, or may not be used.

    """
    _share_heap()
    with _bound(port) as listening:
        number = listening.getsockname()[1]
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        hosts = frozenset({f"{HOST}:{number}", f"localhost:{number}"})
        app, warm, end = application(stores, token, hosts)
        config = uvicorn.Config(
            app, log_level="error", access_log=False, lifespan="off", server_header=False,
            timeout_graceful_shutdown=2, ws="none", http="h11", loop="asyncio",
        )  # fmt: skip
        threading.Thread(target=warm, daemon=True).start()
        server = _Server(config, lambda: ready(f"http://{HOST}:{number}/{token}{path}"))
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            # Ctrl-C is how it ends.
            pass
        finally:
            end()


def _share_heap() -> None:
    """Has all threads use one heap, where the C library allows that: a job then reuses what others freed."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for parameter, value in _MALLOC.items():
            mallopt(parameter, value)


class _Server(uvicorn.Server):
    """Tells when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def _bound(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, port))
    except OSError as error:
        bound.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise ConfigurationError(
                f"--port {port}: {error.strerror}; give another, or none for a free one"
            ) from error
        raise
    return bound
