"""Teaching a site: the sheets on which people correct pages, and the weights that follow from them.

``# URL`` begins a page, ``+ 0.93 TEXT`` is a block that is content, ``- 0.02 TEXT`` one that is not. Sheets
that were learned from are in a file of JSON lines beside the site file. The pages on them stay as gold text:
they tell how well the site is judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from inspection.pages import sample_of
from pagelets.judging.teaching import OTHERS, Candidate, TaughtPage, choose_pages, labels_of, learn
from pagelets.methods import DEFAULT, teachable
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    from pagelets.judging.engine import JudgedPage
    from store.judging import StoredJudge
    from store.site import Store

Blocks = Sequence[tuple[str, bool]]
"""The texts of a page's blocks, each with whether it is content."""
Tell = Callable[[int, int], None]
"""Takes how many pages are done, and how many there are."""
LONGEST: Final = 300
"""Characters of a block's text on a sheet."""
# URLs of archives may have spaces.
_PAGE: Final = re.compile(r"# ([A-Za-z][A-Za-z0-9+.-]*://\S.*)")
_BLOCK: Final = re.compile(r"([+-])\s+([01]\.\d\d)\s+(\S.*)")
_SHOWN: Final = 60
HEAD: Final = (
    "# Each block of these pages: + is kept, - is removed, then how likely it is content, then its text.\n"
    "# Change the signs that are wrong, then: scrapy teach {site} THIS_FILE\n"
    "# A line that is deleted leaves its block as it is. Do not change texts and numbers.\n"
)
SUFFIX: Final = ".taught.jsonl"


class SheetBlock(NamedTuple):
    """A block: whether it is content, and how likely; its text, as on a sheet."""

    keep: bool
    likely: float
    text: str

    @property
    def number(self) -> str:
        """The probability as a sheet has it."""
        return f"{self.likely:.2f}"


@dataclass(slots=True, frozen=True)
class SheetPage:
    """A page on a sheet: its URL, and its blocks that have a text."""

    url: str
    blocks: Sequence[SheetBlock]


class Line(NamedTuple):
    """A line of a sheet on a block: its number, its sign, how likely the block was, and the text."""

    number: int
    keep: bool
    likely: str
    text: str


class WrongSheet(ConfigurationError):
    """A line of a sheet cannot be used; nothing of the sheet is."""

    def __init__(self, number: int, what: str) -> None:
        super().__init__(f"line {number}: {what}")


def sheet_text(text: str) -> str:
    """Returns a block's text as a sheet has it: on one line, its beginning."""
    return folded("".join(filter(str.isprintable, folded(text)))[:LONGEST])


def written(site: str, pages: Iterable[SheetPage]) -> str:
    """Returns the text of a sheet."""
    parts = [HEAD.format(site=site)]
    for page in pages:
        parts.append(f"\n# {page.url}\n")
        parts += [f"{'+' if block.keep else '-'} {block.number} {block.text}\n" for block in page.blocks]
    return "".join(parts)


def parsed(text: str) -> dict[str, tuple[int, list[Line]]]:
    """Reads a sheet: URL -> the number of the page's line, and the lines on its blocks. Raises WrongSheet."""
    pages: dict[str, tuple[int, list[Line]]] = {}
    lines: list[Line] | None = None
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = line.strip()
        if (page := _PAGE.fullmatch(line)) is not None:
            _, lines = pages.setdefault(page[1], (number, []))
        elif line and not line.startswith("#"):
            block = _BLOCK.fullmatch(line)
            if block is None:
                raise WrongSheet(number, f"{line[:_SHOWN]!r} cannot be read; write + or -, 0.00, text")
            if lines is None:
                raise WrongSheet(number, "there is no page yet; write # and the page's URL before its blocks")
            lines.append(Line(number, block[1] == "+", block[2], block[3]))
    return pages


def placed(lines: Iterable[Line], blocks: Sequence[SheetBlock]) -> Iterator[tuple[int, bool]]:
    """Finds the blocks that the lines of a page speak of; yields their positions and their signs.

    Of blocks with the same text one with the same number is meant, and the first of these.

    Args:
        lines: the lines on the page's blocks.
        blocks: all blocks of the page as it is now, those without a text too.

    Raises:
        WrongSheet: a line has another text than any block that is left.

    """
    left: dict[str, list[int]] = {}
    for position, block in enumerate(blocks):
        left.setdefault(block.text, []).append(position)
    for line in lines:
        free = left.get(line.text)
        if not free:
            mend = "write the sheet anew, and change signs only"
            raise WrongSheet(line.number, f"no such block is on the page: {line.text[:_SHOWN]!r}; {mend}")
        same = (position for position in free if blocks[position].number == line.likely)
        position = next(same, free[0])
        free.remove(position)
        yield position, line.keep


