"""Trains the judgement of blocks, and measures it: `python -m training --corpora FOLDER`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import numpy as np

import pagelets.methods.judged.model
from benchmarks import corpora
from pagelets.methods import DEFAULT
from pagelets.methods.judged.choice import choose_own, repeats
from pagelets.methods.judged.consensus import Consensus
from pagelets.methods.judged.joint import joined
from settings.errors import ConfigurationError
from training.corpus import ALL, SINGLE, SIZES, Corpus, Sample, read
from training.export import group_of, write
from training.fit import BESIDE, NONE, Fitted, Rows, fit, folds, kept_text, predict, scored
from training.network import fit_network
from training.report import Figures, card, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray


FOLDER: Final = Path(pagelets.methods.judged.model.__file__).parent
_KINDS: Final[dict[str, Callable[[str], bool]]] = {
    DEFAULT: bool,
    "without looks": lambda name: group_of(name) == "support",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, and writes the model's files unless told not to."""
    options = _parser().parse_args(arguments)
    folder = corpora.folder(options)
    try:
        corpus = read(folder, options.beside)
    except ConfigurationError as error:
        sys.exit(str(error))
    _say(f"{len(corpus.samples):,} pages, {len(corpus.own) + len(corpus.site)} features")
    rows = Rows(corpus)
    figures = _measure(corpus, rows, options.threads, options.predictions)
    print(table(figures))
    if options.figures is not None:
        written = {name: asdict(of_way) for name, of_way in figures.items()}
        options.figures.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    if options.measure:
        return
    fold = folds(corpus.samples, corpus.beside)
    fitted = _fitted(corpus, rows, fold != BESIDE, DEFAULT, options.threads)
    trained = [sample for sample in corpus.samples if sample.corpus not in corpus.beside]
    hosts = {urlsplit(sample.url).netloc for sample in trained}
    write(fitted, corpus.meanings, sorted(hosts), options.folder)
    sizes = {
        "trees": fitted.booster.num_trees(), "features": len(fitted.features),
        "blocks": sum(len(sample.texts) for sample in trained),
    }  # fmt: skip
    date = datetime.now(UTC).date().isoformat()
    (options.folder / "CARD.md").write_text(card(corpus, figures, date, sizes), encoding="utf-8")
    _say(f"written: {options.folder}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    corpora.add_argument(parser)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the model's files go")
    parser.add_argument(
        "--beside", type=lambda names: names.split(","), default=[], metavar="SITE,SITE",
        help="sites that train nothing and choose nothing: measured with what all others have trained",
    )  # fmt: skip
    parser.add_argument("--measure", action="store_true", help="measure only, and write no model")
    parser.add_argument(
        "--predictions", type=Path, help="write the texts of pages that were left out as FOLDER/NAME.jsonl"
    )
    parser.add_argument("--figures", type=Path, help="write the figures as JSON")
    parser.add_argument(
        "--threads", type=int, default=2, help="threads of the fit; another number may round differently"
    )
    return parser


def _measure(corpus: Corpus, rows: Rows, threads: int, predictions: Path | None) -> dict[str, Figures]:
    """Figures by cross-validation: of all evidence, of parts of it, and by pages of the site seen."""
    fold = folds(corpus.samples, corpus.beside)
    evidence = {DEFAULT: ALL, "without site evidence": NONE}
    evidence.update((f"{size} pages of the site", size) for size in SIZES)
    choices: dict[str, list[tuple[Sample, NDArray[np.bool_]]]] = {}
    for number in np.unique(fold).tolist():
        left_out = [
            corpus.samples[place]
            for place in np.flatnonzero(fold == number)
            if corpus.samples[place].inserted is None
        ]
        for kind in _KINDS:
            fitted = _fitted(corpus, rows, (fold != number) & (fold != BESIDE), kind, threads)
            if kind == DEFAULT:
                for name, size in evidence.items():
                    judged = [sample for sample in left_out if sample.site or name == DEFAULT]
                    choices.setdefault(name, []).extend(_together(fitted, corpus, judged, size))
                choices.setdefault("without the page-level view", []).extend(
                    (sample, predict(fitted, corpus, sample, ALL) >= 0.5) for sample in left_out
                )
            else:
                of_sites = [sample for sample in left_out if sample.site]
                choices.setdefault(kind, []).extend(_together(fitted, corpus, of_sites, ALL))
        _say(f"{'beside' if number == BESIDE else f'fold {number + 1}'}: {len(left_out)} pages left out")
    if predictions is not None:
        _write_predictions(predictions, choices[DEFAULT])
    return {
        name: Figures.of(scored(chosen, corpus.absent), corpus.beside) for name, chosen in choices.items()
    }


def _fitted(corpus: Corpus, rows: Rows, chosen: NDArray[np.bool_], kind: str, threads: int) -> Fitted:
    """Fits trees to some pages (bool[samples]), and the network that is asked with the default ones."""
    fitted = fit(rows, chosen[rows.sample], _KINDS[kind], threads)
    if kind == DEFAULT:
        of_page = [name for name in fitted.features if group_of(name) != "support"]
        fitted.network = fit_network(corpus, chosen, of_page)
    return fitted


def _together(
    fitted: Fitted, corpus: Corpus, samples: Sequence[Sample], evidence: int
) -> Iterator[tuple[Sample, NDArray[np.bool_]]]:
    """Yields pages with the blocks chosen as `pagelets.methods.judged.method` chooses them.

    The pages of a site are in a consensus where all of them are known, not where a part is.

    Args:
        fitted: the trees.
        corpus: names the features.
        samples: the pages, in the order of their sites.
        evidence: the number of pages of their sites that are known.

    """
    for _, pages in groupby(samples, key=lambda sample: sample.corpus):
        judged = []
        for sample in pages:
            words = sample.labels.words.astype(np.float64)
            likely = joined(predict(fitted, corpus, sample, evidence), words, sample.joints)
            judged.append((sample, words, likely))
        known = judged if evidence == ALL and judged[0][0].site else []
        consensus = Consensus.of((sample.tag_paths, likely, words) for sample, words, likely in known)
        for sample, words, likely in judged:
            mask = choose_own(consensus.agreed(likely, sample.tag_paths)[0], words, sample.never)
            yield sample, mask if evidence in sample.site else mask & ~repeats(sample.texts, words, mask)


def _write_predictions(folder: Path, choices: Sequence[tuple[Sample, NDArray[np.bool_]]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines: dict[str, list[str]] = {}
    for sample, mask in choices:
        name = "dev" if sample.corpus == SINGLE else sample.corpus
        lines.setdefault(name, []).append(json.dumps({"url": sample.url, "text": kept_text(sample, mask)}))
    for name, predictions in lines.items():
        (folder / f"{name}.jsonl").write_text("\n".join(predictions) + "\n", encoding="utf-8")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
