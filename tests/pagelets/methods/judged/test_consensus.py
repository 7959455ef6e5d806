"""The blocks at a tag path share how likely they are over the pages of a host."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import pagelets
from pagelets.methods import learns, must_learn
from pagelets.methods.judged.consensus import FEWEST, Consensus
from pagelets.methods.judged.method import JudgedMethod

PAGE = st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1), st.integers(0, 99)), max_size=8).map(
    lambda blocks: (
        np.array([path for path, _, _ in blocks], np.uint32),
        np.array([likely for _, likely, _ in blocks], np.float64),
        np.array([words for _, _, words in blocks], np.float64),
    )
)


def consensus(*pages: list[tuple[int, float]]) -> Consensus:
    return Consensus.of(
        (
            np.array([path for path, _ in page], np.uint32),
            np.array([likely for _, likely in page]),
            np.ones(len(page)),
        )
        for page in pages
    )


def agreed(found: Consensus, path: int, likely: float) -> float:
    return float(found.agreed(np.array([likely]), np.array([path], np.uint32))[0][0])


def test_a_block_follows_the_other_pages() -> None:
    found = consensus(*[[(7, 0.05)]] * 5, [(7, 0.6)])
    assert agreed(found, 7, 0.6) < 0.3
    assert agreed(consensus(*[[(7, 0.95)]] * 5), 7, 0.4) > 0.7


def test_pages_that_do_not_agree_change_little() -> None:
    found = consensus(*[[(7, 0.95)]] * 3, *[[(7, 0.05)]] * 3)
    assert abs(agreed(found, 7, 0.9) - 0.9) < 1e-9
    assert agreed(consensus(), 7, 0.9) == 0.9


def test_too_few_pages_have_no_consensus() -> None:
    found = consensus(*[[(7, 0.05), (8, 0.05)]] * (FEWEST - 1), [(8, 0.05)])
    assert agreed(found, 7, 0.6) == 0.6
    assert agreed(found, 8, 0.6) < 0.6
    assert agreed(found, 9, 0.6) == 0.6


@given(st.lists(PAGE, max_size=6), PAGE)
def test_it_is_the_same_after_bytes_and_names_its_part(pages, page) -> None:  # type: ignore[no-untyped-def]
    paths, likely, _ = page
    found = Consensus.of(pages)
    again = Consensus.from_bytes(found.to_bytes())
    after, _ = found.agreed(likely, paths)
    assert np.array_equal(again.agreed(likely, paths)[0], after)
    assert ((after >= 0) & (after <= 1)).all()
    unknown = ~np.isin(paths, found.rows["tag_path"])
    assert np.array_equal(after[unknown], likely[unknown])
    # What says nothing of a page's tag paths does not concern it.
    other = Consensus(found.rows[~np.isin(found.rows["tag_path"], paths)])
    assert (found.part(paths) == other.part(paths)) == bool(unknown.all())


def test_a_page_alone_is_judged_without() -> None:
    method = JudgedMethod()
    assert learns(method) and not must_learn(method)
    assert method.learned(b"") is method
    html = "<h1>Bread</h1><p>" + "Flour, water and salt are all it takes. " * 9
    assert "Flour" in pagelets.extract(html, format="text")


def test_small_sites_learn_nothing() -> None:
    page = "<title>{0}</title><nav><a href=/>Home</a></nav><h1>{0}</h1><p>" + "Words on {0}. " * 40
    names = ["Bread", "Cheese", "Wine"]
    weights = {}
    for size in (FEWEST - 1, FEWEST):
        with pagelets.Site() as site:
            for name in names[:size]:
                site.add(f"https://a.example/{name}", page.format(name))
            documents = list(site.documents(["text", "pagelets"]))
        blocks = [block for document in documents for row in document["pagelets"] for block in row["blocks"]]
        weights[size] = {kind for block in blocks for kind in block["evidence"]}
    assert "consensus" not in weights[FEWEST - 1]
    assert "consensus" in weights[FEWEST]
