"""What becomes of a page: blocks are judged with the site's evidence, and what is left is a Document."""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, compress
from typing import TYPE_CHECKING, Any, Final, TypedDict, cast

import numpy as np

from pagelets.metadata import Metadata
from pagelets.methods.base import Method, Reason, Subject, Verdict
from pagelets.overrides import KINDS_DROPPED, whole
from pagelets.partition import tag_paths
from pagelets.passages import passages
from pagelets.reading.pictures import pictured
from pagelets.reading.references import References
from pagelets.render import Rendering

if TYPE_CHECKING:
    from pagelets.fields import DocumentField
    from pagelets.judging.page_facts import PageFacts
    from pagelets.page import Override, Page
    from pagelets.partition import Pagelet


class Document(TypedDict, total=False):
    """A page without its template.

    ``title`` is without the site's name, ``text``, ``html`` (safe, links absolute), ``markdown`` and
    ``sections`` (``heading``: path of headings, ``text``) have what is left of the page, ``links`` all links
    (``url``, ``text``, ``template``). ``language``, ``canonical_url``, ``author`` and ``published`` are None
    where the page does not tell; ``duplicate_of`` is the address of a page with nearly the same text.
    ``content_hash`` changes with the text alone; ``stats`` counts what was kept, with ``flags`` of odd pages.
    On request: ``passages``, the texts of pagelets, and ``pagelets``, which tells why blocks went.

    Examples:
        >>> import pagelets
        >>> page = "<html lang=en><title>Bread</title><p>Flour, water, salt and time.</html>"
        >>> document = pagelets.extract(page, url="https://example.org/bread", format="document")
        >>> document["title"], document["text"], document["language"]
        ('Bread', 'Flour, water, salt and time.', 'en')

    """

    url: str
    site: str
    title: str
    text: str
    html: str
    markdown: str
    sections: list[dict[str, Any]]
    links: list[dict[str, Any]]
    language: str | None
    canonical_url: str | None
    author: str | None
    published: str | None
    duplicate_of: str | None
    status: int
    fetched_at: str
    content_hash: str
    fields_hash: str | None
    template_version: str
    stats: dict[str, Any]
    passages: list[str]
    pagelets: list[dict[str, Any]]


ON_REQUEST: Final = ("passages", "pagelets")
"""The fields of ours that a Document has only where they are asked for by name."""
WITH_FIELDS: Final = ("fields_hash",)
"""The fields of ours that a Document has where its site has fields (`pagelets.reading.fields`)."""
FIELDS: Final = tuple(name for name in Document.__annotations__ if name not in (*ON_REQUEST, *WITH_FIELDS))
"""The fields of ours that a Document has unless others are asked for."""


STATUSES: Final = range(100, 1000)
"""Statuses that a response may have: three digits (RFC 9110, section 15). Some servers send ones from 600 on,
which no standard has."""


@dataclass(slots=True, frozen=True)
class Origin:
    """The origin of a page, as its Document names it."""

    site: str
    status: int
    fetched_at: str
    flags: tuple[str, ...] = field(default=())


@dataclass(slots=True, frozen=True)
class BlockSelection:
    """What a page keeps of its blocks: ``mask`` is true where content, ``scores`` tell from 0 to 1 how likely
    that is; ``kept_whole`` tells that everything would have gone, so that everything stays that may.
    """

    mask: list[bool]
    scores: Sequence[float]
    kept_whole: bool
    why: Callable[[], list[Reason]]
    overrides: Sequence[Override | None] = field(default=())

    def reasons(self) -> list[Reason]:
        """Returns the reason for which each block is kept or removed."""
        reasons = [Reason(KEPT_WHOLE)] * len(self.mask) if self.kept_whole else self.why()
        if not self.overrides:
            return reasons
        return [
            reason if override is None or override.keep != keep else Reason(override.reason)
            for reason, override, keep in zip(reasons, self.overrides, self.mask, strict=True)
        ]


KEPT_WHOLE: Final = "kept whole"


