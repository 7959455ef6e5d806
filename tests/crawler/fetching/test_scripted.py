from __future__ import annotations

import pytest

from crawler.fetching.scripted import needs_scripts
from pagelets.reading import read

SCRIPT = '<script type="module" src="/app.js"></script>'


@pytest.mark.parametrize(
    ("html", "needs"),
    [
        (f'<div id="root"></div>{SCRIPT}', True),
        (f"<p>Loading …</p>{SCRIPT}", True),
        ("<div id=app></div><noscript>Please enable JavaScript.</noscript>", True),
        (f"<p>{'Sign in. ' * 20}</p>{SCRIPT * 3}", True),
        (f"<p>{'A short page. ' * 4}</p>{SCRIPT * 2}", False),
        (f"<p>{'An article. ' * 30}</p>{SCRIPT * 3}<noscript>Some need JavaScript.</noscript>", False),
        ("<p>Hello</p>", False),
        ("", False),
    ],
)
def test_pages_that_show_nothing_without_their_scripts(html: str, needs: bool) -> None:
    assert needs_scripts(read(html, "https://a.example/")) is needs
