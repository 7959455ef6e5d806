"""Learning weights on selectors from corrected pages, and choosing the pages whose correction tells most."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pagelets.judging.taught import (
    BANDS,
    LONGEST,
    NAME,
    Bools,
    Floats,
    MatchedPage,
    TaughtSelector,
    beginning,
    clipped,
    matches,
)
from pagelets.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from pagelets.containers import Containers
    from pagelets.judging.page_facts import PageFacts
    from pagelets.methods.base import Subject, Verdict
    from pagelets.page import Block

MOST: Final = 20
"""Weights that are learned of a site."""
OTHERS: Final = 20
"""So many pages that nobody has corrected show what is to stay."""
_RIDGE: Final = 0.2
_LEAST_GAIN: Final = 0.3
_LEAST_SAID: Final = 2.0
"""Corrections of all that is at a tag path count as so many blocks at least: one on one page is followed."""
_MOST_KEYS: Final = 4000
"""Selectors that are tried."""
MOST_MATCHED: Final = 1 << 26
"""The same times all blocks: pages of tens of thousands of blocks shall not take minutes, or all memory."""
_DEEPEST: Final = 40
"""Elements around a block that make selectors, from the outermost."""
_MOST_CLASSES: Final = 16
_STEPS: Final = 50
_SURE: Final = 0.05
_TAKEN: Final = 0.3
_LABEL: Final = re.compile(r'[^\s:："@]+(?: [^\s:："@]+){0,3} ?(?::(?= |\Z)|：)')
"""A few words and a colon: lines that begin so are alike ("Next by date: TITLE")."""
_JOINED: Final = re.compile("[ #.]")
_NAMED: Final = re.compile(rf"(?!.*\d){NAME}")


@dataclass(slots=True, frozen=True, eq=False)
class TaughtPage:
    """A page whose blocks people have corrected.

    Of its b ``blocks``, ``likely`` float64[b] are the probabilities by the model; 0 or 1 where a step after
    it decides, or may decide, otherwise: weights that overrule the model at its surest overrule such a step.
    ``words`` float64[b] are the numbers of words, ``tag_paths`` uint32[b] the keys of the tag paths;
    ``labels`` int8[b] are 1 for content, 0 for other blocks, -1 for blocks that nobody spoke of.
    """

    containers: Containers
    evidence: PageFacts
    blocks: Sequence[Block]
    likely: Floats
    words: Floats
    tag_paths: NDArray[np.uint32]
    labels: NDArray[np.int8]

    @classmethod
    def of(cls, subject: Subject, verdict: Verdict, labels: ArrayLike | None = None) -> TaughtPage:
        """Returns a page as a method judges it.

        Args:
            subject: the page.
            verdict: that of the method, which was not taught.
            labels: of its b blocks; as it judges without.

        """
        page, kept, scores = subject.page, np.asarray(verdict.mask), np.asarray(verdict.scores)
        words = np.array([len(tokens(block.text)) for block in page.blocks], float)
        labels = np.asarray(kept if labels is None else labels, np.int8)
        # A step may remove what the model does: it would go again.
        by_model = (kept == (scores >= 0.5)) & (kept | (labels != 1))
        likely = np.where(by_model, scores, kept)
        return cls(subject.containers, subject.facts, page.blocks, likely, words, subject.tag_paths, labels)


class _Rows(NamedTuple):
    """All corrected blocks: offsets, labels and weights, float64[r], and which each selector matches,
    bool[k, r].
    """

    offsets: Floats
    labels: Floats
    weights: Floats
    names: list[str]
    matched: Bools


def learn(pages: Sequence[TaughtPage], others: Sequence[TaughtPage] = ()) -> dict[str, float]:
    """Returns the weights on selectors that explain the corrections best, at most `MOST`.

    Greedily takes the selector of the largest Newton gain, and fits all taken ones anew: logistic regression
    with the model's log odds as offset, and L2 regularisation. Where all is judged as people want it there is
    nothing to learn.

    Args:
        pages: the corrected pages.
        others: pages of the site that nobody has corrected, labelled as they are judged. Together they count
            as much as the corrected ones, at the tag paths alone that none of these has: what the corrections
            do not show shall stay as it is.

    """
    rows = _rows(pages, others)
    corrected = (rows.offsets >= 0) != rows.labels
    if not corrected.any():
        # Weights that make sure what is right already may take others along.
        return {}
    taken, weights = _explained(rows)
    right = _right(rows, taken, weights)
    if not right[corrected].any():
        # A short line among long ones that stay: people spoke of it alone.
        louder = np.where(corrected, np.maximum(rows.weights, _LEAST_SAID), rows.weights)
        heard = _explained(rows._replace(weights=louder))
        if _right(rows, *heard).sum() > right.sum():
            taken, weights = heard
    rounded = {
        rows.names[place]: round(float(weight), 1) for place, weight in zip(taken, weights, strict=True)
    }
    return {name: weight for name, weight in sorted(rounded.items()) if weight}


def _explained(rows: _Rows) -> tuple[list[int], Floats]:
    """Returns the places of the selectors that are taken, and their weights."""
    taken: list[int] = []
    weights: Floats = np.zeros(0)
    # A block matches few of the selectors.
    selectors, blocks = np.nonzero(rows.matched)
    while len(taken) < MOST and len(rows.names):
        odds = rows.offsets + weights @ rows.matched[taken]
        expected = _logistic(odds)
        slopes, curves = rows.weights * (rows.labels - expected), rows.weights * expected * (1 - expected)
        slope = np.bincount(selectors, slopes[blocks], len(rows.names))
        curve = np.bincount(selectors, curves[blocks], len(rows.names))
        gains = np.round(0.5 * slope**2 / (curve + _RIDGE), 9)
        gains[taken] = 0.0
        best = int(np.argmax(gains))
        if gains[best] < _LEAST_GAIN:
            break
        taken.append(best)
        weights = _fitted(rows, taken, np.append(weights, 0.0))
    return taken, weights


def _right(rows: _Rows, taken: list[int], weights: Floats) -> Bools:
    """Marks the corrected blocks that come out as people want them."""
    right: Bools = (rows.offsets + weights @ rows.matched[taken] >= 0) == rows.labels
    return right


def _logistic(odds: Floats) -> Floats:
    return 1 / (1 + np.exp(-odds))


def _fitted(rows: _Rows, taken: list[int], weights: Floats) -> Floats:
    """The weights of the taken selectors that fit best, by Newton's method."""
    # All other blocks add nothing to the sums: on large pages these are most.
    told = rows.matched[taken].any(axis=0)
    matched = rows.matched[taken][:, told].astype(np.float64)
    offsets, labels, shares = rows.offsets[told], rows.labels[told], rows.weights[told]
    for _ in range(_STEPS):
        expected = _logistic(offsets + weights @ matched)
        slope = matched @ (shares * (labels - expected)) - _RIDGE * weights
        curve = (matched * (shares * expected * (1 - expected))) @ matched.T
        step = np.linalg.solve(curve + _RIDGE * np.eye(len(weights)), slope)
        weights = weights + np.clip(step, -4, 4)
        if np.abs(step).max() < 1e-6:
            break
    return weights


