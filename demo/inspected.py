"""`python -m demo.inspected FOLDER`: pictures of the inspector's views of the demo site (docs/inspector.md).

Needs `requirements-javascript.txt` and a Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from demo.__main__ import PROJECT, command, open_site, run

PAGE: Final = "/magazine/coptic-binding/"
PRODUCT: Final = "/shop/paper/cream-text-paper/"
VIEWS: Final = ("sites", "site", "pages", "templates", "classes", "runs")
SIZE: Final[Any] = {"width": 1000, "height": 780}
JPEG: Final[dict[str, Any]] = {"type": "jpeg", "quality": 55}
"""A half of what PNG takes."""
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def inspected(data: Path) -> Iterator[str]:
    """Runs the inspector over stores; yields its address."""
    arguments = [*_settings(data), "--no-browser"]
    process = subprocess.Popen(  # noqa: S603 - the interpreter and Scrapy, no shell
        [sys.executable, "-m", "scrapy", "inspect", *arguments],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def draw(address: str, base: str, folder: Path) -> None:
    """Writes a picture of each view.

    Args:
        address: that of the inspector.
        base: that of the site.
        folder: the folder to write to.

    """
    with _page() as page:
        for view in VIEWS:
            page.goto(f"{address}{'' if view == 'sites' else view}?site=demo")
            page.wait_for_load_state("networkidle")
            page.screenshot(path=folder / f"{view}.jpg", **JPEG)
        shown = f"{address}page?site=demo&url={{}}"
        _draw_page(page, shown.format(quote(base + PAGE, safe="")), folder)
        _draw_pick(page, shown.format(quote(base + PRODUCT, safe="")), folder)


def draw_change(address: str, base: str, folder: Path) -> None:
    """Writes a picture of what the last run has changed of a document, with arguments as of `draw`."""
    with _page() as page:
        page.goto(f"{address}changed?site=demo&url={quote(base + PAGE, safe='')}")
        page.screenshot(path=folder / "changed.jpg", **JPEG)


@contextmanager
def _page() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, BROWSERS)), None), args=["--no-sandbox"]
        )
        yield browser.new_page(viewport=SIZE)
        browser.close()


def _draw_page(page: Any, address: str, folder: Path) -> None:
    page.goto(address)
    page.wait_for_selector(".blocks li")
    title = page.frame_locator("#frame").locator("h1 [data-pb]").first
    title.wait_for()
    box = title.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.screenshot(path=folder / "page.jpg", **JPEG)
    page.mouse.click(box["x"] + 20, box["y"] + 10)
    page.click("#preview")
    page.wait_for_selector("#outcome > ul > li", timeout=120_000)
    page.screenshot(path=folder / "teach.jpg", **JPEG)


def _draw_pick(page: Any, address: str, folder: Path) -> None:
    page.goto(address)
    page.wait_for_selector(".blocks li")
    page.frame_locator("#frame").locator("p.price [data-pb]").first.wait_for()
    page.click(".blocks button:has-text('£14.50')")
    page.keyboard.press("x")
    page.wait_for_selector("#outcome table", timeout=120_000)
    page.wait_for_selector("#progress", state="hidden", timeout=120_000)
    page.screenshot(path=folder / "pick.jpg", **JPEG)


def _settings(data: Path) -> list[str]:
    return ["-s", f"DATA_DIR={data / 'data'}", "-s", f"SITES_DIR={data / 'sites'}"]


def main(arguments: list[str]) -> int:
    """Crawls the demo site, draws the views into the folder that is given, and once more after a change."""
    if len(arguments) != 1:
        print("give a folder: python -m demo.inspected docs/inspector", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        base = open_site(stack)
        crawl = command(
            base, [*_settings(data), "-a", "site=demo", "-s", "LOG_LEVEL=ERROR", "-O", f"{data}/d.jsonl"]
        )
        if code := run(crawl):
            return code
        address = stack.enter_context(inspected(data))
        draw(address, base, folder)
        (data / "sites").mkdir()
        (data / "sites" / "demo.toml").write_text('drop = ["figcaption"]\n', encoding="utf-8")
        if code := run(crawl):
            return code
        draw_change(address, base, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
