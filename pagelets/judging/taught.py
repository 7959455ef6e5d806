"""Weights on selectors that people teach: evidence for or against content by the place of a block.

A selector is written as in CSS: tags, ``#id`` and ``.class``, joined by `` > `` (directly in) or a space
(anywhere in). It matches the blocks that lie in an element that it names. Behind it, ``@rare``, ``@some``,
``@many`` or ``@most`` takes of these the blocks whose text stands on that share of the site's pages, and
``@"Date:"`` those whose text begins so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, SupportsFloat, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.containers import Containers
    from pagelets.judging.page_facts import PageFacts
    from pagelets.page import Block

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]

CLIP: Final = 3.0
"""Log odds of the model beyond this are cut where a weight matches, so that people can overrule it."""
BANDS: Final = {"rare": 0.01, "some": 0.2, "many": 0.6, "most": np.inf}
"""Name of a support band -> the share of the site's pages below which a text is in it."""
LARGEST: Final = 20.0
"""A weight is at most so far from zero."""
LONGEST: Final = 1000
"""Characters of a selector."""
_READ: Final = 200
"""Characters of a text that its beginning is looked for in."""

NAME: Final = r"-?[^\W\d][\w-]*"
"""Tags, ids and classes that need no escapes in CSS."""
_STEP: Final = re.compile(rf"(?P<tag>\*|{NAME})?(?P<names>(?:[#.]{NAME})*)")
_NAMES: Final = re.compile(rf"([#.])({NAME})")
_BAND: Final = re.compile(r"\s*@(\w*)\s*\Z")
_BEGINNING: Final = re.compile(r'\s*@"([^"]*)"\s*\Z')
_DIRECTLY: Final = re.compile(r"\s*>\s*")
_TO_LARGE: Final = 1 << 24
"""Cells of a matrix of selectors and elements that are worked out at once."""


class WrongTaught(ValueError):
    """A selector or weight that cannot be used; the message names it and the mistake."""


class Step(NamedTuple):
    """An element that a selector names: its tag (empty for any), ids and classes; ``inner`` tells that it
    may lie anywhere in the one before, else directly in it.
    """

    tag: str
    ids: frozenset[str]
    classes: frozenset[str]
    inner: bool = True


@dataclass(slots=True, frozen=True)
class TaughtSelector:
    """A selector: its steps, the outermost first, the number of its support band, -1 for all, and the
    ``beginning`` of texts, white space joined.
    """

    steps: tuple[Step, ...]
    band: int = -1
    beginning: str = ""

    @classmethod
    def parse(cls, text: str) -> TaughtSelector:
        """Reads a selector. Raises WrongTaught."""
        shown = repr(text[:80])
        if len(text) > LONGEST:
            raise WrongTaught(f"{shown} has more than {LONGEST} characters")
        band, beginning = -1, ""
        if (match := _BEGINNING.search(text)) is not None:
            beginning, text = " ".join(match[1].split()), text[: match.start()]
            if not beginning:
                raise WrongTaught(f"{shown} is no selector that can be taught; {_MEND}")
        elif (match := _BAND.search(text)) is not None:
            if match[1] not in BANDS:
                raise WrongTaught(f"{shown}: there is no @{match[1]}; give @{', @'.join(BANDS)}")
            band, text = list(BANDS).index(match[1]), text[: match.start()]
        words = _DIRECTLY.sub(" > ", text).split()
        steps: list[Step] = []
        directly = False
        for word in words:
            if word == ">" and steps and not directly:
                directly = True
                continue
            step = _step(word, inner=not directly)
            if step is None:
                raise WrongTaught(f"{shown} is no selector that can be taught; {_MEND}")
            steps.append(step)
            directly = False
        if not steps or directly:
            raise WrongTaught(f"{shown} is no selector; {_MEND}")
        return cls(tuple(steps), band, beginning)


_MEND: Final = (
    "write one such as '.related', '#content', 'article > p.note', 'div.box @rare' or 'li @\"Date:\"'"
)


@lru_cache(4096)
def _step(word: str, *, inner: bool) -> Step | None:
    """The element that a word of a selector names; None where it names none."""
    match = _STEP.fullmatch(word)
    if match is None or not word:
        return None
    names = _NAMES.findall(match["names"])
    ids, classes = (frozenset(name for kind, name in names if kind == sign) for sign in "#.")
    tag = (match["tag"] or "").lower()
    return Step("" if tag == "*" else tag, ids, classes, inner)


