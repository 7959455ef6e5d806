"""Values that a site file may have: what they mean, and what is wrong with them."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from ipaddress import ip_network
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from w3lib.url import safe_url_string

Place = tuple[str | int, ...]
"""The way to a value in a site file: names of keys, and the places of elements in lists."""
_DURATION: Final = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([smhd])\Z")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LONGEST: Final = 3650 * 86_400.0
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+\Z")
_HOST: Final = re.compile(r"[\w.-]+\Z")
_NO_HOST: Final = re.compile(r"[\x00-\x20\x7f\"%<>\\^`{|}]")
"""What no host has in it (WHATWG URL, forbidden host code points), but what its port and user take."""
_NEXT_URL: Final = re.compile(r"\shttps?://", re.IGNORECASE)
_NOT_IN_URL: Final = re.compile(r"[\x00-\x20\x7f]")
_USER_OF_URL: Final = re.compile(r"://[^/\s'\"]*@")


def nearest(name: str, known: Iterable[str]) -> str:
    """The mend for a name that does not exist: the nearest that does, or all of them."""
    names = sorted(known)
    near = get_close_matches(name, names, 1)
    return f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names) or 'none'}"


def _parts(value: str, clean: Callable[[str], str] = str) -> SplitResult | None:
    """The parts of an address of http or https that is made clean first; None for another text."""
    with contextlib.suppress(ValueError):
        parts = urlsplit(clean(value))
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts
    return None


def url(value: str) -> str:
    """A start URL or the address of a sitemap. Raises ValueError."""
    if _NEXT_URL.search(value):
        raise ValueError("is more than one URL; put commas between them, and in a site file give a list")
    parts = _parts(value, safe_url_string)
    if parts is None or _NO_HOST.search(parts.netloc):
        raise ValueError("is no URL; give a whole address, such as https://example.org/")
    if "@" in parts.netloc:
        raise ValueError("has a user name in it; leave it out of the URL, and see the keys user and password")
    return value


def private_host(value: str) -> str:
    """A host inside a private network: its name, its address, or a network of them. Raises ValueError."""
    try:
        ip_network(value, strict=False)
    except ValueError:
        if not _HOST.match(value):
            what = "is no host; give a name, an address or a network, such as wiki.example or 10.1.0.0/16"
            raise ValueError(what) from None
    return value


def webhook(value: str) -> str:
    """The address of a webhook. Raises ValueError, whose message does not tell it."""
    if _parts(value) is None or not value.isascii() or _NOT_IN_URL.search(value):
        raise ValueError("is no URL; give a whole address, such as https://example.org/hook")
    return value


def duration(value: object) -> float:
    """Seconds, from a number of them or a text such as ``90s``, ``30m``, ``12h``. Raises ValueError."""
    match = _DURATION.match(value) if isinstance(value, str) else None
    if match is not None:
        seconds = float(match[1]) * _SECONDS[match[2]]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seconds = float(min(value, 1 << 53))
    else:
        raise ValueError("is no duration; give one such as '90s', '30m', '12h' or '7d', or seconds")
    if not 0 <= seconds <= _LONGEST:
        raise ValueError("is out of range; give a duration from '0s' to '3650d'")
    return seconds


def line_of_text(value: str) -> str:
    """A text that a header can hold. Raises ValueError, whose message does not tell the text."""
    if _CONTROL.search(value):
        raise ValueError("a header holds no line breaks or control characters; remove them")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("is not in UTF-8; set it anew") from None
    return value


def masked(text: str) -> str:
    """A text without the users and passwords of the addresses in it."""
    return _USER_OF_URL.sub("://***@", text) if "://" in text else text


def shown(value: Any) -> str:
    """A value for an error: short, as TOML has it, without the password of a URL."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value[:3]))}{', …' if len(value) > 3 else ''}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {shown(item)}" for key, item in value.items()) + "}"
    text = masked(value) if isinstance(value, str) else str(value)
    text = text if len(text) <= 80 else text[:79] + "…"
    return repr(text) if isinstance(value, str) else text


def key_text(place: Iterable[str | int]) -> str:
    """A place in a file or a setting in words: ``rate.delay``, ``rules[0].type``."""
    return "".join(map(_part_text, place)).removeprefix(".")


def _part_text(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if _BARE_KEY.match(part) else "." + shown(part).replace("'", '"')


FLAGS: Final = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def flag(value: object) -> bool:
    """A switch, as settings and arguments have them. Raises ValueError."""
    text = str(value).lower()
    if text not in FLAGS:
        raise ValueError("give 1 or 0")
    return FLAGS[text]


def published(value: object) -> bool | str:
    """A switch, or ``text``. Raises ValueError."""
    if (text := str(value).lower()) not in (*FLAGS, "text"):
        raise ValueError("give 1, 0 or text")
    return FLAGS.get(text, text)


def listed(text: str) -> list[str]:
    """The parts of a text between commas."""
    return [part for part in map(str.strip, text.split(",")) if part]


def number_of(text: str) -> object:
    """The number that a text is, if it is one."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def json_of(value: str) -> object:
    """Reads JSON. Raises ValueError."""
    try:
        return json.loads(value) if value.strip() else {}
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is no JSON ({error}); write it as JSON") from None
