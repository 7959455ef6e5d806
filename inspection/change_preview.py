"""A preview of what other rules of judging change on a site: what it is taught, and its settings."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Final

from inspection.structure import PageClass, classes_of_pages
from pagelets.judging.taught import Taught
from pagelets.text.words import tokens
from store.judging import StoredJudge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from inspection.teaching import Tell
    from pagelets.judging.engine import JudgedPage
    from pagelets.methods.base import Subject
    from store.site import Store

LARGEST: Final = 20
"""So many of the blocks that change are named."""
SAMPLES: Final = 3
"""The same of each class of pages."""
STEP: Final = 300
"""After so many pages there is a preview of these."""
_HALF: Final = 0.5


@dataclass(slots=True, frozen=True)
class BlockChange:
    """A block that would come or go, its words, and the taught selector that says so, or an empty text."""

    url: str
    text: str
    words: int
    comes: bool
    selector: str


@dataclass(slots=True, frozen=True)
class LosingPage:
    """A page that would lose more than half of its words."""

    url: str
    words: int
    words_left: int


@dataclass(slots=True, frozen=True)
class ClassChange:
    """The effect on a class of pages, whose addresses have a ``pattern`` in common: of ``looked_at`` pages
    ``changed`` change; ``gone`` and ``come`` count their words, ``samples`` are their largest blocks.
    """

    pattern: str
    looked_at: int
    changed: int
    gone: int
    come: int
    samples: Sequence[BlockChange]


@dataclass(slots=True, frozen=True)
class ChangePreview:
    """The effect of other rules on a site.

    ``documents`` counts those of the site, ``looked_at`` those that were judged, ``changed`` those that
    change; ``gone`` and ``come`` count words. These three are estimated if not all documents were judged.
    ``classes`` are the classes of pages with a change, those of most changed pages first.
    """

    documents: int
    looked_at: int
    changed: int
    gone: int
    come: int
    blocks: Sequence[BlockChange]
    losing: Sequence[LosingPage]
    failed: Sequence[str]
    classes: Sequence[ClassChange]

    @property
    def estimated(self) -> bool:
        """True if not all documents were looked at."""
        return self.looked_at < self.documents


def judge_with(store: Store, judge: StoredJudge, **rules: Any) -> StoredJudge:
    """Returns a judge of the pages of a store, as they were read, by other rules.

    Args:
        store: the store.
        judge: judges its pages as they are judged now.
        rules: the parameters of its `JudgeConfig` that have another value.

    """
    config = replace(judge.config, **rules, known_as="")
    return StoredJudge(store, config, recorded_with=store.derivation.selectors)


def previews(
    store: Store, now: StoredJudge, then: StoredJudge, pages: Sequence[int], tell: Tell
) -> Iterator[ChangePreview]:
    """Judges pages as they are judged now and by other rules; yields what changes by the pages so far, each
    time after `STEP` of them, and at the end.

    Args:
        store: the store.
        now: judges its pages as they are judged now.
        then: judges them by the other rules.
        pages: the pages to look at.
        tell: called after each page.

    """
    look, found = _Look(now, then), _Found(*classes_of_pages(store))
    documents = store.documents.count()
    for done, page in enumerate(pages, 1):
        try:
            own = list(look.changes(page, found.losing))
        except (OSError, MemoryError):
            raise
        except Exception as error:
            # One page that cannot be judged costs no other its place.
            found.failed.append(f"{store.frontier.url(page)}: {type(error).__name__}: {error}")
        else:
            found.note(page, own)
        tell(done, len(pages))
        if done % STEP == 0 and done < len(pages):
            yield found.summed(documents, done)
    yield found.summed(documents, len(pages))


class _Found:
    """The changes that were found so far.

    Args:
        classes: the classes of the site's pages.
        of_page: the number of the class of each page.

    """

    def __init__(self, classes: Sequence[PageClass], of_page: Mapping[int, int]) -> None:
        self._patterns = {one.number: one.pattern for one in classes}
        self._of_page = of_page
        self._pages: defaultdict[int, list[Sequence[BlockChange]]] = defaultdict(list)
        self.losing: list[LosingPage] = []
        self.failed: list[str] = []

    def note(self, page: int, changes: Sequence[BlockChange]) -> None:
        """Notes the changes of a page."""
        # A page that has come meanwhile is of no class yet.
        self._pages[self._of_page.get(page, 0)].append(changes)

    def summed(self, documents: int, looked_at: int) -> ChangePreview:
        """Returns the preview by all documents, and the number of pages that were looked at."""
        *counts, blocks = _sums([changes for own in self._pages.values() for changes in own], LARGEST)
        share = documents / max(looked_at, 1)
        changed, gone, come = (round(count * share) for count in counts)
        classes = [
            ClassChange(self._patterns.get(number, ""), len(own), *_sums(own, SAMPLES))
            for number, own in self._pages.items()
            if any(own)
        ]
        classes.sort(key=lambda one: -one.changed)
        failed = [*self.failed]
        return ChangePreview(
            documents, looked_at, changed, gone, come, blocks, [*self.losing], failed, classes
        )


def _sums(pages: Iterable[Sequence[BlockChange]], most: int) -> tuple[int, int, int, list[BlockChange]]:
    """The number of pages with a change, the words that go and come, and the largest blocks."""
    changed = [changes for changes in pages if changes]
    every = [one for changes in changed for one in changes]
    gone, come = (sum(one.words for one in every if one.comes == comes) for comes in (False, True))
    return len(changed), gone, come, nsmallest(most, every, key=lambda one: (-one.words, one.url, one.text))


def union(one: Mapping[str, float], other: Mapping[str, float]) -> Taught:
    """Returns weights with the selectors of two."""
    return Taught({**other, **one})


def is_hit(subject: Subject, taught: Taught) -> bool:
    """Returns true if a taught selector matches a block of a page."""
    assert subject.evidence is not None
    return bool(taught.hits(subject.containers, subject.evidence, subject.page.blocks).any())


class _Look:
    """Finds what changes on a page between two judges of a store."""

    def __init__(self, now: StoredJudge, then: StoredJudge) -> None:
        self._now, self._then = now, then
        self._taught = union(now.config.taught, then.config.taught)
        self._is_taught_alone = _are_equal(now, then, taught={})
        # All else that a preview is of has to do with how pages are read, or what is found on the site.
        self._is_read_once = _are_equal(now, then, taught={}, kinds=now.config.kinds)

    def changes(self, page: int, losing: list[LosingPage]) -> Iterator[BlockChange]:
        """Yields the blocks of a page that come or go; appends a page that loses much to ``losing``."""
        read_page = self._now.read(page)
        if self._is_taught_alone and not is_hit(read_page.subject, self._taught):
            return
        again = self._then.as_read(read_page) if self._is_read_once else self._then.read(page)
        judged = self._now.judge(page, read_page=read_page)
        other = self._then.judge(page, read_page=again)
        url, blocks = judged.page.url, judged.page.blocks
        words = [len(tokens(block.text)) for block in blocks]
        before, after = (_kept(words, one) for one in (judged, other))
        if after < _HALF * before:
            losing.append(LosingPage(url, before, after))
        pairs = zip(judged.selection.mask, other.selection.mask, strict=True)
        changed = [
            place for place, (was, becomes) in enumerate(pairs) if was != becomes and blocks[place].text
        ]
        if not changed:
            return
        hits = self._taught.hits(again.subject.containers, other.evidence, other.page.blocks)
        for place in changed:
            matched = [name for name, hit in zip(self._taught.weights, hits[:, place], strict=True) if hit]
            comes = other.selection.mask[place]
            says = _says(matched, self._now, self._then, comes)
            yield BlockChange(url, blocks[place].text, words[place], comes, says)


def _are_equal(now: StoredJudge, then: StoredJudge, **same: Any) -> bool:
    """True if two judges have the same rules but for those that are named."""
    fingerprints = {replace(one.config, known_as="", **same).fingerprint for one in (now, then)}
    return len(fingerprints) == 1


def _kept(words: Sequence[int], judged: JudgedPage) -> int:
    return sum(count for count, keep in zip(words, judged.selection.mask, strict=True) if keep)


def _says(matched: Sequence[str], now: StoredJudge, then: StoredJudge, comes: bool) -> str:
    """Of the selectors that match a block that whose weight has changed most in the direction."""
    side = 1 if comes else -1

    def change(name: str) -> float:
        return side * (then.config.taught.get(name, 0.0) - now.config.taught.get(name, 0.0))

    best = max(matched, key=change, default="")
    return best if best and change(best) > 0 else ""
