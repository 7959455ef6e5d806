"""``scrapy evaluate``: methods, ours and others', measured on archives with gold text."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

from crawler.commandline.base import StoreCommand, number, option, real, write_json
from crawler.commandline.output import printable, show
from crawler.configuration.checks import check_settings, registry_of
from crawler.configuration.judgement import config_for
from crawler.configuration.plan import site_name
from evaluation.corpora import ALL, TIME_LIMIT, choose, evaluate, trained
from evaluation.gold import Archive, find_archives, is_seen
from evaluation.scoring import Result, mean, summary, taught_scores
from inspection.taught_change import TaughtFiles
from inspection.teaching import read_lessons, taught_pages
from pagelets.methods import EVERYTHING, METHODS
from settings.errors import ConfigurationError
from settings.files import written
from settings.places import site_path

MEASURES: Final = {"f1": "F1", "precision": "precision", "recall": "recall"}
COSTS: Final = {"ms_per_page": "ms a page", "learning_seconds": "learning s", "memory_mb": "MB"}
COUNTS: Final = ("pages", "absent", "failed")
KINDS: Final = {"sites": "site", "groups": "kind of page"}
MARK: Final = "*"
MOST_COLUMNS: Final = 8
"""So many methods stand side by side in a table; more of them each get a line."""
SHOWN: Final = 20
"""So many pages that methods failed on are named."""


def _names(*, baseline: bool) -> str:
    return ", ".join(name for name, method in METHODS.items() if method.baseline == baseline)


class Command(StoreCommand):
    """Measures methods on archives NAME.warc.gz, or folders of them, each with NAME.gold.jsonl beside it:
    lines with id, which is the URL, and text; group names a kind of page.

    Each archive is crawled once, into a store that is thrown away, and judged from there with each method, on
    all cores. Prints F1, precision and recall of words, by site and in the mean over sites, CPU milliseconds
    a page, and the most memory that judging took. A gold page that the archive lacks counts as empty text,
    and so does one that a method fails on, or takes too long for. Sites that the model of a method was
    trained on are marked.

    --taught SITE scores the store of a site on the pages that were corrected for scrapy teach SITE.
    """

    usage = (
        "PATH... [--method NAME,NAME] [--predictions DIR] [--groups] [--nodes] [--time-limit SECONDS] "
        "| --taught SITE"
    )
    summary = "Measure methods on archives with gold text"
    examples = ("corpus/ --method judged,templates",)
    options = (
        option(
            "--method NAMES",
            f"the methods, parted by commas (default: the project's METHOD and {EVERYTHING}); {ALL} for "
            f"each that has what it needs, of {_names(baseline=False)}, and by others, where installed, "
            f"{_names(baseline=True)}; several vote: vote:NAME+NAME",
        ),
        option("--predictions DIR", "write each text as a line of DIR/METHOD/NAME.jsonl", type=Path),
        option("--groups", "print the figures by kind of page as well"),
        option(
            "--nodes",
            "print precision and recall of templates by nodes as well, beside what the gold leaves out",
        ),
        option(
            "--time-limit SECONDS",
            "a page that takes a method longer has failed (default: %(default)s); learning may take a "
            "tenth of that for each page that is learned from",
            default=f"{TIME_LIMIT:g}",
        ),
        option("--taught SITE", "score the store of a site on its corrected pages"),
        option(
            "--processes N",
            "how many crawl and judge at a time (default: as many as there are cores)",
            default="0",
        ),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Measures, and prints the tables."""
        if opts.taught is not None:
            self._taught(args, opts)
            return
        if not args:
            raise ConfigurationError(f"give an archive or a folder: {self.name} {self.usage}")
        what = "seconds, more than 0"
        opts.time_limit = real("--time-limit", opts.time_limit, what, lambda given: given > 0)
        opts.processes = number("--processes", opts.processes)
        check_settings(self.project)
        registry = registry_of(self.project)
        asked = opts.method.split(",") if opts.method is not None else [self.project["METHOD"], EVERYTHING]
        methods, left_out = choose(asked, registry)
        if left_out:
            self.say(f"left out: {'; '.join(left_out.values())}")
        trainings = trained(methods, registry)
        archives = find_archives(map(Path, args))
        figures = {
            method: summary(results) for method, results in self._results(archives, methods, opts).items()
        }
        for name, training in trainings.items():
            for archive in archives:
                figures[name]["sites"][archive.name]["seen"] = is_seen(archive, training.hosts)
        if opts.json:
            write_json(figures)
        else:
            _print(figures, {name: training.card for name, training in trainings.items()}, groups=opts.groups)

    def _taught(self, args: list[str], opts: argparse.Namespace) -> None:
        """Scores a site's store on its corrected pages."""
        if args or opts.method is not None or opts.predictions is not None:
            raise ConfigurationError("--taught goes without archives, --method and --predictions")
        site = site_name(opts.taught)
        path = TaughtFiles(site_path(site, self.project)).lessons
        pages = taught_pages(read_lessons(path))
        with self.snapshot(site) as store:
            if not pages:
                raise ConfigurationError(
                    f"{path}: no page of {site!r} was corrected; scrapy teach {site} does that"
                )
            scores = taught_scores(store, self.judge_of(store), pages)
        scored = [score for score in scores.values() if score is not None]
        average = mean(scored) if scored else None
        rows = [{"url": url, **(score._asdict() if score else {"f1": None})} for url, score in scores.items()]
        cells = [(*(score or (None,) * 3), url) for url, score in scores.items()]
        cells += [(*average, "mean")] if average else []
        value = {"site": site, **(average._asdict() if average else {"f1": None}), "pages": rows}
        self.answer(opts, (*MEASURES.values(), "url"), cells, value)

    def _results(
        self, archives: Sequence[Archive], methods: Sequence[str], opts: argparse.Namespace
    ) -> dict[str, list[Result]]:
        """Returns the results of each method, in the order of the archives."""
        judged: dict[tuple[str, str], Result] = {}
        pages = len(methods) * sum(len(archive.gold) for archive in archives)
        with (
            self.progress(pages, "pages judged") as progress,
            closing(
                evaluate(
                    archives,
                    methods,
                    partial(config_for, settings=self.project),
                    opts.set,
                    texts=opts.predictions is not None,
                    nodes=opts.nodes,
                    time_limit=opts.time_limit,
                    processes=opts.processes,
                    tell=progress.at,
                )
            ) as results,
        ):
            for result in results:
                judged[result.method, result.archive] = result
                if opts.predictions is not None:
                    _write_predictions(opts.predictions, result)
        return {method: [judged[method, archive.name] for archive in archives] for method in methods}