def merged(signs: Mapping[int, bool], before: Sequence[int], kept: Sequence[bool]) -> list[bool]:
    """Returns for each block of a page if it is content: what the sheet says, else an earlier one, else as it
    is judged now.

    Args:
        signs: position -> what the sheet says.
        before: for each block 1 or 0 as an earlier sheet says, -1 where none speaks of it.
        kept: for each block if it is kept now.

    """
    pairs = zip(before, kept, strict=True)
    return [signs.get(place, bool(old) if old >= 0 else now) for place, (old, now) in enumerate(pairs)]


@dataclass(slots=True, frozen=True)
class Lesson:
    """A sheet that was learned from: when, its pages by URL, and the weights in force before it."""

    taught_at: str
    pages: Mapping[str, Blocks]
    before: Mapping[str, float]


def folded(text: str) -> str:
    """Returns a block's text as lessons have it: on one line."""
    return " ".join(text.split())


def read_lessons(path: Path) -> list[Lesson]:
    """Reads the lessons of a site, the oldest first. Raises ConfigurationError and OSError."""
    if not path.exists():
        return []
    lessons = []
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                pages = {
                    str(url): [(str(text), sign == "+") for sign, text in blocks]
                    for url, blocks in row["pages"].items()
                }
                before = {str(name): float(weight) for name, weight in row["before"].items()}
                lessons.append(Lesson(str(row["taught_at"]), pages, before))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ConfigurationError(
                    f"{path}:{number}: no lesson ({type(error).__name__}: {error}); "
                    "take the line away, or get the file back as it was"
                ) from error
    return lessons


def lessons_text(lessons: Iterable[Lesson]) -> str:
    """Returns the text of a file of lessons."""
    rows = (
        {
            "taught_at": lesson.taught_at,
            "before": dict(lesson.before),
            "pages": {
                url: [("+" if keep else "-", text) for text, keep in blocks]
                for url, blocks in lesson.pages.items()
            },
        }
        for lesson in lessons
    )
    return "".join(
        json.dumps(row, ensure_ascii=False).encode("utf-8", "replace").decode() + "\n" for row in rows
    )


def taught_pages(lessons: Iterable[Lesson]) -> dict[str, Blocks]:
    """Returns the pages that were taught, each as the newest lesson has it."""
    return {url: blocks for lesson in lessons for url, blocks in lesson.pages.items()}


@dataclass(slots=True, frozen=True)
class Learned:
    """The result of learning from corrected pages.

    ``pages`` counts those learned from. ``missing`` are the URLs of those without a document now, or whose
    method cannot be taught. ``decided`` counts blocks on which selectors or decisions on templates overrule
    the correction.
    """

    weights: Mapping[str, float]
    pages: int
    missing: Sequence[str]
    decided: int


def check_teachable(judge: StoredJudge, site: str) -> None:
    """Raises ConfigurationError where no method of a site weighs what is taught."""
    if not any(_weighs(judge, name) for name in judge.config.methods):
        raise ConfigurationError(
            f"site {site!r} is judged by {judge.config.method!r}, which cannot be taught; crawl it with "
            f"-a method={DEFAULT}"
        )


def check_page_teachable(judge: StoredJudge, url: str) -> None:
    """Raises ConfigurationError where the method that judges a page weighs nothing that is taught."""
    if not _weighs(judge, name := judge.named(url)):
        raise ConfigurationError(f"{url}: is judged by {name!r}, which cannot be taught; leave the page out")


def _weighs(judge: StoredJudge, method: str) -> bool:
    return teachable(judge.config.registry.factory(method)())


def telling_pages(
    store: Store, judge: StoredJudge, pages: Sequence[int], count: int, taught: Iterable[str], tell: Tell
) -> list[int]:
    """Returns the pages whose correction tells most.

    Args:
        store: the store.
        judge: judges its pages.
        pages: the pages to choose from.
        count: how many to choose.
        taught: the URLs of pages that were corrected before, which are not chosen again.
        tell: called after each page.

    """
    before = {page for url in taught if (page := store.documents.page_of(url)) is not None}
    candidates: dict[int, Candidate] = {}
    everything = list(dict.fromkeys([*pages, *before]))
    for done, page in enumerate(everything, 1):
        if (seen := _as_judged(judge, page)) is not None:
            url, words = store.frontier.url(page), seen.words.tolist()
            candidates[page] = Candidate(url, seen.tag_paths.tolist(), words, seen.likely.tolist())
        tell(done, len(everything))
    numbers = {candidate.url: page for page, candidate in candidates.items()}
    new = [candidate for page, candidate in candidates.items() if page not in before]
    old = [candidate for page, candidate in candidates.items() if page in before]
    return [numbers[url] for url in choose_pages(new, count, old)]


