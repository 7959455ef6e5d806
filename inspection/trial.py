"""Trying out: what would change if a page, or a whole site, were judged in another way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from heapq import nsmallest
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from inspection.pages import sample_around, sample_of
from inspection.scratch import Tell, Trial, Tried, judged_alone, tried
from inspection.templates import ListedTemplate, list_templates
from pagelets.judging.decisions import REJECTED
from pagelets.partitions import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from inspection.pages import FoundPage, JudgeIn
    from pagelets.judging.engine import JudgedPage
    from store.site import Store

LARGEST: Final = 20
SAMPLES: Final = 3
"""So many of the pages that change are named."""


@dataclass(slots=True, frozen=True)
class ChangedBlock:
    """A block that would come or go: the paths of its pagelet and its reasons, now and then; None if one of
    the two readings of the page lacks it.
    """

    text: str
    comes: bool
    path: str | None
    tried_path: str | None
    reason: str | None
    tried_reason: str | None


@dataclass(slots=True, frozen=True)
class TriedValue:
    """A field of a page: its value, and the one that it would have."""

    name: str
    value: Any
    tried_value: Any


@dataclass(slots=True, frozen=True)
class TriedField:
    """A field of a site: how many pages have it, and how many would; some of the values that these have."""

    name: str
    pages: int
    tried_pages: int
    samples: Sequence[Any]


@dataclass(slots=True, frozen=True)
class PageTrial:
    """A page as it is judged and as it would be; characters of its text, and the blocks that change.
    ``unmet`` are the selectors of the trial that match nothing on the page, ``fields`` its values where other
    fields are tried. The site has so many ``documents``, of which ``looked_at`` say what it repeats;
    ``approximated`` says in words what is estimated where the page alone was judged.
    """

    url: str
    site: str
    asked: Mapping[str, Any]
    documents: int
    looked_at: int
    chars: int
    tried_chars: int
    blocks: Sequence[ChangedBlock]
    unmet: Sequence[str]
    fields: Sequence[TriedValue]
    approximated: Sequence[str] = ()


@dataclass(slots=True, frozen=True)
class ChangedPage:
    """A page whose document would change, and how many characters of it would go and come."""

    url: str
    gone: int
    come: int


@dataclass(slots=True, frozen=True)
class SiteTrial:
    """A site as it is judged and as it would be: how many of its documents change, how many characters of
    them would go and come, which templates would, and the pages that change most. ``failed`` are pages that
    could not be judged, ``unmet`` the selectors of the trial that match nothing on any page, ``fields`` those
    of the trial where other ones are tried. If not all documents were ``looked_at``, what changes, goes and
    comes is estimated; templates and fields are counted over the pages that were.
    """

    site: str
    asked: Mapping[str, Any]
    documents: int
    looked_at: int
    changed: int
    gone: int
    come: int
    templates_gone: Sequence[ListedTemplate]
    templates_come: Sequence[ListedTemplate]
    pages: Sequence[ChangedPage]
    failed: Sequence[str]
    unmet: Sequence[str]
    fields: Sequence[TriedField]


class _Block(NamedTuple):
    """A block of a judged page; it has its text alone where the page was read without it."""

    text: str
    kept: bool = False
    path: str | None = None
    reason: str | None = None


def try_page(
    store: Store,
    judge_in: JudgeIn,
    trial: Trial,
    found_page: FoundPage,
    tell: Tell,
    sample: int | None = None,
) -> PageTrial:
    """Returns the changes of a page.

    Args:
        store: the store.
        judge_in: makes a judge of a store's pages by the present rules.
        trial: the new rules.
        found_page: the page, which has a document.
        tell: called with the progress.
        sample: so many pages, the page among them, stand for a larger site; None for all. With 1 the page
            alone is judged, at once and without a copy: the other pages count as they are.

    Raises as `inspection.scratch.tried` does, and with ``sample`` 1 as `inspection.scratch.judged_alone`.
    """
    page, documents = found_page.known.page, store.documents.count()
    approximated: Sequence[str] = ()
    looked_at = documents
    if sample == 1:
        with store.snapshot():
            before, judged, approximated = judged_alone(store, judge_in(store), trial, found_page)
    else:
        pages = sample_around(store, page, sample) if sample and sample < documents else None
        looked_at = len(pages) if pages else documents
        with tried(store, judge_in, trial, tell, pages) as both:
            judged, before = both.tried_judge.judge(page), both.judge.judge(page)
    now, then = _blocks(before), _blocks(judged)
    return PageTrial(
        found_page.known.url,
        found_page.site,
        trial.asked,
        documents,
        looked_at,
        sum(len(block.text) for block in now if block.kept),
        sum(len(block.text) for block in then if block.kept),
        list(_changed(now, then)),
        sorted({*chain(*trial.config.selectors.of(judged.page.url).sides)} - judged.page.met),
        [
            TriedValue(name, before.page.extracted.values.get(name), value)
            for name, value in judged.page.extracted.values.items()
            if "extract" in trial.asked
        ],
        approximated,
    )


def try_site(
    store: Store, judge_in: JudgeIn, trial: Trial, tell: Tell, sample: int | None = None
) -> SiteTrial:
    """Returns the changes of a site.

    Args:
        store: the store.
        judge_in: makes a judge of a store's pages by the present rules.
        trial: the new rules.
        tell: called with the progress.
        sample: so many pages stand for a larger site; None for all.

    Raises as `inspection.scratch.tried` does.
    """
    documents = store.documents.count()
    pages = sample_of(store, sample) if sample and sample < documents else None
    with tried(store, judge_in, trial, tell, pages) as both:
        total = both.store.documents.count()
        changed, failed, unmet = _changed_pages(both, trial, partial(tell, "documents"), total)
        gone, come = _templates(both.store, both.tried), _templates(both.tried, both.store)
        fields = list(_fields(both, trial))
    share = documents / max(total, 1) if pages else 1
    return SiteTrial(
        store.name,
        trial.asked,
        documents,
        total,
        round(len(changed) * share),
        round(sum(page.gone for page in changed) * share),
        round(sum(page.come for page in changed) * share),
        gone,
        come,
        nsmallest(LARGEST, changed, key=lambda page: (-page.gone - page.come, page.url)),
        failed,
        sorted(unmet),
        fields,
    )


def _changed_pages(
    both: Tried, trial: Trial, tell: Callable[[int, int], None], total: int
) -> tuple[list[ChangedPage], list[str], set[str]]:
    """The pages that change, the URLs of those that cannot be judged, and the selectors without a match."""
    changed: list[ChangedPage] = []
    failed: list[str] = []
    unmet = {*chain(*trial.config.selectors.sides)}
    for done, page in enumerate(both.store.documents.current(), 1):
        # Of most pages nothing changes that they are judged by: they need not be read.
        if both.tried_judge.reaches(page, both.store.documents.basis(page)):
            try:
                now = both.judge.known(page) or both.judge.judge(page)
                then = both.tried_judge.judge(page)
            except (OSError, MemoryError):
                raise
            except Exception:
                # As in a crawl, one page that cannot be judged costs no other its place.
                failed.append(both.store.frontier.url(page))
            else:
                unmet -= then.page.met
                if _hashes(now) != _hashes(then):
                    changed.append(_change_of(now, then))
        elif unmet:
            unmet -= both.tried.flat_pages.read(page, trial.config.selectors).met
        tell(done, total)
    return changed, failed, unmet


def _hashes(judged: JudgedPage) -> tuple[str, str | None]:
    """Returns the hashes of a document's content: a document with others goes out."""
    return judged.content_hash, judged.page.extracted.fields_hash


