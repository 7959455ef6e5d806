from __future__ import annotations

import pytest

from pagelets.document import judge
from pagelets.evidence import Evidence
from pagelets.page import build, parse
from pagelets.partition import partition
from pagelets.render import Rendering
from pagelets.single import extract
from tests.pagelets.methods.test_judged import ARTICLE


def test_the_main_text_of_a_page() -> None:
    text = extract(ARTICLE, "https://hive.example/news/bees")
    assert text.startswith("Bees in winter\n\nThey sit close together")
    assert "Imprint" not in text
    assert "Home" not in text


@pytest.mark.parametrize("html", [ARTICLE, "", "<p>one", "<!-- -->", "\0"])
def test_it_is_what_a_crawl_of_one_page_gives(html: str) -> None:
    url = "https://hive.example/"
    page = build(parse(html), url)
    pagelets = partition(page)
    judged = judge(page, pagelets, Evidence.none(len(pagelets), len(page.blocks)), "judged")
    assert extract(html, url) == Rendering(page, judged.mask).text()
