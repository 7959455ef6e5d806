from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pagelets.page import build, parse
from pagelets.partition import partition
from store.evidence import SiteEvidence, block_fingerprint
from tests.store.sites import Pagelet, begin, record, url
from tests.store.test_templates import blocks, found, replace

if TYPE_CHECKING:
    from store.site import Store

HTML = "<nav><a href=/a>Home</a> <a href=/b>News</a> <a href=/c>About</a></nav><p>words of the page</p>"


def recorded(store: Store, count: int) -> list[int]:
    begin(store)
    return [
        record(store, f"p{number}", [Pagelet("the menu"), Pagelet(f"text {number}")])
        for number in range(count)
    ]


def evidence(store: Store, block_share: float = 0.5) -> SiteEvidence:
    with store.transaction():
        store.set_meta("template_version", "v1")
    return SiteEvidence(store, 3, block_share)


def page_of(name: str):
    return build(parse(HTML), url(name))


def test_a_local_template_is_wherever_its_sketch_is(store: Store) -> None:
    pages = recorded(store, 4)
    sketch = store.pages.sketches(pages[0])[0]
    (template,) = replace(store, found((sketch, None)))
    for page in pages:
        known = evidence(store).of(page, page_of("p"), 2)
        assert list(known.templates) == [template, 0]
        assert list(known.pagelet_pages) == [3, 0]
        assert list(known.pagelet_shares) == [0.5, 0.0]
        assert known.version == "v1"


def test_a_global_template_is_on_the_pages_of_its_component_only(store: Store) -> None:
    pages = recorded(store, 5)
    sketch = store.pages.sketches(pages[0])[0]
    first, second = replace(store, found((sketch, set(pages[:2])), (sketch, set(pages[2:4]))))
    site = evidence(store)
    assert [site.of(page, page_of("p"), 2).templates[0] for page in pages] == [
        first,
        first,
        second,
        second,
        0,
    ]


def test_repeated_blocks_are_known_by_their_text(store: Store) -> None:
    (page,) = recorded(store, 1)
    replace(store, found(), blocks((block_fingerprint("words of the page"), 7, 0.7), (1, 9, 0.9)))
    built = page_of("p")
    repeated = [block.text == "words of the page" for block in built.blocks]
    known = evidence(store).of(page, built, 2)
    assert [pages == 7 for pages in known.block_pages] == repeated
    assert [share == 0.7 for share in known.block_shares] == repeated
    assert any(repeated)
    assert not any(evidence(store, 0).of(page, built, 2).block_pages)
    assert not any(evidence(store, 0.8).of(page, built, 2).block_pages)


def test_a_record_of_another_partition_is_told(store: Store) -> None:
    (page,) = recorded(store, 1)
    built = page_of("p")
    with pytest.raises(ValueError, match="the store has 2"):
        evidence(store).of(page, built, len(partition(built, 3)) + 5)
