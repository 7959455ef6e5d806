"""Arguments of a site in memory, checked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from pagelets.document import STATUSES
from pagelets.extraction import check_types, check_url, source_from
from pagelets.judging.by_url import KINDS, UrlOverrides
from pagelets.overrides import AUTO, CHOICES


def source_of_page(
    url: str, html: str | bytes, status: int, content_type: str, fetched_at: str | None = None
) -> tuple[str | bytes, bool]:
    """Returns what `source_from` returns, for checked arguments.

    Args:
        url: the address of a page.
        html: its HTML.
        status: the status of its response.
        content_type: its Content-Type header.
        fetched_at: when it was fetched, or None.

    Raises:
        ValueError: the address or the status is invalid.
        TypeError: an argument is of another type.

    """
    check_types(html, url, content_type)
    check_url(url)
    if not isinstance(fetched_at, str | None):
        raise TypeError(f"fetched_at: {type(fetched_at).__name__}; give str, a time in ISO 8601")
    if status not in STATUSES:
        raise ValueError(f"status={status!r}: a status has three digits; leave it out if it is unknown")
    return source_from(html, content_type)


_NEEDED: Final = ("url", "html")
_OPTIONAL: Final = ("status", "fetched_at", "content_type")


def arguments_of(page: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """The arguments of `Site.add` for a page of `Site.from_pages`."""
    if not isinstance(page, Mapping):
        if isinstance(page, str | bytes) or len(page) != len(_NEEDED):
            raise ValueError("give a pair of an address and HTML, or a mapping with 'url' and 'html'")
        return dict(zip(_NEEDED, page, strict=True))
    if missing := [key for key in _NEEDED if key not in page]:
        raise ValueError(f"it has no {missing[0]!r}; it has {', '.join(map(repr, page))}")
    optional = {key: page[key] for key in _OPTIONAL if page.get(key) is not None}
    return {**{key: page[key] for key in _NEEDED}, **optional}


def check_kinds(kinds: Mapping[str, str], overrides: Sequence[Mapping[str, Any]]) -> None:
    """Checks what becomes of `KINDS` of blocks, on a site and by URL.

    Raises:
        PatternError: an override is wrong.
        ValueError: a value is not one of `CHOICES`.

    """
    UrlOverrides(overrides)
    for values in (kinds, *overrides):
        for name in KINDS:
            if (choice := values.get(name, AUTO)) not in CHOICES:
                raise ValueError(f"{name}={choice!r}: give {', '.join(CHOICES)}")


def texts_of(name: str, given: str | Collection[str]) -> tuple[str, ...]:
    """Returns an argument as a tuple of texts. Raises TypeError for a text of another type."""
    texts = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name}: {type(text).__name__}; give str, or a list of them")
    return texts


def check_paths(**arguments: Mapping[str, str]) -> None:
    """Raises TypeError for an argument other than a mapping of names to import paths."""
    for name, paths in arguments.items():
        if not isinstance(paths, Mapping):
            raise TypeError(f"{name}: {type(paths).__name__}; give import paths by name")