class Matcher:
    """Finds the blocks of a page that selectors match.

    Args:
        containers: the elements around the page's blocks.
        evidence: what the site knows of the page.
        blocks: the blocks.

    """

    def __init__(self, containers: Containers, evidence: PageFacts, blocks: Sequence[Block]) -> None:
        self._containers = containers
        self._blocks = blocks
        self._bands = _bands(evidence, len(containers.of_block))
        self._places = {node: place for place, node in enumerate(containers.nodes.tolist())}
        self._named: dict[str, dict[str, list[int]]] = {}
        self._steps: dict[Step, Bools] = {}
        self._chains: dict[tuple[Step, ...], Bools] = {}

    def blocks(self, selectors: Sequence[TaughtSelector]) -> Bools:
        """Returns which of b blocks each of k selectors matches: bool[k, b]."""
        of_block = self._containers.of_block
        matched = np.zeros((len(selectors), len(of_block)), bool)
        # Selectors that differ in their band or beginning alone match inside the same elements.
        alike: dict[tuple[Step, ...], list[int]] = {}
        for place, selector in enumerate(selectors):
            alike.setdefault(selector.steps, []).append(place)
        size = max(1, _TO_LARGE // max(len(self._containers.nodes), 1))
        chains = list(alike)
        for start in range(0, len(chains), size):
            part = chains[start : start + size]
            wanted = np.stack([self._chain(steps) for steps in part])
            for steps, inside in zip(part, self._inside(wanted)[:, of_block], strict=True):
                matched[alike[steps]] = inside
        bands = np.array([selector.band for selector in selectors], np.int64)
        for band in np.unique(bands[bands >= 0]).tolist():
            matched[bands == band] &= self._bands == band
        for row, selector in enumerate(selectors):
            if selector.beginning:
                for place in np.flatnonzero(matched[row]).tolist():
                    matched[row, place] = self._beginnings[place].startswith(selector.beginning)
        return matched

    @cached_property
    def _beginnings(self) -> list[str]:
        return [beginning(block.text) for block in self._blocks]

    def _inside(self, wanted: Bools) -> Bools:
        """Returns true for containers that are, or lie in, one that is wanted: bool[k, n]."""
        return np.take_along_axis(wanted, self._containers.nearest(wanted), 1)

    def _chain(self, steps: tuple[Step, ...]) -> Bools:
        """Returns true for containers that are the innermost step of a selector: bool[n]."""
        innermost = self._chains.get(steps)
        if innermost is None:
            innermost = self._step(steps[-1])
            if len(steps) > 1:
                around = self._chain(steps[:-1])
                around = self._inside(around[None])[0] if steps[-1].inner else around
                innermost = innermost & around[self._containers.parent]
                # The first container is its own parent.
                innermost[:1] = False
            self._chains[steps] = innermost
        return innermost

    def _step(self, step: Step) -> Bools:
        step = step._replace(inner=True)
        mask = self._steps.get(step)
        if mask is None:
            containers = self._containers
            mask = np.ones(len(containers.nodes), bool)
            if step.tag:
                place = containers.tree.tag_places.get(step.tag, -1)
                mask &= containers.tag == place
            for kind, names in (("id", step.ids), ("class", step.classes)):
                for name in names:
                    with_name = np.zeros(len(mask), bool)
                    with_name[self._of(kind).get(name, [])] = True
                    mask &= with_name
            self._steps[step] = mask
        return mask

    def _of(self, kind: str) -> dict[str, list[int]]:
        """The containers by the names that an attribute gives them."""
        named = self._named.get(kind)
        if named is None:
            named = self._named[kind] = {}
            places = self._places
            for node, value in self._containers.tree.attribute(kind).items():
                place = places.get(node)
                if place is not None:
                    for name in value.split():
                        named.setdefault(name, []).append(place)
        return named


def beginning(text: str) -> str:
    """Returns the beginning of a text, white space joined."""
    return " ".join(text[:_READ].split())


def _bands(evidence: PageFacts, blocks: int) -> NDArray[np.int64]:
    """The support band of each block, -1 for all where the site is not known."""
    if evidence.pages <= 1:
        return np.full(blocks, -1)
    return np.searchsorted(list(BANDS.values()), evidence.blocks.shares, "right")


@dataclass(slots=True, frozen=True)
class Taught:
    """Selectors, each with its weight in log odds: above zero for content, below against.

    Raises WrongTaught where a selector or a weight cannot be used.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    _selectors: tuple[TaughtSelector, ...] = field(default=(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.weights, Mapping):
            raise TypeError(f"taught: {type(self.weights).__name__}; give weights by selector")
        for name, weight in self.weights.items():
            if not isinstance(name, str):
                raise TypeError(f"taught: {type(name).__name__}; give weights by selector")
            # Also not a number is not within.
            if not isinstance(weight, SupportsFloat) or not abs(weight) <= LARGEST:
                raise WrongTaught(
                    f"{name[:80]!r} = {weight!r}: give a weight from -{LARGEST:g} to {LARGEST:g}"
                )
        # In the order of their names: added up in another order, sums may differ by a bit.
        ordered = dict(sorted(self.weights.items()))
        object.__setattr__(self, "weights", ordered)
        object.__setattr__(self, "_selectors", tuple(map(TaughtSelector.parse, ordered)))

    def __bool__(self) -> bool:
        return bool(self._selectors)

    def hits(self, containers: Containers, evidence: PageFacts, blocks: Sequence[Block]) -> Bools:
        """Returns which blocks of a page the selectors match, as `Matcher` does, which takes the same
        ``containers``, ``evidence`` and ``blocks``: bool[k, b] of k selectors and b blocks.
        """
        if not self._selectors:
            return np.zeros((0, len(containers.of_block)), bool)
        return Matcher(containers, evidence, blocks).blocks(self._selectors)

    def likely(self, likely: Floats, hits: Bools) -> Floats:
        """Returns the probabilities of blocks, given those of the model and the `hits`.

        A block that no selector matches is as likely as before.
        """
        if not hits.any():
            return likely
        weighed = 1 / (1 + np.exp(-clipped(likely) - self.sums(hits)))
        return np.where(hits.any(axis=0), weighed, likely)

    def sums(self, hits: Bools) -> Floats:
        """Returns the sum of the weights that match each block: float64[b]."""
        return np.array(list(self.weights.values())) @ hits


NOTHING_TAUGHT: Final = Taught()


def clipped(likely: Floats) -> Floats:
    """Returns the log odds of probabilities, cut at `CLIP`."""
    least = 1 / (1 + np.exp(CLIP))
    share = np.clip(likely, least, 1 - least)
    return np.log(share / (1 - share))
