"""``scrapy evaluate``: methods, ours and others', measured on archives with gold text."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from crawler.commandline.base import StoreCommand, write_json, written
from crawler.commandline.tables import show
from crawler.configuration.checks import check_settings
from crawler.configuration.judgement import detector_for
from evaluation.corpora import (
    check_methods,
    evaluate,
    find_archives,
    is_seen,
    summary,
    trained,
)
from pagelets.methods import EVERYTHING, METHODS
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from evaluation.corpora import Result

MEASURES = {"f1": "F1", "precision": "precision", "recall": "recall"}
MARK = "*"


class Command(StoreCommand):
    """Measures methods on archives NAME.warc.gz, or folders of them, each with NAME.gold.jsonl beside it:
    lines with id, which is the URL, and text; group names a kind of page.

    Each archive is crawled once, into a store that is thrown away, and judged from there with each method.
    Prints F1, precision and recall of words, by site and in the mean over sites, and CPU milliseconds a page.
    A gold page that the archive lacks counts as empty text. Sites that the model of a method was trained on
    are marked.
    """

    def syntax(self) -> str:
        """What the command takes."""
        return "PATH... [--method NAME,NAME] [--predictions DIR] [--groups]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Measure methods on archives with gold text"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds what to measure and what to write."""
        super().add_options(parser)
        parser.add_argument(
            "--method",
            metavar="NAMES",
            help=f"the methods, parted by commas (default: the project's METHOD and {EVERYTHING}); there are "
            f"{_names(baseline=False)}, and by others, where installed, {_names(baseline=True)}; several "
            "vote: vote:NAME+NAME",
        )
        parser.add_argument(
            "--predictions",
            metavar="DIR",
            type=Path,
            help="write each text as a line of DIR/METHOD/NAME.jsonl",
        )
        parser.add_argument("--groups", action="store_true", help="print the figures by kind of page as well")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Measures, and prints the tables."""
        if not args:
            raise ConfigurationError(f"give an archive or a folder: {self.name} {self.syntax()}")
        settings = self.project
        check_settings(settings)
        asked = opts.method.split(",") if opts.method is not None else [settings["METHOD"], EVERYTHING]
        methods = check_methods(asked)
        detector = partial(detector_for, settings=settings)
        nosnippet = settings.getbool("NOSNIPPET_ENABLED")
        trainings = trained(methods)
        archives = find_archives(map(Path, args))
        # What an extractor has to say about a page shows in its figures.
        for package in ("trafilatura", "htmldate", "readability"):
            logging.getLogger(package).setLevel(logging.CRITICAL)
        results: dict[str, list[Result]] = {method: [] for method in methods}
        with Console(stderr=True).status("") as status:
            for number, archive in enumerate(archives, 1):
                status.update(f"{archive.name}, {number} of {len(archives)}")
                for result in evaluate(archive, methods, detector, opts.set, nosnippet=nosnippet):
                    results[result.method].append(result)
                    if opts.predictions is not None:
                        _write_predictions(opts.predictions, result)
        figures = {method: summary(results[method]) for method in methods}
        for name, training in trainings.items():
            for archive in archives:
                figures[name]["sites"][archive.name]["seen"] = is_seen(archive, training.hosts)
        if opts.json:
            write_json(figures)
        else:
            _print(figures, {name: training.card for name, training in trainings.items()}, groups=opts.groups)


def _names(*, baseline: bool) -> str:
    return ", ".join(name for name, method in METHODS.items() if method.baseline == baseline)


def _write_predictions(folder: Path, result: Result) -> None:
    place = folder / result.method
    place.mkdir(parents=True, exist_ok=True)
    with written(place / f"{result.archive}.jsonl") as file:
        for page in result.pages:
            if page.text is not None:
                write_json({"url": page.gold.url, "text": page.text}, file)


def _print(figures: dict[str, dict[str, Any]], cards: dict[str, str], *, groups: bool) -> None:
    for measure, title in MEASURES.items():
        _print_rows(f"{title} by site", figures, "sites", measure)
        for name, card in cards.items():
            if any(site["seen"] for site in figures[name]["sites"].values()):
                told = f"the model of `{name}` was trained on pages of this site: see its data card, {card}"
                print(f"{MARK} {told}")
        print()
        if groups:
            _print_rows(f"{title} by kind of page", figures, "groups", measure)
            print()
    print("mean over sites")
    show(
        ("method", *MEASURES.values(), "ms a page", "pages", "absent", "failed"),
        [
            (method, *(row[name] for name in (*MEASURES, "ms_per_page", "pages", "absent", "failed")))
            for method, row in figures.items()
        ],
    )


def _print_rows(title: str, figures: dict[str, dict[str, Any]], kind: str, measure: str) -> None:
    first: dict[str, dict[str, Any]] = next(iter(figures.values()))[kind]
    seen = {name for method in figures.values() for name, row in method[kind].items() if row.get("seen")}
    rows: list[Sequence[object]] = [
        (
            f"{name} {MARK}" if name in seen else name,
            row["pages"],
            *(method[kind][name][measure] for method in figures.values()),
        )
        for name, row in first.items()
    ]
    if kind == "sites":
        pages = sum(row["pages"] for row in first.values())
        rows.append(("mean over sites", pages, *(method[measure] for method in figures.values())))
    print(title)
    show((kind[:-1], "pages", *figures), rows)
