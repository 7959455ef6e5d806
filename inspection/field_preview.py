"""The values that a new field would have on the pages of a site."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from inspection.site_file import field_line, fields_with
from pagelets.reading import read
from pagelets.reading.fields import Extraction, WrongField
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from inspection.teaching import Tell
    from pagelets.judging.config import JudgeConfig
    from store.site import Store


SHOWN: Final = 20
"""Number of pages whose values are shown; after so many there is a first preview."""
STEP: Final = 300
_CHARS: Final = 300
_BEGINS: Final = re.compile(r"[/?&]")
_ENDS: Final = re.compile(r"[/?&=_-]")
_LONGEST: Final = 3
"""Number of words of a path in a part."""
_LEAST: Final = 2
"""Number of pages that tell a part from the address of one page."""
_HALF: Final = 0.5


@dataclass(slots=True, frozen=True)
class PageValue:
    """The value of a field on a page."""

    url: str
    value: Any


@dataclass(slots=True, frozen=True)
class FieldPreview:
    """A field as the pages of a site have it.

    ``line`` describes it in ``[extract]``. Of the site's ``documents`` ``looked_at`` were read; of these
    ``found`` have a value, such as ``values``, and ``missing`` lack one, such as the pages ``without``.
    ``match`` is a part of URLs that the pages with a value have and most others lack, empty without one.
    """

    line: str
    documents: int
    looked_at: int
    found: int
    missing: int
    values: Sequence[PageValue]
    without: Sequence[str]
    match: str = ""


def check_field(config: JudgeConfig, name: str, given: Mapping[str, Any], match: str = "") -> None:
    """Checks a field that is to be added to those of a site.

    Args:
        config: the rules of the site.
        name: the field's name.
        given: its description.
        match: the part of URLs that its pages have, empty for all pages.

    Raises:
        ConfigurationError: the name is not free, or the description is wrong.

    """
    before = config.extraction
    try:
        config.registry.check_new_field(name)
        Extraction(fields_with(before.given, name, given, match), before.overrides)
    except WrongField as error:
        raise ConfigurationError(str(error)) from error


def field_previews(
    store: Store, name: str, given: Mapping[str, Any], pages: Sequence[int], tell: Tell, match: str = ""
) -> Iterator[FieldPreview]:
    """Takes the values of a field from pages; yields what was found so far after the first `SHOWN` pages,
    after each `STEP`, and at the end.

    Args:
        store: the store.
        name: the name of the field, which is free (`check_field`).
        given: its description.
        pages: the pages to read.
        tell: called after each page.
        match: the part of URLs that its pages have; others are passed over. Empty for all pages.

    Raises:
        ConfigurationError: the description is wrong.

    """
    extraction, line = extraction_of(fields_with({}, name, given, match)), field_line(name, given, match)
    documents, values = store.documents.count(), list[PageValue]()
    urls: dict[bool, list[str]] = {True: [], False: []}

    def found(part: str = "") -> FieldPreview:
        having, without = urls[True], urls[False]
        looked_at = len(having) + len(without)
        counts = len(having), len(without)
        return FieldPreview(line, documents, looked_at, *counts, [*values], without[:SHOWN], part)

    for done, page in enumerate(pages, 1):
        url = store.frontier.url(page)
        if extraction.of_url(url):
            value = taken(store, page, extraction).get(name)
            has_value = value is not None and value != []
            urls[has_value].append(url)
            if has_value and len(values) < SHOWN:
                values.append(PageValue(url, _short(value)))
        tell(done, len(pages))
        if (done == SHOWN or done % STEP == 0) and done < len(pages):
            yield found()
    yield found("" if match else part_of_urls(urls[True], urls[False]))


def extraction_of(given: Mapping[str, Any]) -> Extraction:
    """Returns what takes fields from pages. Raises ConfigurationError for a wrong description."""
    try:
        return Extraction(given)
    except WrongField as error:
        raise ConfigurationError(str(error)) from error


def taken(store: Store, page: int, extraction: Extraction) -> Mapping[str, Any]:
    """Returns the values that stored pages have of fields; empty for one that lost its body meanwhile.

    Args:
        store: the store.
        page: the id of the page.
        extraction: takes the values.

    """
    try:
        source = store.bodies.get(page).source()
    except KeyError:
        return {}
    values: Mapping[str, Any] = read(source, store.frontier.url(page), extraction=extraction).extracted.values
    return values


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(one) for one in value]
    return value[:_CHARS] if isinstance(value, str) else value


def part_of_urls(wanted: Sequence[str], others: Sequence[str]) -> str:
    """Returns the part of path and query that all ``wanted`` URLs have and fewest others, the shortest of
    several; empty if more than a half of the others have it, or all are wanted.
    """
    if len(wanted) < _LEAST or not others:
        return ""
    texts, lacking = ([_text(url) for url in urls] for urls in (wanted, others))
    common = [part for part in dict.fromkeys(_parts(texts[0])) if all(part in text for text in texts)]
    counted = [(sum(part in text for text in lacking), len(part), part) for part in common]
    count, _, part = min(counted, default=(len(lacking), 0, ""))
    return part if count <= _HALF * len(lacking) else ""


def _text(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _parts(text: str) -> Iterator[str]:
    for begin in _BEGINS.finditer(text):
        ends = [one.end() for one in _ENDS.finditer(text, begin.end())]
        yield from (text[begin.start() : end] for end in ends[:_LONGEST] if end - begin.start() > _LEAST)
