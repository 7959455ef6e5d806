from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pagelets.block_keys import block_fingerprint
from pagelets.judging.parameters import Detection
from pagelets.partition import partition
from pagelets.reading import read
from store.facts import facts_of, recorded
from store.meta import TEMPLATE_VERSION
from tests.store.sites import Pagelet, begin, place, record, url
from tests.store.test_support import keep, repeated
from tests.store.test_templates import found, replace

if TYPE_CHECKING:
    from pagelets.judging.page_facts import PageFacts
    from pagelets.page import Page
    from store.site import Store

HTML = "<nav><a href=/a>Home</a> <a href=/b>News</a> <a href=/c>About</a></nav><p>words of the page</p>"


def pages_of(store: Store, count: int) -> list[int]:
    begin(store)
    return [
        record(store, f"p{number}", [Pagelet("the menu"), Pagelet(f"text {number}")])
        for number in range(count)
    ]


class Facts:
    """What a site knows, asked for page by page."""

    def __init__(self, store: Store, block_share: float) -> None:
        self._store = store
        self._facts = facts_of(store, Detection(block_share=block_share))

    def of(self, number: int, page: Page, pagelets: int) -> PageFacts:
        return self._facts.aligned(recorded(self._store, number), page, pagelets)


def evidence(store: Store, block_share: float = 0.5) -> Facts:
    with store.transaction():
        store.set_meta(TEMPLATE_VERSION, "v1")
    return Facts(store, block_share)


def page_of(name: str):
    return read(HTML, url(name))


def test_a_local_template_is_wherever_its_sketch_is(store: Store) -> None:
    pages = pages_of(store, 4)
    sketch = store.pages.sketches(pages[0])[0]
    (template,) = replace(store, found((sketch, None)))
    for page in pages:
        known = evidence(store).of(page, page_of("p"), 2)
        assert list(known.templates) == [template, 0]
        assert list(known.pagelet_pages) == [3, 0]
        assert list(known.pagelet_shares) == [0.5, 0.0]
        assert known.version == "v1"


def test_a_global_template_is_on_the_pages_of_its_component_only(store: Store) -> None:
    pages = pages_of(store, 5)
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
    begin(store)
    menu, text = Pagelet("the menu", path="html/body/nav"), Pagelet("words of the page")
    page = record(store, "p", [menu, text])
    keep(store, repeated(blocks=[(block_fingerprint(text.text), 7, 0.7), (1, 9, 0.9)]))
    built = page_of("p")
    known = evidence(store).of(page, built, 2)
    assert known.blocks.pages.tolist() == [0, 7]
    assert known.blocks.shares.tolist() == pytest.approx([0, 0.7])
    assert list(known.repeated) == [False, True]
    for share, said in ((0, False), (0.7, True), (0.8, False)):
        other = evidence(store, share).of(page, built, 2)
        assert list(other.repeated) == [False, said], share
        # What the site repeats is told, whether or not that is enough.
        assert other.blocks.pages.tolist() == [0, 7]


def test_repeated_blocks_have_enough_pages_and_share(store: Store) -> None:
    begin(store)
    pagelets = [Pagelet(text) for text in ("one", "two", "three", "four")]
    page = record(store, "p", pagelets)
    support = [(2, 0.9), (5, 0.4), (9, 0.8), (3, 0.5)]
    fingerprints = [block_fingerprint(pagelet.text) for pagelet in pagelets]
    keep(
        store,
        repeated(
            blocks=[(fingerprint_, *on) for fingerprint_, on in zip(fingerprints, support, strict=True)]
        ),
    )
    built = read("<p>one<p>two<p>three<p>four", url("p"))
    assert list(evidence(store).of(page, built, 4).repeated) == [False, False, True, True]


def test_blocks_are_known_by_their_place_as_well(store: Store) -> None:
    page, _ = pages_of(store, 2)
    at = place(Pagelet(""))
    keep(store, repeated(placed=[(3, 4, 0.5)], places=[(at, 8, 0.75, 0.25, 1.5)]))
    known = evidence(store).of(page, page_of("p0"), 2)
    assert known.blocks.tag_path_pages.tolist() == [8, 8]
    assert known.blocks.tag_path_shares.tolist() == [0.75, 0.75]
    assert known.blocks.tag_path_singletons.tolist() == [0.25, 0.25]
    assert known.blocks.tag_path_frequencies.tolist() == [1.5, 1.5]
    assert not known.blocks.placed_pages.any()
    assert not any(known.repeated)


def test_the_size_of_the_page_s_host_is_known(store: Store) -> None:
    begin(store)
    pages = [record(store, name, [Pagelet("text")]) for name in ("p", "http://other.example/p", "q")]
    keep(store, repeated(hosts=[(store.pages.host(pages[0]), 12)]))
    site, built = evidence(store), read("<p>text", url("p"))
    assert [site.of(page, built, 1).pages for page in pages] == [12, 0, 12]


def test_a_record_of_another_partition_is_told(store: Store) -> None:
    (page,) = pages_of(store, 1)
    built = page_of("p")
    with pytest.raises(ValueError, match="its record has 2"):
        evidence(store).of(page, built, len(partition(built, 3)) + 5)


def test_a_record_of_other_blocks_is_told(store: Store) -> None:
    (page,) = pages_of(store, 1)
    for html in ("<p>one", "<p>one<p>two<p>three"):
        built = read(html, url("p0"))
        with pytest.raises(ValueError, match=f"{url('p0')}: 2 pagelets and {len(built.blocks)} blocks"):
            evidence(store).of(page, built, 2)


def test_a_page_without_blocks_has_evidence(store: Store) -> None:
    begin(store)
    page = record(store, "p", [])
    known = evidence(store).of(page, read("", url("p")), 0)
    assert (len(known.templates), len(known.blocks.pages), len(known.repeated)) == (0, 0, 0)
