from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.bodies import SAMPLE_BYTES, SAMPLES, Bodies, Body
from store.site import Store
from tests.store.sites import add, count, in_memory, rows

HTML = ("<html><body>" + "".join(f'<a href="/item/{number}">' for number in range(300))).encode()


def put(store: Store, bodies: Bodies, name: str, content: bytes) -> int:
    page = add(store, name)
    with store.transaction():
        bodies.put(page, Body("utf-8", [("Content-Type", "text/html")], content))
    return page


def size(store: Store, page: int) -> int:
    return rows(store, "SELECT length(body) FROM bodies WHERE page = ?", page)[0][0]


def test_the_first_pages_make_the_dictionary_of_those_that_follow(store: Store) -> None:
    pages = [put(store, store.bodies, f"p{number}", HTML) for number in range(SAMPLES + 2)]
    assert rows(store, "SELECT dictionary FROM bodies ORDER BY page") == [(None,)] * SAMPLES + [(1,)] * 2
    assert count(store, "dictionaries") == 1
    assert size(store, pages[-1]) * 5 < size(store, pages[0])
    assert all(store.bodies.get(page).data == HTML for page in pages)


def test_another_process_reads_and_goes_on_with_the_dictionary(store: Store) -> None:
    pages = [put(store, store.bodies, f"p{number}", HTML) for number in range(SAMPLES)]
    with Store.open(store.folder) as other:
        pages.append(put(other, other.bodies, "more", HTML))
        assert all(other.bodies.get(page).data == HTML for page in pages)
    assert store.bodies.get(pages[-1]).data == HTML
    assert count(store, "dictionaries") == 1


def test_bodies_of_several_dictionaries_are_read(store: Store) -> None:
    pages = {}
    for letter in "ab":
        for number in range(SAMPLES + 1):
            content = letter.encode() * 50 + HTML
            pages[put(store, store.bodies, f"{letter}{number}", content)] = content
        # As if the store had been begun anew: nothing but the dictionary in use is remembered.
        store.bodies._samples = []
    assert count(store, "dictionaries") == 2
    with Store.open(store.folder) as other:
        assert {page: other.bodies.get(page).data for page in pages} == pages


def test_the_rollback_of_a_dictionary_is_forgotten(store: Store) -> None:
    for number in range(SAMPLES - 1):
        put(store, store.bodies, f"p{number}", HTML)
    page = add(store, "last")
    with pytest.raises(RuntimeError), store.transaction():
        store.bodies.put(page, Body("utf-8", [], HTML))
        raise RuntimeError
    assert count(store, "dictionaries") == 0
    pages = [put(store, store.bodies, f"q{number}", HTML) for number in range(SAMPLES + 1)]
    assert rows(store, "SELECT count(*) FROM bodies WHERE dictionary IS NOT NULL") == [(1,)]
    assert all(store.bodies.get(page).data == HTML for page in pages)


def test_samples_are_bounded(store: Store) -> None:
    noise = random.Random(1).randbytes(SAMPLE_BYTES * 3)
    for number in range(SAMPLES):
        put(store, store.bodies, f"p{number}", noise)
    assert rows(store, "SELECT length(sample) FROM dictionaries")[0][0] < SAMPLES * SAMPLE_BYTES + 1000


def test_a_body_takes_the_place_of_the_one_before(store: Store) -> None:
    page = put(store, store.bodies, "p", b"one")
    assert put(store, store.bodies, "p", b"two") == page
    assert store.bodies.get(page).data == b"two"
    assert list(store.bodies.pages()) == [page]


def test_a_page_without_a_body_is_a_key_error(store: Store) -> None:
    with pytest.raises(KeyError):
        store.bodies.get(7)


header = st.text(st.characters(), max_size=20)


@settings(deadline=None)
@given(
    contents=st.lists(st.binary(max_size=300), min_size=1, max_size=SAMPLES + 3),
    headers=st.lists(st.tuples(header, header), max_size=3),
)
def test_any_response_comes_back_as_it_was(contents: list[bytes], headers: list[tuple[str, str]]) -> None:
    with in_memory() as store:
        pages = [add(store, f"p{number}") for number in range(len(contents))]
        with store.transaction():
            for page, content in zip(pages, contents, strict=True):
                store.bodies.put(page, Body("cp1252", headers, content))
        for page, content in zip(pages, contents, strict=True):
            assert store.bodies.get(page) == Body("cp1252", headers, content)


@given(content=st.binary(max_size=200), encoding=st.sampled_from(["utf-8", "cp1252", "utf-16", "nonsense"]))
def test_text_never_fails(content: bytes, encoding: str) -> None:
    assert isinstance(Body(encoding, [], content).text(), str)


@given(
    content=st.binary(max_size=20) | st.text(max_size=20).map(str.encode) | st.just(b"\xef\xbb\xbfa"),
    encoding=st.sampled_from(["utf-8", "cp1252", "utf-16", "nonsense"]),
)
def test_the_source_is_the_text_or_its_bytes(content: bytes, encoding: str) -> None:
    body = Body(encoding, [], content)
    source = body.source()
    assert (source.decode() if isinstance(source, bytes) else source) == body.text()


def test_the_source_of_a_page_in_utf_8_is_not_decoded() -> None:
    content = "<p>é</p>".encode()
    assert Body("utf-8", [], content).source() is content