def judge(subject: Subject, method: Method, overrides: Sequence[Override | None] = ()) -> BlockSelection:
    """Judges a page's blocks by a method, and by what overrides it (`pagelets.overrides`), which wins.

    A page is never emptied: where no text would be left, dropped kinds (`pagelets.kinds`) are left to the
    method; where that keeps none, all stays that no override drops; where that is nothing, that stays too
    (`pagelets.overrides.whole`).

    Args:
        subject: the page, with what is known of its site.
        method: the judgement.
        overrides: a decision for each block, or none.
    """
    page = subject.page
    verdict = method.judge(subject)
    if page.parted:
        counted = subject.evidence.counters if subject.evidence else ()
        decided = {*np.flatnonzero(counted).tolist()}
        decided |= {position for position, override in enumerate(overrides) if override is not None}
        verdict = _line_by_line(page, verdict, decided)
    mask, scores = verdict.mask.tolist(), verdict.scores.tolist()
    for position, override in enumerate(overrides):
        if override is not None:
            mask[position], scores[position] = override.keep, float(override.keep)
    kept = any(keep and block.text for keep, block in zip(mask, page.blocks, strict=True))
    if not kept and not KINDS_DROPPED.isdisjoint(overrides):
        return judge(subject, method, [None if one in KINDS_DROPPED else one for one in overrides])
    kept_whole = not kept and any(block.text for block in page.blocks)
    if kept_whole:
        mask = whole(page, overrides) if overrides else [True] * len(mask)
    return BlockSelection(mask, scores, kept_whole, verdict.reasons, overrides)


def _line_by_line(page: Page, verdict: Verdict, decided: Container[int]) -> Verdict:
    """A method's verdict on a page, the same for all blocks of a line that was parted but for those that are
    ``decided`` by themselves: counters and overridden ones.

    The longest decides for the others: the full stop after a reference that goes is part of its sentence,
    however many pages have full stops.
    """
    leaders = list(range(len(page.blocks)))
    for line in _lines(page):
        free = [position for position in line if position not in decided]
        if len(free) > 1:
            leader = max(free, key=lambda position: len(page.blocks[position].text))
            for position in free:
                leaders[position] = leader

    def reasons() -> list[Reason]:
        of_blocks = verdict.reasons()
        return [of_blocks[leader] for leader in leaders]

    return Verdict(verdict.mask[leaders], verdict.scores[leaders], reasons)


def _lines(page: Page) -> Iterator[range]:
    """The lines of several blocks, as positions."""
    start = 0
    for position in range(len(page.blocks)):
        if position not in page.parted:
            if position > start:
                yield range(start, position + 1)
            start = position + 1
    if len(page.blocks) - start > 1:
        yield range(start, len(page.blocks))


def content_hash(text: str) -> str:
    """A fingerprint of a document's text, 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def make(
    page: Page,
    pagelets: Sequence[Pagelet],
    evidence: PageFacts,
    selection: BlockSelection,
    origin: Origin,
    fields: Collection[str] = FIELDS,
    rendering: Rendering | None = None,
    duplicate_of: str | None = None,
    added: Iterable[DocumentField] = (),
) -> Document:
    """The Document of a judged page, with the fields that are asked for and no others, in the order of
    `Document`; those that were ``added`` stand before those `ON_REQUEST`.

    Args:
        page: the page.
        pagelets: those of the page.
        evidence: what the site knows of the page's pagelets and blocks.
        selection: the judgement.
        origin: when and how the page was fetched.
        fields: the names of the fields that are asked for.
        rendering: of the judged page, where one was made already.
        duplicate_of: the address of the page that stands for this one where another has nearly the same text.
        added: the site's own fields.

    Raises:
        ValueError: a field does not exist.
    """
    rendering = rendering or Rendering(page, selection.mask)
    metadata = Metadata(page, selection.mask, origin.fetched_at)
    makers: dict[str, Callable[[], Any]] = {
        "url": lambda: page.url,
        "site": lambda: origin.site,
        "title": lambda: metadata.title(evidence.affixes | evidence.beside),
        "text": rendering.text,
        "html": rendering.html,
        "markdown": rendering.markdown,
        "sections": rendering.sections,
        "links": lambda: _links(page, selection.mask),
        "language": metadata.language,
        "canonical_url": lambda: page.canonical_url,
        "author": metadata.author,
        "published": metadata.published,
        "duplicate_of": lambda: duplicate_of,
        "status": lambda: origin.status,
        "fetched_at": lambda: origin.fetched_at,
        "content_hash": lambda: content_hash(rendering.text()),
        "fields_hash": lambda: page.extracted.fields_hash,
        "template_version": lambda: evidence.version,
        "stats": lambda: _stats(page, pagelets, evidence, selection, origin),
    }
    made = _Made(makers)
    makers |= {new_field.name: partial(new_field.value, page, made) for new_field in added}
    makers["passages"] = lambda: passages(page, pagelets, selection.mask)
    makers["pagelets"] = lambda: explain(page, pagelets, evidence, selection)
    unknown = set(fields) - set(makers)
    if unknown:
        raise ValueError(f"no such field: {', '.join(sorted(unknown))}; there are {', '.join(makers)}")
    return cast("Document", {name: made[name] for name in makers if name in fields})


class _Made(Mapping[str, Any]):
    """The fields of a document, each made when it is first read."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]]) -> None:
        self._makers = makers
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def _links(page: Page, mask: Sequence[bool]) -> list[dict[str, Any]]:
    shown = pictured(page) if any(not link.text for link in page.links) else {}
    links = [(link.url, link.text or shown.get(link.url, ""), link.block) for link in page.links]
    return [
        {"url": url, "text": text, "template": not mask[block]}
        for url, text, block in (*links, *_areas(page))
    ]


