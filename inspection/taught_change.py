"""A change of what a site is taught, and changes of its files that can be taken back."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from inspection.change_preview import is_hit, judge_with, union
from inspection.pages import version_of
from inspection.site_file import with_taught
from inspection.teaching import (
    SUFFIX,
    Lesson,
    check_page_teachable,
    check_teachable,
    folded,
    learned,
    lessons_text,
    read_lessons,
    signed,
    taught_pages,
)
from pagelets.judging.teaching import labels_of
from pagelets.text.words import tokens
from release.detection import Detector
from release.judging import PageJudge, ReleaseLedger
from settings.errors import ConfigurationError
from settings.files import read_source, write_source
from store.judging import AT_MOST, StoredJudge
from store.meta import JUDGED_WITH, JUDGEMENT, TEMPLATE_VERSION
from store.runs import now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from inspection.teaching import Blocks, Learned, Tell
    from store.site import Store


STEP = "judging"
_TURNS = 8
MOST: Final = 100
"""Number of changes of one file that are remembered."""


@dataclass(slots=True, frozen=True)
class TaughtFiles:
    """The site file that takes the weights, and the lessons beside it."""

    path: Path

    @property
    def lessons(self) -> Path:
        """The file of the lessons."""
        return self.path.with_name(self.path.stem + SUFFIX)

    def source(self) -> str:
        """Returns the text of the site file, empty without a file. Raises ConfigurationError."""
        return read_source(self.path) if self.path.exists() else ""


@dataclass(slots=True, frozen=True)
class Change:
    """The weights and lessons that are to take the place of those before; ``learned`` is None for an undo."""

    weights: Mapping[str, float]
    lessons: Sequence[Lesson]
    learned: Learned | None


@dataclass(slots=True, frozen=True)
class Flips:
    """The blocks of a page that a person has flipped: position -> kept. ``version`` names its blocks."""

    version: str
    signs: Mapping[int, bool]


def source_name(files: TaughtFiles) -> str:
    """Returns what names the text of a site's files: another text has another name."""
    digest = hashlib.blake2b(files.source().encode("utf-8", "surrogatepass"), digest_size=8)
    for lesson in read_lessons(files.lessons)[-1:]:
        digest.update(lesson.taught_at.encode())
    return digest.hexdigest()


def check_unchanged(files: TaughtFiles, name: str) -> None:
    """Raises ConfigurationError if a site's files are not those of a name (`source_name`)."""
    if source_name(files) != name:
        raise ConfigurationError(
            f"{files.path} was changed meanwhile, and is left as it is; load the page again"
        )


def taught_by(store: Store, judge: StoredJudge, files: TaughtFiles, pages: Mapping[str, Blocks]) -> Change:
    """Learns from corrected pages and those corrected before.

    Args:
        store: the store.
        judge: judges its pages as they are judged now.
        files: the site's files.
        pages: the corrected pages by URL.

    Raises:
        ConfigurationError: the site cannot be taught, or one of its files cannot be used.

    """
    check_teachable(judge, store.name)
    every = [*read_lessons(files.lessons), Lesson(now(), pages, dict(judge.config.taught))]
    learning = learned(store, judge_with(store, judge, taught={}), taught_pages(every))
    with_taught(files.source(), learning.weights)
    return Change(dict(learning.weights), every, learning)


def undone(store: Store, judge: StoredJudge, files: TaughtFiles) -> Change:
    """Takes the last lesson back.

    Args:
        store: the store.
        judge: judges its pages as they are judged now.
        files: the site's files.

    Raises:
        ConfigurationError: nothing was taught, or one of the site's files cannot be used.

    """
    check_teachable(judge, store.name)
    lessons = read_lessons(files.lessons)
    if not lessons:
        raise ConfigurationError(f"{files.lessons}: no sheet was learned from; there is nothing to undo")
    change = Change(dict(lessons[-1].before), lessons[:-1], None)
    with_taught(files.source(), change.weights)
    return change


