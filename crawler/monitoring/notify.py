"""Tells people, or other programs, how a run has ended."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import signal
import threading
from base64 import b64encode
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Self
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from crawler.configuration.checks import normal
from crawler.run.outcome import EXIT_CODES
from crawler.run.session import session_of
from crawler.run.signals import run_finished
from search.sink import resolved
from settings.errors import ConfigurationError
from store.runs import Run

logger = logging.getLogger(__name__)

PAUSES: Final = (1.0, 5.0)
"""Seconds before each further try of a webhook."""
_PASSING: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})
_SENTENCES: Final = {
    "complete": "Everything was crawled and delivered; there is nothing to do.",
    "limited": "A limit that the settings set has stopped the crawl; there is nothing to do.",
    "empty": "No page could be used, and all documents stay as they were: see whether the site can be "
    "reached, and whether its robots.txt lets it be crawled.",
    "interrupted": "The crawl was stopped before its end, and what it has fetched is kept: start it again, "
    "it goes on where it was.",
    "suspicious": "Far less of the site than last time, or it leads to another domain, so nothing went out "
    "and nothing was deleted: look at the site; if it is meant to be like that, the log says how to accept "
    "it.",
    "undelivered": "Some documents have not arrived, and they are kept: mend what has refused them (the log "
    "names it); the next run sends them again, or to a search index at once: scrapy redeliver {site}.",
}


def message(site: str, outcome: str | None) -> str:
    """Returns a sentence with a run's outcome and what to do. A missing outcome counts as interrupted."""
    return _SENTENCES[outcome or "interrupted"].format(site=site)


def notice(site: str, run: Run, before: Run | None) -> dict[str, Any]:
    """Returns the notice of a ``run`` of a ``site`` for JSON; ``before`` is the run before it."""
    outcome = run.outcome or "interrupted"
    text = message(site, outcome)
    return {
        "text": f"{site}: {outcome}. {text}",
        "site": site,
        "run": run.run,
        "outcome": outcome,
        "exit_code": EXIT_CODES[outcome],
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "message": text,
        "counts": run.counts,
        "changes": run.since(before),
    }


class NotTold(Exception):
    """Raised if a notice did not get through; ``passing`` if another try may help. Names no address."""

    def __init__(self, reason: str, *, passing: bool = False) -> None:
        super().__init__(reason)
        self.passing = passing


