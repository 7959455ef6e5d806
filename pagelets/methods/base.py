"""What a method of judging blocks is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.evidence import Evidence
    from pagelets.page import Page
    from pagelets.partition import Pagelet

CONTENT: Final = "content"
TEMPLATE: Final = "template"
REPEATED: Final = "repeated"


class Method(Protocol):
    """Judges the blocks of one page, given what the site knows of it."""

    def judge(
        self, page: Page, pagelets: Sequence[Pagelet], evidence: Evidence
    ) -> tuple[list[bool], list[str]]:
        """Returns a mask over the page's blocks, true where content, and for each block the reason."""
        ...
