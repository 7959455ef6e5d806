"""Arguments of a site in memory, checked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pagelets.document import STATUSES
from pagelets.extraction import check_types, check_url, method_named, source_from
from pagelets.judging.by_url import KINDS, SELECTORS, UrlOverrides
from pagelets.overrides import AUTO, CHOICES

if TYPE_CHECKING:
    from pagelets.judging.config import JudgeConfig


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
    return source_from(html, content_type, url)


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
    texts = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else (given,)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name}: {type(text).__name__}; give str, or a list of them")
    return texts


def check_tables(
    kinds: Mapping[str, str],
    extract: Mapping[str, Any],
    overrides: Sequence[Mapping[str, Any]],
    **paths: Mapping[str, str],
) -> list[Mapping[str, Any]]:
    """Checks the arguments that are tables.

    Args:
        kinds: what becomes of kinds of blocks.
        extract: the fields of a site.
        overrides: what differs by URL.
        paths: others, of names to import paths.

    Returns:
        The overrides, with a list in place of a selector or field alone.

    Raises:
        TypeError: an argument is of another type than it has to be.
        ValueError: as `check_kinds` raises it.

    """
    for name, table in paths.items():
        if not isinstance(table, Mapping):
            raise TypeError(f"{name}: {type(table).__name__}; give import paths by name")
        if wrong := [text for pair in table.items() for text in pair if not isinstance(text, str)]:
            raise TypeError(f"{name}: {type(wrong[0]).__name__}; give import paths by name")
    if not isinstance(extract, Mapping):
        raise TypeError(f"extract: {type(extract).__name__}; give fields by name")
    if not isinstance(overrides, Sequence) or not all(isinstance(own, Mapping) for own in overrides):
        raise TypeError(f"overrides: {overrides!r:.40}; give a list of dicts")
    check_kinds(kinds, overrides)
    lists = (*SELECTORS, "fields")
    return [
        {key: list(texts_of(key, value)) if key in lists else value for key, value in own.items()}
        for own in overrides
    ]


def check_config(config: JudgeConfig) -> None:
    """Checks a site's name, and what overrides name. Raises TypeError, ValueError and MethodError."""
    if not isinstance(config.site, str):
        raise TypeError(f"name: {type(config.site).__name__}; give str")
    for other in config.methods:
        method_named(other, config.registry)
        if other != config.method and (preset := config.registry.factory(other)).settings:
            raise ValueError(f"overrides: {other!r} has thresholds of a whole site; write {preset.of!r}")
    config.registry.check_fields({name for own in config.overrides for name in own.get("fields", ())})
