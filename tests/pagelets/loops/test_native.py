"""The compiled loops give what the plain ones give, bit for bit."""

from __future__ import annotations

import os
import re
from array import array
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagelets import loops
from pagelets.compiled import why_plain
from pagelets.containers import Containers
from pagelets.judging.page_facts import BlockSupport, PageFacts
from pagelets.loops import contexts, plain
from pagelets.loops.trees import STEP, Trees
from pagelets.loops.words import name_words
from pagelets.methods.judged.features import features
from pagelets.methods.judged.model import load
from pagelets.methods.judged.model.ensemble import Ensemble
from pagelets.partition import partition
from pagelets.reading import read
from tests.pagelets.methods.judged.test_ensemble import grown, rows_for
from tests.pagelets.reading.test_reading import HOSTILE, HTML, URL, real_sites, warc_pages

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagelets.page import Page

MODULES = [f"pagelets.loops.{name}" for name in ("native", "native_features", "native_texts")]
WHY_PLAIN = "".join(map(why_plain, MODULES))
pytestmark = pytest.mark.skipif(bool(WHY_PLAIN), reason=WHY_PLAIN)

LOOPS = [name for name in vars(loops) if callable(getattr(plain, name, None)) and name.islower()]
TEXTS = st.lists(st.text() | st.text("aé1_ -\u0301日ा\n.…😀\u2003\x1cSß", max_size=12), max_size=8)
NAMED = """<title>Bees of winter</title><body class="page home"><nav class='menu top' id=nav role=navigation>
<a href=/>Home</a> <a href=//other.example/x>Else<b class=x>where</b></a></nav><main itemprop=articleBody>
<h1>Bees <i>in</i> winter</h1><p class="content">They <b>sit</b> <i class=a>close</i> <u>and</u> <em>eat</em>.
<ul><li>1<li>2 €20<li>3<img src=x></ul><form><select><option>x</select></form></main><footer>© 2026"""


def evidence(page: Page, pagelets: int) -> PageFacts:
    """What a site may say of a page, other numbers for each block."""
    random, size = np.random.default_rng(len(page.blocks)), len(page.blocks)
    counts = [random.integers(0, 9, size).astype(np.int32) for _ in range(3)]
    shares = [random.random(size, np.float32) for _ in range(5)]
    support = BlockSupport(
        counts[0], shares[0], counts[1], shares[1], counts[2], shares[2], shares[3], shares[4]
    )
    templates = random.integers(0, 2, pagelets).tolist()
    return PageFacts(templates, templates, random.random(pagelets).tolist(), support, [False] * size, pages=9)


def matrices(page: Page) -> list[bytes]:
    """The features of a page's blocks by every way to ask for them."""
    pagelets, model = partition(page), load()
    found = []
    for known in (PageFacts.none(len(pagelets), len(page.blocks)), evidence(page, len(pagelets))):
        for wanted in (None, model.columns):
            containers = Containers.of(page)
            table = features(page, pagelets, containers, known, model.known, wanted)
            found += [table.matrix().tobytes(), repr(table.names).encode()]
            found += [
                getattr(containers, name).tobytes() for name in ("nodes", "parent", "depth", "of_block")
            ]
            found += [containers.start.tobytes(), containers.stop.tobytes()]
    return found


def by_plain_code(made: Callable[[], Any]) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        for name in LOOPS:
            patch.setattr(loops, name, getattr(plain, name))
        return made()


def check(page: Page) -> None:
    if page.blocks:
        assert matrices(page) == by_plain_code(lambda: matrices(page))


def test_every_loop_is_there_twice_and_the_compiled_one_is_used() -> None:
    assert len(LOOPS) == 26
    for name in LOOPS:
        assert getattr(loops, name) is compiled_loop(name)


@given(HTML)
@example(NAMED)
@example("<b><a href=/x><div>one</div>two</a><p>three")
@example("<p>\udcff x</p>")
def test_features_are_the_same(html: str) -> None:
    check(read(html, URL))


def test_features_of_hostile_pages_are_the_same() -> None:
    for html in (*(html[:20_000] for html in HOSTILE), NAMED * 50, "<div class=c><p>x" * 3_000):
        check(read(html, URL))


@pytest.mark.skipif("CORPORA" not in os.environ, reason="needs the corpora")
def test_features_of_real_pages_are_the_same() -> None:
    folder = Path(os.environ["CORPORA"])
    for archive in (*real_sites(), *folder.glob("wcxb/*.warc.gz")):
        for url, html in warc_pages(archive, 1 if archive.parent.name == "sites" else 15):
            check(read(html, url))


