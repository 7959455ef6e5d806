"""What a job is asked for: all of it are values, which go to every executor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagelets.extensions import Extensions
    from pagelets.overrides import Selectors
    from pagelets.partitions import Partition
    from release.detection import Detector

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
    always kept and dropped, bytes of a body beyond which it is cut, and whether their links are wanted.
    ``layout`` is that of the flat pages that are handed on (`pagelets.page_bytes`), 0 where methods ask for
    the HTML, which is handed on in their place.
    """

    site_by: SiteBy
    partition: Partition
    selectors: Selectors
    max_size: int
    links: bool
    layout: int
    extensions: Extensions


@dataclass(slots=True, frozen=True)
class Judging:
    """What pages are judged by, and what is wanted of them: as `release.judging.Judging`, of any site.

    ``decided`` tells of each sketch that people decided on whether they rejected it, ``decisions`` the same
    by the names of states, sorted. ``fields`` are those of a Document where no override says otherwise,
    ``columns`` all that a Document may have. ``similarity`` is None where texts are not compared.
    ``most_pages`` is how many pages of a site a task takes.
    """

    reading: Reading
    detector: Detector
    method: str
    nosnippet: bool
    overrides: Sequence[Mapping[str, Any]]
    decisions: Sequence[tuple[int, str]]
    decided: Mapping[int, bool]
    fields: Sequence[str]
    columns: Sequence[str]
    similarity: float | None
    parquet: bool
    most_pages: int
