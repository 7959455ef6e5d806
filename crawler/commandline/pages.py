"""Finds the page of a store that a command is about."""

from __future__ import annotations

import shlex
from typing import ClassVar

from scrapy.settings import BaseSettings

from crawler.commandline.base import Options, StoreCommand, option
from crawler.configuration.judgement import with_site_file
from crawler.frontier.scope import ignored_parameters
from inspection.pages import FoundPage, find_page
from settings.canonical import canonical
from settings.errors import ConfigurationError, UnknownName, WrongSiteFile
from store.errors import StoreError


class PageCommand(StoreCommand):
    """A command on a page, which is looked for in all stores unless ``--site`` names one."""

    of_samples = True
    options: ClassVar[Options] = (option("--site SITE", "the site whose store to look in (default: all)"),)

    def find(self, url: str, site: str | None) -> FoundPage:
        """The page of a URL. Raises ConfigurationError or StoreError."""
        sites = self._readable() if site is None else [site]
        form_of(url, self.project)
        if not sites and self.sites():
            raise ConfigurationError(f"{url}: no store can be looked into; mend what was passed over")
        return find_page(
            url, sites, self.snapshot, lambda name: form_of(url, with_site_file(name, self.project))
        )

    def find_current(self, url: str, site: str | None) -> FoundPage:
        """Returns the page of a ``url`` of a ``site`` with a document. Raises as `find`, and without one."""
        page = self.find(url, site)
        if not page.current:
            asked = f"scrapy explain {shlex.quote(page.known.url)} --site {page.site}"
            raise ConfigurationError(f"{page.known.url}: no page is stored; {asked} tells why")
        return page

    def _readable(self) -> list[str]:
        sites = []
        for site in self.sites():
            try:
                with_site_file(site, self.project)
                with self.snapshot(site):
                    sites.append(site)
            except (StoreError, UnknownName, WrongSiteFile) as error:
                self.say(f"passed over: {error}")
        return sites


def form_of(url: str, settings: BaseSettings) -> str:
    """The normal form of a URL. Raises ConfigurationError."""
    try:
        return canonical(url, ignored_parameters(settings))
    except ValueError as error:
        raise ConfigurationError(f"{url!r} is no URL ({error}): give a whole address") from error
