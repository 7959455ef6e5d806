"""Long work in threads, with progress; it can be cancelled."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from inspection.pages import FoundPage
from inspection.taught_change import FileHistory
from inspector import arguments
from inspector.answers import as_json, say, trouble
from inspector.stores import OpenStores, Stores
from settings.errors import ConfigurationError
from store.errors import SiteBusy, StoreError
from store.site import Store

MOST: Final = 2
"""Jobs at the same time."""
_KEPT: Final = 20


class Cancelled(Exception):
    """Raised inside a job that was cancelled."""


@dataclass(slots=True)
class Job:
    """A job: how much is done of how much, and its result or its error at the end."""

    step: str = ""
    done: int = 0
    total: int = 0
    ended: bool = False
    result: Any = None
    error: str | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)

    def note(self, done: int, total: int) -> None:
        """Notes the progress."""
        self.done, self.total = done, total

    def tell(self, done: int, total: int) -> None:
        """Notes the progress. Raises Cancelled if the job is to end."""
        self.note(done, total)
        if self.cancelled.is_set():
            raise Cancelled

    def tell_of(self, what: str, done: int, total: int) -> None:
        """Notes the progress of a step.

        Args:
            what: the step.
            done: how much of it is done.
            total: how much there is.

        Raises:
            Cancelled: the job is to end.

        """
        self.step = what
        self.tell(done, total)

    def told(self) -> dict[str, Any]:
        """Returns the state of the job, for JSON."""
        return {name: getattr(self, name) for name in ("step", "done", "total", "ended", "result", "error")}

    def last_of(self, results: Iterable[Any]) -> Any:
        """Returns the last of some results; each is shown while the next is worked out."""
        for result in results:
            self.result = result
        return self.result


class Jobs:
    """The jobs of a server."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def begin(self, work: Callable[[Job], object]) -> str:
        """Begins a job; returns its name. Raises ConfigurationError if too many are at work."""
        with self._lock:
            if sum(not job.ended for job in self._jobs.values()) >= MOST:
                raise ConfigurationError("two previews or changes are at work; wait for one, or cancel it")
            for name in [name for name, job in self._jobs.items() if job.ended][: -_KEPT or None]:
                del self._jobs[name]
            name, job = secrets.token_hex(8), Job()
            self._jobs[name] = job
        threading.Thread(target=_run, args=(job, work), daemon=True).start()
        return name

    def get(self, name: str) -> Job:
        """Returns a job by its name. Raises ConfigurationError."""
        job = self._jobs.get(name)
        if job is None:
            raise ConfigurationError("this job is not known any more; begin it again")
        return job

    def end(self) -> None:
        """Cancels all jobs."""
        for job in self._jobs.values():
            job.cancelled.set()


def _run(job: Job, work: Callable[[Job], object]) -> None:
    try:
        job.result = work(job)
    except Cancelled:
        job.error = "cancelled"
    except SiteBusy as error:
        is_here = f"(process {os.getpid()}," in str(error)
        of_site = str(error).partition(" runs ")[0].replace("another crawl", "another change")
        job.error = f"{of_site} is at work; wait for its end" if is_here else str(error)
    except (ConfigurationError, StoreError) as error:
        job.error = str(error)
    except (OSError, sqlite3.Error) as error:
        job.error = trouble(error)
    except Exception as error:
        say(f"a job failed: {type(error).__name__}: {error}")
        job.error = f"this failed inside the inspector: {type(error).__name__}: {error}; please report it"
    finally:
        job.ended = True


class JobViews:
    """Views that may begin jobs; each takes a request, and raises what `inspector.reading.Reading` does."""

    def __init__(self, stores: Stores, opened: OpenStores, jobs: Jobs, history: FileHistory) -> None:
        self._stores = stores
        self._opened = opened
        self._jobs = jobs
        self._history = history

    def _asked(self, request: Request) -> tuple[str, dict[str, Any]]:
        """The site that a request names, and all its values."""
        values = arguments.body(request)
        return self._opened.named(arguments.string(values, "site")), values

    def _page(self, site: str, values: dict[str, Any]) -> FoundPage | None:
        """The page of a URL that is given; None without one."""
        return self._opened.find(arguments.string(values, "url"), site) if values.get("url") else None

    def _begun(self, work: Callable[[Job], object]) -> Response:
        """Begins a job, and answers with its name."""
        return as_json({"job": self._jobs.begin(work)}, 202)

    def _begun_in(self, site: str, work: Callable[[Job, Store], object]) -> Response:
        """Begins a job that reads the store of a site."""

        def in_store(job: Job) -> object:
            with self._stores.open_store(site) as store:
                return work(job, store)

        return self._begun(in_store)

    def _written(
        self, site: str, values: dict[str, Any], edit: Callable[[str], str], **more: str
    ) -> Response:
        """Changes a site's file, and answers with its new name and ``more``."""
        files = self._stores.files(site)
        file = self._history.change(files, arguments.string(values, "file"), edit)
        return as_json({"path": str(files.path), "file": file, **more})
