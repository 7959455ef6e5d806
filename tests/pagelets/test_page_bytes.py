"""A page that was kept as bytes is the page that was read, and other bytes are no page."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import struct
import tracemalloc
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagelets import page_bytes
from pagelets.block_keys import block_keys
from pagelets.compiled import compiled
from pagelets.containers import Containers
from pagelets.document import FIELDS, Origin, judge, make
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.all_text import AllTextMethod
from pagelets.methods.base import Subject
from pagelets.overrides import NO_SELECTORS, Selectors, overrides_of
from pagelets.page import Block, Runs
from pagelets.page_bytes import BrokenPage, blocks_of, from_bytes, is_tree, split, to_bytes
from pagelets.partition import partition
from pagelets.reading import read, version
from tests.pagelets.reading.test_reading import HOSTILE, HTML, URL, real_sites, warc_pages

if TYPE_CHECKING:
    from pagelets.document import Document
    from pagelets.page import Page

_native = compiled("pagelets.native_pages")

MARKING = Selectors(("b", ".x"), ("a", "img", "i"))
HEADER = 36
SMALL = (
    "<title>T</title><body class=x><p>One <a href=/y>two</a><br>three</p><p>four</p><b>five</b> six</body>"
)

FROZEN = bytes.fromhex(
    """
    70616765a132275f02020000000102030405060708090a0b0c0d0e0f4a0000006300000000000c0003000600060003000200
    010001000000000000000000000000000000000000000000000000000f000400020001001000110001000000120013001200
    14001400050008000a00060009000b0002000400050003000200010004000500040005000000010002000300040007000100
    0100010003000100010005000100000002000100000000000000000000000100020068746d6c0068656164007469746c6500
    626f6479007000636c61737300780061006872656600790072656c006e6f666f6c6c6f770054004f6e65200074776f004f6e
    652074776f00687474703a2f2f782f790074776f00687474703a2f2f782f005400
    """
)


def fields(found: Page) -> dict[str, Any]:
    """All that a page holds, in a form that can be compared."""
    held = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    tree = {field.name: getattr(found.tree, field.name) for field in dataclasses.fields(found.tree)}
    for name, value in tree.items():
        if isinstance(value, np.ndarray):
            tree[name] = (value.dtype, value.tolist())
    blocks = [(block.text, block.node, block.links, block.span, block.runs) for block in found.blocks]
    return {**held, "tree": tree, "blocks": blocks, "links": [(type(link), *link) for link in found.links]}


def document(page: Page) -> Document:
    """All that is told of a page, as a release tells it."""
    pagelets = partition(page)
    evidence = PageFacts.none(len(pagelets), len(page.blocks))
    subject = Subject(page, pagelets, evidence)
    judged = judge(subject, AllTextMethod(), overrides_of(page, pagelets, evidence))
    block_keys(page, Containers.of(page))
    return make(page, pagelets, evidence, judged, Origin("s", 200, ""), (*FIELDS, "pagelets"))


def checked(data: bytes) -> bytes:
    """Bytes with the checksum that they would have."""
    return data[:4] + struct.pack("<I", zlib.crc32(data[8:])) + data[8:]


@settings(deadline=None)
@given(html=HTML, deciding=st.sampled_from((None, NO_SELECTORS, MARKING)))
@example(html="", deciding=None)
@example(html="<!-- only a comment -->", deciding=None)
@example(html="<p>a&#0;b\x00</p><pre> c\n</pre>", deciding=None)
@example(html="<b> a</b> <i>b </i><br> <img src=x><b>c</b>", deciding=NO_SELECTORS)
@example(html="<p data-nosnippet>x<b data-nosnippet>y</b></p>", deciding=MARKING)
def test_a_page_is_the_same(html: str, deciding: Selectors | None) -> None:
    for selectors in (NO_SELECTORS, MARKING):
        page = read(html, URL, selectors, deciding)
        data = to_bytes(page)
        again = from_bytes(data, version(selectors, deciding))
        assert fields(again) == fields(page)
        assert (again.overrides is again.overridden) == (page.overrides is page.overridden)
        assert to_bytes(again) == data
        assert document(again) == document(page)


@pytest.mark.parametrize("url", ["http://x/\0a\0", "http://x/\ud800\udc00", "", "http://x/\U0001f600 ü"])
def test_texts_of_any_kind_survive(url: str) -> None:
    page = read(f"<base href='{url}'><a href=z>\U0001f600</a><a href='#'>y</a>", url)
    assert fields(from_bytes(to_bytes(page))) == fields(page)


def test_hostile_pages_are_the_same() -> None:
    for html in (*(html[:20_000] for html in HOSTILE), "<div>" * 10_000, "<br>" * 66_000):
        page = read(html, URL)
        assert fields(from_bytes(to_bytes(page))) == fields(page), html[:100]


@pytest.mark.skipif("CORPORA" not in os.environ, reason="needs the corpora")
def test_real_pages_are_the_same() -> None:
    folder = Path(os.environ["CORPORA"])
    for archive in (*real_sites(), *folder.glob("wcxb/*.warc.gz")):
        for url, html in warc_pages(archive, 1 if archive.parent.name == "sites" else 15):
            page = read(html, url, MARKING)
            again = from_bytes(to_bytes(page))
            assert fields(again) == fields(page), url
            assert document(again) == document(page), url


def test_the_layout_is_frozen() -> None:
    page = from_bytes(FROZEN)
    assert [block.text for block in page.blocks] == ["One two"]
    assert page.links == [("http://x/y", "two", True, 0)]
    assert (page.url, page.title, page.tree.tags[-1]) == ("http://x/", "T", "a")
    assert page.read_by == bytes(range(16))
    assert to_bytes(page) == FROZEN


def test_a_page_that_something_else_has_read_is_none() -> None:
    page = read(SMALL, URL, MARKING)
    assert (
        version()
        == version(NO_SELECTORS, NO_SELECTORS)
        == version(deciding=Selectors(), selectors=Selectors())
    )
    assert version(MARKING) == version(Selectors(MARKING.keep[::-1], MARKING.drop[::-1]))
    for other in (version(), version(MARKING, NO_SELECTORS), version(NO_SELECTORS, MARKING)):
        with pytest.raises(BrokenPage, match="another version, or with other selectors"):
            from_bytes(to_bytes(page), other)
    from_bytes(to_bytes(page))


def test_what_is_cut_short_or_altered_is_told() -> None:
    data = to_bytes(read(SMALL, URL, MARKING))
    for size in range(len(data)):
        with pytest.raises(BrokenPage):
            from_bytes(data[:size])
    for place in range(len(data)):
        if not 14 <= place < 16:
            altered = bytearray(data)
            altered[place] ^= 1 << place % 8
            with pytest.raises(BrokenPage):
                from_bytes(bytes(altered))
    for other in (data + b"\0", b"", b"x" * 1000, zlib.compress(data)):
        with pytest.raises(BrokenPage):
            from_bytes(other)


def test_bytes_that_were_made_to_look_like_a_page_are_none_or_one() -> None:
    page = read(SMALL, URL, MARKING)
    data = to_bytes(page)
    (count,) = struct.unpack_from("<I", data, 28)
    made = 0
    chance = random.Random(0)
    for _ in range(1_500):
        altered = bytearray(data)
        for _ in range(chance.choice((1, 1, 2))):
            place = HEADER + 2 * chance.randrange(count)
            number = chance.choice((0, 1, 2, 5, 40, 0xFFFF, chance.randrange(60)))
            struct.pack_into("<H", altered, place, number)
        try:
            other = from_bytes(checked(bytes(altered)))
        except BrokenPage:
            continue
        made += 1
        block_keys(other, Containers.of(other))
        partition(other)
        tree = other.tree
        for node in range(len(tree)):
            assert all(above < node for above in tree.ancestors(node))
            assert all(tree.parents[child] == node for child in tree.children(node))
            assert tree.last[node] == max((node, *(tree.last[child] for child in tree.children(node))))
    assert made


NUMBERS = st.lists(st.integers(-1, 6), max_size=6)


@pytest.mark.skipif(_native is None, reason="no compiled code")
@settings(max_examples=150)
@given(st.data())
def test_compiled_code_takes_for_a_tree_what_plain_code_does(data: st.DataObject) -> None:
    tree = read(data.draw(HTML), URL).tree
    rows = [row[:50].copy() for row in (tree.parent, tree.last.clip(max=49), tree.holder, tree.before)]
    if data.draw(st.booleans()):
        rows = [np.array(data.draw(NUMBERS), np.int32) for _ in range(4)]
        rows[1].resize(len(rows[0]))
        rows[3].resize(len(rows[2]))
    for _ in range(data.draw(st.integers(0, 2))):
        row = rows[data.draw(st.integers(0, 3))]
        if len(row):
            row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.integers(-2, 60))
    assert is_tree(*rows) == _native.is_tree(*rows)
    if len(tree) < 50:
        assert _native.is_tree(tree.parent, tree.last, tree.holder, tree.before)


@pytest.mark.skipif(_native is None, reason="no compiled code")
@given(st.binary(max_size=30) | st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")))
@example(b"\0\0")
@example(b"a\xed\xa0\0\x80")
@example(b"\xed\xa0\x80\xed\xb0\x80\0\xf0\x9f\x98\x80")
def test_compiled_code_splits_as_plain_code_does(data: bytes) -> None:
    for start in {0, len(data) // 2}:
        try:
            texts = split(data, start)
        except UnicodeDecodeError:
            with pytest.raises(UnicodeDecodeError):
                _native.split(data, start)
        else:
            assert _native.split(data, start) == texts


@pytest.mark.skipif(_native is None, reason="no compiled code")
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), max_size=6))
def test_compiled_code_makes_the_blocks_that_plain_code_does(rows: list[tuple[int, ...]]) -> None:
    columns = np.ascontiguousarray(np.array(rows, np.int32).reshape(-1, 4).T)
    runs = Runs([], [], [])
    try:
        blocks = blocks_of(["a", "b", "c"], columns, runs)
    except IndexError:
        with pytest.raises(IndexError):
            _native.blocks_of(["a", "b", "c"], columns, runs)
    else:
        found = _native.blocks_of(["a", "b", "c"], columns, runs)
        for one, other in zip(found, blocks, strict=True):
            assert all(getattr(one, name) == getattr(other, name) for name in Block.__slots__)


def test_plain_code_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    page = read(SMALL, URL)
    monkeypatch.setattr(page_bytes, "_split", split)
    monkeypatch.setattr(page_bytes, "_is_tree", is_tree)
    monkeypatch.setattr(page_bytes, "_blocks_of", blocks_of)
    assert fields(from_bytes(to_bytes(page))) == fields(page)


def test_bytes_that_ask_for_much_memory_get_little() -> None:
    data = to_bytes(read(SMALL, URL))
    (count,) = struct.unpack_from("<I", data, 28)
    wide = np.frombuffer(data, "<u2", count, HEADER).astype("<u4").tobytes() + data[HEADER + 2 * count :]
    header = data[:9] + b"\4" + data[10:HEADER]
    assert fields(from_bytes(checked(header + wide))) == fields(from_bytes(data))
    tracemalloc.start()
    for place in range(0, count, 2):
        for number in (2**31 - 1, 2**32 - 1, 2**30):
            altered = bytearray(header + wide)
            struct.pack_into("<I", altered, HEADER + 4 * place, number)
            with contextlib.suppress(BrokenPage):
                from_bytes(checked(bytes(altered)))
    for text_size in (0, 2**32 - 1):
        with pytest.raises(BrokenPage):
            from_bytes(checked(data[:32] + struct.pack("<I", text_size) + data[HEADER:]))
    with pytest.raises(BrokenPage):
        from_bytes(checked(data[:28] + struct.pack("<I", 2**32 - 1) + data[32:]))
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