def apply_change(store: Store, judge: StoredJudge, change: Change, files: TaughtFiles, tell: Tell) -> int:
    """Writes the site's files, and judges its pages by the weights; returns how many documents change.

    Args:
        store: the store, which nobody else changes meanwhile.
        judge: judges its pages as they are judged now.
        change: the change.
        files: the site's files.
        tell: called after each page.

    Raises:
        ConfigurationError: one of the site's files cannot be used.

    """
    source = files.source()
    edited = with_taught(source, change.weights)
    write_source(files.lessons, lessons_text(change.lessons))
    if edited != source:
        write_source(files.path, edited)
    return judge_anew(store, judge, change.weights, tell)


def flipped(
    store: Store, judge: StoredJudge, flips: Mapping[str, Flips], lessons: Sequence[Lesson]
) -> dict[str, Blocks]:
    """Returns corrected pages with the sign of each block.

    Args:
        store: the store.
        judge: judges its pages as they are judged now.
        flips: the blocks that were flipped, by URL.
        lessons: what was taught before.

    Raises:
        ConfigurationError: a page is not in the store any more, has other blocks, or cannot be taught.

    """
    check_teachable(judge, store.name)
    known = taught_pages(lessons)
    by_url: dict[str, Blocks] = {}
    for url, flip in flips.items():
        page = store.documents.page_of(url)
        if page is None:
            raise ConfigurationError(f"{url}: no page is stored there any more; load the page again")
        check_page_teachable(judge, url)
        judged = judge.judge(page)
        if version_of(judged.page) != flip.version:
            raise ConfigurationError(f"{url}: the page has changed meanwhile; load it again, and click again")
        by_url[url] = signed(judged, flip.signs, known.get(url, ()))
    return by_url


def taught_f1(store: Store, judge: StoredJudge, pages: Mapping[str, Blocks]) -> float | None:
    """Returns the F1, by words, of what a judge keeps of corrected pages; None if they have no content.

    Args:
        store: the store.
        judge: judges its pages.
        pages: the corrected pages by URL; those without a document are left out.

    """
    both = kept = content = 0
    for _, text, keep, sign in _signs(store, judge, pages):
        words = len(tokens(text))
        both += words * (keep and sign)
        kept += words * keep
        content += words * sign
    return 2 * both / (kept + content) if content else None


@dataclass(slots=True, frozen=True)
class Unheeded:
    """A block that is judged against its sign."""

    url: str
    text: str
    keep: bool


def unheeded(store: Store, judge: StoredJudge, pages: Mapping[str, Blocks]) -> list[Unheeded]:
    """Returns the blocks of corrected pages that are judged against their signs, as signs at one place that
    contradict each other are.

    Args:
        store: the store.
        judge: judges its pages.
        pages: the corrected pages by URL; those without a document are left out.

    """
    signs = _signs(store, judge, pages)
    return [Unheeded(url, text, sign) for url, text, keep, sign in signs if text and keep != sign]


def _signs(
    store: Store, judge: StoredJudge, pages: Mapping[str, Blocks]
) -> Iterator[tuple[str, str, bool, bool]]:
    """Yields URL and text of each block with a sign, whether it is kept, and whether its sign says so."""
    for url, blocks in pages.items():
        page = store.documents.page_of(url)
        if page is None:
            continue
        judged = judge.judge(page)
        labels = labels_of([folded(block.text) for block in judged.page.blocks], blocks).tolist()
        for block, keep, label in zip(judged.page.blocks, judged.selection.mask, labels, strict=True):
            if label >= 0:
                yield url, block.text, bool(keep), label == 1