def _areas(page: Page) -> Iterator[tuple[str, str, int]]:
    """Yields the address, the text and the block before it of each area of a picture that is followed."""
    tree = page.tree
    if not page.blocks or not (areas := [node for node in tree.of_tag("area") if tree.get(node, "href")]):
        return
    addresses = References(page.base).addresses([tree.get(node, "href") or "" for node in areas])
    followed, begun = frozenset(page.follow), list(accumulate((block.node for block in page.blocks), max))
    for node, url in zip(areas, addresses, strict=True):
        if url in followed:
            text = " ".join((tree.get(node, "alt") or "").split())
            yield url, text, max(bisect(begun, node) - 1, 0)


def _stats(
    page: Page, pagelets: Sequence[Pagelet], evidence: PageFacts, selection: BlockSelection, origin: Origin
) -> dict[str, Any]:
    flags = {*origin.flags, *page.extracted.flags}
    if selection.kept_whole:
        flags.add("kept_whole")
    return {**counts(page, pagelets, evidence, selection), "flags": sorted(flags)}


def counts(
    page: Page, pagelets: Sequence[Pagelet], evidence: PageFacts, selection: BlockSelection
) -> dict[str, int]:
    """Counts the part of a page that is kept: characters, blocks and pagelets, as in the field ``stats``.

    Args:
        page: the page.
        pagelets: those of the page.
        evidence: which of its pagelets are templates.
        selection: the judgement of its blocks.
    """
    chars = [len(block.text) for block in page.blocks]
    return {
        "chars": sum(chars),
        "chars_kept": sum(compress(chars, selection.mask)),
        "blocks": len(page.blocks),
        "blocks_kept": sum(selection.mask),
        "pagelets": len(pagelets),
        "pagelets_template": sum(template != 0 for template in evidence.templates),
    }


def explain(
    page: Page, pagelets: Sequence[Pagelet], evidence: PageFacts, selection: BlockSelection
) -> list[dict[str, Any]]:
    """What became of each pagelet, and why: rows as in the field ``pagelets`` of a Document.

    Args:
        page: the page.
        pagelets: those of the page.
        evidence: which of its pagelets are templates.
        selection: the judgement of its blocks.
    """
    rows = []
    reasons = selection.reasons()
    paths = tag_paths(page.tree, pagelets)
    for index, pagelet in enumerate(pagelets):
        span = range(pagelet.start, pagelet.stop)
        chars = sum(len(page.blocks[block].text) for block in span)
        chars_kept = sum(len(page.blocks[block].text) for block in span if selection.mask[block])
        names = {reasons[block].name for block in span}
        template, pages, share = _template(evidence, index)
        rows.append(
            {
                "index": index,
                "path": paths[index],
                "text": "\n".join(page.blocks[block].text for block in span if page.blocks[block].text),
                "kept": chars_kept / chars if chars else float(all(selection.mask[block] for block in span)),
                "reason": names.pop() if len(names) == 1 else "mixed",
                "template": template or None,
                "support": {"pages": pages, "share": round(share, 4)} if template else None,
                "blocks": [_explained(page, selection, reasons, block) for block in span],
            }
        )
    return rows


def _template(evidence: PageFacts, index: int) -> tuple[int, int, float]:
    """The id and the support of a pagelet's template, also where people rejected it."""
    decided = evidence.decided[index] if evidence.decided else None
    if decided is not None:
        return decided.template, decided.pages, decided.share
    pages, share = evidence.pagelet_pages[index], evidence.pagelet_shares[index]
    return evidence.templates[index], int(pages), float(share)


def _explained(
    page: Page, selection: BlockSelection, reasons: Sequence[Reason], block: int
) -> dict[str, Any]:
    row = {
        "text": page.blocks[block].text,
        "kept": selection.mask[block],
        "reason": reasons[block].name,
        "score": round(float(selection.scores[block]), 4),
    }
    return {**row, "evidence": reasons[block].weights} if reasons[block].weights else row