def _fields(both: Tried, trial: Trial) -> Iterator[TriedField]:
    if "extract" not in trial.asked:
        return
    now, then = (each.page_fields.counts().found for each in (both.store, both.tried))
    for name in trial.config.extraction.fields:
        yield TriedField(name, now[name], then[name], both.tried.page_fields.samples(name, SAMPLES))


def _blocks(judged: JudgedPage) -> list[_Block]:
    rows = judged.document(("pagelets",))["pagelets"]
    return [
        _Block(block["text"], block["kept"], row["path"], block["reason"])
        for row in rows
        for block in row["blocks"]
    ]


def _changed(now: Sequence[_Block], then: Sequence[_Block]) -> Iterator[ChangedBlock]:
    """The blocks that come or go, in the order of the page."""
    for block, other in _aligned(now, then):
        if block.kept != other.kept:
            yield ChangedBlock(block.text, other.kept, block.path, other.path, block.reason, other.reason)


def _aligned(now: Sequence[_Block], then: Sequence[_Block]) -> Iterator[tuple[_Block, _Block]]:
    """Pairs each block with the same one in the other reading of the page."""
    texts, others = [block.text for block in now], [block.text for block in then]
    if texts == others:
        yield from zip(now, then, strict=True)
        return
    for kind, start, stop, other, last in SequenceMatcher(None, texts, others).get_opcodes():
        if kind == "equal":
            yield from zip(now[start:stop], then[other:last], strict=True)
        else:
            yield from ((block, _Block(block.text)) for block in now[start:stop])
            yield from ((_Block(block.text), block) for block in then[other:last])


def _change_of(now: JudgedPage, then: JudgedPage) -> ChangedPage:
    kept, tried_kept = _kept(now), _kept(then)
    differences = kept - tried_kept, tried_kept - kept
    gone, come = (sum(len(text) * count for text, count in difference.items()) for difference in differences)
    return ChangedPage(now.page.url, gone, come)


def _kept(judged: JudgedPage) -> Counter[str]:
    """The texts of the blocks that a page keeps, each with how often it does."""
    return Counter(
        block.text for block, keep in zip(judged.page.blocks, judged.selection.mask, strict=True) if keep
    )


def _templates(store: Store, other: Store) -> list[ListedTemplate]:
    """The templates of a store that another of the same site lacks."""
    sketches, others = (
        {template.sketch for template in each.templates.all() if template.state != REJECTED}
        for each in (store, other)
    )
    partition = store.derivation.partition or DEFAULT
    return list_templates(store, partition, sketches - others) if sketches - others else []
