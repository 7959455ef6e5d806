"""``scrapy try``: what would change if a page or a site were judged in another way."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from crawler.commandline.base import number, option, write_json
from crawler.commandline.output import printable, section
from crawler.commandline.pages import PageCommand
from crawler.configuration.judgement import ARGUMENTS_OF_TRY, asked_of, trial_of
from inspection.templates import ListedTemplate
from inspection.trial import PageTrial, SiteTrial, try_page, try_site

SHOWN: Final = 10
TEXT_CHARS: Final = 80
VALUE_CHARS: Final = 40


class Command(PageCommand):
    """Judges a page, or all pages of a site, with another k, method, detection, min_pages, min_share, keep,
    drop or extract than its last crawl, on a scratch copy of the store, and says what would change: of a page
    the blocks that would come and go and why, of a site how many documents, how much text, which templates,
    and the pages that change most; of fields the values.

    The store stays as it is. What is not given by -a is as in the last crawl; a crawl with the same arguments
    makes the change. Works while a crawl runs. The copy needs room in the folder that TMPDIR names.
    """

    usage = "URL|SITE -a NAME=VALUE [-a NAME=VALUE ...] [--site SITE] [--pages N]"
    summary = "Judge a page or a site in another way, and say what would change"
    examples = ("https://example.org/a -a k=4", "example.org -a drop=aside.related")
    options = (
        option(
            "-a NAME=VALUE",
            f"what is to be otherwise: {', '.join(ARGUMENTS_OF_TRY)}; may be given several times",
            dest="asked",
            action="append",
            default=[],
        ),
        option(
            "--pages N",
            "N pages stand for a larger site, which is quicker (default: all of them); of a page with "
            "1 that page alone is judged, at once",
        ),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Tries it out, and prints what would change."""
        subject, asked = self.one_argument(args), asked_of(opts.asked, self.project)
        found_page = self.find_current(subject, opts.site) if "://" in subject else None
        pages = None if opts.pages is None else number("--pages", opts.pages, 1)
        with (
            self.open_store(found_page.site if found_page else subject) as store,
            self.progress(0, "parts copied") as progress,
        ):
            trial = trial_of(store, self.project, asked)
            if found_page is None:
                site = try_site(store, self.judge_of, trial, progress.at, pages)
            else:
                page = try_page(store, self.judge_of, trial, found_page, progress.at, pages)
        if opts.json:
            write_json(page if found_page else site)
        elif found_page:
            _print_page(page)
        else:
            _print_site(site)


def _print_page(page: PageTrial) -> None:
    print(printable(page.url))
    print(f"site {page.site}, tried with {_asked(page.asked)}")
    _print_sample(page)
    for line in page.approximated:
        print(f"of this page alone: {line}")
    print(f"text: {page.chars} characters, then {page.tried_chars}")
    for block in page.blocks:
        print(f"\n  {'would come' if block.comes else 'would go'}  {printable(block.text, TEXT_CHARS)}")
        reasons = f"now {block.reason or 'no block'}, then {block.tried_reason or 'no block'}"
        print(f"      {printable(block.tried_path or block.path or '')}: {reasons}")
    if not page.blocks:
        print("nothing would change")
    _print_unmet(page.unmet, "the page")
    rows = [(field.name, _value(field.value), _value(field.tried_value)) for field in page.fields]
    section("fields", ("name", "now", "then"), rows)


def _print_site(site: SiteTrial) -> None:
    print(f"site {site.site}, tried with {_asked(site.asked)}")
    _print_sample(site)
    print(f"{site.changed} of {site.documents} documents would change")
    if site.changed:
        print(f"text: {site.gone} characters would go, {site.come} would come")
    _print_templates("would be no template any more", site.templates_gone)
    _print_templates("would be a template", site.templates_come)
    pages = [(page.gone, page.come, page.url) for page in site.pages[:SHOWN]]
    section("pages with the largest change", ("goes", "comes", "url"), pages)
    for url in site.failed:
        print(f"could not be judged: {printable(url)}")
    _print_unmet(site.unmet, "any page")
    fields = [
        (field.name, field.pages, field.tried_pages, ", ".join(map(_value, field.samples)))
        for field in site.fields
    ]
    section("fields, and the pages that have them", ("name", "now", "then", "such as"), fields)


def _print_sample(trial: PageTrial | SiteTrial) -> None:
    if trial.looked_at < trial.documents:
        print(f"estimated from {trial.looked_at} of {trial.documents} documents")


def _value(value: object) -> str:
    return "-" if value is None else printable(json.dumps(value, ensure_ascii=False), VALUE_CHARS)


def _print_unmet(selectors: Sequence[str], where: str) -> None:
    for selector in selectors:
        print(f"{printable(selector)} matches nothing on {where}")


def _print_templates(heading: str, templates: Sequence[ListedTemplate]) -> None:
    rows = [
        (row.name, row.pages, row.share, row.where, printable(row.text or "", TEXT_CHARS))
        for row in templates[:SHOWN]
    ]
    section(f"{heading}: {len(templates)}", ("name", "pages", "share", "where", "sample"), rows)
    if len(templates) > SHOWN:
        print(f"and {len(templates) - SHOWN} more: --json has all of them")


def _asked(asked: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in asked.items())
