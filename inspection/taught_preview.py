"""A preview of what other taught weights change on a site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.judging.taught import Taught
from pagelets.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from inspection.teaching import Tell
    from pagelets.judging.engine import JudgedPage
    from store.judging import StoredJudge
    from store.site import Store

LARGEST: Final = 20
"""So many of the blocks that change are named."""
STEP: Final = 300
"""After so many pages there is a preview of these."""
_HALF: Final = 0.5


class TaughtChange(NamedTuple):
    """A block that would come or go, its words, and the selector that says so (empty where none does)."""

    url: str
    text: str
    words: int
    comes: bool
    selector: str


class LosingPage(NamedTuple):
    """A page that would lose more than half of its words."""

    url: str
    words: int
    words_left: int


@dataclass(slots=True, frozen=True)
class TaughtPreview:
    """The effect of other weights on a site.

    ``documents`` counts those of the site, ``looked_at`` those that were judged, ``changed`` those that
    change; ``gone`` and ``come`` count words. These three are estimated if not all documents were judged.
    """

    documents: int
    looked_at: int
    changed: int
    gone: int
    come: int
    blocks: Sequence[TaughtChange]
    losing: Sequence[LosingPage]
    failed: Sequence[str]

    @property
    def estimated(self) -> bool:
        """True if not all documents were looked at."""
        return self.looked_at < self.documents


def preview(
    store: Store, now: StoredJudge, then: StoredJudge, pages: Sequence[int], tell: Tell
) -> TaughtPreview:
    """Judges pages as they are judged now and by other weights, and returns what changes.

    Args:
        store: the store.
        now: judges its pages as they are judged now.
        then: the same by the other weights.
        pages: the pages to look at.
        tell: called after each page.

    """
    *_, found = previews(store, now, then, pages, tell)
    return found


def previews(
    store: Store, now: StoredJudge, then: StoredJudge, pages: Sequence[int], tell: Tell
) -> Iterator[TaughtPreview]:
    """Judges pages as they are judged now and by other weights; yields what changes by the pages so far, each
    time after `STEP` of them, and at the end.

    Args:
        store: the store.
        now: judges its pages as they are judged now.
        then: the same by the other weights.
        pages: the pages to look at.
        tell: called after each page.

    """
    both = union(now.config.taught, then.config.taught)
    changes: list[TaughtChange] = []
    losing: list[LosingPage] = []
    failed: list[str] = []
    changed, documents = 0, store.documents.count()
    for done, page in enumerate(pages, 1):
        try:
            own = list(_changes(now, then, page, both, losing))
        except (OSError, MemoryError):
            raise
        except Exception as error:
            # One page that cannot be judged costs no other its place.
            failed.append(f"{store.frontier.url(page)}: {type(error).__name__}: {error}")
        else:
            changed += bool(own)
            changes += own
        tell(done, len(pages))
        if done % STEP == 0 and done < len(pages):
            yield _summed((documents, done, changed), changes, losing, failed)
    yield _summed((documents, len(pages), changed), changes, losing, failed)


def _summed(
    counts: tuple[int, int, int],
    changes: Sequence[TaughtChange],
    losing: Sequence[LosingPage],
    failed: Sequence[str],
) -> TaughtPreview:
    """The preview by documents, pages looked at, and pages that change, with their blocks."""
    documents, looked_at, changed = counts
    share = documents / max(looked_at, 1)
    gone = sum(one.words for one in changes if not one.comes)
    come = sum(one.words for one in changes if one.comes)
    largest = sorted(changes, key=lambda one: (-one.words, one.url, one.text))[:LARGEST]
    changed, gone, come = (round(count * share) for count in (changed, gone, come))
    return TaughtPreview(documents, looked_at, changed, gone, come, largest, [*losing], [*failed])


def union(one: Mapping[str, float], other: Mapping[str, float]) -> Taught:
    """Returns weights with the selectors of two."""
    return Taught({**other, **one})


def is_hit(judge: StoredJudge, page: int, taught: Taught) -> bool:
    """Returns true if a taught selector matches a block of a page.

    Args:
        judge: reads the page.
        page: the id of the page.
        taught: the selectors.

    """
    subject = judge.subject(page)
    assert subject.evidence is not None
    return bool(taught.hits(subject.containers, subject.evidence).any())


def _changes(
    now: StoredJudge, then: StoredJudge, page: int, both: Taught, losing: list[LosingPage]
) -> Iterator[TaughtChange]:
    if not is_hit(now, page, both):
        return
    judged, other = now.judge(page), then.judge(page)
    url, blocks = judged.page.url, judged.page.blocks
    words = [len(tokens(block.text)) for block in blocks]
    before, after = (_kept(words, one) for one in (judged, other))
    if after < _HALF * before:
        losing.append(LosingPage(url, before, after))
    hits = both.hits(then.subject(page).containers, other.evidence)
    for place, (was, becomes) in enumerate(zip(judged.selection.mask, other.selection.mask, strict=True)):
        if was != becomes and blocks[place].text:
            matched = [name for name, hit in zip(both.weights, hits[:, place], strict=True) if hit]
            says = _says(matched, now, then, becomes)
            yield TaughtChange(url, blocks[place].text, words[place], becomes, says)


def _kept(words: Sequence[int], judged: JudgedPage) -> int:
    return sum(count for count, keep in zip(words, judged.selection.mask, strict=True) if keep)


def _says(matched: Sequence[str], now: StoredJudge, then: StoredJudge, comes: bool) -> str:
    """Of the selectors that match a block that whose weight has changed most in the direction."""
    side = 1 if comes else -1

    def change(name: str) -> float:
        return side * (then.config.taught.get(name, 0.0) - now.config.taught.get(name, 0.0))

    best = max(matched, key=change, default="")
    return best if best and change(best) > 0 else ""
