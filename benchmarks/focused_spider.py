"""Archives crawled from their home pages, as a site is: for `benchmarks.focused`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from crawler.spiders.archive import ArchiveSpider
from crawler.spiders.focused import FocusedSpider
from store.frontier import Target
from store.meta import MISSED_ROUND

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.http import Request
    from scrapy.settings import BaseSettings

    from crawler.configuration.plan import Plan
    from store.frontier import Due


class FromHome(FocusedSpider, ArchiveSpider):
    """Begins with one page of an archive, and takes the archive's other pages as links lead to them.

    Arguments: ``start`` (the page; the archive's first one where it is not given), those of the spider
    ``site`` for a topic, and those of the spider ``archive``. ``requested`` are the URLs in their order.
    """

    name = "from-home"
    own_arguments: ClassVar[tuple[str, ...]] = ("query", "seeds", "start")
    start_page: str | None = None
    requested: ClassVar[list[str]] = []

    @classmethod
    def plan_of(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks the arguments."""
        cls.requested.clear()
        return super().plan_of(arguments, settings)

    def __init__(self, start: str | None = None, **arguments: str) -> None:
        super().__init__(**arguments)
        self.start_page = start

    def begin(self) -> None:
        """Makes the first page known."""
        store = self.session.store
        self.session.compared = store.meta(MISSED_ROUND) is not None
        store.frontier.add(Target(self.start_page or next(iter(self.archive.urls())), None), 0)

    def page_request(self, due: Due) -> Request | None:
        """Notes what is requested."""
        self.requested.append(due.url)
        return super().page_request(due)