def _as_judged(judge: StoredJudge, page: int) -> TaughtPage | None:
    """A page that nobody has corrected; None where its method cannot be taught, or it cannot be judged."""
    try:
        subject = judge.subject(page)
        name = judge.named(subject.page.url)
        if not _weighs(judge, name):
            return None
        return TaughtPage.of(subject, judge.method(name, page).judge(subject))
    except (OSError, MemoryError):
        raise
    except Exception:
        # One page that cannot be judged is not corrected, and costs no other its place.
        return None


def sheet_page(judge: StoredJudge, page: int) -> SheetPage:
    """Returns a page as a sheet has it."""
    judged = judge.judge(page)
    return SheetPage(judged.page.url, [block for block in _sheet_blocks(judged) if block.text])


def _sheet_blocks(judged: JudgedPage) -> list[SheetBlock]:
    selection = judged.selection
    rows = zip(judged.page.blocks, selection.mask, selection.scores, strict=True)
    return [SheetBlock(keep, float(score), sheet_text(block.text)) for block, keep, score in rows]


def corrected(
    store: Store,
    judge: StoredJudge,
    sheet: Mapping[str, tuple[int, Sequence[Line]]],
    known: Mapping[str, Blocks],
) -> dict[str, Blocks]:
    """Returns the pages of a sheet with the sign of each block.

    Args:
        store: the store.
        judge: judges its pages as they are judged now.
        sheet: the sheet (`inspection.teaching.parsed`).
        known: what earlier sheets say.

    Raises:
        WrongSheet: a page or a block of the sheet is not in the store.
        ConfigurationError: a page's method cannot be taught.

    """
    by_url: dict[str, Blocks] = {}
    for url, (number, lines) in sheet.items():
        page = store.documents.page_of(url)
        if page is None:
            raise WrongSheet(number, f"no page is stored at {url}; write the sheet anew")
        check_page_teachable(judge, url)
        judged = judge.judge(page)
        by_url[url] = signed(judged, dict(placed(lines, _sheet_blocks(judged))), known.get(url, ()))
    return by_url


def signed(judged: JudgedPage, signs: Mapping[int, bool], earlier: Blocks) -> Blocks:
    """Returns the blocks of a page that have a text, each with whether it is content.

    Args:
        judged: the page as it is judged now, which decides where nobody has spoken of a block.
        signs: position -> what people say now.
        earlier: what they said before.

    """
    texts = [folded(block.text) for block in judged.page.blocks]
    keep = merged(signs, labels_of(texts, earlier).tolist(), np.array(judged.selection.mask, bool).tolist())
    return [(text, sign) for text, sign in zip(texts, keep, strict=True) if text]


def learned(store: Store, judge: StoredJudge, pages: Mapping[str, Blocks]) -> Learned:
    """Learns weights on selectors.

    Args:
        store: the store.
        judge: judges its pages without what was taught.
        pages: what people have said of pages, by URL.

    """
    rows: list[TaughtPage] = []
    missing: list[str] = []
    decided = 0
    for url, blocks in pages.items():
        page = store.documents.page_of(url)
        name = judge.named(url)
        if page is None or not _weighs(judge, name):
            missing.append(url)
            continue
        judged, subject = judge.judge(page), judge.subject(page)
        texts = [folded(block.text) for block in subject.page.blocks]
        labels = labels_of(texts, blocks)
        overrides = judged.selection.overrides
        free = np.array(
            [override is None for override in overrides] if overrides else [True] * len(texts), bool
        )
        kept = np.array(judged.selection.mask, bool)
        decided += int(np.sum(~free & (labels >= 0) & (labels != kept)))
        labels = np.where(free, labels, np.int8(-1))
        rows.append(TaughtPage.of(subject, judge.method(name, page).judge(subject), labels))
    corrected = {store.documents.page_of(url) for url in pages}
    others = [page for page in sample_of(store, OTHERS + len(pages)) if page not in corrected][:OTHERS]
    seen = [known for page in others if (known := _as_judged(judge, page)) is not None]
    return Learned(learn(rows, seen), len(rows), missing, decided)