def _rows(pages: Sequence[TaughtPage], others: Sequence[TaughtPage]) -> _Rows:
    """The blocks of pages that count, in an order that does not depend on that of the pages."""
    shown = [(page, page.labels >= 0, 1.0) for page in pages]
    seen = np.concatenate([np.array([], np.uint32), *(page.tag_paths for page in pages)])
    for page in others:
        unseen = ~np.isin(page.tag_paths, seen)
        shown.append((page, unseen, len(pages) * float(unseen.sum()) / (len(others) * max(len(unseen), 1))))
    blocks = sum(len(page.labels) for page, _, _ in shown)
    names = _names(pages, min(_MOST_KEYS, MOST_MATCHED // max(blocks, 1)))
    selectors = [TaughtSelector.parse(name) for name in names]
    corrected = _matched(shown[: len(pages)], selectors)
    apart = _told_apart(names, corrected)
    names, selectors = [names[place] for place in apart], [selectors[place] for place in apart]
    of_all = [*(matched[apart] for matched in corrected), *_matched(shown[len(pages) :], selectors)]
    parts = []
    for (page, known, share), matched in zip(shown, of_all, strict=True):
        if known.any():
            weight = page.words[known] + 2
            weight = share * weight / weight.mean()
            columns = [clipped(page.likely[known]), page.labels[known], weight, page.tag_paths[known]]
            parts.append((np.stack(columns), matched))
    if not parts:
        empty = np.zeros(0)
        return _Rows(empty, empty, empty, [], np.zeros((0, 0), bool))
    # Sums of numbers in another order differ by a bit, and so might what is taken.
    parts.sort(key=lambda part: part[0].tobytes() + part[1].tobytes())
    offsets, labels, weights, tag_paths = np.concatenate([columns for columns, _ in parts], axis=1)
    weights = _heard(weights, tag_paths, (offsets >= 0) != labels)
    matched = np.concatenate([matched for _, matched in parts], axis=1)
    plainest = sorted(_first(_packed(matched)).values())
    return _Rows(offsets, labels, weights, [names[place] for place in plainest], matched[plainest])


def _heard(weights: Floats, tag_paths: Floats, corrected: Bools) -> Floats:
    """The weights of blocks, where all at a tag path are corrected at least `_LEAST_SAID` together."""
    _, places = np.unique(tag_paths, return_inverse=True)
    together, agreed = np.bincount(places, weights), np.bincount(places, ~corrected)
    factors: Floats = np.where(agreed > 0, 1.0, np.maximum(_LEAST_SAID / together, 1.0))
    return weights * factors[places]


def _matched(
    shown: Sequence[tuple[TaughtPage, Bools, float]], selectors: Sequence[TaughtSelector]
) -> list[Bools]:
    """Marks those of r blocks of each page that count, which each of k selectors matches: bool[k, r]."""
    pages = [MatchedPage(page.containers, page.evidence, page.blocks) for page, _, _ in shown]
    matched = zip(matches(pages, selectors), shown, strict=True)
    return [of_page[:, known] for of_page, (_, known, _) in matched]


def _packed(matched: Bools) -> list[bytes]:
    return [row.tobytes() for row in np.packbits(matched, axis=1)]


def _first(rows: Sequence[bytes]) -> dict[bytes, int]:
    """The place of the first one of rows that are equal."""
    return {row: place for place, row in reversed(list(enumerate(rows)))}


def _told_apart(names: Sequence[str], matched: Sequence[Bools]) -> list[int]:
    """The places of those selectors that tell corrected blocks apart, given which they match, page by page:
    of those that match the same the first one, and the last one without a condition, which says most of the
    place.
    """
    if not names:
        return []
    rows = _packed(np.concatenate(matched, axis=1))
    last = {row: place for place, row in enumerate(rows) if "@" not in names[place]}
    return sorted({*_first(rows).values(), *last.values()})


def _names(pages: Sequence[TaughtPage], most: int) -> list[str]:
    """The selectors of the corrected pages, the plainest first: of those that match alike it is taken. At
    ``most`` so many, first those of blocks that were judged wrong, then those that match the most blocks.
    """
    counts: Counter[str] = Counter()
    beginnings: Counter[str] = Counter()
    of_corrected: set[str] = set()
    for page in pages:
        paths, selectors = _of_containers(page.containers)
        of_page: set[str] = set()
        for place in np.flatnonzero(page.labels >= 0).tolist():
            at = page.containers.of_block[place]
            counts.update(selectors[at])
            if (page.likely[place] >= 0.5) != page.labels[place]:
                of_corrected |= selectors[at]
            if (match := _LABEL.match(beginning(page.blocks[place].text))) is not None:
                of_page.add(f'{paths[at]} @"{match[0]}"')
        beginnings.update(of_page)
    counts.update({name: pages for name, pages in beginnings.items() if pages > 1})
    short = [name for name in counts if len(name) <= LONGEST]
    chosen = sorted(short, key=lambda name: (name not in of_corrected, -counts[name], name))[:most]
    return sorted(chosen, key=lambda name: ("@" in name, '"' in name, name.count(" "), len(name), name))


def _of_containers(containers: Containers) -> tuple[list[str], list[set[str]]]:
    """The tag path of each container, and the selectors of the blocks that lie directly in it: ids and
    classes around them, tag paths to them and what is around them, the last step, and the tag path in each
    support band.

    A tag alone is left out: all over a site it means too much (on 26 sites .9765 against .9823).
    """
    tree, parents, depths = containers.tree, containers.parent.tolist(), containers.depth.tolist()
    identifiers, classes = tree.attribute("id"), tree.attribute("class")
    named: dict[str, list[str]] = {}
    around: list[set[str]] = []
    paths: list[str] = []
    selectors: list[set[str]] = []
    for place, (node, tag) in enumerate(zip(containers.nodes.tolist(), containers.tags, strict=True)):
        parent, top = parents[place], place == 0 or tag in ("html", "body")
        identifier = identifiers.get(node, "").strip()
        identifier = identifier if _NAMED.fullmatch(identifier) else ""
        value = classes.get(node, "")
        names = named.get(value)
        if names is None:
            names = [name for name in value.split() if _NAMED.fullmatch(name)][:_MOST_CLASSES]
            named[value] = names
        here = {f".{name}" for name in names} | ({f"#{identifier}"} if identifier else set())
        step = _step(tag, [] if top else names[:2])
        last = {step} if "." in step else set()
        deep = depths[place] > _DEEPEST
        if deep:
            path = paths[parent]
        elif identifier and not top:
            path = f"#{identifier}"
        else:
            path = step if place == 0 or tag == "body" or not paths[parent] else f"{paths[parent]} > {step}"
        paths.append(path)
        here |= {path} if _JOINED.search(path) else set()
        around.append(around[parent] if deep else {*(around[parent] if place else ()), *here})
        selectors.append({*around[place], *last, *(f"{path} @{band}" for band in BANDS)})
    return paths, selectors


def _step(tag: str, names: Sequence[str]) -> str:
    return ".".join([tag if _NAMED.fullmatch(tag) or re.fullmatch(r"h[1-6]", tag) else "*", *names])


class Candidate(NamedTuple):
    """A page that may be corrected: its URL, and the tag path, words and probability of each block."""

    url: str
    paths: Sequence[int]
    words: Sequence[float]
    likely: Sequence[float]


def choose_pages(candidates: Iterable[Candidate], count: int, taught: Iterable[Candidate] = ()) -> list[str]:
    """Returns the URLs of the pages whose correction tells most, the best first.

    A tag path is worth what is in doubt there all over the site: its words times how unsure they are, by the
    words that are expected to be the page's content. A page is worth its tag paths; one that a page before
    has counts less.

    Args:
        candidates: the pages to choose from.
        count: how many pages.
        taught: pages that were corrected before.

    """
    candidates = sorted(candidates, key=lambda page: page.url)
    worth: Counter[int] = Counter()
    for page in candidates:
        words, likely = np.array(page.words, float), np.array(page.likely, float)
        doubt = words * (np.minimum(likely, 1 - likely) + _SURE) / max(float(words @ likely), 1.0)
        for path, value in zip(page.paths, doubt.tolist(), strict=True):
            worth[path] += value
    left: dict[int, float] = dict(worth)
    for page in taught:
        _take(left, page)
    chosen: list[str] = []
    waiting = {page.url: page for page in candidates}
    while waiting and len(chosen) < count:
        url = max(waiting, key=lambda url: round(sum(left[path] for path in set(waiting[url].paths)), 9))
        _take(left, waiting.pop(url))
        chosen.append(url)
    return chosen


def _take(left: dict[int, float], page: Candidate) -> None:
    for path in set(page.paths):
        left[path] = left.get(path, 0.0) * _TAKEN


def labels_of(texts: Sequence[str], lesson: Iterable[tuple[str, bool]]) -> np.ndarray:
    """Returns the labels of a page's blocks by a lesson: int8[b], -1 for blocks that it lacks.

    Equal texts are matched in their order.

    Args:
        texts: the texts of the page's blocks.
        lesson: texts, each with whether it is content.

    """
    signs: dict[str, list[bool]] = {}
    for text, keep in lesson:
        signs.setdefault(text, []).append(keep)
    counted: Counter[str] = Counter()
    labels = np.full(len(texts), -1, np.int8)
    for place, text in enumerate(texts):
        known: Sequence[bool] = signs.get(text, ())
        if counted[text] < len(known):
            labels[place] = known[counted[text]]
        counted[text] += 1
    return labels
