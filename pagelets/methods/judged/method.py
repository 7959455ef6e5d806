"""Page and site joined: a learned judgement of each block, and a choice of blocks for the whole page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from pagelets.counts import SHARE, least_share
from pagelets.judging.taught import CLIP
from pagelets.methods.base import (
    AUTHORS,
    BESIDE,
    BYLINE,
    COMMENTS,
    CONSENSUS,
    CONTENT,
    CONTENTS,
    COUNTER,
    HEADING,
    LIKELIEST,
    NETWORK,
    OTHER_PAGES,
    PICTURE,
    PRICE,
    PROPERTY,
    REPEATED,
    REVIEWS,
    SPONSORED,
    TAUGHT,
    TEMPLATE,
    MethodError,
    Reason,
    Training,
    Verdict,
)
from pagelets.methods.judged.asides import asides
from pagelets.methods.judged.author_boxes import author_boxes
from pagelets.methods.judged.boxes_beside import boxes_beside
from pagelets.methods.judged.breadcrumbs import breadcrumbs
from pagelets.methods.judged.bylines import bylines, years
from pagelets.methods.judged.called_boxes import called_boxes
from pagelets.methods.judged.choice import choose_own, hidden_copies, offered, repeats
from pagelets.methods.judged.closing import addressed, are_most, closing
from pagelets.methods.judged.comments import comments
from pagelets.methods.judged.consensus import FEWEST, SAMPLE, Consensus
from pagelets.methods.judged.contents import contents
from pagelets.methods.judged.documents import other_documents
from pagelets.methods.judged.entries import entry_names, entry_parts, entry_prices, listed_names, twins
from pagelets.methods.judged.entry_values import entry_values
from pagelets.methods.judged.features import features
from pagelets.methods.judged.headings import entry_titles, headings, headline, said_again, said_twice
from pagelets.methods.judged.joint import NONE, joined, joints
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.model import GROUPS, ModelError, load
from pagelets.methods.judged.model.tokens import tokens
from pagelets.methods.judged.neighbours import neighbours
from pagelets.methods.judged.other_pages import other_pages
from pagelets.methods.judged.other_products import other_products
from pagelets.methods.judged.pictures import pictures
from pagelets.methods.judged.posts import about_authors
from pagelets.methods.judged.prices import price, properties_beside
from pagelets.methods.judged.properties import properties, site_properties
from pagelets.methods.judged.read_more import read_more
from pagelets.methods.judged.records import facts
from pagelets.methods.judged.repeated_lines import actions, calls, labels_alone
from pagelets.methods.judged.reviews import reviews
from pagelets.methods.judged.sponsored import sponsored_entries
from pagelets.methods.judged.tag_links import tag_links
from pagelets.methods.judged.text import words as count_words
from pagelets.methods.templates import TemplatesMethod
from pagelets.text.words import unspaced_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from pagelets.judging.page_facts import PageFacts
    from pagelets.judging.taught import Taught
    from pagelets.methods.base import SiteView, Subject
    from pagelets.methods.judged.model.tokens import Tokens
    from pagelets.partition import Pagelet

MOST_BLOCKS: Final = 100_000
"""A page of more blocks is judged by detection alone: features take 4 KB a block."""
ENOUGH: Final = 20
"""Pages of a host that make the network's word needless."""
OTHER_DOCUMENT: Final = "another document"
CONTROL: Final = "form control"
SAID_BEFORE: Final = "said before"
AS_BEFORE: Final = "as before"
"""The block is near the threshold: it stays what it was when the page was judged before."""
_WHOLE: Final = 0.9
"""The share of a page's words from which on it counts as kept whole."""
_BOXES: Final[Mapping[str, Sequence[Callable[[KeptPage], NDArray[np.bool_]]]]] = {
    OTHER_PAGES: (other_pages, other_products, called_boxes, neighbours, tag_links, breadcrumbs, read_more),
    CONTENTS: (contents,),
    BESIDE: (boxes_beside,),
    COMMENTS: (comments,),
    REVIEWS: (reviews,),
    AUTHORS: (about_authors, author_boxes),
    REPEATED: (closing, addressed, actions, calls),
    SPONSORED: (lambda kept: sponsored_entries(kept.page, kept.containers, kept.words),),
}  # fmt: skip
"""The steps that find boxes, in their order, by the reason that they give."""
_BACK: Final[Sequence[tuple[str, Callable[[KeptPage, NDArray[np.bool_]], NDArray[np.bool_]]]]] = (
    (HEADING, headline),
    (HEADING, entry_titles),
    (HEADING, listed_names),
    (HEADING, entry_names),
    (PRICE, price),
    (PRICE, entry_prices),
    (PROPERTY, site_properties),
    (PROPERTY, properties),
    (PROPERTY, properties_beside),
    (PROPERTY, facts),
    (PROPERTY, entry_values),
    (PROPERTY, entry_parts),
    (BYLINE, bylines),
    (BYLINE, years),
    (CONTENT, asides),
    (HEADING, headings),
    (PICTURE, pictures),
)
"""The steps that take back what belongs to what is kept, in their order, with the reason that they give."""
_STEPS: Final = 38
"""Counts the changes of what is done after the model, and of counters: a part of the method's version."""


