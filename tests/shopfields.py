"""Fields of a crawled shop's documents."""

from __future__ import annotations

import re
from typing import Any


def price(page: Any, document: Any) -> float | None:
    found = re.search(r"costs (\d+(?:\.\d+)?)", document["text"])
    return float(found[1]) if found else None


def price_text(page: Any, document: Any) -> str | None:
    found = price(page, document)
    return None if found is None else f"{found:.2f} €"


def tags(page: Any, document: Any) -> list[str] | None:
    return re.findall(r"#(\w+)", document["text"]) or None


def huge(page: Any, document: Any) -> int:
    return 1 << 70


def half(page: Any, document: Any) -> str:
    return "\ud800"


def control(page: Any, document: Any) -> str:
    return "a\x01"
