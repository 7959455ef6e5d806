from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def lightgbm() -> None:
    """Loads it where a test asks for it, and not where tests are collected: with it comes pandas."""
    try:
        import lightgbm  # noqa: F401
    except OSError as error:
        pytest.skip(f"lightgbm needs the Debian package libgomp1: {error}")
