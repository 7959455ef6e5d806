"""Writes what a survey found as a site file, and as a few lines for a terminal.

Everything that comes from the site is escaped: a title may not end its comment, nor a URL its string.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crawler.fetching.robots import ObeyRobots
from crawler.survey.findings import Findings
from crawler.survey.spider import LONGEST_DELAY

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

    from jinja2 import Template


TEMPLATE: Final = Path(__file__).with_name("site_file.toml.j2")
LONGEST: Final = 100
"""Characters that a comment quotes of the site."""
_NAMED: Final = 6
"""Entries of a list that a comment names."""
_MANY_PAGES: Final = 10_000
_VALUE: Final = 30
"""Characters of a sample of a field."""


def comment_text(text: str) -> str:
    """Text for a comment: one line, without characters that control a terminal or turn its direction."""
    text = " ".join(text.split())
    shown = "".join(
        character if character.isprintable() else f"\\u{ord(character):04x}" for character in text
    )
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def toml_string(text: str) -> str:
    """A TOML basic string. A lone surrogate, which TOML cannot hold, becomes U+FFFD."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return "\\uFFFD" if 0xD800 <= code < 0xE000 else f"\\U{code:08X}"


def site_name_of(findings: Findings) -> str:
    """The name of a site's file: its host without ``www.``; a port is kept after a hyphen."""
    name = findings.host.removeprefix("www.").replace(":", "-")
    name = re.sub(r"[^A-Za-z0-9._-]", "", name).lstrip(".-_")
    # Two dots in a row are no name of a site (settings/site.py), and a URL may have them in its host.
    return re.sub(r"\.{2,}", ".", name) or "site"


def site_file(findings: Findings, name: str, written_on: str) -> str:
    """The site file, TOML: what differs from the defaults as keys, all else as comments.

    Args:
        findings: what the survey has found on the site.
        name: of the file, without ``.toml``.
        written_on: the day.
    """
    return _template().render(
        found=findings,
        name=name,
        written_on=written_on,
        folders=[folder for folder, _ in findings.folders.most_common(_NAMED) if folder != "/"],
        parameters=[name for name in findings.parameters if name not in findings.sorting],
        many_pages=_MANY_PAGES,
        longest_delay=LONGEST_DELAY,
        crawl_delay_max=ObeyRobots.longest_delay,
    )


@cache
def _template() -> Template:
    # Scrapy loads all commands, whichever it runs.
    from jinja2 import Environment, StrictUndefined

    templates = Environment(  # noqa: S701 - TOML; the filters escape what comes from the site
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    templates.filters |= _FILTERS
    return templates.from_string(TEMPLATE.read_text("utf-8"))


def summary(findings: Findings) -> list[str]:
    """Returns the most important findings, in a few lines for a terminal."""
    sitemaps, pages = findings.sitemaps, len(findings.pages)
    listed = f"{sitemaps.urls} URLs in sitemaps" if sitemaps.files else "no sitemap"
    languages = _counted(findings.languages) or "unknown"
    conditional = {True: "answered 304", False: "not answered 304", None: "not possible (no validators)"}
    lines = [
        f"start: {comment_text(findings.start)}",
        f"looked at: {_plural(pages, 'page')} in {findings.requests} requests; {listed}",
        f"language: {comment_text(languages)}",
        f"conditional requests: {conditional[findings.not_modified]}",
    ]
    if findings.crawl_delay is not None:
        lines.append(f"Crawl-delay: {findings.crawl_delay:g} s")
    if findings.sorting:
        lines.append(f"ignored parameters: {comment_text(', '.join(findings.sorting))}")
    if findings.needs_javascript:
        lines.append(f"needs JavaScript: {findings.empty} of {_plural(pages, 'page')} are empty without")
    proposals = findings.proposals
    if proposals.systems.systems:
        spared = sum(proposal.urls for proposal in proposals.systems.deny)
        what = f"{_plural(len(proposals.systems.drop), 'selector')} to drop, {_plural(spared, 'URL')} denied"
        lines.append(f"content system: {', '.join(proposals.systems.systems)}; {what}")
    if proposals.fields:
        lines.append(f"fields: {', '.join(proposal.name for proposal in proposals.fields)}")
    if findings.failed or findings.forbidden:
        failed = sum(findings.failed.values())
        lines.append(f"not seen: {failed} failed, {findings.forbidden} forbidden by robots.txt")
    return lines


def toml_field(given: Mapping[str, Any]) -> str:
    """Returns a field as the table ``[extract]`` has it."""
    if list(given) == ["css"]:
        return toml_string(given["css"])
    parts = (f"{key} = {'true' if value is True else toml_string(value)}" for key, value in given.items())
    return f"{{ {', '.join(parts)} }}"


def _short(text: str) -> str:
    return text if len(text) <= _VALUE else text[: _VALUE - 1] + "…"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(
        [f"{comment_text(name)} ({count})" for name, count in counts.most_common(_NAMED)] + _more(counts)
    )


def _named(counts: Counter[str]) -> str:
    return ", ".join([comment_text(name) for name, _ in counts.most_common(_NAMED)] + _more(counts))


def _more(counts: Counter[str]) -> list[str]:
    return [f"and {len(counts) - _NAMED} more"] if len(counts) > _NAMED else []


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


_FILTERS: Final = {
    "comment": comment_text,
    "toml": toml_string,
    "field": toml_field,
    "short": _short,
    "counted": _counted,
    "named": _named,
    "plural": _plural,
    "percent": "{:.0%}".format,
    "short_number": "{:g}".format,
}
"""The filters of the template."""
