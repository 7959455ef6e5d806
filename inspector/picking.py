"""The views that pick fields, and that take changes of site files back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspection.field_pick import Click, pick
from inspection.field_preview import SHOWN, check_field, field_previews
from inspection.pages import sample_of
from inspection.site_file import field_line, with_field
from inspector import arguments
from inspector.answers import as_json
from inspector.jobs import Job, JobViews
from settings.errors import ConfigurationError
from store.listing import PageList

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from store.site import Store


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
                return pick(store, self._stores.judge(store), found, click, job.tell)

        return self._begun_in(site, work)

    def preview(self, request: Request) -> Response:
        """Begins to take the values of a field, first from pages next to that of a URL."""
        site, values = self._asked(request)
        name, given, match = _field(values)
        found = self._page(site, values)

        def work(job: Job, store: Store) -> object:
            check_field(self._stores.judge(store).config, name, given, match)
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
