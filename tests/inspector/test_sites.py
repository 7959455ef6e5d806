"""The way from a click to the changed document, on the demo and on sites of the corpora."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from demo.server import serve
from tests import forked
from tests.inspector.conftest import answering
from tests.inspector.test_page import click, done

CORPORA = os.environ.get("CORPORA")
FLIPPED = 3
# A real site beside the demo, and a second one where examples are random (`make fuzz`).
SITES = ["demo", "academicproductivity"]
if os.environ.get("HYPOTHESIS_PROFILE") == "random":
    SITES.append("pydanny")


def crawled(name: str, folder: Path) -> Path:
    """The folder of the store of a crawl."""
    options = ["-s", f"DATA_DIR={folder / 'data'}", "-s", "LOG_LEVEL=ERROR", "-s", "SINKS="]
    if name == "demo":
        with serve() as base:
            fast = ["-s", "AUTOTHROTTLE_ENABLED=0", "-s", "DOWNLOAD_DELAY=0", "-a", "max_pages=12"]
            fast += ["-a", f"site={name}"]
            done = forked.run(["crawl", "site", "-a", f"url={base}/", *fast, *options])
    else:
        if CORPORA is None:
            pytest.skip("CORPORA does not name the folder of the corpora")
        path = Path(CORPORA) / "sites" / f"{name}.warc.gz"
        done = forked.run(["crawl", "archive", "-a", f"path={path}", *options])
    assert done.returncode == 0, done.stderr
    return folder / "data"


@pytest.mark.parametrize("name", SITES)
def test_a_click_changes_the_documents_of_a_site(name, opened, tmp_path_factory, tmp_path):
    with answering(crawled(name, tmp_path_factory.mktemp(name)), tmp_path) as served:
        url = served.json("/pages", site=name, sort="-size", least=0.2, most=0.9)["pages"][0]["url"]
        page = opened.page
        page.goto(served.address("/page", site=name, url=url))
        page.wait_for_selector(".blocks li")
        view = served.json("/page", site=name, url=url)["view"]
        # Some of the end of the page, which is never all that is kept.
        at = [at for at, block in enumerate(view["blocks"]) if not block["kept"] and len(block["text"]) > 20][
            -1
        ]
        page.click(f'.blocks [data-position="{at}"] button')
        click(page, at)
        # One block among many is noise to what learns; those of a container are not.
        while int(page.inner_text("#counter").split()[0]) < FLIPPED:
            page.keyboard.press("ArrowUp")
        assert "F1 on the taught pages" in done(page, "#preview", "would change")
        done(page, "#apply", "Done: ")
        assert (
            served.json("/page", site=name, url=url)["view"]["document"]["text"] != view["document"]["text"]
        )
        done(page, "#undo", "Done: ")
        assert (
            served.json("/page", site=name, url=url)["view"]["document"]["text"] == view["document"]["text"]
        )
        assert opened.complaints == []