@dataclass(frozen=True)
class JudgedMethod:
    """Keeps those blocks that together promise the best text of the page.

    Trees (`pagelets.methods.judged.model`) that see the block, its context, and the repetitions of the site
    give the probability that a block is content; for an unknown site that evidence is missing, not zero, and
    with fewer than `ENOUGH` pages a network over the page's blocks is asked too.
    Entries of a list, and cells of a row, share it (`pagelets.methods.judged.joint`), and so do the blocks at
    a tag path, over a sample of the host's pages: this ``consensus`` is what the method learns of a host
    (`pagelets.methods.judged.consensus`); without it a page is judged alone. The blocks are then chosen
    together (`pagelets.methods.judged.choice`). Further documents on the page are left out
    (`pagelets.methods.judged.documents`), and so are the site's counters (`pagelets.judging.counters`), an
    article's boxes of other pages (`pagelets.methods.judged.other_pages`,
    `pagelets.methods.judged.other_products`, `pagelets.methods.judged.called_boxes`,
    `pagelets.methods.judged.neighbours`, `pagelets.methods.judged.tag_links`,
    `pagelets.methods.judged.breadcrumbs`, `pagelets.methods.judged.read_more`), of its headings
    (`pagelets.methods.judged.contents`), of its author
    (`pagelets.methods.judged.author_boxes`, `pagelets.methods.judged.boxes_beside`), and to sign up, the
    comments of its readers (`pagelets.methods.judged.comments`), reviews of a product
    (`pagelets.methods.judged.reviews`), profiles and signatures in a forum (`pagelets.methods.judged.posts`),
    lines of the site's own in its articles (`pagelets.methods.judged.closing`,
    `pagelets.methods.judged.repeated_lines`), and paid entries (`pagelets.methods.judged.sponsored`),
    unless taught weights overrule them. What belongs to what is kept is kept: its headline and headings
    (`pagelets.methods.judged.headings`), prices (`pagelets.methods.judged.prices`), names and prices of lists
    (`pagelets.methods.judged.entries`), authors and dates (`pagelets.methods.judged.bylines`), tables of
    properties (`pagelets.methods.judged.properties`), facts (`pagelets.methods.judged.records`,
    `pagelets.methods.judged.entry_values`), notes (`pagelets.methods.judged.asides`), and pictures
    (`pagelets.methods.judged.pictures`). A block in doubt keeps its earlier verdict, if known. Taught weights
    are added to the log odds of the blocks that they match (`pagelets.judging.taught`).
    """

    cite: ClassVar[str] = "this project: docs/how-it-works.md, pagelets/methods/judged/model/CARD.md"
    reads_html: ClassVar[bool] = False
    teachable: ClassVar[bool] = True
    judges_unlearned: ClassVar[bool] = True
    sample: ClassVar[int] = SAMPLE
    fewest: ClassVar[int] = FEWEST
    consensus: Consensus | None = None

    @property
    def version(self) -> str:
        """The model's name, and the version of the steps after it. Raises ModelError without a model."""
        return f"{load().name}-{_STEPS}"

    @property
    def training(self) -> Training:
        """The hosts of the pages that the model was trained on. Raises ModelError without a model."""
        return Training(load().hosts, "pagelets/methods/judged/model/CARD.md")

    def check(self) -> None:
        """Raises MethodError where the model is of no use."""
        try:
            load()
        except ModelError as error:
            raise MethodError(str(error)) from error

    def learn(self, site: SiteView) -> bytes:
        """Returns the consensus of a host's pages, as bytes. Raises ModelError where there is no model."""
        subjects = (subject for subject in site.sample(SAMPLE) if 0 < len(subject.page.blocks) <= MOST_BLOCKS)
        return Consensus.of((subject.tag_paths, *_weighed(subject)) for subject in subjects).to_bytes()

    def learned(self, model: bytes) -> JudgedMethod:
        """Returns the method that judges by the consensus of a host."""
        return replace(self, consensus=Consensus.from_bytes(model)) if model else self

    def learned_part(self, keys: NDArray[np.void]) -> bytes:
        """Names what has been learned of a page's blocks, by their ``keys`` (`BLOCK_KEYS`)."""
        return b"" if self.consensus is None else self.consensus.part(keys["tag_path"])

    def judge(self, subject: Subject) -> Verdict:
        """A verdict whose scores are probabilities. Raises ModelError where there is no model."""
        page, pagelets = subject.page, subject.pagelets
        if not 0 < len(page.blocks) <= MOST_BLOCKS:
            return TemplatesMethod().judge(subject)
        evidence, containers = subject.facts, subject.containers
        texts = [block.text for block in page.blocks]
        by_page, words = _weighed(subject)
        shift = np.zeros(len(words))
        if self.consensus is not None:
            by_page, shift = self.consensus.agreed(by_page, subject.tag_paths)
        hits = subject.taught.hits(containers, evidence, page.blocks)
        taught = subject.taught.sums(hits)
        likely = subject.taught.likely(by_page, hits)
        free, barred = taught <= CLIP, _barred(taught, by_page, likely)
        gone = {
            OTHER_DOCUMENT: other_documents(page, containers),
            CONTROL: offered(page, containers, evidence, free),
        }
        never = np.logical_or.reduce(list(gone.values()))
        if evidence.counters.any():
            gone[COUNTER] = free & _counters(subject, likely, words, never)
            never |= gone[COUNTER]
        mask, held = _chosen(likely, words, never, evidence, pagelets)
        boxed, beyond = np.zeros((2, len(mask)), bool)
        spoken = words + unspaced_words(texts)
        kept_page = KeptPage(page, containers, evidence, spoken, likely, mask)
        if subject.keys is not None:
            kept_page.tag_paths = subject.tag_paths
        for name, steps in _BOXES.items():
            found = np.logical_or.reduce([find(kept_page) for find in steps]) & free
            beyond |= found
            boxes = mask & found
            if boxes.any() and (mask & ~boxes).any():
                gone[name] = boxes
                mask &= ~boxes
                boxed |= boxes
        gone[SAID_BEFORE] = free & _said_before(kept_page, texts)
        mask &= ~gone[SAID_BEFORE]
        never = np.logical_or.reduce([*gone.values(), barred, beyond])
        back = _taken_back(kept_page, never, free, gone)

        def reasons() -> list[Reason]:
            kept = CONTENT if (likely[mask] >= 0.5).any() else LIKELIEST
            kept_names = np.where(held & ~boxed, AS_BEFORE, np.where(mask, kept, "")).astype(object)
            for name, found in back:
                kept_names[found] = name
            weights = load().weigh(_matrix(subject), words, _tokens(subject))
            reasons = _reasons(weights, shift, kept_names, gone, pagelets, evidence)
            return _with_taught(reasons, subject.taught, hits, mask) if hits.any() else reasons

        return Verdict(mask, likely, reasons)


