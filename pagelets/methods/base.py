"""What a method of judging blocks is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pagelets.evidence import Evidence
    from pagelets.page import Page
    from pagelets.partition import Pagelet

CONTENT: Final = "content"
TEMPLATE: Final = "template"
REPEATED: Final = "repeated"


class Reason(NamedTuple):
    """Why a block is kept or removed.

    ``name`` is one of the reasons that docs/output.md lists. ``weights`` tells, of a method that weighs
    evidence, how much each kind speaks for content, in log odds; it is empty for others.
    """

    name: str
    weights: dict[str, float] = {}  # noqa: RUF012


@dataclass(slots=True, frozen=True, eq=False)
class Verdict:
    """What a method says of a page's blocks: ``mask`` is true where content, ``scores`` are from 0 to 1.

    ``reasons`` gives a reason for each block; it is worked out where it is asked for.
    """

    mask: list[bool]
    scores: Sequence[float]
    reasons: Callable[[], list[Reason]]

    @classmethod
    def certain(cls, names: Sequence[str]) -> Verdict:
        """The verdict of a method that knows no doubt: all is kept whose reason is `CONTENT`."""
        mask = [name == CONTENT for name in names]
        return cls(mask, [float(keep) for keep in mask], lambda: [Reason(name) for name in names])


class Method(Protocol):
    """Judges the blocks of one page, given what the site knows of it."""

    def judge(self, page: Page, pagelets: Sequence[Pagelet], evidence: Evidence) -> Verdict:
        """Returns a verdict on the page's blocks."""
        ...
