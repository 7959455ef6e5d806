"""The stores of this machine, for the inspector."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawler.commandline.indexing import searchable
from crawler.commandline.pages import form_of
from crawler.commandline.site_files import taught_files
from crawler.configuration.checks import extraction_in, normal, schema_of
from crawler.configuration.judgement import ARGUMENTS_OF_TRY, asked_of, trial_of, with_site_file
from crawler.scheduling.due import scheduled_sites, standing
from inspection.overview import Due
from search.query import Found, Query
from store.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.commandline.base import StoreCommand
    from inspection.scratch import Trial
    from inspection.taught_change import TaughtFiles
    from pagelets.reading.fields import Extraction
    from store.site import Store


class CommandStores:
    """Implements `inspector.stores.Stores` with the stores that a command finds."""

    def __init__(self, command: StoreCommand) -> None:
        self._settings = command.project
        self.names = command.sites
        self.open = command.open_store
        self.changing = command.changing
        self.judge = command.judge_of
        self.partition = command.partition_of

    def due(self) -> Mapping[str, Due]:
        """Returns the schedules of the sites that have one, or a mistake in their file, by name."""
        sites, wrong = scheduled_sites((), self._settings)
        found = {path.stem: Due(problem="; ".join(map(str, problems))) for path, problems in wrong.items()}
        now = datetime.now(UTC)
        for site in sites:
            try:
                one = standing(site, now)
            except (StoreError, OSError) as error:
                found[site.name] = Due(problem=str(error))
            else:
                time = None if one.following is None else one.following.isoformat(timespec="minutes")
                found[site.name] = Due(time, one.due, one.running)
        return found

    def extraction(self, site: str) -> Extraction:
        """Returns the fields that the site's file has taken from pages."""
        return extraction_in(with_site_file(site, self._settings))

    def form(self, url: str, site: str) -> str:
        """Returns the one form that a URL has in a site."""
        return form_of(url, with_site_file(site, self._settings))

    def files(self, site: str) -> TaughtFiles:
        """Returns the files of a site that take what is taught."""
        return taught_files(site, self._settings)

    def trial(self, store: Store, asked: Mapping[str, str]) -> Trial:
        """Returns a trial of other arguments; a selector is added to those that there are."""
        given = [f"{name}={value}" for name, value in asked.items() if name not in ("keep", "drop")]
        values = asked_of(given, self._settings) if given else {}
        selectors = self.judge(store).config.selectors
        for name, before in (("keep", selectors.keep), ("drop", selectors.drop)):
            if name in asked:
                setting = ARGUMENTS_OF_TRY[name]
                values[name] = normal(setting, [*before, asked[name]], name, schema_of(self._settings))
        return trial_of(store, self._settings, values)

    def search(self, site: str, text: str, limit: int) -> Found:
        """Returns the hits of a query in the index of a site.

        Args:
            site: the site.
            text: the query, as a person writes it.
            limit: the number of hits at most.

        """
        with searchable(site, None, self._settings) as (_, sink):
            return sink.search(Query.parse(text, limit=limit))
