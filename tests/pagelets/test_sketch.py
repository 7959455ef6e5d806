from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagelets.sketch import NORMALISER_VERSION, Scheme, Sketch, fingerprint, hashed, page_shingle
from pagelets.text.words import words

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
WORDS = st.lists(st.sampled_from(["red", "Blue", "grün", "五", "x1", "straße"]), max_size=12).map(" ".join)
TEXTS = st.lists(WORDS | ANY_TEXT, max_size=4)
TARGETS = st.lists(
    st.sampled_from(["https://a.example/", "https://b.example/x", "https://ü.example/", ""]), max_size=3
)
CONTENTS = st.lists(st.tuples(TEXTS, TARGETS), max_size=6)

FINGERPRINT = 5775930724176474129
KEY = 4576311509382129577
VALUES = "f8ec7d5755299402ccc05b544948040bb32514bc884f7f3a94e143cd5563802c"
TINY_KEY = -5250723860606367220

LONG = ["The quick brown fox jumps over the lazy dog, and the dog does not care at all."]


def one(texts: list[str], targets: list[str], scheme: Scheme | None = None) -> Sketch:
    (sketch,) = (scheme or Scheme()).sketches([(texts, targets)])
    return sketch


def string_hash(string: str) -> int:
    """The hash of a word or a target, worked out with Python's numbers."""
    value = sum(ord(character) * 0xD1342543DE82EF95**place for place, character in enumerate(string))
    value %= 1 << 64
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor % (1 << 64)
    return value ^ value >> 33


@given(ANY_TEXT)
@example("İstanbul 東京タワーへ กา a\ud800b a\U0010ffffb\U0003ffffc")
def test_each_word_has_its_hash(text: str) -> None:
    assert hashed(text).tolist() == list(map(string_hash, words(text)))


@given(CONTENTS, st.integers(1, 8), st.integers(1, 6), st.integers(1, 9))
@settings(deadline=None)
@example(
    [(["a"], []), (["b c d e f g"], ["https://a.example/"]), ([], ["https://a.example/"]), (["h i j k"], [])],
    4,
    4,
    1,
)
def test_values_are_those_of_datasketch(
    fragments: list[tuple[list[str], list[str]]], num_perm: int, size: int, seed: int
) -> None:
    # It loads SciPy, which no worker needs that collects these tests and runs others.
    from datasketch import MinHash

    scheme = Scheme(num_perm=num_perm, shingle_size=size, seed=seed)
    for (texts, targets), sketch in zip(fragments, scheme.sketches(fragments), strict=True):
        found = words("\n".join(texts))
        assert sketch.words == len(found)
        if len(found) < size:
            assert sketch.values == b""
            continue
        peer = MinHash(num_perm=num_perm, seed=seed, scheme="affine64", hashfunc=int)
        for value in (*scheme.shingles(hashed("\n".join(texts))), *map(string_hash, targets)):
            peer.update(value)
        assert np.frombuffer(sketch.values, "<u8").tolist() == peer.hashvalues.tolist()


@given(CONTENTS)
@settings(deadline=None)
def test_sketches_do_not_depend_on_their_company(fragments: list[tuple[list[str], list[str]]]) -> None:
    assert Scheme().sketches(fragments) == [one(*fragment) for fragment in fragments]


@given(st.lists(st.tuples(WORDS, TARGETS), max_size=8))
@settings(deadline=None)
def test_tiny_fragments_are_equal_where_words_and_links_are(fragments: list[tuple[str, list[str]]]) -> None:
    scheme = Scheme(shingle_size=64)
    same_words = [(tuple(words(text)), tuple(targets)) for text, targets in fragments]
    keys = [sketch.key for sketch in scheme.sketches([([text], targets) for text, targets in fragments])]
    for first, key in zip(same_words, keys, strict=True):
        for second, other in zip(same_words, keys, strict=True):
            assert (first == second) == (key == other)


def test_case_punctuation_and_blocks_do_not_count() -> None:
    assert one(["One two, three", "FOUR five."], []) == one(["one two three four five"], [])


def test_order_of_words_counts() -> None:
    assert one(["one two three four"], []).key != one(["two one three four"], []).key
    assert Scheme().shingles(hashed("a b c d"))[0] != Scheme().shingles(hashed("d c b a"))[0]
    assert len(Scheme().shingles(hashed("a b c"))) == 0


def test_order_of_links_does_not_count_beside_shingles() -> None:
    links = ["https://a.example/", "https://b.example/"]
    assert one(LONG, links) == one(LONG, links[::-1])


