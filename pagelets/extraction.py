"""One page without its template: the library's way from HTML to what it says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final, Literal, overload
from urllib.parse import urlsplit

from pagelets.document import Document, Origin
from pagelets.judging.config import JudgeConfig
from pagelets.judging.engine import Judge, JudgedPage
from pagelets.methods import DEFAULT, must_learn
from pagelets.methods.base import Method, SiteMethod, UnknownMethod
from pagelets.reading import read
from pagelets.reading.source import MAX_SIZE, decoded, encoding_of, file_type, flags_of, source_of
from pagelets.registry import OURS, Registry
from pagelets.render import Rendering

SHORT: Final = 10
"""A page of so many blocks at most is short."""

FORMATS: Final = ("text", "markdown", "html", "document")
"""What `extract` can make of a page."""


@overload
def extract(
    html: str | bytes,
    url: str = "",
    *,
    format: Literal["text", "markdown", "html"] = "markdown",
    method: str = DEFAULT,
    content_type: str = "",
) -> str: ...
@overload
def extract(
    html: str | bytes,
    url: str = "",
    *,
    format: Literal["document"],
    method: str = DEFAULT,
    content_type: str = "",
) -> Document: ...
@overload
def extract(
    html: str | bytes,
    url: str = "",
    *,
    format: str,
    method: str = DEFAULT,
    content_type: str = "",
) -> str | Document: ...
def extract(
    html: str | bytes,
    url: str = "",
    *,
    format: str = "markdown",  # noqa: A002
    method: str = DEFAULT,
    content_type: str = "",
) -> str | Document:
    r"""Returns what a page says, without its menus, banners and other boilerplate.

    One page alone says little of what its site repeats: where there are more, `pagelets.Site` tells more.

    Args:
        html: the page; of bytes the encoding is found as browsers find it.
        url: its address, which relative links are completed by; without it they are left out.
        format: ``text``, ``markdown``, ``html`` (safe, links absolute) or ``document`` (all that is known of
            the page, a `pagelets.Document`).
        method: how blocks are judged, by name.
        content_type: the Content-Type header that came with bytes, which may name their encoding.

    Raises:
        ValueError: the format, method or address is unknown or invalid, or ``html`` is a PDF, an image or an
            archive; the text says which.
        TypeError: an argument is of another type than it has to be.
        pagelets.MethodError: the method lacks what it needs, as a package.

    Examples:
        >>> import pagelets
        >>> page = "<nav><a href=/>Home</a></nav><h1>Bread</h1><p>Flour, <a href=/salt>salt</a> and time."
        >>> pagelets.extract(page, url="https://example.org/bread", method="all-text")
        '[Home](https://example.org/)\n\n# Bread\n\nFlour, [salt](https://example.org/salt) and time.'

    """
    check_types(html, url, content_type)
    if format not in FORMATS:
        raise ValueError(f"format={format!r}: there are {', '.join(FORMATS)}")
    if kind := file_type(html):
        raise ValueError(f"html is {kind}; give the HTML of a page")
    if url:
        check_url(url)
    if must_learn(method_named(method)):
        raise ValueError(f"method={method!r} learns of many pages first; add them to a pagelets.Site")
    source, cut = source_from(html, content_type, url)
    page = read(source, url)
    flags = tuple(sorted(flags_of(source, page, cut=cut)))
    judge = Judge(JudgeConfig(method=method))
    subject = judge.subject(page, html=partial(text_from, source))
    judged = judge.judge(subject, 0, Origin(site_name(url), 200, now(), flags))
    if method == DEFAULT:
        judged = _with_heading(judged)
    if format == "document":
        return judged.document()
    rendering = judged.rendering
    makers = {"text": rendering.text, "markdown": rendering.markdown, "html": rendering.html}
    return makers[format]()


def _with_heading(judged: JudgedPage) -> JudgedPage:
    """Keeps the heading of a short page: the only ``h1``, where all that is kept comes after it.

    The model has learned from pages of the web, where a title above a few lines is often that of the site.
    """
    page, mask = judged.page, judged.selection.mask
    if len(page.blocks) > SHORT or not any(mask):
        return judged
    headings = [
        place for place, block in enumerate(page.blocks) if block.text and page.tree.tags[block.node] == "h1"
    ]
    if len(headings) != 1 or headings[0] > mask.index(True):
        return judged
    (place,) = headings
    heading = page.blocks[place].text
    if page.title != heading and page.title.endswith(heading):
        # A title ends with the name of the site.
        return judged
    selection = replace(judged.selection, mask=[*mask[:place], True, *mask[place + 1 :]])
    return replace(judged, selection=selection, rendering=Rendering(page, selection.mask))


def site_name(url: str) -> str:
    """Returns the name of the site of a URL: its host, with its port, without a user and a password."""
    return urlsplit(url).netloc.rpartition("@")[2].lower()


def source_from(
    html: str | bytes, content_type: str = "", url: str = "", max_size: int = MAX_SIZE
) -> tuple[str | bytes, bool]:
    """Returns the part of a page that is read, decoded if necessary; and True if it was cut.

    Args:
        html: the page.
        content_type: the header that came with bytes.
        url: the address of the page.
        max_size: how many bytes are read at most.

    """
    kept = html[:max_size]
    if isinstance(html, bytes) and isinstance(kept, bytes):
        kept = source_of(kept, encoding_of(html, content_type, url))
    return kept, len(html) > max_size


def text_from(source: str | bytes) -> str:
    """The text of what `source_from` gives."""
    return decoded(source, "utf-8") if isinstance(source, bytes) else source


def method_named(name: str, registry: Registry = OURS) -> Method | SiteMethod:
    """The method of a name, which lacks nothing. Raises ValueError, TypeError and MethodError."""
    if not isinstance(name, str):
        raise TypeError(f"method: {type(name).__name__}; give str")
    try:
        method = registry.factory(name)()
    except UnknownMethod as error:
        message = f"method={name!r}: there are {', '.join(registry.known_methods())}, and vote:NAME,NAME,NAME"
        raise ValueError(message) from error
    method.check()
    return method


def check_types(html: str | bytes, url: str, content_type: str) -> None:
    """Raises TypeError where HTML, its address or its Content-Type is of another type than it has to be.

    Args:
        html: the page, text or bytes.
        url: its address.
        content_type: the header; None is as good as none.

    """
    given = (("html", html, (str, bytes)), ("url", url, (str,)), ("content_type", content_type or "", (str,)))
    for name, value, kinds in given:
        if not isinstance(value, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(f"{name}: {type(value).__name__}; give {wanted}")


def check_url(url: str) -> None:
    """Raises ValueError for an address that no page can have."""
    try:
        parts = urlsplit(url)
        # Half a pair of surrogates is in no address.
        right = parts.scheme in ("http", "https") and bool(parts.hostname) and bool(url.encode())
    except ValueError:
        right = False
    if not right:
        raise ValueError(f"url={url!r}: no address of a page; give one such as https://example.org/page")


def now() -> str:
    """The time, ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
