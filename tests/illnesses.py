"""What a server may suffer from: each tells what it answers to a path, None as always."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING
from urllib.parse import quote

from tests.served import Answer, moved

if TYPE_CHECKING:
    from collections.abc import Callable


def _is_aside(path: str) -> bool:
    # A robots.txt that is ill too is another illness.
    return path in ("/robots.txt", "/sitemap.xml")


def overloaded(share: float = 1.0, seed: int = 0) -> Callable[[str], Answer | None]:
    """503 for this share of the pages, always the same ones."""

    def answer(path: str) -> Answer | None:
        ill = random.Random(f"{seed} {path}").random() < share
        return Answer("<p>Busy</p>", 503) if ill and not _is_aside(path) else None

    return answer


def login_redirect(path: str) -> Answer | None:
    """Every page redirects to a login form."""
    if _is_aside(path):
        return None
    return Answer(_FORM) if path.startswith("/login") else moved(f"/login?next={quote(path)}", 302)


def login_form(path: str) -> Answer | None:
    """Every address shows a login form, and says that all is well."""
    return None if _is_aside(path) else Answer(_FORM)


def not_there(path: str) -> Answer | None:
    """Every address says, with 200, that there is no such page."""
    if _is_aside(path):
        return None
    return Answer("<html><title>Not found</title><body><h1>Not found</h1><p>We have no such page.</p></body>")


def nothing(path: str) -> Answer | None:
    """Every page is empty."""
    return None if _is_aside(path) else Answer("")


def no_robots(path: str) -> Answer | None:
    """robots.txt cannot be had."""
    return Answer("<p>Busy</p>", 503) if path == "/robots.txt" else None


_FORM = (
    "<html><title>Log in</title><body><form action='/login'><h1>Log in</h1><p>Please give your name and the "
    "word that you were sent.</p><input name='name'><input type='password' name='word'></form></body></html>"
)