def _write_predictions(folder: Path, result: Result) -> None:
    place = folder / result.method
    place.mkdir(parents=True, exist_ok=True)
    with written(place / f"{result.archive}.jsonl") as file:
        for page in result.pages:
            if page.text is not None:
                write_json({"url": page.gold.url, "text": page.text}, file)


def _print(figures: Mapping[str, dict[str, Any]], cards: Mapping[str, str], *, groups: bool) -> None:
    many = len(figures) > MOST_COLUMNS
    for kind, title in KINDS.items() if groups else [("sites", KINDS["sites"])]:
        if not many:
            for measure, name in MEASURES.items():
                _print_by_site(f"{name} by {title}", figures, kind, measure)
                _print_marks(figures, cards, kind)
        elif groups:
            _print_by_method(f"by {title}", figures, kind)
            _print_marks(figures, cards, kind)
        else:
            _print_seen(figures, cards)
    _print_failures(figures)
    _print_nodes(figures)
    print("mean over sites")
    show(
        ("method", *MEASURES.values(), *COSTS.values(), *COUNTS),
        [
            (method, *(row[name] for name in (*MEASURES, *COSTS, *COUNTS)))
            for method, row in sorted(figures.items(), key=lambda item: -item[1]["f1"] if many else 0)
        ],
    )


def _print_by_site(title: str, figures: Mapping[str, dict[str, Any]], kind: str, measure: str) -> None:
    """A table of one measure: a line for each site, a column for each method."""
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


def _print_by_method(title: str, figures: Mapping[str, dict[str, Any]], kind: str) -> None:
    """A table of all measures: a line for each site and method."""
    print(title)
    show(
        (kind[:-1], "method", *MEASURES.values(), *COUNTS),
        [
            (
                f"{name} {MARK}" if row.get("seen") else name,
                method,
                *(row[measure] for measure in (*MEASURES, *COUNTS)),
            )
            for name in next(iter(figures.values()))[kind]
            for method, by_kind in figures.items()
            for row in [by_kind[kind][name]]
        ],
    )


def _print_marks(figures: Mapping[str, dict[str, Any]], cards: Mapping[str, str], kind: str) -> None:
    for name, card in cards.items():
        if kind == "sites" and any(site["seen"] for site in figures[name]["sites"].values()):
            note = f"the model of `{name}` was trained on pages of this site: see its data card, {card}"
            print(f"{MARK} {note}")
    print()


def _print_seen(figures: Mapping[str, dict[str, Any]], cards: Mapping[str, str]) -> None:
    """Prints notes on the figures of a model that the tables by site lack."""
    for name, card in cards.items():
        sites = figures[name]["sites"].values()
        if count := sum(site["seen"] for site in sites):
            note = f"the model of `{name}` was trained on pages of {count} of these {len(sites)} sites"
            print(f"{note}: see its data card, {card}\n")


def _print_nodes(figures: Mapping[str, dict[str, Any]]) -> None:
    """Prints the agreement on the nodes of templates of the methods that have it."""
    scores = {method: row["nodes"] for method, row in figures.items() if row["nodes"]}
    if scores:
        print("nodes of templates, mean over sites")
        rows = [(method, *(score[name] for name in MEASURES)) for method, score in scores.items()]
        show(("method", *MEASURES.values()), rows)
        print()


def _print_failures(figures: Mapping[str, dict[str, Any]]) -> None:
    failures = [(method, failure) for method, row in figures.items() for failure in row["failures"]]
    for method, failure in failures[:SHOWN]:
        print(f"{method} failed on {printable(failure['url'])}: {printable(failure['error'])}")
    if len(failures) > SHOWN:
        print(f"and {len(failures) - SHOWN} more: --json has all of them")
    if failures:
        print()
