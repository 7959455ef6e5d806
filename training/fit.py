"""Fitting gradient-boosted trees on labelled blocks, and cross-validation by sites and domains."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.scoring import Score, mean, score
from pagelets.methods.judged.method import ENOUGH
from pagelets.methods.judged.model import SHARE, in_doubt
from training.corpus import ALL, SINGLE, SIZES, Corpus, Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from lightgbm import Booster
    from numpy.typing import NDArray

    from pagelets.methods.judged.model.network import Network


NONE: Final = 1
"""Evidence of one page: none."""
FOLDS: Final = 5
FEATURES: Final = 250
TREES: Final = 240
COPY: Final = 0.7
"""The weight of a page with insertions, where the page as it was found has 1."""
COPIED: Final = (0.3, 0.6, 0.1)
"""How often such a page comes with evidence of a part of its site, of the whole site, and of none."""
FIRST_TREES: Final = 80
SURE: Final = 2.0
"""A block whose log odds are beyond this after the first trees is not shown to the others."""
_SEED: Final = 1
_ROUGH_TREES: Final = 60
_ROUGH_PART: Final = 5
_SMOOTHING: Final = 2.0
_LEAST: Final = 20
"""Words that are added to a block and to a page: a block without words counts too, a short page does not
count for more than it is worth.
"""
_PARAMETERS: Final = {
    "objective": "binary",
    "learning_rate": 0.09,
    "num_leaves": 63,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.25,
    "bagging_fraction": 0.6,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "seed": _SEED,
    "deterministic": True,
    "force_col_wise": True,
    "verbose": -1,
}


@dataclass(slots=True, eq=False)
class Fitted:
    """Trees, and the names of the features that they take; the network that is asked with them, if any."""

    booster: Booster
    features: list[str]
    network: Network | None = None


BESIDE: Final = -1
"""The fold of samples that train nothing: left out of all fits."""


def folds(samples: Sequence[Sample], beside: Collection[str] = ()) -> NDArray[np.int64]:
    """Parts ``samples`` into folds: sites whole, single pages by their domain.

    Returns the fold of each sample, int64[samples]: `BESIDE` for the sites ``beside``.
    """
    shuffle = random.Random(_SEED).shuffle  # noqa: S311
    fold: dict[str, int] = {}
    for single in (True, False):
        all_domains = {sample.domain for sample in samples if (sample.corpus == SINGLE) == single}
        domains = sorted(all_domains if single else all_domains.difference(beside))
        shuffle(domains)
        fold.update((domain, place % FOLDS) for place, domain in enumerate(domains))
    return np.array([BESIDE if sample.corpus in beside else fold[sample.domain] for sample in samples])


class Rows:
    """The blocks of a corpus as rows of features.

    A single page is there once, without evidence of a site; a page of a site with evidence of the whole site,
    of a part of it, and without; that of a copy with evidence of the whole copy or of a part. Sites that are
    measured beside are not there.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.names = [*corpus.own, *corpus.site]
        self._own = len(corpus.own)
        draw = random.Random(_SEED)  # noqa: S311
        variants: list[tuple[int, int, float]] = []
        for place, sample in enumerate(corpus.samples):
            if sample.corpus in corpus.beside:
                continue
            if sample.inserted is not None:
                variants.append((place, draw.choices([*sample.site, NONE], COPIED)[0], COPY))
            elif sample.site:
                part = draw.choice(SIZES)
                variants += [(place, ALL, 1.0), (place, part, 0.6), (place, NONE, 0.3)]
            else:
                variants.append((place, NONE, 1.0))
        places, evidence, parts = zip(*variants, strict=True)
        samples = [corpus.samples[place] for place in places]
        sizes = [len(sample.texts) for sample in samples]
        self._parts = list(zip(samples, evidence, strict=True))
        self._starts = np.cumsum([0, *sizes])
        self.sample = np.repeat(places, sizes)
        self.content = np.concatenate([sample.labels.content for sample in samples])
        self.weight = np.concatenate([part * weights(one) for part, one in zip(parts, samples, strict=True)])

    def matrix(self, places: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float32]:
        """Some columns of the rows at some ``places``, in order: float32[places, columns].

        It is made when it is asked for: all columns of all rows would not fit into memory.
        """
        made = np.empty((len(places), len(columns)), np.float32)
        inside = columns < self._own
        own_columns, site = columns[inside], columns[~inside] - self._own
        bounds = places.searchsorted(self._starts)
        for part in np.flatnonzero(np.diff(bounds)).tolist():
            sample, evidence = self._parts[part]
            start, stop = bounds[part : part + 2].tolist()
            at = places[start:stop] - self._starts[part]
            made[start:stop, inside] = sample.own[np.ix_(at, own_columns)]
            known = sample.site.get(evidence)
            made[start:stop, ~inside] = np.nan if known is None else known[np.ix_(at, site)]
        return made


