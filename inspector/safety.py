"""Checks of requests, and the headers of answers.

Stored pages are hostile, and so is every site that the same browser shows. An address begins with the
server's token; nothing is kept in cookies, which all ports of a host share.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
HEADERS: Final = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), browsing-topics=()",
}
MOST_BODY: Final = 4_000_000
"""Bytes of a request's body."""


class TooLarge(Exception):
    """Raised while a request's body is read that has more bytes than `MOST_BODY`."""


class Guard:
    """Lets requests of this machine through that know the token; takes the token off their path.

    Host and Origin must be the server's own, so that no name that leads here by DNS is answered. Requests
    that change something are POST requests with an Origin.

    Args:
        app: what answers.
        token: the secret at the beginning of each path.
        hosts: the values of the header Host that are the server's own.
        refuse: makes the answer of a status and a text to a request that is not let through.

    """

    def __init__(
        self, app: ASGIApp, token: str, hosts: frozenset[str], refuse: Callable[[int, str], Response]
    ) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = hosts
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", POLICY)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        given, _, path = scope["path"].removeprefix("/").partition("/")
        refused = self._refusal(scope, given)
        if refused is not None:
            await self._refuse(*refused)(scope, receive, guarded)
            return
        inner = {**scope, "path": f"/{path}", "raw_path": None, "root_path": ""}
        await self._app(inner, _bounded(receive), guarded)

    def _refusal(self, scope: Scope, given: str) -> tuple[int, str] | None:
        """The status and the text of a refusal, None for a request that is let through."""
        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self._hosts]:
            said = "This address is not the inspector's own. Open the one that scrapy inspect has printed."
            return 421, said
        if not secrets.compare_digest(given.encode("utf-8", "surrogatepass"), self._token):
            return 403, (
                "The address lacks the inspector's token, or has that of one which has ended. "
                "Open the one that scrapy inspect has printed."
            )
        origins = headers.getlist("origin")
        expected = [f"http://{headers['host']}"]
        if scope["method"] == "POST":
            allowed = origins == expected
        else:
            allowed = scope["method"] in ("GET", "HEAD") and origins in ([], expected)
        return None if allowed else (403, "The request comes from another page. Open the inspector's own.")


def _bounded(receive: Receive) -> Callable[[], Awaitable[Message]]:
    """Receives the body of a request up to `MOST_BODY`."""
    size = 0

    async def bounded() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MOST_BODY:
            raise TooLarge
        return message

    return bounded
