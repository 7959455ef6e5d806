"""The views that change: what a site is taught, what is tried and decided, and the fields that are picked."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from inspection.change_preview import judge_with, previews
from inspection.compare import compare
from inspection.field_pick import SHOWN, Click, check_field, field_previews, pick
from inspection.pages import sample_of
from inspection.site_file import SIDES, check_choices, field_line, with_choices, with_field, with_selector
from inspection.taught_change import (
    Change,
    Flips,
    apply_change,
    check_unchanged,
    flipped,
    taught_by,
    taught_f1,
    undone,
    unheeded,
)
from inspection.teaching import read_lessons, taught_pages, telling_pages
from inspection.templates import Choice, ListedTemplate, decide, list_templates
from inspection.trial import try_page, try_site
from inspector import arguments
from inspector.answers import as_json
from inspector.jobs import Job, JobViews
from pagelets.judging.by_url import KINDS
from settings.errors import ConfigurationError
from settings.types import ready
from store.errors import NotLearned, SiteBusy
from store.judging import StoredJudge
from store.listing import PageList
from store.site import Store

NEXT: Final = 3
"""Pages that are offered next."""
MOST_METHODS: Final = 8
TRIED_PAGES: Final = 300
"""Pages that stand for a larger site, by default."""
_TRIED: Final = ("method", *KINDS, "k", "detection", "min_pages", "min_share", "keep", "drop")
_OF_A_PAGE: Final = {*KINDS, "keep", "drop"}
"""What can be tried that finds no other templates."""


class Teaching(JobViews):
    """Views that teach."""

    def job(self, request: Request) -> Response:
        """Answers with the state of a job."""
        return as_json(self._jobs.get(arguments.text(request, "id")).told())

    def cancel(self, request: Request) -> Response:
        """Cancels a job."""
        job = self._jobs.get(arguments.string(arguments.body(request), "id"))
        job.cancelled.set()
        return as_json(job.told())

    def preview(self, request: Request) -> Response:
        """Begins to work out what would change if flipped blocks were learned from."""
        site, flips, file = self._flips(request)

        def work(job: Job, store: Store) -> object:
            check_unchanged(self._stores.files(site), file)
            judge = self._stores.judge_of(store)
            change = self._taught(store, judge, flips)
            then = judge_with(store, judge, taught=change.weights)
            corrected = taught_pages(change.lessons)
            scores = [taught_f1(store, judging, corrected) for judging in (judge, then)]
            learned = change.learned
            assert learned is not None, "an undo alone has none"
            more: dict[str, Any] = {
                "f1": scores,
                "before": dict(judge.config.taught),
                "weights": learned.weights,
                "missing": learned.missing,
                "decided": learned.decided,
                "unheeded": len(unheeded(store, then, corrected)),
            }
            effects = previews(store, judge, then, sample_of(store), job.tell)
            return job.last_of({**asdict(effect), **more} for effect in effects)

        return self._begun_in(site, work)

    def apply(self, request: Request) -> Response:
        """Begins to learn from flipped blocks, and to judge the site by that."""
        site, flips, file = self._flips(request)
        return self._changed(site, file, lambda store, judge: self._taught(store, judge, flips))

    def undo(self, request: Request) -> Response:
        """Begins to take the last lesson back."""
        site, values = self._asked(request)
        file, files = arguments.string(values, "file"), self._stores.files(site)
        return self._changed(site, file, lambda store, judge: undone(store, judge, files))

    def next(self, request: Request) -> Response:
        """Begins to choose the pages whose correction tells most."""
        site, _ = self._asked(request)

        def work(job: Job, store: Store) -> object:
            taught = taught_pages(read_lessons(self._stores.files(site).lessons))
            pages, judge = sample_of(store), self._stores.judge_of(store)
            chosen = telling_pages(store, judge, pages, NEXT, taught, job.tell)
            return {"urls": [store.frontier.url(page) for page in chosen]}

        return self._begun_in(site, work)

    def _flips(self, request: Request) -> tuple[str, dict[str, Flips], str]:
        site, values = self._asked(request)
        return site, arguments.flips(values), arguments.string(values, "file")

    def _taught(self, store: Store, judge: StoredJudge, flips: Mapping[str, Flips]) -> Change:
        files = self._stores.files(store.name)
        pages = flipped(store, judge, flips, read_lessons(files.lessons))
        return taught_by(store, judge, files, pages)

    def _changed(self, site: str, file: str, change_in: Callable[[Store, StoredJudge], Change]) -> Response:
        def work(job: Job) -> dict[str, Any]:
            with self._stores.changing(site) as store:
                files, judge = self._stores.files(site), self._stores.judge_of(store)
                check_unchanged(files, file)
                change = change_in(store, judge)
                # Once the files are written, the store follows: nobody can cancel it.
                changed = apply_change(store, judge, change, files, job.note)
            return {"changed": changed, "weights": change.weights}

        return self._begun(work)


class Trying(JobViews):
    """Views that try out and decide."""

    def try_out(self, request: Request) -> Response:
        """Begins to judge a page, or the site if no URL is given, in another way."""
        site, values = self._asked(request)
        asked = {name: arguments.string(values, name) for name in _TRIED if values.get(name)}
        if not asked:
            raise ConfigurationError("say what to try: a method, k, a selector")
        page = self._page(site, values)

        def work(job: Job, store: Store) -> object:
            trial = self._stores.trial(store, asked)
            judge_in = self._stores.judge_of
            sample = None if values.get("all") else TRIED_PAGES
            if page is None:
                return try_site(store, judge_in, trial, job.tell_of, sample)
            if sample:
                is_large = store.documents.count() > sample
                # A method that has yet to learn of the site does so on a copy.
                with contextlib.suppress(NotLearned):
                    # Shown until pages are judged anew.
                    job.result = alone = try_page(store, judge_in, trial, page, job.tell_of, 1)
                    # What a large site repeats is told better by all its pages than by some.
                    if not alone.approximated or (is_large and asked.keys() <= _OF_A_PAGE):
                        return alone
            return try_page(store, judge_in, trial, page, job.tell_of, sample)

        return self._begun_in(site, work)

    def compare(self, request: Request) -> Response:
        """Begins to judge a page by several methods."""
        site, values = self._asked(request)
        page = self._opened.find(arguments.string(values, "url"), site)
        if not page.current:
            raise ConfigurationError(f"{page.known.url}: no page is stored there")
        methods = values.get("methods")
        if methods is not None and (
            not isinstance(methods, list)
            or len(methods) > MOST_METHODS
            or not all(isinstance(name, str) for name in methods)
        ):
            raise ConfigurationError(f"methods: give up to {MOST_METHODS} names")

        def work(job: Job, store: Store) -> object:
            known = self._stores.judge_of(store).config.registry
            for name in methods or ():
                ready(name, known)
            return compare(store, self._stores.judge_of, page, methods, job.tell_of)

        return self._begun_in(site, work)

    def select(self, request: Request) -> Response:
        """Writes a selector to the key ``keep`` or ``drop`` of the site file."""
        site, values = self._asked(request)
        selector = arguments.string(values, "selector")
        side = next((key for key in SIDES if key == values.get("kind")), None)
        if side is None:
            raise ConfigurationError("kind: give keep or drop")
        return self._written(site, values, lambda source: with_selector(source, side, selector))

    def kinds_preview(self, request: Request) -> Response:
        """Begins to work out what other choices for kinds of blocks would change over the site."""
        site, values = self._asked(request)
        choices = _choices(values)

        def work(job: Job, store: Store) -> object:
            check_choices(choices)
            judge = self._stores.judge_of(store)
            then = judge_with(store, judge, kinds={**judge.config.kinds, **choices})
            return job.last_of(previews(store, judge, then, sample_of(store), job.tell))

        return self._begun_in(site, work)

    def kinds(self, request: Request) -> Response:
        """Writes choices for kinds of blocks to the site file."""
        site, values = self._asked(request)
        choices = _choices(values)
        return self._written(site, values, lambda source: with_choices(source, choices))

    def decide(self, request: Request) -> Response:
        """Decides on templates: pinned, rejected, or left to detection again."""
        site, values = self._asked(request)
        choice = Choice(_names(values, "pin"), _names(values, "reject"), _names(values, "reset") or None)
        if not (choice.pin or choice.reject or choice.reset):
            raise ConfigurationError("pin, reject or reset: give the names of templates")
        try:
            with self._stores.changing(site) as store:
                rows = self._decided(store, choice, waits=False)
        except SiteBusy:
            # The crawl takes it when it has fetched its pages.
            with self._stores.open_store(site) as store:
                rows = self._decided(store, choice, waits=True)
        return as_json({"templates": rows})

    def _decided(self, store: Store, choice: Choice, *, waits: bool) -> list[ListedTemplate]:
        partition = self._stores.partition_of(store)
        about = decide(store, partition, choice, waits=waits)
        return list_templates(store, partition, about)


def _choices(values: dict[str, Any]) -> dict[str, str]:
    choices = {kind: arguments.string(values, kind) for kind in KINDS if kind in values}
    if not choices:
        raise ConfigurationError(f"give keep, drop or auto for one of {', '.join(KINDS)}")
    return choices


def _names(values: dict[str, Any], key: str) -> list[str]:
    names = values.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ConfigurationError(f"{key}: give a list of names of templates")
    return names


class Picking(JobViews):
    """Views that pick fields."""

    def pick(self, request: Request) -> Response:
        """Begins to look for selectors of a text that was clicked."""
        site, values = self._asked(request)
        found = self._opened.find(arguments.string(values, "url"), site)
        block = values.get("block")
        if type(block) is not int:
            raise ConfigurationError("block: give the position of a block")
        click = Click(
            arguments.string(values, "version"),
            block,
            *(arguments.string(values, name) if name in values else "" for name in ("text", "type")),
        )

        def work(job: Job, store: Store) -> object:
            with store.snapshot():
                return pick(store, self._stores.judge_of(store), found, click, job.tell)

        return self._begun_in(site, work)

    def preview(self, request: Request) -> Response:
        """Begins to take the values of a field, first from pages next to that of a URL."""
        site, values = self._asked(request)
        name, given, match = _field(values)
        found = self._page(site, values)

        def work(job: Job, store: Store) -> object:
            check_field(self._stores.judge_of(store).config, name, given, match)
            page = None if found is None else found.known.page
            near = [] if page is None else [page, *PageList(store.connection).around(page, SHOWN // 2)]
            pages = list(dict.fromkeys([*near, *sample_of(store)]))
            return job.last_of(field_previews(store, name, given, pages, job.tell, match))

        return self._begun_in(site, work)

    def write(self, request: Request) -> Response:
        """Writes a field to the site file."""
        site, values = self._asked(request)
        name, given, match = _field(values)
        with self._opened.judging(site) as (_, judge):
            check_field(judge.config, name, given, match)
        line = field_line(name, given, match)
        return self._written(site, values, lambda source: with_field(source, name, given, match), line=line)

    def undo(self, request: Request) -> Response:
        """Takes the last change of the site file back that was written here."""
        site, values = self._asked(request)
        files = self._stores.files(site)
        file = self._history.undo(files, arguments.string(values, "file"))
        return as_json({"path": str(files.path), "file": file})


def _field(values: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    """The name of a field, its description, and the part of URLs that its pages have."""
    given = values.get("given")
    if not isinstance(given, dict):
        raise ConfigurationError('given: describe the field, such as {"css": ".price::text"}')
    match = arguments.string(values, "match") if "match" in values else ""
    return arguments.string(values, "name"), given, match
