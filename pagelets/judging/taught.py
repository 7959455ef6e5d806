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
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, SupportsFloat, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets import loops

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
_NAMES: Final = re.compile(rf"[#.]{NAME}")
_BAND: Final = re.compile(r"\s*@(\w*)\s*\Z")
_BEGINNING: Final = re.compile(r'\s*@"([^"]*)"\s*\Z')
_DIRECTLY: Final = re.compile(r"\s*>\s*")
_TO_LARGE: Final = 1 << 24
"""Cells of a matrix of selectors and elements that are worked out at once."""


class WrongTaught(ValueError):
    """A selector or weight that cannot be used; the message names it and the mistake."""


class Step(NamedTuple):
    """An element that a selector names: its tag, ``#id`` and ``.class``, as many of these as the selector
    asks; ``inner`` tells that it may lie anywhere in the one before, else directly in it.
    """

    names: tuple[str, ...]
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
    tag = (match["tag"] or "*").lower()
    return Step((*({tag} - {"*"}), *_NAMES.findall(match["names"])), inner)


class MatchedPage(NamedTuple):
    """A page whose blocks selectors may match: the elements around them, what the site knows, the blocks."""

    containers: Containers
    evidence: PageFacts
    blocks: Sequence[Block]


def matches(pages: Sequence[MatchedPage], selectors: Sequence[TaughtSelector]) -> list[Bools]:
    """Returns of each page which of its b blocks each of k selectors matches: bool[k, b].

    Args:
        pages: the pages; of one site they are faster together.
        selectors: the selectors.

    """
    elements = _Elements(selectors)
    of_blocks = [elements.add(page.containers)[page.containers.of_block] for page in pages]
    matched = [np.zeros((len(selectors), len(of_block)), bool) for of_block in of_blocks]
    # Selectors that differ in their band or beginning alone match inside the same elements.
    alike: dict[tuple[Step, ...], list[int]] = {}
    for place, selector in enumerate(selectors):
        alike.setdefault(selector.steps, []).append(place)
    size = max(1, _TO_LARGE // len(elements))
    chains = list(alike)
    finder = _Finder(elements)
    for start in range(0, len(chains), size):
        part = chains[start : start + size]
        inside = finder.inside(np.stack([finder.chain(steps) for steps in part]))
        places = [place for steps in part for place in alike[steps]]
        chain = np.repeat(np.arange(len(part)), [len(alike[steps]) for steps in part])
        for of_page, of_block in zip(matched, of_blocks, strict=True):
            of_page[places] = inside[:, of_block][chain]
    for page, of_page in zip(pages, matched, strict=True):
        _narrow(page, selectors, of_page)
    return matched


def _narrow(page: MatchedPage, selectors: Sequence[TaughtSelector], matched: Bools) -> None:
    """Takes the blocks out again that are not in a selector's support band, or do not begin as it says."""
    of_block = _bands(page.evidence, len(page.containers.of_block))
    bands = np.array([selector.band for selector in selectors], np.int64)
    banded = bands >= 0
    matched[banded] &= of_block == bands[banded, None]
    begun = [row for row, selector in enumerate(selectors) if selector.beginning]
    beginnings = [beginning(block.text) for block in page.blocks] if begun else []
    for row in begun:
        for place in np.flatnonzero(matched[row]).tolist():
            matched[row, place] = beginnings[place].startswith(selectors[row].beginning)


class _Elements:
    """The elements around the blocks of pages, each once of those that selectors cannot tell apart: they and
    the elements around them have the same tags, ids and classes among those of the selectors.

    The first one has no element: it is the place around a page. Names are as in selectors: ``.related``.
    """

    def __init__(self, selectors: Sequence[TaughtSelector]) -> None:
        steps = {step for selector in selectors for step in selector.steps}
        self._asked = {name for step in steps for name in step.names}
        self.parents = [0]
        self.named: dict[str, list[int]] = {}
        self._names: list[list[str]] = []
        self._numbers: dict[tuple[str, ...], int] = {}
        self._of_values: dict[tuple[str, str], int] = {}
        self._places: dict[tuple[int, ...], int] = {}

    def __len__(self) -> int:
        return len(self.parents)

    def add(self, containers: Containers) -> NDArray[np.int64]:
        """Returns the places of a page's n containers: int64[n]."""
        # The last one is of a missing name.
        strings = [*containers.tree.strings, ""]
        classes, ids = containers.class_and_id
        signed = (("", containers.tag), (".", classes), ("#", ids))
        numbers = [self._numbered(sign, strings, of_nodes) for sign, of_nodes in signed]
        known, places = self._places, [0]
        for parent, *named in zip((containers.parent + 1).tolist(), *numbers, strict=True):
            # The first container is its own parent.
            key = (places[parent] if len(places) > 1 else 0, *named)
            place = known.get(key)
            if place is None:
                place = known[key] = len(self.parents)
                self.parents.append(key[0])
                for number in named:
                    for name in self._names[number]:
                        self.named.setdefault(name, []).append(place)
            places.append(place)
        return np.array(places[1:], np.int64)

    def _numbered(self, sign: str, strings: Sequence[str], of_nodes: NDArray[np.int32]) -> list[int]:
        """The number of the names that an attribute gives each element, those that selectors have."""
        values, places = np.unique(of_nodes, return_inverse=True)
        numbers = []
        for value in (strings[place] for place in values.tolist()):
            number = self._of_values.get((sign, value))
            if number is None:
                names = sorted({sign + name for name in value.split()} & self._asked)
                number = self._numbers.setdefault(tuple(names), len(self._names))
                if number == len(self._names):
                    self._names.append(names)
                self._of_values[sign, value] = number
            numbers.append(number)
        of_all: list[int] = np.array(numbers, np.int64)[places].tolist()
        return of_all


class _Finder:
    """Finds which of n elements selectors name."""

    def __init__(self, elements: _Elements) -> None:
        self._named = elements.named
        self._parent = np.array(elements.parents, np.int64)
        self._masks: dict[str, Bools] = {}
        self._chains: dict[tuple[Step, ...], Bools] = {}

    def inside(self, wanted: Bools) -> Bools:
        """Returns true for elements that are, or lie in, one that is wanted: bool[k, n]."""
        return np.take_along_axis(wanted, loops.nearest(wanted, self._parent), 1)

    def chain(self, steps: tuple[Step, ...]) -> Bools:
        """Returns true for elements that are the innermost step of a selector: bool[n]."""
        innermost = self._chains.get(steps)
        if innermost is None:
            innermost = self._step(steps[-1])
            if len(steps) > 1:
                around = self.chain(steps[:-1])
                around = self.inside(around[None])[0] if steps[-1].inner else around
                innermost &= around[self._parent]
            self._chains[steps] = innermost
        return innermost

    def _step(self, step: Step) -> Bools:
        matched = np.ones(len(self._parent), bool)
        # Around a page there is nothing that a selector could name.
        matched[0] = False
        for name in step.names:
            mask = self._masks.get(name)
            if mask is None:
                mask = self._masks[name] = np.zeros(len(matched), bool)
                mask[self._named.get(name, [])] = True
            matched &= mask
        return matched


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
        """Returns which blocks of a page the selectors match, as `matches` does, which takes a page's
        ``containers``, ``evidence`` and ``blocks``: bool[k, b] of k selectors and b blocks.
        """
        if not self._selectors:
            return np.zeros((0, len(containers.of_block)), bool)
        return matches([MatchedPage(containers, evidence, blocks)], self._selectors)[0]

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
