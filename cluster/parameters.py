"""The parameters of a job: values alone, which go to every executor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pagelets.reading.fields import NO_FIELDS, Extraction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.judging.config import JudgeConfig
    from pagelets.overrides import Selectors
    from pagelets.partitions import Partition

SiteBy = Literal["file", "host", "domain"]
"""What makes pages a site: the file that they are in, their host, its registrable domain."""


class ArchiveJobError(Exception):
    """A job cannot go on; the message is one line that names what is wrong and the mend.

    Raised by what prepares a job (`cluster.inputs`, `cluster.stages`), by `cluster.judging` for a site that a
    task cannot hold, and by `cluster.session` for what Spark says.
    """


@dataclass(slots=True, frozen=True)
class Reading:
    """The rules by which pages are read from archives: how they are grouped into sites and cut into pagelets,
    selectors that keep and drop, the most bytes of a body, whether links are wanted, and which fields are
    taken. ``layout`` is the layout of flat pages that are handed on (`pagelets.page_bytes`), 0 if methods ask
    for the HTML, which is handed on in their place.
    """

    site_by: SiteBy
    partition: Partition
    selectors: Selectors
    max_size: int
    links: bool
    layout: int
    extraction: Extraction = NO_FIELDS


@dataclass(slots=True, frozen=True)
class JobParameters:
    """The parameters of a job for every site: how pages are read and judged, and the wanted fields.

    ``columns`` are all fields that a Document may have; a task takes at most ``most_pages`` pages of a site.
    """

    reading: Reading
    config: JudgeConfig
    columns: Sequence[str]
    parquet: bool
    most_pages: int
