"""The inspector as a web application: which address shows which view; and its server, on 127.0.0.1 alone."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import secrets
import socket
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, NamedTuple

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from inspection.taught_change import FileHistory
from inspector.answers import KINDS, STATIC, Answers, say, trouble
from inspector.changing import Picking, Teaching, Trying
from inspector.jobs import Jobs
from inspector.reading import Reading
from inspector.safety import Guard, TooLarge
from inspector.stores import OpenStores, Stores
from settings.errors import ConfigurationError
from store.errors import SiteBusy, StoreError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.types import ASGIApp

    View = Callable[[Request], Response]

THREADS: Final = 3
"""Requests that are answered at the same time; each thread has stores of its own."""
JUDGED: Final = frozenset({"/page", "/frame", "/alike", "/field/write"})
"""Views that judge pages. One thread answers them: a judge has all that its site knows in memory."""
HOST = "127.0.0.1"
_TOKEN_BYTES = 24
_MALLOC: Final = {-8: 1, -1: 1 << 20}
"""Parameters of glibc's ``mallopt``: one arena (M_ARENA_MAX), trimmed from 1 MB on (M_TRIM_THRESHOLD)."""


class Application(NamedTuple):
    """The inspector: ``app`` answers, ``warm`` loads what the first views need, ``end`` ends its work."""

    app: ASGIApp
    warm: Callable[[], None]
    end: Callable[[], None]


def application(stores: Stores, token: str, hosts: frozenset[str]) -> Application:
    """Returns the inspector as an application.

    Args:
        stores: opens stores.
        token: the secret at the beginning of each path.
        hosts: the values of the header Host that are the server's own.

    """
    answers = Answers(f"/{token}")
    pool = ThreadPoolExecutor(THREADS, thread_name_prefix="inspector")
    judging = ThreadPoolExecutor(1, thread_name_prefix="inspector-judging")
    opened, jobs, history = OpenStores(stores), Jobs(), FileHistory()
    reading, teaching = Reading(opened, answers), Teaching(stores, opened, jobs, history)
    trying, picking = Trying(stores, opened, jobs, history), Picking(stores, opened, jobs, history)
    routes = [
        Route(path, _endpoint(view, answers, judging if path in JUDGED else pool), methods=[method])
        for method, views in _views(reading, teaching, trying, picking).items()
        for path, view in views.items()
    ]
    app = Starlette(
        routes=[*routes, Route("/static/{name}", _static, methods=["GET"])],
        exception_handlers={
            404: lambda request, _: answers.error(
                request, 404, "There is no such view. Go back to the sites."
            ),
            405: lambda request, _: answers.error(
                request, 405, "This address takes another kind of request."
            ),
        },
    )

    def end() -> None:
        jobs.end()
        # Python would wait for these threads anyway.
        for one in (pool, judging):
            one.shutdown(cancel_futures=True)
        opened.close()

    return Application(Guard(app, token, hosts, answers.refuse), reading.warm, end)


def _views(
    reading: Reading, teaching: Teaching, trying: Trying, picking: Picking
) -> Mapping[str, Mapping[str, View]]:
    """The views by the method of their requests, and by their path."""
    return {
        "GET": {
            "/": reading.sites,
            "/site": reading.site,
            "/pages": reading.pages,
            "/templates": reading.templates,
            "/classes": reading.classes,
            "/runs": reading.runs,
            "/page": reading.page,
            "/frame": reading.frame,
            "/alike": reading.alike,
            "/changed": reading.changed,
            "/search": reading.search,
            "/job": teaching.job,
        },
        "POST": {
            "/job/cancel": teaching.cancel,
            "/teach/preview": teaching.preview,
            "/teach/apply": teaching.apply,
            "/teach/undo": teaching.undo,
            "/teach/next": teaching.next,
            "/try": trying.try_out,
            "/compare": trying.compare,
            "/select": trying.select,
            "/decide": trying.decide,
            "/kinds/preview": trying.kinds_preview,
            "/kinds": trying.kinds,
            "/field/pick": picking.pick,
            "/field/preview": picking.preview,
            "/field/write": picking.write,
            "/undo": picking.undo,
        },
    }


def _endpoint(
    view: View, answers: Answers, pool: ThreadPoolExecutor
) -> Callable[[Request], Awaitable[Response]]:
    """Runs a view in a thread; its errors become answers with the mend."""

    async def endpoint(request: Request) -> Response:
        try:
            # Read here: a thread cannot wait for it.
            request.state.body = await request.body()
            return await asyncio.get_running_loop().run_in_executor(pool, view, request)
        except ClientDisconnect:
            # Nobody reads it.
            return Response(status_code=400)
        except TooLarge:
            return answers.error(request, 413, "The request is too large. Correct fewer pages at once.")
        except SiteBusy as error:
            return answers.error(request, 409, f"{error}. Wait for its end, and do it again.")
        except ConfigurationError as error:
            return answers.error(request, 404 if request.method == "GET" else 400, str(error))
        except StoreError as error:
            return answers.error(request, 503, str(error))
        except (OSError, sqlite3.Error) as error:
            return answers.error(request, 503, trouble(error))
        except Exception as error:
            say(f"{request.url.path}: {type(error).__name__}: {error}")
            return answers.error(
                request, 500, f"This view failed: {type(error).__name__}: {error}. Please report it."
            )

    return endpoint


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return Response(status_code=404)
    return Response(STATIC[name], media_type=KINDS[name.rpartition(".")[2]])


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
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise ConfigurationError(
                f"--port {port}: {os.strerror(error.errno)}; give another, or none for a free one"
            ) from error
        raise
