"""Spiders that may request URLs in another order than the nearest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from crawler.configuration.topic import topic_of
from crawler.frontier.focus import Focus, focus_of
from crawler.spiders.base import PageSpider
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.configuration.plan import Plan


class FocusedSpider(PageSpider):
    """Requests URLs in the order that `crawler.frontier.focus.Focus` gives them, where one is asked for.

    ``focused`` is False of a subclass that has its own order.
    """

    focused: ClassVar[bool] = True
    query = ""
    """The words of a topic, and ``seeds`` a file that has them; pages that fit it lead to what is next."""
    seeds = ""
    focus: Focus | None = None

    def open(self, plan: Plan) -> None:
        """Opens the site's store, and prepares the order."""
        super().open(plan)
        if self.focused:
            try:
                self.focus = focus_of(self.crawler, self.session, topic_of(self.query, self.seeds))
            except BaseException:
                self.session.close()
                raise

    def extend_frontier(self) -> None:
        """Computes the order anew if that is due."""
        if self.focus is not None:
            self.focus.look_if_due()


def check_order(spider: type[PageSpider], arguments: Mapping[str, str]) -> None:
    """Raises ConfigurationError for an argument that orders requests, of a spider that does not."""
    if "template_links" in arguments and not getattr(spider, "focused", False):
        raise ConfigurationError("template_links: for the spider site alone; leave it out")
