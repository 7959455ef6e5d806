"""The views that change: what a site is taught."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from inspection.change_preview import previews
from inspection.lessons import read_lessons, taught_pages
from inspection.pages import sample_of
from inspection.taught_change import (
    apply_change,
    check_unchanged,
    flipped,
    judge_by,
    taught_by,
    taught_f1,
    undone,
)
from inspection.teaching import telling_pages
from inspector import arguments
from inspector.answers import as_json
from inspector.jobs import Job, JobViews

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from inspection.taught_change import Change, Flips
    from store.judging import StoredJudge
    from store.site import Store

NEXT: Final = 3
"""Pages that are offered next."""


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
            judge = self._stores.judge(store)
            change = self._taught(store, judge, flips)
            then = judge_by(store, judge, change)
            corrected = taught_pages(change.lessons)
            scores = [taught_f1(store, judging, corrected) for judging in (judge, then)]
            more = {"f1": scores, "before": dict(judge.config.taught), "weights": change.weights}
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
            pages, judge = sample_of(store), self._stores.judge(store)
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
                files, judge = self._stores.files(site), self._stores.judge(store)
                check_unchanged(files, file)
                change = change_in(store, judge)
                # Once the files are written, the store follows: nobody can cancel it.
                changed = apply_change(store, judge, change, files, job.note)
            return {"changed": changed, "weights": change.weights}

        return self._begun(work)
