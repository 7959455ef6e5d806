"""The documentation as a site, opened in a browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pagelets
from tests.chromium import chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(find_spec("mkdocs") is None, reason="needs requirements-docs.txt: make docs")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site. The build is strict: a link or an anchor that leads nowhere ends it."""
    folder = tmp_path_factory.mktemp("docs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with chromium() as started:
        yield started.new_page()


def test_the_api_is_that_of_the_library(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    named = re.findall(r'<h2 id="pagelets[\w.]*\.(\w+)"', page)
    assert sorted(named) == sorted(pagelets.__all__)


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        loaded = re.findall(r'\bsrc="?((?:https?:)?//[^" >]+)|@import|<link [^>]*preconnect[^>]*>', text)
        loaded += re.findall(r'<link [^>]*rel="?(?:stylesheet|icon)"?[^>]*href="?(https?://[^" >]+)', text)
        assert loaded == [], path


def test_pages_open_in_a_browser(address: str, page: Any) -> None:
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{address}/index.html")
    links = page.eval_on_selector_all("nav.md-nav--primary a.md-nav__link", "all => all.map(one => one.href)")
    links = list(dict.fromkeys(link.partition("#")[0] for link in links if link.startswith(address)))
    assert len(links) == len([*ROOT.glob("docs/*.md"), "index", "api", "changelog"])
    # A page of each kind: with a picture, with the API, with the source of a function.
    for link in (f"{address}/{name}.html" for name in ("how-it-works", "api", "source/store/site.py")):
        assert page.goto(link, wait_until="domcontentloaded").status == 200, link
        assert page.inner_text("article h1").rstrip("¶"), link
        assert page.evaluate("[...document.images].every(one => one.complete && one.naturalWidth)"), link
    page.keyboard.press("/")
    page.keyboard.type("DETECTION_MEMORY")
    page.click(".md-search-result__link[href*=configuration]")
    page.wait_for_url(f"{address}/configuration.html*")
    assert complaints == []
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_text_of_the_way_of_a_page_is_in_its_box(page: Any, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto((ROOT / "docs" / "way-of-a-page.svg").as_uri())
    outside = page.evaluate(
        """[...document.querySelectorAll("text")].filter(text => {
            const rect = text.parentNode.querySelector("rect").getBBox(), box = text.getBBox();
            return box.x < rect.x || box.x + box.width > rect.x + rect.width
                || box.y < rect.y || box.y + box.height > rect.y + rect.height;
        }).map(text => text.textContent)"""
    )
    assert outside == []
    paper, ink = page.evaluate(
        """[".paper", ".b"].map(tag => getComputedStyle(document.querySelector(tag)).fill)"""
    )
    luminances = [sum(map(int, re.findall(r"\d+", colour))) / 765 for colour in (paper, ink)]
    assert (luminances[0] > 0.8, luminances[1] > 0.8) == (scheme == "light", scheme == "dark")
