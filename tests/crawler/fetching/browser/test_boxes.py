"""Pages that are cut by what a reader sees, rendered by a real Chromium."""

from __future__ import annotations

from contextlib import closing

from pagelets.boxes import ATTRIBUTE
from pagelets.literature.partitions.visual_blocks import boxes_of
from pagelets.partitions import Partition
from pagelets.reading import read
from store.site import Store
from tests.crawler.fetching.browser.test_rendering import rendered, rendering, store_of
from tests.served import Answer, served

STYLE = """body { margin: 0; font: 16px/1.4 serif; background: #fff } header { background: #036; color: #fff }
#left { float: left; width: 200px } #main { margin-left: 240px } h1 { font-size: 32px } p { margin: 16px 0 }
footer { clear: both; background: #eee; margin-top: 60px }"""
TEXT = "<p>Words of the page that go on for a while, as words do.</p>" * 3
TAKEN = "<script>window.getComputedStyle = null</script>"
PAGE = f"""<!doctype html><html><head><title>t</title><link rel=stylesheet href=/s.css></head><body>
<header><div>Bakery</div><div>All that rises</div></header>
<div id=left><div><a href=/>Start</a></div><div><a href=/a>Bread</a></div></div>
<div id=main><h1>Rye</h1>{TEXT}</div><footer><div>Rights</div><div>Imprint</div></footer></body></html>"""


@rendered
def test_a_rendered_page_is_cut_as_it_is_seen(tmp_path):
    pages = {"/": PAGE, "/a": f"{PAGE}{TAKEN}", "/s.css": Answer(STYLE, kind="text/css")}
    with served(pages) as site:
        done, documents = rendering(tmp_path, site, "-a", "partition=vips")
        assert done.returncode == 0, done.stderr
        assert len(documents) == 2
        assert ATTRIBUTE not in done.stdout
        with closing(Store.open(store_of(tmp_path))) as store:
            assert store.derivation.partition == Partition("vips")
            html = store.bodies.get(store.bodies.pages()[0]).text()
        page = read(html, f"{site.base}/")
        texts = [
            " ".join(block.text for block in page.blocks[one.start : one.stop])
            for one in Partition("vips")(page)
        ]
        assert texts == [
            "Bakery All that rises", "Start Bread", f"Rye {' '.join(b.text for b in page.blocks[5:8])}",
            "Rights Imprint",
        ]  # fmt: skip
        # As it was fetched alone it is cut by tags.
        plain = read(PAGE, site.base)
        assert boxes_of(plain.tree) is None
        assert Partition("vips")(plain) == Partition("dom")(plain)
