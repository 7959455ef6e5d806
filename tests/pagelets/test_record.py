from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from pagelets.partitions import Partition
from pagelets.reading.source import flags_of
from pagelets.record import RecordParameters, page_record, unpacked_record
from tests.pagelets.reading.test_reading import HTML

PARAMETERS = RecordParameters(Partition(k=2))
MENU = '<ul><li><a href="/a">Alpha</a></li><li><a href="/b">Beta</a></li><li><a href="#top">Top</a></li></ul>'
PAGE = (
    f"<title>One</title><div>{MENU}</div><p>Just a text of this page, and nothing else.</p><div>{MENU}</div>"
)


def record(html: str = PAGE, url: str = "https://example.org/1"):
    return page_record(html, url, PARAMETERS)


def test_fingerprints_and_keys_are_aligned_with_pagelets_and_blocks():
    found = record()
    assert len(found.fingerprints) == len(found.pagelets)
    assert len(found.keys) == len(found.page.blocks) == found.pagelets[-1].stop


def test_a_fragment_is_given_once_however_often_it_stands_on_the_page():
    found = record()
    fragments = found.fragments(set(found.fingerprints))
    assert [one.fingerprint for one in fragments] == list(dict.fromkeys(found.fingerprints))
    assert len(fragments) == len(found.fingerprints) - 1
    assert found.fragments([found.fingerprints[0]])[0].sketch == fragments[0].sketch
    assert found.fragments(()) == []


def test_a_fragment_has_the_links_that_lead_out_of_the_page_and_the_keys_of_its_blocks():
    found = record()
    menu = found.fragments([found.fingerprints[0]])[0]
    assert [link.url for link in menu.links] == ["https://example.org/a", "https://example.org/b"]
    assert menu.blocks.tolist() == found.keys[: found.pagelets[0].stop].tolist()
    assert menu.chars == len("AlphaBetaTop")


def test_the_same_menu_is_the_same_fragment_on_another_page():
    one, other = record(), record(url="https://example.org/2")
    assert one.fingerprints == other.fingerprints
    assert one.fingerprint == other.fingerprint


def test_the_same_words_with_another_link_or_at_another_place_are_another_fragment():
    first = record().fingerprints[0]
    assert record(PAGE.replace('"/b"', '"/c"')).fingerprints[0] != first
    assert record(PAGE.replace('"/b"', '"/b" rel="nofollow"')).fingerprints[0] != first
    assert record(f"<main>{PAGE.partition('</title>')[2]}</main>").fingerprints[0] != first


def test_no_more_links_of_a_page_are_counted_than_its_bound(monkeypatch):
    monkeypatch.setattr("pagelets.record.MOST_LINKS", 9)
    monkeypatch.setattr("pagelets.reading.source.MOST_LINKS", 9)
    menu, others = f"<div>{MENU}</div>", '<div><a href="/x">x</a></div>' * 6
    whole, cut = record(others + menu), record(others + menu + menu)
    assert (flags_of("x", whole.page), flags_of("x", cut.page)) == (set(), {"links_cut"})
    assert len(cut.page.links) == 12
    assert sum(len(one.links) for one in cut.fragments(set(cut.fingerprints))) == 1 + 2
    # A menu whose links are not counted is not taken for that of other pages.
    assert cut.fingerprints[:-1] == whole.fingerprints
    assert cut.fingerprints[-1] not in whole.fingerprints


@given(HTML, st.integers(0, 3))
def test_a_packed_record_is_the_record_whichever_sketches_it_has(html, sketched):
    whole = record(html)
    asked = set(whole.fingerprints[:: sketched + 1] if sketched else ())
    packed = pickle.loads(pickle.dumps(whole.packed(asked)))
    assert packed.sketches.keys() == asked
    again = unpacked_record(whole.page, whole.pagelets, packed)
    assert (again.fingerprint, again.fingerprints) == (whole.fingerprint, whole.fingerprints)
    assert again.tag_paths == whole.tag_paths
    assert again.keys.tobytes() == whole.keys.tobytes()
    for fragment, other in zip(
        again.fragments(set(again.fingerprints)), whole.fragments(set(whole.fingerprints)), strict=True
    ):
        assert fragment.blocks.tolist() == other.blocks.tolist()
        assert fragment._replace(blocks=None) == other._replace(blocks=None)
