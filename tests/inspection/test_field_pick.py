from __future__ import annotations

import pytest

from inspection.field_pick import part_of_urls

SITE = "https://shop.example"


@pytest.mark.parametrize(
    ("wanted", "others", "part"),
    [
        (["/shop/paper/a", "/shop/tools/b"], ["/", "/about", "/bookshop/a"], "/shop/"),
        (["/de/p/a", "/en/p/b"], ["/", "/de/", "/de/news/a", "/en/news/b"], "/p/"),
        (["/item-1.html", "/item-2.html"], ["/about.html", "/items.html"], "/item-"),
        (["/show?item=1", "/show?item=2"], ["/show?news=1", "/"], "?item="),
        (["/blog/a", "/blog/b"], ["/blog/c", "/blog/d", "/about"], ""),
        (["/a", "/b"], ["/c"], ""),
        (["/shop/a"], ["/"], ""),
        (["/shop/a", "/shop/b"], [], ""),
    ],
)
def test_the_part_that_the_wanted_urls_share_and_others_lack(wanted, others, part):
    assert part_of_urls([SITE + path for path in wanted], [SITE + path for path in others]) == part