def weights(sample: Sample) -> NDArray[np.float64]:
    """Returns the weight of each block in its page's F1: its words by those of gold and choice."""
    words, gold = sample.labels.words, sample.labels.gold
    counted: NDArray[np.float64] = (words + _SMOOTHING) / (min(int(words.sum()), 2 * gold) + gold + _LEAST)
    return counted


def fit(rows: Rows, chosen: NDArray[np.bool_], allowed: Callable[[str], bool], threads: int) -> Fitted:
    """Trees on a part of the rows, by those features that a first, rough fit leans on.

    Args:
        rows: the blocks of a corpus.
        chosen: which of them train, bool[rows].
        allowed: whether a feature of a name may be used.
        threads: of the fit.
    """
    columns = np.array([place for place, name in enumerate(rows.names) if allowed(name)])
    places = np.flatnonzero(chosen)
    some = places[rows.sample[places] % _ROUGH_PART == 0]
    rough = _train(rows, some, columns, _ROUGH_TREES, threads)
    gains = rough.feature_importance("gain")
    columns = np.sort(columns[np.argsort(-gains, kind="stable")[:FEATURES]])
    names = [rows.names[column] for column in columns]
    return Fitted(_train(rows, places, columns, TREES, threads), names)


def _train(
    rows: Rows, places: NDArray[np.int64], columns: NDArray[np.int64], trees: int, threads: int
) -> Booster:
    # With it comes pandas: whoever asks for figures alone needs neither.
    import lightgbm as lgb

    parameters = {**_PARAMETERS, "num_threads": threads}
    matrix, content, weight = rows.matrix(places, columns), rows.content[places], rows.weight[places]
    return lgb.train(parameters, lgb.Dataset(matrix, content, weight=weight, params=parameters), trees)


def predict(fitted: Fitted, corpus: Corpus, sample: Sample, evidence: int) -> NDArray[np.float64]:
    """Returns how likely each block of a sample is content.

    Args:
        fitted: the trees.
        corpus: names the features.
        sample: the page.
        evidence: the number of pages of its site that are known.

    Returns:
        float64[b].
    """
    unknown = np.full((len(sample.texts), len(corpus.site)), np.nan, np.float32)
    matrix = np.hstack([sample.own, sample.site.get(evidence, unknown)])
    at = {name: place for place, name in enumerate([*corpus.own, *corpus.site])}
    columns = [at[name] for name in fitted.features]
    chosen = matrix[:, columns]
    # To begin threads takes ten times as long as to ask the trees of one page's blocks.
    ask = partial(fitted.booster.predict, raw_score=True, num_threads=1)
    odds = np.asarray(ask(chosen, num_iteration=FIRST_TREES), np.float64)
    unsure = np.abs(odds) <= SURE
    if unsure.any():
        odds[unsure] = ask(chosen[unsure])
    known = len(sample.site) and (evidence == ALL or evidence >= ENOUGH)
    if fitted.network is not None and not known and in_doubt(odds, sample.labels.words.astype(np.float64)):
        of_page = [column for column in columns if column < len(corpus.own)]
        odds += SHARE * (fitted.network.odds(sample.own[:, of_page], sample.tokens) - odds)
    return 1 / (1 + np.exp(-odds))


def kept_text(sample: Sample, mask: NDArray[np.bool_]) -> str:
    """The text of a choice of blocks, as a Document has it: a page is never emptied."""
    kept = [text for text, keep in zip(sample.texts, mask, strict=True) if keep and text]
    return "\n".join(kept or sample.texts)


def scored(
    samples: Iterable[tuple[Sample, NDArray[np.bool_]]], absent: Iterable[tuple[str, str, str]]
) -> dict[str, dict[str, Score]]:
    """Mean scores of choices of blocks: of each corpus over its pages, and of the types of single pages.

    ``absent`` pages of the same corpora, of which there is no text, are scored as empty. ``corpora`` has a
    mean for each corpus, ``groups`` one for each type of the single pages.
    """
    texts = [(page.corpus, page.group, kept_text(page, mask), page.gold) for page, mask in samples]
    measured = {corpus for corpus, *_ in texts}
    texts += [(corpus, group, "", gold) for corpus, group, gold in absent if corpus in measured]
    scores = {kind: defaultdict[str, list[Score]](list) for kind in ("corpora", "groups")}
    for corpus, group, text, gold in texts:
        page_score = score(text, gold)
        scores["corpora"][corpus].append(page_score)
        if corpus == SINGLE:
            scores["groups"][group].append(page_score)
    return {
        kind: {name: mean(some) for name, some in sorted(by_name.items())} for kind, by_name in scores.items()
    }
