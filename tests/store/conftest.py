from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "site.example", create=True) as opened:
        yield opened
