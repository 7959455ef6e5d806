"""The stores of this machine, for the inspector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.commandline.site_files import read_source, write_source
from crawler.configuration.judgement import stored_judge, stored_partition, with_site_file
from crawler.configuration.plan import site_name
from crawler.frontier.scope import ignored_parameters
from inspection.taught_change import TaughtFiles
from settings.canonical import canonical
from settings.errors import ConfigurationError
from settings.places import sites_dir

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from crawler.commandline.base import StoreCommand
    from pagelets.partitions import Partition
    from store.judging import StoredJudge
    from store.site import Store


class CommandStores:
    """The stores as a command finds them (`inspector.stores.Stores` says what each method does)."""

    def __init__(self, command: StoreCommand) -> None:
        self._command = command
        self._settings = command.project

    def names(self) -> list[str]:
        """Returns the sites that have a store."""
        return self._command.sites()

    def open(self, site: str) -> Store:
        """Opens a site's store."""
        return self._command.open_store(site)

    def changing(self, site: str) -> AbstractContextManager[Store]:
        """Opens a site's store, which nobody else changes meanwhile."""
        return self._command.changing(site)

    def judge(self, store: Store) -> StoredJudge:
        """Returns what judges the pages of a store as its last crawl did."""
        return stored_judge(store, self._settings)

    def partition(self, store: Store) -> Partition:
        """Returns the partition that a store's pagelets were made with."""
        return stored_partition(store, self._settings)

    def form(self, url: str, site: str) -> str:
        """Returns the one form that a URL has in a site."""
        try:
            return canonical(url, ignored_parameters(with_site_file(site, self._settings)))
        except ValueError as error:
            raise ConfigurationError(f"{url!r} is no URL ({error}): give a whole address") from error

    def files(self, site: str) -> TaughtFiles:
        """Returns the files of a site that take what is taught."""
        return TaughtFiles(sites_dir(self._settings) / f"{site_name(site)}.toml", read_source, write_source)
