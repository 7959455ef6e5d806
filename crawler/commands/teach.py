"""``scrapy teach``: a few corrected pages, and the site follows."""

from __future__ import annotations

import argparse
import itertools
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final

from crawler.commandline.base import StoreCommand, number, option, write_json
from crawler.commandline.output import printable, section, show
from crawler.commandline.pages import form_of
from crawler.configuration.judgement import with_site_file
from crawler.configuration.plan import site_name
from evaluation.scoring import gold_text
from inspection import teaching
from inspection.change_preview import ChangePreview, judge_with, previews
from inspection.pages import SAMPLE, sample_of
from inspection.taught_change import Change, TaughtFiles, Unheeded, apply_change, taught_by, undone, unheeded
from pagelets.patterns import one_escape
from settings.errors import ConfigurationError
from settings.files import written
from settings.places import site_path
from store.judging import StoredJudge
from store.site import Store

PAGES: Final = 3
TEXT_CHARS: Final = 60
_MOST_PAGES: Final = 1000


class Command(StoreCommand):
    """Takes what people say of a few pages of a site, and judges all of its pages by it.

    Without a sheet it chooses the pages whose correction tells most, and writes a sheet: a text with a line a
    block, + for what is kept and - for what is removed. Change the signs that are wrong. With the sheet it
    learns weights on selectors, shows what would change, and asks; then it writes them to the table [taught]
    of the site file, and judges the store by them. Search indexes follow at the next run or by scrapy
    redeliver. Sheets add up; they are kept beside the site file. --undo takes the last one back, --gold
    writes the corrected pages as gold text of a corpus.
    """

    usage = (
        "SITE [--pages N] [--page URL ...] [-o SHEET] | SITE SHEET [--yes | --dry-run] [--all] | "
        "SITE [SHEET] --undo | SITE --gold FILE"
    )
    summary = "Correct a few pages of a site, and have all of it judged by that"
    examples = ("example.org --pages 3 -o sheet.txt", "example.org sheet.txt --dry-run")
    options = (
        option("--pages N", f"how many pages to choose (default: {PAGES})"),
        option("--page URL", "a page of your choice; several times", action="append", default=[]),
        option(
            "-o --output SHEET",
            "write the sheet to SHEET; another one there becomes SHEET.~1~ (default: standard output)",
        ),
        option("--undo", "take the last sheet back"),
        option("--gold FILE", "write the corrected pages as gold text to FILE"),
        option("--yes", "do not ask"),
        option("--dry-run", "say what would change; change nothing"),
        option("--all", "look at all pages, also of a large site"),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Writes a sheet, learns from one, or takes the last one back."""
        if not 1 <= len(args) <= 2:
            raise ConfigurationError(f"give a site: {self.name} {self.usage}")
        self._check_together(args, opts)
        site = site_name(args[0])
        if opts.gold is not None:
            self._write_gold(site, opts)
        elif len(args) == 1 and not opts.undo:
            self._write_sheet(site, opts)
        else:
            source = None if opts.undo else _sheet_source(Path(args[1]))
            if not opts.dry_run:
                # Said before anybody waits for figures and answers.
                with self.changing(site):
                    pass
            self._change(site, source, opts)

    def _check_together(self, args: list[str], opts: argparse.Namespace) -> None:
        writes = len(args) == 1 and not opts.undo and opts.gold is None
        wrong = {
            "--pages": opts.pages is not None and not writes,
            "--page": opts.page and not writes,
            "-o": opts.output is not None and not writes,
            "--yes": opts.yes and (writes or opts.dry_run),
            "--dry-run": opts.dry_run and writes,
            "--gold": opts.gold is not None and (len(args) == 2 or opts.undo or opts.yes or opts.dry_run),
        }
        for name, is_wrong in wrong.items():
            if is_wrong:
                raise ConfigurationError(f"{name} does not go with the rest; {self.name} {self.usage}")

    def _files(self, site: str) -> TaughtFiles:
        return TaughtFiles(site_path(site, self.project))

    def _write_gold(self, site: str, opts: argparse.Namespace) -> None:
        path = self._files(site).lessons
        pages = teaching.taught_pages(teaching.read_lessons(path))
        if not pages:
            raise ConfigurationError(f"{path}: no page of {site!r} was corrected yet; teach it first")
        with written(Path(opts.gold)) as file:
            for url, blocks in sorted(pages.items()):
                write_json({"id": url, "text": gold_text(blocks), "cluster": site}, file)
        self.say(f"{len(pages)} pages in {opts.gold}")

    def _write_sheet(self, site: str, opts: argparse.Namespace) -> None:
        least = 0 if opts.page else 1
        count = number("--pages", opts.pages, least, _MOST_PAGES) if opts.pages else PAGES * least
        taught = teaching.taught_pages(teaching.read_lessons(self._files(site).lessons))
        with self.open_store(site) as store:
            judge = self.judge_of(store)
            teaching.check_teachable(judge, site)
            pages = [self._page(store, judge, url) for url in opts.page]
            if count:
                looked_at = sample_of(store, None if opts.all else SAMPLE)
                if len(looked_at) < store.documents.count():
                    self.say(f"chosen from a sample of {len(looked_at)} pages; --all looks at all of them")
                with self.progress(len(looked_at), "pages judged") as progress:
                    tell = partial(progress.at, "pages judged")
                    pages += teaching.telling_pages(store, judge, looked_at, count, taught, tell)
            sheets = [teaching.sheet_page(judge, page) for page in dict.fromkeys(pages)]
        if not sheets:
            raise ConfigurationError(f"site {site!r} has no page that is left to correct; crawl it first")
        self._put_sheet(site, sheets, opts)

    def _page(self, store: Store, judge: StoredJudge, url: str) -> int:
        form = form_of(url, with_site_file(store.name, self.project))
        # An archive has its own spelling of some.
        for known in (url, form, one_escape(form)):
            if (page := store.documents.page_of(known)) is not None:
                teaching.check_page_teachable(judge, known)
                return page
        raise ConfigurationError(f"--page {url}: no page is stored there; ask scrapy explain")

    def _put_sheet(self, site: str, pages: Sequence[teaching.SheetPage], opts: argparse.Namespace) -> None:
        text = teaching.written(site, pages).encode("utf-8", "replace")
        if opts.output is not None:
            path = Path(opts.output)
            if path.is_file() and path.read_bytes() != text:
                # It may hold corrections that nobody has taught yet.
                names = (path.with_name(f"{path.name}.~{nth}~") for nth in itertools.count(1))
                kept = next(name for name in names if not name.exists())
                shutil.copyfile(path, kept)
                self.say(f"the sheet that was there is {kept} now")
            with written(path) as file:
                file.write(text)
            self.say(f"{len(pages)} pages in {opts.output}: change signs, then {self.name} {site} SHEET")
        if opts.json:
            write_json({"site": site, "pages": pages})
        elif opts.output is None:
            sys.stdout.buffer.write(text)

    def _change(self, site: str, source: str | None, opts: argparse.Namespace) -> None:
        """Shows what would change, asks, and does it. While it asks, the site may be crawled."""
        with self.open_store(site) as store:
            judge, change = self._changed(store, source)
            then = judge_with(store, judge, taught=change.weights)
            pages = sample_of(store, None if opts.all else SAMPLE)
            with self.progress(len(pages), "pages judged") as progress:
                *_, effect = previews(store, judge, then, pages, partial(progress.at, "pages judged"))
            against = unheeded(store, then, teaching.taught_pages(change.lessons)) if change.learned else []
        before = judge.config.taught
        if not opts.json:
            _print(before, change, effect, against)
        question, refused = f"Judge site {site!r} so?", "nothing was changed"
        done = not opts.dry_run and self.agreed(question, refused, yes=opts.yes)
        if done:
            with self.changing(site) as store, self.progress(0, "pages judged") as progress:
                # The site may have been crawled meanwhile.
                now, latest = self._changed(store, source)
                tell, files = partial(progress.at, "pages judged"), self._files(site)
                changed = apply_change(store, now, latest, files, tell)
            self.say(f"{files.path}: {len(latest.weights)} weights; {changed} documents judged otherwise")
        if opts.json:
            write_json({**_as_json(site, before, change, effect, done=done), "unheeded": against})

    def _changed(self, store: Store, source: str | None) -> tuple[StoredJudge, Change]:
        """Returns the judge of the pages now, and the change by a sheet, or by an undo without one."""
        judge = self.judge_of(store)
        files = self._files(store.name)
        if source is None:
            return judge, undone(store, judge, files)
        teaching.check_teachable(judge, store.name)
        sheet = teaching.parsed(source)
        if not sheet:
            raise teaching.WrongSheet(1, "the sheet names no page; scrapy teach SITE -o SHEET writes one")
        before = teaching.taught_pages(teaching.read_lessons(files.lessons))
        pages = teaching.corrected(store, judge, sheet, before)
        return judge, taught_by(store, judge, files, pages)


def _sheet_source(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: {error}; save it as UTF-8") from error


def _as_json(site: str, before: Any, change: Change, effect: ChangePreview, *, done: bool) -> dict[str, Any]:
    learned = change.learned
    return {
        "site": site,
        "applied": done,
        "before": dict(before),
        "weights": change.weights,
        "taught_pages": None if learned is None else learned.pages,
        "missing": [] if learned is None else learned.missing,
        "decided": 0 if learned is None else learned.decided,
        "documents": effect.documents,
        "looked_at": effect.looked_at,
        "estimated": effect.estimated,
        "changed": effect.changed,
        "words_gone": effect.gone,
        "words_come": effect.come,
        **{name: asdict(effect)[name] for name in ("blocks", "losing", "failed", "classes")},
    }


def _print(before: Any, change: Change, effect: ChangePreview, against: Sequence[Unheeded]) -> None:
    names = sorted({*before, *change.weights})
    rows = [(name, _weight(before.get(name)), _weight(change.weights.get(name))) for name in names]
    show(("selector", "now", "then"), rows)
    about = "about " if effect.estimated else ""
    print(f"\n{about}{effect.changed} of {effect.documents} documents would change")
    if effect.estimated:
        print(f"estimated from a sample of {effect.looked_at} pages; --all looks at all of them")
    print(f"words: {about}{effect.gone} would go, {about}{effect.come} would come")
    classes = [
        (at.changed, at.looked_at, at.gone, at.come, at.pattern, printable(at.samples[0].text, TEXT_CHARS))
        for at in effect.classes
    ]
    columns = ("change", "of", "go", "come", "class", "such as")
    section("classes of pages with a change", columns, classes)
    blocks = [
        ("comes" if row.comes else "goes", row.words, row.selector, printable(row.text, TEXT_CHARS), row.url)
        for row in effect.blocks
    ]
    section("largest changes", ("", "words", "selector", "text", "url"), blocks)
    title = f"pages that would lose more than half of their words: {len(effect.losing)}"
    losing = [(row.words, row.words_left, row.url) for row in effect.losing[:20]]
    section(title, ("words", "then", "url"), losing)
    title = f"blocks that would still be judged against their signs: {len(against)}"
    rows = [("+" if row.keep else "-", printable(row.text, TEXT_CHARS), row.url) for row in against[:20]]
    section(title, ("sign", "text", "url"), rows)
    for failure in effect.failed:
        print(f"could not be judged: {printable(failure)}")
    if change.learned is not None:
        if not change.weights and not against:
            print("there is nothing to learn: the pages are judged as their signs say")
        for url in change.learned.missing:
            why = "no page that can be taught is stored there now"
            print(f"not learned from, as {why}: {printable(url)}")
        if change.learned.decided:
            print(
                f"{change.learned.decided} blocks are decided by selectors or templates, whatever is taught"
            )


def _weight(weight: float | None) -> str:
    return "-" if weight is None else f"{weight:+g}"
