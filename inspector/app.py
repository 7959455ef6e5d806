"""The inspector as a web application: which address shows which view."""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, NamedTuple

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from inspection.taught_change import FileHistory
from inspector.answers import KINDS, STATIC, Answers, environment, say
from inspector.jobs import Jobs
from inspector.picking import Picking
from inspector.reading import Reading
from inspector.safety import Guard, TooLarge
from inspector.stores import OpenStores
from inspector.teaching import Teaching
from inspector.trying import Trying
from settings.errors import ConfigurationError
from store.errors import SiteBusy, StoreError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from inspector.stores import Stores

    View = Callable[[Request], Response]

THREADS: Final = 3
"""Requests that are answered at the same time; each thread has stores of its own."""
JUDGED: Final = frozenset({"/page", "/frame", "/alike", "/field/write"})
"""Views that judge pages. One thread answers them: a judge has all that its site knows in memory."""


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
    answers = Answers(f"/{token}", environment())
    pool = ThreadPoolExecutor(THREADS, thread_name_prefix="inspector")
    judging = ThreadPoolExecutor(1, thread_name_prefix="inspector-judging")
    opened, jobs, history = OpenStores(stores), Jobs(), FileHistory()
    reading, teaching = Reading(opened, answers), Teaching(stores, opened, jobs, history)
    trying, picking = Trying(stores, opened, jobs, history), Picking(stores, opened, jobs, history)

    app = Starlette(
        routes=[
            *(
                Route(path, _endpoint(view, answers, judging if path in JUDGED else pool), methods=[method])
                for method, views in (
                    ("GET", _reading(reading, teaching)),
                    ("POST", _changing(teaching, trying, picking)),
                )
                for path, view in views.items()
            ),
            Route("/static/{name}", _static, methods=["GET"]),
        ],
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
        for one in (pool, judging):
            one.shutdown(wait=False, cancel_futures=True)

    return Application(Guard(app, token, hosts, answers.refuse), reading.warm, end)


def _reading(reading: Reading, teaching: Teaching) -> Mapping[str, View]:
    return {
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
    }


def _changing(teaching: Teaching, trying: Trying, picking: Picking) -> Mapping[str, View]:
    return {
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
        except TooLarge:
            return answers.error(request, 413, "The request is too large. Correct fewer pages at once.")
        except SiteBusy as error:
            return answers.error(request, 409, f"{error}. Wait for its end, and do it again.")
        except ConfigurationError as error:
            return answers.error(request, 404 if request.method == "GET" else 400, str(error))
        except StoreError as error:
            return answers.error(request, 503, str(error))
        except (OSError, sqlite3.Error) as error:
            return answers.error(
                request, 503, f"The store cannot be read: {error}. Load the page again, or crawl the site."
            )
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