@given(TEXTS, st.sets(st.text("aé1日Sß", max_size=3)).map(frozenset), st.integers(0, 9))
@example(["...", "a...", "…", "", "\ud800", "ẞtraße \x1c a"], frozenset({"strasse", "a"}), 20)
def test_texts_are_counted_alike(texts: list[str], words: frozenset[str], longest: int) -> None:
    kinds = np.arange(200, dtype=np.uint8) % 7
    kinds[10] = 0
    parts = kinds % 2 == 1
    for name, arguments in (
        ("tally", (texts, kinds, 7, 2, 4)),
        ("runs", (texts, parts)),
        ("overlap", (texts, words, longest)),
    ):
        same(name, *arguments)


def compiled_loop(name: str) -> Callable[..., Any]:
    modules = map(import_module, MODULES)
    loop: Callable[..., Any] = next(getattr(module, name) for module in modules if hasattr(module, name))
    return loop


def same(name: str, *arguments: Any) -> None:
    found, wanted = (loop(*arguments) for loop in (compiled_loop(name), getattr(plain, name)))
    for one, other in zip(
        *(map(np.asarray, each if isinstance(each, tuple) else (each,)) for each in (found, wanted)),
        strict=True,
    ):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), name
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), name


@given(st.data(), st.integers(1, 12), st.integers(1, 4))
def test_numbers_are_worked_out_alike(data: st.DataObject, count: int, width: int) -> None:
    numbers = st.integers(-3, 5)
    rows = data.draw(st.lists(st.lists(numbers, min_size=count, max_size=count), min_size=1, max_size=3))
    same("alike", *(np.array(row, np.int32) for row in rows))
    values = np.array(
        data.draw(
            st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=count, max_size=count)
        ),
        np.float64,
    )
    places = np.array(data.draw(st.lists(st.integers(-2, count + 2), min_size=1, max_size=9)), np.int64)
    known, order = np.resize(values.T, (6, count)), np.arange(count)
    bounds = (np.unique([1, count]), order // 2, order + 1)
    same("repeats", np.abs(values[:, 0]), known, bounds, places, np.abs(places))
    same("grouped", np.abs(np.array(rows, np.int64)), values)
    plan = plain.Ratios.of(
        [str(column) for column in range(width)],
        [plain.Ratio("0"), plain.Ratio("0", str(width - 1), 1e-9), plain.Ratio("0", "0", 2, least=1)],
    )
    same("ratios", values, plan)


NAMES = st.lists(st.text() | st.text("abAB-é日", max_size=12), min_size=1, max_size=6)


@given(NAMES, st.integers(0, 9), st.integers(0, 2**32))
@example(["main ABc abAb ABCdef Ab aB İstanbul"], 40, 0)
def test_names_are_marked_alike(names: list[str], longest: int, seed: int) -> None:
    words = {f"<{name}>" for name in names}.union(*(name_words(name, longest) for name in names))
    known = {word: place for place, word in enumerate(sorted({*words, "", "ab", "É", "x" * 70}))}
    random = np.random.default_rng(seed)
    tags = random.integers(0, len(names), 5, np.int32)
    values = random.integers(-1, len(names), (3, 5), np.int32)
    same("bits", names, tags, values, known, longest)
    numbers: defaultdict[str, int] = defaultdict(lambda: len(numbers) + 1)
    places = np.concatenate([tags[None], values])
    for most in (1, 3, 9):
        plain.name_numbers(names, places, numbers, "n:", most, longest)
        same("name_numbers", names, places, dict(numbers), "n:", most, longest)


@given(TEXTS, st.integers(0, 3), st.integers(1, 3), st.integers(1, 6), st.integers(1, 4))
@example(["İİ. ÀB ß_1 ²½ a\u0301 日本 x", "one two three four"], 2, 1, 30, 30)
def test_ends_of_texts_are_numbered_alike(
    texts: list[str], first: int, last: int, beginning: int, end: int
) -> None:
    numbers: defaultdict[str, int] = defaultdict(lambda: len(numbers) + 1)
    plain.ends(texts, numbers, (first, last), (beginning, end))
    same("ends", texts, dict(numbers), (first, last), (beginning, end))


def test_words_have_the_same_characters() -> None:
    from pagelets.loops import native_texts

    every = [chr(code) for code in range(0x110000)]
    assert (native_texts.ends(every, defaultdict(lambda: 1), (1, 1), (9, 9))[:, 0] > 0).tolist() == [
        re.search(r"\w", character.lower()) is not None for character in every
    ]


@given(st.integers(0, 2**32), st.integers(0, 9), st.integers(1, 9))
def test_means_are_alike(seed: int, rows: int, width: int) -> None:
    random = np.random.default_rng(seed)
    table = random.normal(size=(20, width)).astype(np.float32)
    table[0] = 0
    same(
        "means",
        table,
        random.integers(0, 20, (rows, 7), np.int32) * random.integers(0, 2, 7, np.int32),
    )


@given(st.integers(0, 2**32), st.integers(1, 20), st.integers(1, 3), st.integers(0, 20))
def test_layers_are_alike(seed: int, rows: int, width: int, found: int) -> None:
    random = np.random.default_rng(seed)
    found = min(found, rows)
    sizes = rows, rows, found, found, 1, 1
    drawn = [random.normal(scale=9, size=(size, 8 * width)).astype(np.float32) for size in sizes]
    same("normalised", drawn[0], drawn[4][0], drawn[5][0], 1e-5)
    same("advanced", *drawn[:4], drawn[4][0])


@given(st.integers(0, 2**32), st.integers(0, 20))
def test_rows_fall_alike(seed: int, rows: int) -> None:
    random = np.random.default_rng(seed)
    nodes, roots = grown(random, 9, 12)
    matrix = rows_for(nodes, random, rows, 12)
    for first, last in ((0, 9), (0, 4), (4, 9), (5, 5)):
        same("fall", matrix, Ensemble(nodes, roots, 12).trees, first, last)


def test_runs_are_told_in_a_list_or_an_array() -> None:
    from pagelets.loops import native

    nodes, spans = np.array([1, 5, 6], np.int64), [slice(0, 4), slice(4, 5), slice(5, 7)]
    places, holders = [0, 1, -2, 2, -2, 3, 4], [1, 2, 3, 4, 5, 7, 8]
    for kept in (list, lambda numbers: array("i", numbers)):
        for most in (0, 1, 9):
            same("inline", nodes, spans, kept(places), kept(holders), -2, most)
        found = native.inline(nodes, spans, kept(places), kept(holders), -2, 1)
        assert [column.tolist() for column in found] == [[0, 2], [2, 7], [1, 1, 0]]


def test_places_that_there_are_not_are_refused() -> None:
    one, far = np.zeros(1, np.int64), np.full(1, 7, np.int64)
    small, beyond = np.zeros(1, np.int32), np.full(1, 7, np.int32)
    marks = np.zeros(2, bool)
    plan = plain.ColumnPlan(small, small, small)
    matrix, values, bits = np.zeros((1, 1), np.float32), np.zeros((1, 1)), np.zeros((1, 1), np.uint64)
    wide = np.zeros((1, 8), np.float32)
    for name, arguments in (
        ("climb", (far, small, small)),
        ("climb", (np.zeros(2, np.int64), np.array([-1, 1], np.int32), np.zeros(1, np.int32))),
        ("named", (far, np.zeros(2, np.int32), small, small, [0])),
        ("named", (one, np.array([0, 7], np.int32), small, small, [0])),
        ("inline", (one, [slice(0, 2)], [0], [0], 0, 9)),
        ("inline", (one, [slice(-1, 1)], [0], [0], 0, 9)),
        ("inline", (one, [], [0], [0], 0, 9)),
        ("inherited", (np.zeros((2, 1), np.uint64), np.array([0, 7], np.int64), marks)),
        ("nearest", (marks[None], np.array([0, 7], np.int64))),
        ("write", (matrix, plan._replace(targets=beyond), values, None)),
        ("write", (matrix, plan._replace(picks=beyond), values, None)),
        ("write", (matrix, plan._replace(layers=beyond), values, one[None])),
        ("write", (matrix, plan, values, far[None])),
        ("write", (np.zeros((3, 1), np.float32), plan, np.zeros((2, 1)), None)),
        ("mark", (matrix, plan._replace(targets=beyond), bits, None)),
        ("mark", (matrix, plan._replace(picks=far.astype(np.int32) * 10), bits, None)),
        ("mark", (matrix, plan, bits, far)),
        ("mark", (np.zeros((3, 1), np.float32), plan, np.zeros((2, 1), np.uint64), None)),
        ("numbered", (beyond, {}, {}, 1)),
        ("numbered", (small, {"p": 7}, {"p": 1}, 1)),
        ("link_sums", (["a"], ["a"], [slice(0, 7)], "")),
        ("bits", (["a"], beyond, small[None], {}, 9)),
        ("bits", (["a"], small, beyond[None], {}, 9)),
        ("bits", (["a"], small, np.zeros((1, 2), np.int32), {}, 9)),
        ("bits", (["a"], small, small[None], {"<a>": 64}, 9)),
        ("name_numbers", (["a"], beyond[None], {}, "", 1, 9)),
        ("name_numbers", (["a"], small[None], {}, "", 99, 9)),
        ("name_numbers", (["a"], small[None], {}, "", 1, 999)),
        ("ends", (["a"], {"a": 0}, (1, 99), (9, 9))),
        ("means", (matrix, beyond[None])),
        ("normalised", (matrix, matrix[0], matrix[0], 1.0)),
        ("normalised", (wide, matrix[0], wide[0], 1.0)),
        ("normalised", (wide[:0], wide[0], wide[0], 1.0)),
        ("advanced", (matrix, np.zeros((2, 1), np.float32), matrix, matrix, matrix[0])),
        ("advanced", (matrix, matrix, matrix, wide, matrix[0])),
        ("advanced", (matrix, matrix, matrix, matrix, wide[0])),
        ("grouped", (np.full((1, 1), -1), values)),
        ("ratios", (values, plain.Ratios(beyond, small, np.ones(1), np.ones(1)))),
        ("repeats", (np.zeros(1), np.zeros((5, 1)), (one, one, one), one, one)),
        ("repeats", (np.zeros(1), np.zeros((6, 1)), (far, one, one), one, one)),
        ("repeats", (np.zeros(1), np.zeros((6, 1)), (one, one, far), one, one)),
        ("fall", (matrix, Trees(np.zeros(1, STEP), matrix[0], one, 2), 0, 1)),
        ("fall", (matrix, Trees(np.zeros(1, STEP), matrix[0], one, 1), 0, 2)),
    ):
        with pytest.raises((IndexError, ValueError)):
            compiled_loop(name)(*arguments)


def test_features_of_other_sizes_are_refused() -> None:
    one, far, value = np.zeros(1, np.int64), np.full(1, 7, np.int64), np.zeros(1)
    wide, marks = np.zeros((1, 5)), np.zeros(1, np.uint8)
    texts = contexts.Texts(wide, value, marks, marks, value, marks.astype(bool))
    told = [texts, value, one, one, one, value, wide, wide[:, :2].copy(), value, (0,) * 6, 1]
    of_blocks = [(0, texts._replace(kinds=wide[:, :4].copy())), (0, texts._replace(cut=np.zeros(2, bool)))]
    of_blocks += [
        (2, far),
        (3, far),
        (4, far[:0]),
        (5, np.zeros(2)),
        (6, wide[:, :4].copy()),
        (9, (0, 0, 0, 0, 0, 9)),
    ]
    held = contexts.Climbed(one, one, one, one, one, one + 1)
    page = contexts.Counted(wide, wide, one, one, one, marks.astype(bool), 0, 0)
    ratios = plain.Ratios.of("abcde", [plain.Ratio("a")])
    around = contexts.Around(1, value, one, one, 9, ratios, ratios, 0, 0)
    given = [held, page, one, (one, one), around]
    of_context = [(0, held._replace(**{name: far})) for name in ("parent", "of_block", "start", "stop")]
    of_context += [
        (1, page._replace(title=1)),
        (1, page._replace(shape=wide[:0])),
        (2, far[:0]),
        (3, (one, far[:0])),
    ]
    of_context += [(4, around._replace(blocks=5)), (4, around._replace(share=1))]
    for name, arguments, changes in (("blocks", told, of_blocks), ("context", given, of_context)):
        same(name, *arguments)
        for place, other in changes:
            with pytest.raises((IndexError, ValueError)):
                compiled_loop(name)(*arguments[:place], other, *arguments[place + 1 :])


def test_time_grows_with_the_page_and_no_faster() -> None:
    """Nothing is timed: what is not linear takes minutes."""
    for part in ("<p class=a{n}>x{n}</p>", "<div id=d{n}>x"):
        page = read("".join(part.format(n=number) for number in range(50_000)), URL)
        table = features(
            page, [], Containers.of(page), PageFacts.none(0, len(page.blocks)), load().known, load().columns
        )
        assert table.matrix().shape[0] == len(page.blocks)
