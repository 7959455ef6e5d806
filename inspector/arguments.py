"""Arguments of requests, checked before anything is done with them."""

from __future__ import annotations

import contextlib
import json
from typing import Any, Final

from starlette.requests import Request

from inspection.taught_change import Flips
from settings.errors import ConfigurationError
from store.listing import SORTS, PageQuery

MOST_PAGES: Final = 200
"""Pages that are corrected at once."""


def text(request: Request, name: str) -> str:
    """Returns an argument of the address. Raises ConfigurationError if it is missing."""
    value = request.query_params.get(name)
    if not value:
        raise ConfigurationError(f"the address lacks {name}=; go back to the sites")
    return value


def number(request: Request, name: str, default: int = 0) -> int:
    """Returns a whole number of the address.

    Args:
        request: the request.
        name: the name of the argument.
        default: the number without such an argument.

    Raises:
        ConfigurationError: the value is no such number.

    """
    value = request.query_params.get(name, str(default))
    if not value.isdecimal() or not value.isascii() or len(value) > 9:
        raise ConfigurationError(f"{name}={value[:20]}: give a whole number")
    return int(value)


def is_on(request: Request, name: str, default: str = "") -> bool:
    """Returns true if an argument of the address is 1.

    Args:
        request: the request.
        name: the name of the argument.
        default: the value without such an argument.

    """
    return request.query_params.get(name, default) == "1"


def page_query(request: Request) -> PageQuery:
    """Returns which pages a list is to have. Raises ConfigurationError."""
    given = request.query_params
    sort = given.get("sort", "url")
    falling, sort = sort.startswith("-"), sort.removeprefix("-")
    if sort not in SORTS:
        raise ConfigurationError(f"sort={sort[:20]}: give one of {', '.join(SORTS)}")
    least, most = (_share(request, name) for name in ("least", "most"))
    texts: dict[str, Any] = {name: given.get(name, "") for name in ("state", "flag", "words", "lacks")}
    return PageQuery(**texts, least=least, most=most, sort=sort, falling=falling)


def body(request: Request) -> dict[str, Any]:
    """Returns the JSON object that a request sends. Raises ConfigurationError."""
    try:
        value = json.loads(request.state.body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ConfigurationError("send a JSON object")
    return value


def string(values: dict[str, Any], name: str) -> str:
    """Returns a text of a JSON object. Raises ConfigurationError."""
    value = values.get(name)
    if not isinstance(value, str):
        raise ConfigurationError(f"{name}: give a text")
    return value


def flips(values: dict[str, Any]) -> dict[str, Flips]:
    """Returns the blocks that a person has flipped, by URL. Raises ConfigurationError."""
    pages = values.get("pages")
    if not isinstance(pages, dict) or not pages or len(pages) > MOST_PAGES:
        raise ConfigurationError(f"pages: flip a block first, on at most {MOST_PAGES} pages")
    by_url = {}
    for url, page in pages.items():
        signs, version = {}, None
        with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
            signs = {int(position): sign for position, sign in page["signs"].items()}
            version = page["version"]
        if not isinstance(version, str) or not all(isinstance(sign, bool) for sign in signs.values()):
            raise ConfigurationError(f"pages: {url[:200]} has no version and signs")
        by_url[url] = Flips(version, signs)
    return by_url


def _share(request: Request, name: str) -> float | None:
    value = request.query_params.get(name)
    if not value:
        return None
    with contextlib.suppress(ValueError):
        if 0 <= (share := float(value)) <= 1:
            return share
    raise ConfigurationError(f"{name}={value[:20]}: give a share from 0 to 1")
