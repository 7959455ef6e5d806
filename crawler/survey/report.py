"""Writes what a survey found as a site file, and as a few lines for a terminal.

Everything that comes from the site is escaped: a title may not end its comment, nor a URL its string.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from crawler.fetching.robots import ObeyRobots
from crawler.survey.spider import LONGEST_DELAY

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from crawler.survey.findings import Findings

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
    head = (
        comment_text(findings.title) or "No title",
        "",
        f"Written by scrapy sites --new on {written_on}, after {findings.requests} requests.",
        "What follows a # is a finding, or a key that is not in force: take the # away to set it.",
        f"Next: scrapy sites --check, then scrapy crawl site -a site={name} -a sample=50 -O sample.jsonl",
    )
    lines = [
        *_comment(*head, *_not_seen(findings)),
        *_start(findings),
        *_section("Schedule", "When scrapy run-due crawls it: every night at two.", 'schedule = "0 2 * * *"'),
        *_sitemaps(findings),
        *_scope(findings),
    ]
    lines += [*_parameters(findings), *_text(findings), *_javascript(findings), *_rate(findings)]
    lines += [*_revisit(findings), *_directives(findings), *_fields(findings), *_rest()]
    return "\n".join(lines) + "\n"


def summary(findings: Findings) -> list[str]:
    """Returns the most important findings, in a few lines for a terminal."""
    sitemaps, pages = findings.sitemaps, len(findings.pages)
    listed = f"{sitemaps.urls} URLs in sitemaps" if sitemaps.files else "no sitemap"
    languages = ", ".join(_counted(findings.languages)) or "unknown"
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


def _comment(*lines: str) -> Iterator[str]:
    return (f"# {line}".rstrip() for line in lines)


def _section(title: str, *lines: str) -> Iterator[str]:
    yield ""
    yield f"# --- {title} ---"
    yield from _comment(*lines)


def _not_seen(findings: Findings) -> Iterator[str]:
    if findings.failed:
        yield f"Could not be fetched: {', '.join(_counted(findings.failed))}"
    if findings.forbidden:
        yield f"{findings.forbidden} of the pages chosen are forbidden by robots.txt, which is obeyed."


def _start(findings: Findings) -> Iterator[str]:
    yield ""
    if findings.start != findings.asked:
        yield from _comment(f"{comment_text(findings.asked)} has moved here.")
    yield from _comment("In scope: this host, below this folder. Several start URLs: a list.")
    yield f"url = [{toml_string(findings.start)}]"
    if findings.hosts:
        yield from _comment("Pages link to these hosts as well; add those that belong to the site:")
        yield from _comment(f"  {', '.join(_named(findings.hosts))}")


def _sitemaps(findings: Findings) -> Iterator[str]:
    sitemaps = findings.sitemaps
    if not sitemaps.files:
        yield from _section(
            "Sitemaps",
            "None is named by robots.txt or lies at /sitemap.xml: pages are found by links alone.",
            'sitemaps = ["https://example.org/a/sitemap-elsewhere.xml"]',
        )
        return
    place = "named by robots.txt" if sitemaps.from_robots else "at /sitemap.xml"
    lines = [f"{len(sitemaps.files)} read, {place}: a crawl finds them by itself."]
    if sitemaps.unread:
        lines.append(f"{sitemaps.unread} more were not read for this file; a crawl reads them.")
    lines.append(f"They list {sitemaps.urls} URLs, {sitemaps.elsewhere} of them out of scope.")
    if sitemaps.folders:
        lines.append(f"By folder: {', '.join(_counted(sitemaps.folders))}")
    if sitemaps.urls:
        share = sitemaps.dated / sitemaps.urls
        lines.append(
            f"{share:.0%} have a lastmod: such a page is fetched when its date changes, and otherwise when"
            if sitemaps.dated
            else "None has a lastmod: whether a page has changed is found by asking for it."
        )
        if sitemaps.dated:
            lines.append("its revisit interval is over.")
    lines.append(f"sitemaps = [{toml_string(sitemaps.files[0])}]")
    yield from _section("Sitemaps", *lines)


def _scope(findings: Findings) -> Iterator[str]:
    folders = [folder for folder, _ in findings.folders.most_common(_NAMED) if folder != "/"]
    lines = []
    if folders:
        lines.append(f"Folders that links lead to: {', '.join(_named(findings.folders))}")
    urls = findings.sitemaps.urls
    if urls > _MANY_PAGES:
        lines.append(f"{urls} URLs are many: try it with a limit first.")
    lines.append("max_pages = 1000")
    lines.append("The first rule that matches decides; what no rule matches is allowed.")
    systems = findings.proposals.systems
    if systems.deny:
        lines.append(
            f"{', '.join(systems.systems)} has these beside its pages; the number tells how many of the"
        )
        lines.append(f"{len(findings.urls)} URLs that the sample names a rule spares:")
        yield from _section("Scope", *lines)
        yield "rules = ["
        for rule in systems.deny:
            pattern = toml_string(rule.pattern)
            yield f'    {{ policy = "deny", type = "{rule.type}", pattern = {pattern} }},  # {rule.urls}'
        yield "]"
        return
    pattern = toml_string(folders[-1] if folders else "/tag/")
    lines.append(f'rules = [{{ policy = "deny", type = "begins", pattern = {pattern} }}]')
    yield from _section("Scope", *lines)


def _parameters(findings: Findings) -> Iterator[str]:
    if not findings.parameters:
        yield from _section(
            "Query parameters",
            "Links carry none, beside session ids and campaign parameters, which are always left out.",
            'ignore_parameters = ["sort", "view"]',
        )
        return
    others = [name for name in findings.parameters if name not in findings.sorting]
    lines = ["Session ids and campaign parameters are always left out."]
    if others:
        lines.append(f"These were seen, and are taken to name a page: {_quoted(others)}")
    if not findings.sorting:
        yield from _section("Query parameters", *lines, f"ignore_parameters = [{toml_string(others[0])}]")
        return
    lines.append("By their names these show the same things in another order or dress: URLs that differ in")
    lines.append("them alone are one page. Take out what names a page of its own here.")
    yield from _section("Query parameters", *lines)
    yield f"ignore_parameters = [{', '.join(map(toml_string, findings.sorting))}]"


def _text(findings: Findings) -> Iterator[str]:
    drop = findings.proposals.systems.drop
    languages = ", ".join(_counted(findings.languages)) or "could not be told"
    yield from _section(
        "Text",
        f"Language: {comment_text(languages)}",
        'fields = ["url", "title", "text", "language"]',
        "Elements that are content whatever the site repeats, and elements that never are:",
        'keep = [".warning"]',
        *(['drop = [".cookie-banner"]'] if not drop else []),
    )
    if drop:
        yield from _comment(
            f"{', '.join(findings.proposals.systems.systems)} puts these beside the content; the numbers",
            "tell what goes of the sample's documents with each:",
        )
        yield "drop = ["
        for proposal in drop:
            changed = f"{_plural(proposal.documents, 'document')}, {_plural(proposal.words, 'word')}"
            yield f"    {toml_string(proposal.selector)},  # {changed}"
        yield "]"


def _fields(findings: Findings) -> Iterator[str]:
    """The fields that were found, as the table ``[extract]``, each below where it is and what it is like."""
    proposals = findings.proposals
    if not proposals.fields:
        yield from _section(
            "Fields", "Pages declare none that are known, and show none beside labels.", "[extract]"
        )
        yield from _comment('price = { css = ".price::text", type = "number" }')
        return
    yield from _section(
        "Fields", "What documents and indexes have beside the text; take out what is of no use."
    )
    yield "[extract]"
    for field in proposals.fields:
        pages = f"{field.pages} of {_plural(proposals.pages, 'page')}"
        yield from _comment(
            f"{pages}, {comment_text(field.why)}: {comment_text(' | '.join(map(_short, field.samples)))}"
        )
        yield f"{field.name} = {toml_field(field.given)}"


def toml_field(given: Mapping[str, Any]) -> str:
    """Returns a field as the table ``[extract]`` has it."""
    if list(given) == ["css"]:
        return toml_string(given["css"])
    parts = (f"{key} = {'true' if value is True else toml_string(value)}" for key, value in given.items())
    return f"{{ {', '.join(parts)} }}"


def _short(text: str) -> str:
    return text if len(text) <= _VALUE else text[: _VALUE - 1] + "…"


def _javascript(findings: Findings) -> Iterator[str]:
    pages = len(findings.pages)
    if findings.needs_javascript:
        yield from _section(
            "JavaScript",
            f"{findings.empty} of {_plural(pages, 'page')} show next to no text unless scripts are run.",
            "A browser renders them: many times slower, and it needs an extra (docs/site-files.md).",
        )
        yield "javascript = true"
        return
    seen = f"{pages - findings.empty} of {_plural(pages, 'page')} have their text without JavaScript."
    yield from _section("JavaScript", seen, "javascript = true")


def _rate(findings: Findings) -> Iterator[str]:
    delay = findings.crawl_delay
    if delay is None:
        lines = ["robots.txt asks for no delay: the rate follows how fast the server answers."]
    else:
        lines = [f"robots.txt asks for {delay:g} s between requests, which is obeyed."]
        if findings.sitemaps.urls and delay:
            hours = findings.sitemaps.urls * delay / 3600
            lines.append(f"{findings.sitemaps.urls} pages take about {hours:.1f} hours.")
        if delay > LONGEST_DELAY:
            lines.append(
                f"(A crawl waits {ObeyRobots.longest_delay:g} s at most, this survey {LONGEST_DELAY:g}.)"
            )
    lines += ["[rate]", "delay = 1.0", "concurrency = 2"]
    yield from _section("Rate", *lines)


def _revisit(findings: Findings) -> Iterator[str]:
    known = {
        True: "Conditional requests are answered 304: asking for an unchanged page costs next to nothing.",
        False: "Pages have validators, but a conditional request was answered with the whole page.",
        None: "Pages have no ETag and no Last-Modified: each is fetched whole to see whether it has changed.",
    }
    lines = [known[findings.not_modified]]
    if not findings.not_modified:
        lines.append("Intervals save requests: a page that stays the same is asked for less and less often.")
    yield from _section("Recrawls", *lines, "[revisit]", 'min = "12h"', 'max = "14d"')


def _directives(findings: Findings) -> Iterator[str]:
    pages = _plural(len(findings.pages), "page")
    counts = {directive: findings.said(directive) for directive in ("noindex", "nofollow")}
    lines = [
        f"{count} of {pages} say {directive}, which is obeyed."
        for directive, count in counts.items()
        if count
    ] or [f"None of {pages} says noindex or nofollow."]
    if findings.elsewhere:
        lines.append(
            f"{findings.elsewhere} of {pages} name another URL as canonical; with this, that one counts:"
        )
    else:
        lines.append("No page names another URL as its canonical one.")
    yield from _section("What pages say of themselves", *lines, "[directives]", "canonical = true")


def _rest() -> Iterator[str]:
    yield from _section(
        "More",
        "[duplicates]",
        "leave_out = true",
        "",
        "[thresholds]",
        "loss = 0.6",
        "missed_runs = 3",
        "",
        "[headers]",
        'X-Access-Key = { env = "ACCESS_KEY" }',
        "",
        "[[overrides]]",
        'type = "begins"',
        'pattern = "/archive/"',
        'revisit = { min = "30d", max = "90d" }',
    )


def _counted(counts: Counter[str]) -> list[str]:
    return [f"{comment_text(name)} ({count})" for name, count in counts.most_common(_NAMED)] + _more(counts)


def _named(counts: Counter[str]) -> list[str]:
    return [comment_text(name) for name, _ in counts.most_common(_NAMED)] + _more(counts)


def _more(counts: Counter[str]) -> list[str]:
    return [f"and {len(counts) - _NAMED} more"] if len(counts) > _NAMED else []


def _quoted(names: Iterable[str]) -> str:
    return comment_text(", ".join(sorted(names)))


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
