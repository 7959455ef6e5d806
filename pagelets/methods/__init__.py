"""Methods that judge the blocks of a page, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagelets.methods.all_text import AllText
from pagelets.methods.judged import JUDGED, Judged
from pagelets.methods.templates import Templates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagelets.methods.base import Method

METHODS: Final[Mapping[str, Method]] = {
    "all-text": AllText(),
    "paper": Templates(blocks=False),
    "templates": Templates(blocks=True),
    JUDGED: Judged(),
}
