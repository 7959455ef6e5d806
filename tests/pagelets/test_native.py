"""What is compiled gives what plain code gives: the same elements, pagelets, sketches and fingerprints."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagelets import block_keys, compiled, partition, sketch, tree
from pagelets.containers import Containers
from pagelets.reading import read
from pagelets.text.words import character_kinds
from tests.pagelets.reading.test_reading import HOSTILE, HTML, URL
from tests.pagelets.test_sketch import ANY_TEXT, CONTENTS

WHY_PLAIN = compiled.why_plain("pagelets.native") or compiled.why_plain("pagelets.native_pages")
pytestmark = pytest.mark.skipif(bool(WHY_PLAIN), reason=WHY_PLAIN)
TEXTS = st.lists(ANY_TEXT, max_size=4)
LENGTHS = st.sampled_from((127, 128, 129, 256, 5000))
KINDS = character_kinds()


@pytest.fixture(scope="module")
def native() -> Any:
    return import_module("pagelets.native")


@pytest.fixture(scope="module")
def pages() -> Any:
    return import_module("pagelets.native_pages")


@settings(deadline=None)
@given(HTML)
def test_the_same_elements_are_found(pages: Any, html: str) -> None:
    found = read(html, URL).tree
    assert pages.strings_at(found.strings, found.tag) == tree.strings_at(found.strings, found.tag)
    for places in (found.tag, found.name):
        assert pages.distinct(found.strings, places) == tree.distinct(found.strings, places)
    for name in found.name_places({"class", "id", *found.strings}):
        arguments = (found.strings, found.starts, found.name, found.value, name)
        assert list(pages.values_of(*arguments).items()) == list(tree.values_of(*arguments).items())


@settings(deadline=None)
@given(HTML, st.integers(1, 4))
@example("<a href=x></a>" * 3 + "text<p><a href=y>z</a>", 3)
def test_pages_are_cut_alike(pages: Any, html: str, k: int) -> None:
    check_slices(pages, html, k)


def test_hostile_pages_are_cut_alike(pages: Any) -> None:
    for html in (*(html[:100_000] for html in HOSTILE), "<div>" * 100_000, "<p><a href=x>y</a></p>" * 20_000):
        check_slices(pages, html, 3)


def check_slices(pages: Any, html: str, k: int) -> None:
    page = read(html, URL)
    linked = bytes(tag == "a" and "href" in html for tag in page.tree.tags)
    found = pages.slices(page, linked, k)
    assert found == partition.slices(page, linked, k)


@settings(deadline=None)
@given(ANY_TEXT)
@example("Straße " + "a" * 70_000 + " b")
@example("a" * 65_536 + "五")
def test_words_have_the_same_hashes(native: Any, text: str) -> None:
    hashes = sketch.word_hashes(text, KINDS)
    assert native.word_hashes(text, KINDS).tolist() == hashes.tolist()
    if len(hashes):
        factors = np.array([3, 5, 2**63 + 1], np.uint64), np.array([1, 2**64 - 1, 0], np.uint64)
        assert native.minima(hashes, *factors).tolist() == sketch.minima(hashes, *factors).tolist()


@settings(deadline=None)
@given(CONTENTS, st.integers(1, 6))
@example([(["a b"], ["x" * 65_535, "x" * 65_536, "x" * 65_537]), (["c"], [])], 2)
def test_sketches_are_the_same(native: Any, contents: list[tuple[list[str], list[str]]], size: int) -> None:
    places, a = np.arange(1, 2 * size, 2, dtype=np.uint64), np.array([7, 2**63 + 5], np.uint64)
    if contents:
        made = native.sketched(contents, KINDS, places, a, a)
        assert made == sketch.sketched(contents, KINDS, places, a, a)


@settings(deadline=None)
@given(TEXTS, TEXTS, LENGTHS)
def test_fingerprints_are_the_same(native: Any, texts: list[str], targets: list[str], length: int) -> None:
    for some in (texts, ["x" * (length - 1)], ["ü" * (length // 2)], [*texts, "\ud800" * length]):
        assert native.fingerprint(some, targets) == sketch.plain_fingerprint(some, targets)
    assert native.fingerprint(iter(texts)) == sketch.plain_fingerprint(texts)


@settings(deadline=None)
@given(st.lists(ANY_TEXT | st.text("a12٣४ ", max_size=8), max_size=4), st.integers(0, 2**32 - 1))
def test_keys_of_blocks_are_the_same(native: Any, texts: list[str], place: int) -> None:
    places = np.full(len(texts), place, np.uint32)
    found, wanted = np.zeros(len(texts), block_keys.BLOCK_KEYS), np.zeros(len(texts), block_keys.BLOCK_KEYS)
    native.write_keys(texts, places, found["block"], found["placed"])
    block_keys.write_keys(texts, places, wanted["block"], wanted["placed"])
    assert found.tolist() == wanted.tolist()
    parents = np.maximum(np.arange(len(texts) + 1, dtype=np.int64) - 1, 0)
    assert native.tag_path_sums(texts, parents).tolist() == block_keys.tag_path_sums(texts, parents).tolist()


@settings(deadline=None)
@given(HTML)
def test_real_places_have_the_same_sums(native: Any, html: str) -> None:
    page = read(html, URL)
    containers = Containers.of(page)
    steps = partition.node_steps(page.tree, containers.nodes[1:].tolist())
    sums = native.tag_path_sums(steps, containers.parent)
    assert sums.tolist() == block_keys.tag_path_sums(steps, containers.parent).tolist()
