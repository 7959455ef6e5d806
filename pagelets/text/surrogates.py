"""Texts without halves of surrogates, which no file in UTF-8 and no index holds."""

from __future__ import annotations

import re
from typing import Any, Final

LONE: Final = re.compile("[\ud800-\udfff]")
"""Finds surrogates without their other half."""


def replaced(value: Any, wrong: re.Pattern[str] = LONE) -> Any:
    """Returns a value with U+FFFD for each match of ``wrong`` in all its texts."""
    if isinstance(value, str):
        return wrong.sub("\ufffd", value)
    if isinstance(value, list):
        return [replaced(item, wrong) for item in value]
    if isinstance(value, dict):
        return {key: replaced(item, wrong) for key, item in value.items()}
    return value