@dataclass(slots=True, frozen=True)
class Webhook:
    """An address that gets a notice as a POST of JSON. It may hold a secret: it shows nowhere."""

    url: str = field(repr=False)
    timeout: float = 10.0

    async def tell(self, body: bytes) -> None:
        """Posts a notice, up to three times. Raises NotTold."""
        for pause in (*PAUSES, None):
            try:
                return await _bounded(lambda: self._post(body), self.timeout)
            except NotTold as error:
                if pause is None or not error.passing:
                    raise
                await asyncio.sleep(pause)
        return None

    def _post(self, body: bytes) -> None:
        headers = {"Content-Type": "application/json", "User-Agent": "site-pagelets"}
        try:
            parts = urlsplit(self.url)
            user, given, host = parts.netloc.rpartition("@")
            if given:
                # To urllib they are a part of the host's name.
                headers["Authorization"] = f"Basic {b64encode(unquote(user).encode()).decode()}"
            url = parts._replace(netloc=host).geturl()
            request = Request(url, body, headers, method="POST")  # noqa: S310 - checked: http or https
            with build_opener(_NoRedirect).open(request, timeout=self.timeout):
                pass
        except HTTPError as error:
            with error:
                raise _answered(error.code) from None
        except URLError as error:
            raise NotTold(str(error.reason), passing=True) from None
        except OSError as error:
            raise NotTold(str(error) or type(error).__name__, passing=True) from None
        except Exception as error:
            # What the libraries raise for a broken answer or address may quote it.
            raise NotTold(type(error).__name__) from None


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follows none: an answer must not be able to send a notice elsewhere."""


def _answered(status: int) -> NotTold:
    if 300 <= status < 400:
        return NotTold(
            f"answered {status}, and redirects are not followed; give the address that it leads to"
        )
    return NotTold(f"answered {status}", passing=status >= 500 or status in _PASSING)


async def _bounded(work: Callable[[], None], timeout: float) -> None:
    """Does work that blocks in a thread of its own, and waits no longer than this. Raises NotTold."""
    done: Future[None] = Future()
    # Who waits no longer cancels nothing: the thread has its own end.
    done.set_running_or_notify_cancel()

    def run() -> None:
        try:
            work()
            done.set_result(None)
        except BaseException as error:
            done.set_exception(error)

    # Not a thread of the loop's pool: the process would wait for a server that sends a byte now and then.
    threading.Thread(target=run, name="webhook", daemon=True).start()
    try:
        await asyncio.wait_for(asyncio.wrap_future(done), timeout)
    except TimeoutError:
        raise NotTold(f"no answer within {timeout:g} s", passing=True) from None


@dataclass(slots=True, frozen=True)
class Command:
    """A program that gets a notice as JSON on its standard input, and the main things as variables."""

    arguments: Sequence[str]
    timeout: float = 60.0

    async def tell(self, body: bytes, variables: dict[str, str]) -> None:
        """Runs the program, without a shell. Raises NotTold."""
        try:
            process = await asyncio.create_subprocess_exec(
                *self.arguments,
                stdin=asyncio.subprocess.PIPE,
                # Standard output may be a feed.
                stdout=asyncio.subprocess.DEVNULL,
                env={**os.environ, **variables},
                # Ctrl-C at the crawl is what it may have to tell of.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise NotTold(f"cannot be run: {why}") from None
        try:
            await asyncio.wait_for(process.communicate(body), self.timeout)
        except TimeoutError:
            late = f"was not done within {self.timeout:g} s"
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except PermissionError:
                # Of another user, as what sudo runs.
                raise NotTold(f"{late}, and cannot be killed") from None
            await process.wait()
            raise NotTold(f"{late}, and was killed") from None
        if process.returncode:
            raise NotTold(f"ended with exit code {process.returncode}")


class Notify:
    """Runs a command and calls a webhook when a run has ended in one of some outcomes; not for samples.

    Both get the same JSON (docs/monitoring.md). What fails is an error in the log; the run's outcome stays.

    Settings: ``NOTIFY_OUTCOMES`` (default: all but complete and limited), ``NOTIFY_COMMAND`` (list of
    arguments), ``NOTIFY_WEBHOOK`` (a URL, or ``{"env": "VARIABLE"}``).
    """

    def __init__(
        self, site: str, outcomes: Sequence[str], command: Command | None, webhook: Webhook | None
    ) -> None:
        self._site = site
        self._outcomes = frozenset(outcomes)
        self._command = command
        self._webhook = webhook

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Switches itself off where there is nobody to tell."""
        settings = crawler.settings
        arguments = settings.getlist("NOTIFY_COMMAND")
        outcomes = settings.getlist("NOTIFY_OUTCOMES")
        if not outcomes or not (arguments or settings.get("NOTIFY_WEBHOOK")):
            raise NotConfigured
        if arguments and shutil.which(arguments[0]) is None:
            logger.error("NOTIFY_COMMAND %s: no such program; nobody will be told", arguments[0])
        url = _address(settings)
        command = Command(arguments) if arguments else None
        notify = cls(session_of(crawler).plan.site, outcomes, command, Webhook(url) if url else None)
        crawler.signals.connect(notify.run_finished, signal=run_finished)
        return notify

    async def run_finished(self, run: Run, history: Sequence[Run]) -> None:
        """Tells of the run, if it is one to tell of."""
        payload = notice(self._site, run, history[0] if history else None)
        if payload["outcome"] not in self._outcomes:
            return
        body = json.dumps(payload, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")
        calls = []
        if self._command is not None:
            named = ("site", "outcome", "exit_code", "run")
            variables = {f"PAGELETS_{name.upper()}": str(payload[name]) for name in named}
            who = f"NOTIFY_COMMAND {self._command.arguments[0]}"
            calls.append(_told(who, self._command.tell(body, variables)))
        if self._webhook is not None:
            calls.append(_told("NOTIFY_WEBHOOK", self._webhook.tell(body)))
        await asyncio.gather(*calls)


async def _told(who: str, call: Awaitable[None]) -> None:
    try:
        await call
    except NotTold as error:
        # A traceback would say nothing more, and may quote the address.
        logger.error("%s: %s; nobody was told", who, error)  # noqa: TRY400


def _address(settings: BaseSettings) -> str:
    """Returns the webhook's URL, empty without a usable one."""
    try:
        url = resolved(settings.get("NOTIFY_WEBHOOK") or "", "NOTIFY_WEBHOOK")
        # What a variable holds is checked by nobody else where the site has no file.
        normal("NOTIFY_WEBHOOK", url)
    except ConfigurationError as error:
        # A crawl goes on without its notices.
        logger.error("%s; nobody will be told", error)  # noqa: TRY400
        return ""
    return url
