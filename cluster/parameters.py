"""What a job is asked for: all of it are values, which go to every executor."""

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
    """How pages are read from archives: what makes them a site, how they are cut into pagelets, what is
    always kept and dropped, which fields are taken from them, bytes of a body beyond which it is cut, and
    whether their links are wanted. ``layout`` is that of the flat pages that are handed on
    (`pagelets.page_bytes`), 0 where methods ask for the HTML, which is handed on in their place.
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
    """What a job is asked for, of any site: how pages are read and judged, and what is wanted of them.

    ``columns`` are all fields that a Document may have. ``most_pages`` is how many pages of a site a task
    takes.
    """

    reading: Reading
    config: JudgeConfig
    columns: Sequence[str]
    parquet: bool
    most_pages: int
