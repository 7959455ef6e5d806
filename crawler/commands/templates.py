"""``scrapy templates``: what a site repeats."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.commandbase import StoreCommand, write_json, written
from crawler.judgement import stored_k
from crawler.tables import printable, show
from pagelets.page import build, parse
from pagelets.partition import partition

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from store.site import Store
    from store.templates import Template

SAMPLE_CHARS = 80


class Command(StoreCommand):
    """Lists the templates of a site, those on most pages first: id, state, on how many pages and which share
    of them, the DOM path and the text of a sample.

    With --json or --export the text is whole and the sample's URL is given, one JSON object a line.
    """

    def syntax(self) -> str:
        """What the command takes."""
        return "SITE [--export FILE]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "List the templates of a site"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds where to export to."""
        super().add_options(parser)
        parser.add_argument("--export", metavar="FILE", help="write the templates to FILE as JSON lines")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prints the templates, or writes them to a file."""
        with self.snapshot(self.one_argument(args)) as store:
            rows = _rows(store, stored_k(store, self.project))
        if opts.export:
            with written(Path(opts.export)) as file:
                for row in rows:
                    write_json(row, file)
        if opts.json:
            for row in rows:
                write_json(row)
        elif not opts.export:
            show(
                ("id", "state", "pages", "share", "where", "sample"),
                [
                    (row["id"], row["state"], row["pages"], row["share"], row["where"], _sample(row["text"]))
                    for row in rows
                ],
            )


def _sample(text: str | None) -> str | None:
    return None if text is None else printable(text, SAMPLE_CHARS)


def _rows(store: Store, k: int) -> list[dict[str, Any]]:
    templates = list(store.templates.all())
    samples = _samples(store, templates, k)
    rows = []
    for template in templates:
        where, text = samples.get(template.template, (None, None))
        rows.append(
            {
                "id": template.template,
                "state": template.state,
                "pages": template.pages,
                "share": template.share,
                "where": where,
                "text": text,
                "sample_url": store.frontier.url(template.sample_page),
                "algorithm": template.algorithm,
                "first_run": template.first_run,
                "last_run": template.last_run,
            }
        )
    return rows


def _samples(store: Store, templates: Iterable[Template], k: int) -> dict[int, tuple[str, str]]:
    """Template -> path and text of its sample, without those whose sample page has changed since."""
    on_page: dict[int, list[Template]] = defaultdict(list)
    for template in templates:
        on_page[template.sample_page].append(template)
    samples = {}
    for page_id, sampled in on_page.items():
        paths = {
            template: store.pages.path(page_id, template.sample_position, template.sketch)
            for template in sampled
        }
        if not any(paths.values()):
            continue
        page = build(parse(store.bodies.get(page_id).text()), store.frontier.url(page_id))
        pagelets = partition(page, k)
        for template, path in paths.items():
            if path is not None:
                pagelet = pagelets[template.sample_position]
                blocks = page.blocks[pagelet.start : pagelet.stop]
                samples[template.template] = path, "\n".join(block.text for block in blocks if block.text)
    return samples