def _taken_back(
    kept: KeptPage, never: NDArray[np.bool_], free: NDArray[np.bool_], gone: dict[str, NDArray[np.bool_]]
) -> list[tuple[str, NDArray[np.bool_]]]:
    """Keeps what belongs to what is kept, and removes the lines that it makes needless or that belong to what
    is removed; returns what it keeps, with reasons.
    """
    back: list[tuple[str, NDArray[np.bool_]]] = []

    def leave_out(name: str, found: NDArray[np.bool_]) -> None:
        gone[name] = gone.get(name, False) | (found & free)
        kept.mask[found & free] = False

    for name, look in _BACK:
        back.append((name, look(kept, never)))
        kept.mask[back[-1][1]] = True
        if name == HEADING:
            leave_out(SAID_BEFORE, said_again(kept, back[-1][1]))
    leave_out(SAID_BEFORE, said_twice(kept))
    leave_out(REPEATED, labels_alone(kept))
    return back


def _said_before(kept: KeptPage, texts: Sequence[str]) -> NDArray[np.bool_]:
    """Marks the blocks that repeat another one for other screens, or of a page alone: bool[b]."""
    copies = hidden_copies(texts, kept.words, kept.mask, kept.containers) | twins(kept)
    return copies | repeats(texts, kept.words, kept.mask) if kept.is_alone else copies