def judge_anew(store: Store, before: StoredJudge, weights: Mapping[str, float], tell: Tell) -> int:
    """Judges the pages of a store by other weights, and notes their documents; returns how many change.

    What changes is not delivered: the next run or ``scrapy redeliver`` does that. Pages that no selector
    matches have the document that they had. If it ends early, the next run judges the rest.

    Args:
        store: the store, which nobody else changes meanwhile.
        before: judges its pages as they were judged before.
        weights: the weights.
        tell: called after each page.

    """
    # Pages are as they were derived: other selectors in the site file wait for the next run.
    selectors = store.derivation.selectors
    config = replace(before.config, taught=weights, known_as="", selectors=selectors)
    run = store.runs.last()
    assert run is not None, "a store is made by its first run"
    both = union(before.config.taught, weights)
    pages = [page for page in store.documents.current() if _is_judged(store, page)]
    with store.transaction():
        Detector(config.detection, config.fingerprint).name(store)
        store.set_meta(JUDGEMENT, config.fingerprint)
    judge = PageJudge(store, config)
    ledger = ReleaseLedger(store, run, config.duplicates)

    def note(page: int) -> bool:
        before, sent = store.documents.get(page), store.documents.sent(page)
        record, _ = judge.record(page)
        store.documents.forget_verdicts(page)
        ledger.note(page, record)
        store.documents.keep_sent(page, sent)
        return before is None or before.content_hash != record.content_hash

    version, changed = store.meta(TEMPLATE_VERSION) or "", 0
    for done, page in enumerate(pages, 1):
        with store.transaction(), store.border(page, STEP):
            made = store.documents.made(page)
            if is_hit(judge.subject(page), both):
                changed += note(page)
            # What waits until it is seen again is judged by a run.
            elif made is not None and not (made.basis or b"").startswith(AT_MOST):
                store.documents.renew(page, judge.basis(page), version)
        tell(done, len(pages))
    for _ in range(_TURNS):
        if not (pages := [page for page in ledger.marks_changed() if _is_judged(store, page)]):
            break
        for page in pages:
            with store.transaction(), store.border(page, STEP):
                changed += note(page)
    with store.transaction():
        judged_with = f"{config.judged_with(config.fingerprint)} {store.decisions.digest()}"
        store.set_meta(JUDGED_WITH, judged_with)
    return changed


def _is_judged(store: Store, page: int) -> bool:
    """Returns true if a page's document was made of the page as it is stored: else the next run makes it."""
    made = store.documents.made(page)
    return made is not None and made.present


class FileHistory:
    """The changes that one process makes to site files; several threads may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: dict[Path, list[tuple[str, str]]] = {}

    def change(self, files: TaughtFiles, name: str, edit: Callable[[str], str]) -> str:
        """Changes a site file; returns what names its new text.

        Args:
            files: the site's files.
            name: names the text that the file has (`inspection.taught_change.source_name`).
            edit: returns the new text for the old one.

        Raises:
            ConfigurationError: the file has another text, or cannot be changed.

        """
        with self._lock:
            check_unchanged(files, name)
            before = files.source()
            after = edit(before)
            if after != before:
                write_source(files.path, after)
                # A file of which nothing is left is removed: what it says then is read back.
                self._texts.setdefault(files.path, []).append((before, files.source()))
                del self._texts[files.path][:-MOST]
            return source_name(files)

    def undo(self, files: TaughtFiles, name: str) -> str:
        """Takes the last change of a site file back; returns what names its text then.

        Args:
            files: the site's files.
            name: names the text that the file has.

        Raises:
            ConfigurationError: there is no change, or the file was changed since by others.

        """
        with self._lock:
            check_unchanged(files, name)
            texts = self._texts.get(files.path)
            if not texts:
                raise ConfigurationError(f"{files.path}: nothing was written since the inspector began")
            before, after = texts[-1]
            if files.source() != after:
                raise ConfigurationError(
                    f"{files.path} was changed since, and is left as it is; edit it by hand"
                )
            write_source(files.path, before)
            texts.pop()
            return source_name(files)
