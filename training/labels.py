"""Which blocks of a page are its main text: the alignment of its blocks with gold text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz.distance import LCSseq

from pagelets.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_LARGEST: Final = 400_000_000
"""Cells of an alignment's matrix. Beyond it, words are compared without their order."""
_ROUNDS: Final = 4
_ENOUGH: Final = 0.9
"""The part of the gold's words in a block that one in its place must have."""
_NEAR: Final = 6
"""Blocks before and behind one that count as around it."""
_MARGIN: Final = 0.2
"""So much more content must be around another block than around an equal one that the alignment found."""


@dataclass(slots=True, eq=False)
class Labels:
    """What gold text says of a page's b blocks: ``content`` bool[b]; ``words`` int64[b], the tokens of each;
    ``found`` float64[b], the share of them that the alignment finds in the gold; ``gold`` its tokens.
    """

    content: NDArray[np.bool_]
    words: NDArray[np.int64]
    found: NDArray[np.float64]
    gold: int


def label(texts: Sequence[str], gold: str) -> Labels:
    """Aligns the texts of a page's blocks with its gold text.

    The longest common subsequence of words says how much of each block the gold has; a block is content where
    that is at least half. For words that occur both in the main text and around it, the alignment may have
    taken the wrong ones. So a block with further words, as the trail to a page, gives way to one that has
    those of the gold alone, as its title; then blocks change sides one by one, as long as the page's F1
    grows; and of equal blocks those are content that have the most of it around them.
    """
    of_block = [tokens(text) for text in texts]
    wanted = tokens(gold)
    sizes = np.array([len(words) for words in of_block], np.int64)
    shares = _found(of_block, wanted) / np.maximum(sizes, 1)
    content = (shares >= 0.5) & (sizes > 0)
    _exchange(content, of_block, shares, wanted)
    _improve(content, [Counter(words) for words in of_block], Counter(wanted))
    _settle(content, of_block)
    return Labels(content, sizes, shares, len(wanted))


def label_copy(
    texts: Sequence[str], gold: str, inserted: NDArray[np.bool_], content: NDArray[np.bool_]
) -> Labels:
    """The labels of a page with insertions, which the alignment does not see.

    Args:
        texts: of the page's b blocks.
        gold: the gold text of the page as it was found.
        inserted: which blocks are inserted boilerplate, bool[b].
        content: which blocks are inserted content, bool[b].
    """
    sizes = np.array([len(tokens(text)) for text in texts], np.int64)
    both = inserted | content
    labels = label(["" if skip else text for text, skip in zip(texts, both.tolist(), strict=True)], gold)
    return Labels(
        labels.content | (content & (sizes > 0)), sizes, np.where(content, 1.0, labels.found),
        labels.gold + int(sizes[content].sum()),
    )  # fmt: skip


def _found(of_block: Sequence[list[str]], wanted: list[str]) -> NDArray[np.float64]:
    """How many words of each block the alignment finds."""
    counts = np.zeros(len(of_block))
    numbers: dict[str, int] = {}
    gold = [numbers.setdefault(word, len(numbers)) for word in wanted]
    pairs = [
        (numbers[word], place) for place, words in enumerate(of_block) for word in words if word in numbers
    ]
    if len(pairs) * len(gold) > _LARGEST:
        bag = Counter(wanted)
        return np.array([(Counter(words) & bag).total() for words in of_block], np.float64)
    for operation in LCSseq.opcodes([number for number, _ in pairs], gold):
        if operation.tag == "equal":
            for place in range(operation.src_start, operation.src_end):
                counts[pairs[place][1]] += 1
    return counts


def _exchange(
    content: NDArray[np.bool_],
    of_block: Sequence[list[str]],
    shares: NDArray[np.float64],
    wanted: Sequence[str],
) -> None:
    """Exchanges blocks that have more than the gold's words for others that have these alone."""
    gold = f" {' '.join(wanted)} "
    others: dict[str, list[int]] = {}
    for place in np.flatnonzero(~content).tolist():
        if (words := of_block[place]) and f" {' '.join(words)} " in gold:
            others.setdefault(words[0], []).append(place)
    for place in np.flatnonzero(content & (shares < 1)).tolist():
        words, found = of_block[place], shares[place] * len(of_block[place])
        for start, word in enumerate(words):
            inner = next(
                (
                    other
                    for other in others.get(word, ())
                    if _ENOUGH * found <= len(of_block[other]) < len(words)
                    and words[start : start + len(of_block[other])] == of_block[other]
                ),
                None,
            )
            if inner is not None:
                content[[place, inner]] = False, True
                break


def _improve(content: NDArray[np.bool_], bags: Sequence[Counter[str]], gold: Counter[str]) -> None:
    kept: Counter[str] = Counter()
    for place in np.flatnonzero(content).tolist():
        kept.update(bags[place])
    common, size, wanted = (kept & gold).total(), kept.total(), gold.total()
    for _ in range(_ROUNDS):
        changed = False
        for place, bag in enumerate(bags):
            words = bag.total()
            if not words:
                continue
            if content[place]:
                gain = -sum(
                    min(kept[word], gold[word]) - min(kept[word] - times, gold[word])
                    for word, times in bag.items()
                )
                words = -words
            else:
                gain = sum(max(0, min(times, gold[word] - kept[word])) for word, times in bag.items())
                if 2 * gain < words:
                    continue
            if (common + gain) * (size + wanted) > common * (size + words + wanted):
                content[place] = not content[place]
                kept.update(bag) if words > 0 else kept.subtract(bag)
                common, size, changed = common + gain, size + words, True
        if not changed:
            return


def _settle(content: NDArray[np.bool_], of_block: Sequence[list[str]]) -> None:
    """Of equal blocks, as many as were, but those that have the largest share of content around them."""
    equal: dict[tuple[str, ...], list[int]] = {}
    for place, words in enumerate(of_block):
        equal.setdefault(tuple(words), []).append(place)
    sizes = np.array([len(words) for words in of_block], np.float64)
    before = content.copy()
    for places in equal.values():
        kept = before[places]
        if sizes[places[0]] and kept.any() and not kept.all():
            others = sizes.copy()
            others[places] = 0.0
            around = np.array([_around(before, others, place) for place in places])
            # Where there is little between them, the alignment knows better.
            order = np.argsort(-around - _MARGIN * kept, kind="stable")
            content[places] = False
            content[np.array(places)[order[: int(kept.sum())]]] = True


def _around(content: NDArray[np.bool_], sizes: NDArray[np.float64], place: int) -> float:
    """The share of content in the words around a block."""
    near = slice(max(place - _NEAR, 0), place + 1 + _NEAR)
    return float(sizes[near] @ content[near] / max(sizes[near].sum(), 1.0))
