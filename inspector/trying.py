"""The views that try out, and those that decide on templates and selectors."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from inspection.change_preview import judge_with, previews
from inspection.compare import compare
from inspection.decide import Choice, decide
from inspection.pages import sample_of
from inspection.site_file import SIDES, check_choices, with_choices, with_selector
from inspection.templates import list_templates
from inspection.trial import try_page, try_site
from inspector import arguments
from inspector.answers import as_json
from inspector.jobs import Job, JobViews
from pagelets.judging.by_url import KINDS
from settings.errors import ConfigurationError
from settings.types import ready
from store.errors import NotLearned, SiteBusy

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from inspection.templates import ListedTemplate
    from store.site import Store

MOST_METHODS: Final = 8
TRIED_PAGES: Final = 300
"""Pages that stand for a larger site, by default."""
_TRIED: Final = ("method", *KINDS, "k", "detection", "min_pages", "min_share", "keep", "drop")
_OF_A_PAGE: Final = {*KINDS, "keep", "drop"}
"""What can be tried that finds no other templates."""


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
            judge_in = self._stores.judge
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
            known = self._stores.judge(store).config.registry
            for name in methods or ():
                ready(name, known)
            return compare(store, self._stores.judge, page, methods, job.tell_of)

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
            judge = self._stores.judge(store)
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
            with self._stores.open(site) as store:
                rows = self._decided(store, choice, waits=True)
        return as_json({"templates": rows})

    def _decided(self, store: Store, choice: Choice, *, waits: bool) -> list[ListedTemplate]:
        partition = self._stores.partition(store)
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