def _chosen(
    likely: NDArray[np.float64], words: NDArray[np.float64], never: NDArray[np.bool_], evidence: PageFacts,
    pagelets: Sequence[Pagelet],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:  # fmt: skip
    """Chooses b blocks; returns which, and those that stay as they were before: both bool[b]."""
    mask = choose_own(likely, words, never, evidence.previous)
    held = mask != (choose_own(likely, words, never) if len(evidence.previous) else mask)
    if not (likely[mask] >= 0.5).any() and words[mask].sum() >= _WHOLE * words.sum():
        # Of blocks that are alike unlikely all would be kept.
        others = mask & ~_in_templates(pagelets, evidence)
        mask = others if words[others].any() else mask
    return mask, held


def _barred(
    taught: NDArray[np.float64], by_page: NDArray[np.float64], likely: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Marks the blocks that taught weights take from the model, or from the steps at their surest: they do
    not come back. Takes the sums of the weights, and the probabilities without and with them; all of b.
    """
    return (taught < -CLIP) | ((taught < 0) & (likely < 0.5) & (by_page >= 0.5))


def _counters(
    subject: Subject, likely: NDArray[np.float64], words: NDArray[np.float64], never: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Marks the site's counters on a page, but for values in a row, and lines that are most of what would be
    kept, unless they name an event of the site: bool[b].
    """
    blocks, counters = subject.page.blocks, subject.facts.counters > 0
    unnamed = [
        place for place in np.flatnonzero(counters).tolist() if least_share(blocks[place].text) == SHARE
    ]
    if not unnamed:
        return counters
    lines = np.zeros(len(words), bool)
    lines[unnamed] = True
    if not are_most(lines, words, choose_own(likely, words, never)):
        lines &= joints(subject.containers)[1] != NONE
    return counters & ~lines


def _matrix(subject: Subject) -> NDArray[np.float32]:
    """Returns the features of a page's blocks."""
    page, pagelets, containers, model = subject.page, subject.pagelets, subject.containers, load()
    return features(page, pagelets, containers, subject.facts, model.known, model.columns).matrix()


def _tokens(subject: Subject) -> Callable[[], Tokens] | None:
    """Returns what makes the tokens for the network, which may be asked where little is known of the site."""
    if subject.evidence is not None and subject.evidence.pages >= ENOUGH:
        return None
    return lambda: tokens([block.text for block in subject.page.blocks], subject.containers, load().numbers)


def _weighed(subject: Subject) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns how likely each of b blocks is content by its features, and its words: both float64[b]."""
    model = load()

    def weighed() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        words = count_words([block.text for block in subject.page.blocks])
        likely = model.likely(_matrix(subject), words, _tokens(subject))
        return joined(likely, words, joints(subject.containers)), words

    return subject.once(model.name, weighed)


def _reasons(
    weights: NDArray[np.float64], shift: NDArray[np.float64], kept: NDArray[np.object_],
    gone: dict[str, NDArray[np.bool_]], pagelets: Sequence[Pagelet], evidence: PageFacts,
) -> list[Reason]:  # fmt: skip
    template = _in_templates(pagelets, evidence)
    reasons = []
    for place, (of_block, of_site) in enumerate(zip(weights.tolist(), shift.round(2).tolist(), strict=True)):
        weighed = {name: round(of_block[group], 2) for group, name in enumerate(GROUPS)}
        if of_site:
            weighed[CONSENSUS] = of_site
        if kept[place]:
            name = kept[place]
        elif (removal := next((name for name, blocks in gone.items() if blocks[place]), None)) is not None:
            name = removal
        else:
            name = min(weighed, key=weighed.__getitem__)
            if name == "support":
                name = TEMPLATE if template[place] else REPEATED
        # It adds to what speaks for or against a block, and gives no reason by itself.
        if len(of_block) > len(GROUPS):
            weighed[NETWORK] = round(of_block[-1], 2)
        reasons.append(Reason(name, weighed))
    return reasons


def _in_templates(pagelets: Sequence[Pagelet], evidence: PageFacts) -> NDArray[np.bool_]:
    """Marks the blocks of pagelets that are templates: bool[b]."""
    sizes = [pagelet.stop - pagelet.start for pagelet in pagelets]
    marked: NDArray[np.bool_] = np.repeat(np.array(evidence.templates) != 0, sizes)
    return marked


def _with_taught(
    reasons: Sequence[Reason], taught: Taught, hits: NDArray[np.bool_], mask: NDArray[np.bool_]
) -> list[Reason]:
    """The reasons with the taught weights; they decide where they say most of what speaks for the verdict."""
    combined = []
    for reason, matched, sum_, kept in zip(reasons, hits.T, taught.sums(hits), mask, strict=True):
        added = {f"{TAUGHT}: {name}": taught.weights[name] for name in compress(taught.weights, matched)}
        side = 1 if kept else -1
        speaks = [side * weight for weight in reason.weights.values()]
        decides = reason.name in (CONTENT, LIKELIEST, REPEATED, TEMPLATE, CONSENSUS, *GROUPS)
        name = TAUGHT if decides and side * sum_ > max(0.0, *speaks) else reason.name
        combined.append(Reason(name, {**reason.weights, **added}))
    return combined