def test_links_count_where_the_scheme_says_so() -> None:
    plain, linked = one(LONG, []), [one(LONG, [f"https://example.org/{number}"]) for number in range(40)]
    assert len({sketch.key for sketch in linked}) > 1
    assert any(sketch.key != plain.key for sketch in linked)
    assert one(["x"], ["https://a.example/"]).key != one(["x"], ["https://b.example/"]).key
    blind = Scheme(links=False)
    assert one(LONG, ["https://a.example/"], blind) == one(LONG, [], blind)
    assert one(["x"], ["https://a.example/"], blind) == one(["x"], [], blind)


def test_key_is_equal_where_values_are() -> None:
    sketches = [one([" ".join(LONG * count)], []) for count in (3, 4)]
    assert sketches[0].values == sketches[1].values
    assert sketches[0].key == sketches[1].key
    assert sketches[0].words != sketches[1].words


def test_similar_texts_share_values() -> None:
    text = " ".join(f"word{number}" for number in range(400))
    first, second = (one([body], [], Scheme(num_perm=256)).values for body in (text, text + " and one more"))
    same = np.mean(np.frombuffer(first, "<u8") == np.frombuffer(second, "<u8"))
    assert same > 0.95


@given(
    st.lists(st.text("ab \x1f\x1e", max_size=3), max_size=3), st.lists(st.text("ab", max_size=3), max_size=3)
)
def test_fingerprint_is_a_signed_64_bit_number_of_the_content(texts: list[str], targets: list[str]) -> None:
    value = fingerprint(texts, targets)
    assert -(1 << 63) <= value < 1 << 63
    assert value == fingerprint(iter(texts), iter(targets))
    assert value != fingerprint([*texts, "c"], targets)
    assert value != fingerprint(texts, [*targets, "c"])


def test_fingerprint_tells_texts_from_targets_and_blocks_from_one_another() -> None:
    fragments = [
        (["a", "b"], []),
        (["ab"], []),
        (["a"], ["b"]),
        ([], ["a", "b"]),
        (["b", "a"], []),
        (["A", "b"], []),
    ]
    assert len({fingerprint(*fragment) for fragment in fragments}) == len(fragments)
    assert fingerprint(["\ud800"]) != fingerprint(["\udc00"])


def test_values_are_the_same_in_every_process_and_release() -> None:
    assert NORMALISER_VERSION == 1
    assert fingerprint(["one", "two"], ["https://example.org/"]) == FINGERPRINT
    sketch = one(["One two three four — fünf 六"], ["https://example.org/"])
    assert (sketch.key, sketch.values.hex(), sketch.words) == (KEY, VALUES, 6)
    assert one(["tiny"], ["https://example.org/"]) == Sketch(TINY_KEY, b"", 1)


@pytest.mark.parametrize("word", ["x", "word", "五"])
def test_long_texts(word: str) -> None:
    separator = "" if word == "五" else " "
    text = separator.join([word] * 200_000)
    sketch = one([text], [])
    assert sketch.words == 200_000
    assert sketch == one([separator.join([word] * 4)], [])._replace(words=200_000)


def test_words_of_any_length_and_any_number_of_contents() -> None:
    long = "a" * 1_000_000
    assert one([long, "b", long], ["https://example.org/" + long]).words == 3
    assert one([f"b c d {long}"], []).key != one([f"b c d a{'c' * 999_999}"], []).key
    assert len(Scheme().sketches([(["a b c d e"], ["https://example.org/"])] * 50_000)) == 50_000
    assert Scheme().sketches([]) == []


@pytest.mark.parametrize(
    "wrong", [{"num_perm": 0}, {"num_perm": 257}, {"shingle_size": 0}, {"shingle_size": 65}]
)
def test_numbers_out_of_range(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"has 1 to"):
        Scheme(**wrong)


@given(CONTENTS)
@settings(deadline=None)
def test_the_shingle_of_a_page_is_made_of_the_smallest_hashes_of_its_fragments(
    fragments: list[tuple[list[str], list[str]]],
) -> None:
    values = [sketch.values for sketch in Scheme().sketches(fragments)]
    shingle = page_shingle(values)
    assert (shingle is None) == (not any(values))
    assert shingle == page_shingle([b"", *reversed(values), *values])
    if shingle is not None:
        joined = zip(*(np.frombuffer(row, "<u8").tolist() for row in values if row), strict=True)
        assert shingle == page_shingle([np.array(list(map(min, joined)), "<u8").tobytes()])
