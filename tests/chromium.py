"""A Chromium for tests, where there is one."""

from __future__ import annotations

import contextlib
import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from crawler.fetching.browser.middleware import QUICK

if TYPE_CHECKING:
    from collections.abc import Iterator

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Starts a browser, whose end ends an event loop of this thread; skips the test where it cannot."""
    if find_spec("playwright") is None or BROWSER is None:
        pytest.skip("needs requirements-javascript.txt and a Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # As root it has no sandbox of its own.
        started = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", QUICK])
        yield started
        started.close()
