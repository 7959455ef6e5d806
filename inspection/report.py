"""A site in one report: how much is kept, of which pages little or much, its templates and runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from inspection.runs import ListedRun, list_runs
from inspection.structure import PageClass, page_classes
from inspection.templates import ListedTemplate, largest_templates
from store.listing import PageList, PageQuery, PageRow
from store.occurrences import TemplateFrequency, template_frequency

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagelets.partitions import Partition
    from store.site import Store

OUTLIERS: Final = 20
TEMPLATES: Final = 50
RUNS: Final = 20


@dataclass(slots=True, frozen=True)
class SiteReport:
    """A site: ``shares`` are documents by the tenth of text that they keep; ``least`` and ``most`` the pages
    that keep the smallest and the largest share; ``templates`` those that remove most text, and
    ``template_pages`` counts the pages that contain one.
    """

    site: str
    documents: int
    chars: int
    chars_kept: int
    states: Mapping[str, int]
    flags: Mapping[str, int]
    shares: Sequence[int]
    least: Sequence[PageRow]
    most: Sequence[PageRow]
    classes: Sequence[PageClass]
    template_pages: TemplateFrequency
    templates: Sequence[ListedTemplate]
    runs: Sequence[ListedRun]


def site_report(store: Store, partition: Partition) -> SiteReport:
    """Returns the report of a site.

    Args:
        store: the store.
        partition: the partition that its pagelets were made with.

    Raises:
        StoreHalfDerived: its pages are being derived again.

    """
    pages = PageList(store.connection)
    kept = pages.kept()
    # Pages without a document keep no share.
    judged = PageQuery(least=0.0, sort="share")
    return SiteReport(
        store.name,
        store.documents.count(),
        kept.chars,
        kept.chars_kept,
        store.frontier.counts(),
        pages.flags(),
        kept.shares,
        pages.rows(judged, 0, OUTLIERS),
        pages.rows(replace(judged, falling=True), 0, OUTLIERS),
        page_classes(store),
        template_frequency(store.connection),
        largest_templates(store, partition, 0, TEMPLATES)[1],
        list_runs(store, RUNS),
    )
