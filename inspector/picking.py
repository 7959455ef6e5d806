"""The views that pick fields, and that take changes of site files back."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from inspection.field_file import field_line, with_field
from inspection.field_pick import Click, pick
from inspection.field_preview import SHOWN, check_field, field_previews
from inspection.page_sample import sample_of
from inspector import arguments
from inspector.answers import as_json
from inspector.jobs import Job, JobViews
from settings.errors import ConfigurationError
from store.listing import PageList

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


class Picking(JobViews):
    """Views that pick fields."""

    def pick(self, request: Request) -> Response:
        """Begins to look for selectors of a text that was clicked."""
        values = arguments.body(request)
        site = self._opened.named(arguments.string(values, "site"))
        found = self._opened.find(arguments.string(values, "url"), site)
        block = values.get("block")
        if type(block) is not int:
            raise ConfigurationError("block: give the position of a block")
        click = Click(
            arguments.string(values, "version"),
            block,
            *(arguments.string(values, name) if name in values else "" for name in ("text", "type")),
        )

        def work(job: Job) -> dict[str, Any]:
            with self._stores.open(site) as store, store.snapshot():
                return asdict(pick(store, self._stores.judge(store), found, click, job.tell))

        return self._begun(work)

    def preview(self, request: Request) -> Response:
        """Begins to take the values of a field, first from pages next to that of a URL."""
        values = arguments.body(request)
        site, name, given, match = self._field(values)
        found = self._opened.find(arguments.string(values, "url"), site) if values.get("url") else None

        def work(job: Job) -> dict[str, Any]:
            with self._stores.open(site) as store:
                check_field(self._stores.judge(store).config, name, given, match)
                page = None if found is None else found.known.page
                near = [] if page is None else [page, *PageList(store.connection).around(page, SHOWN // 2)]
                pages = list(dict.fromkeys([*near, *sample_of(store)]))
                for preview in field_previews(store, name, given, pages, job.tell, match):
                    # Shown while the others are read.
                    job.result = asdict(preview)
            return dict(job.result)

        return self._begun(work)

    def write(self, request: Request) -> Response:
        """Writes a field to the site file."""
        values = arguments.body(request)
        site, name, given, match = self._field(values)
        with self._opened.judging(site) as (_, judge):
            check_field(judge.config, name, given, match)
        files = self._stores.files(site)
        file = self._history.change(
            files, arguments.string(values, "file"), lambda source: with_field(source, name, given, match)
        )
        return as_json({"path": str(files.path), "file": file, "line": field_line(name, given, match)})

    def undo(self, request: Request) -> Response:
        """Takes the last change of the site file back that was written here."""
        values = arguments.body(request)
        files = self._stores.files(self._opened.named(arguments.string(values, "site")))
        file = self._history.undo(files, arguments.string(values, "file"))
        return as_json({"path": str(files.path), "file": file})

    def _field(self, values: dict[str, Any]) -> tuple[str, str, dict[str, Any], str]:
        site = self._opened.named(arguments.string(values, "site"))
        given = values.get("given")
        if not isinstance(given, dict):
            raise ConfigurationError('given: describe the field, such as {"css": ".price::text"}')
        match = arguments.string(values, "match") if "match" in values else ""
        return site, arguments.string(values, "name"), given, match
