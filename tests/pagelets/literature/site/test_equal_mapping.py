from __future__ import annotations

import pytest

from pagelets.literature.site.etdm import Element, EtdmMethod, Layout
from tests.hosts import subject


def weighted(*weights: float, threshold: float = 0.0) -> EtdmMethod:
    return EtdmMethod(4, threshold, *weights)


EVEN = weighted(1, 1, 1, 1)


def element(classes: str = "", attributes: str = "", children: int = 0, position: float = 0) -> Element:
    return Element(frozenset(classes.split()), frozenset(attributes.split()), children, position)


def test_the_equality_of_elements_is_a_weighted_mean_of_four_likenesses() -> None:
    one = element("menu wide", "id=top", 4, 0.5)
    other = element("menu", "id=top role=menu", 2, 0.25)
    assert EVEN.equality(one, one) == 1
    assert (
        EVEN.equality(one, other)
        == EVEN.equality(other, one)
        == pytest.approx((1 / 2 + 1 / 2 + 2 / 4 + 3 / 4) / 4)
    )
    assert weighted(2, 0, 0, 1).equality(one, other) == pytest.approx((2 * 1 / 2 + 3 / 4) / 3)
    assert weighted(0, 0, 1, 0).equality(element(children=0), element(children=3)) == 0
    assert EVEN.equality(element(), element()) == 1


def mapped(one: str, other: str, method: EtdmMethod = EVEN) -> list[str]:
    """The texts of the blocks that are mapped, with the places of their elements in both pages."""
    first, second = subject(one), subject(other)
    ours, theirs = Layout.of(first), Layout.of(second)
    pairs = method.equal_mapping(ours, theirs)
    # Top-down: of each pair the parents are one as well. One to one: nothing is in two pairs.
    assert {(ours.tree.parents[a], theirs.tree.parents[b]) for a, b in pairs} - {(-1, -1)} <= set(pairs)
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    assert all(ours.tree.labels[a] == theirs.tree.labels[b] for a, b in pairs)
    return [first.page.blocks[block].text for a, _ in sorted(pairs) if (block := ours.tree.blocks[a]) >= 0]


def test_what_is_equal_below_what_is_equal_is_mapped() -> None:
    one = "<div><p>menu</p></div><p>one</p><table><tr><td>foot</table>"
    assert mapped(one, one) == ["menu", "one", "foot"]
    assert mapped(one, "<div><p>menu</p></div><p>two</p><table><tr><td>foot</table>") == ["menu", "foot"]
    # The same text in another element, and elements in another order.
    assert mapped(one, "<section><p>menu</p></section><table><tr><td>foot</table><p>one</p>") == [
        "one",
        "foot",
    ]


def test_the_most_equal_siblings_are_mapped_first() -> None:
    one = "<div class=menu><p>a</div><div class=main><p>b</div>"
    other = "<div class=main><p>b</div><div class=menu><p>a</div>"
    assert mapped(one, other) == ["a", "b"]
    assert mapped(one, other, weighted(0, 0, 0, 1)) == []


def test_elements_that_are_less_equal_than_the_threshold_are_not_mapped() -> None:
    one, other = "<div class=menu><p>a</div>", "<div class=list><p>a</div>"
    assert mapped(one, other, weighted(1, 1, 1, 1, threshold=0.75)) == ["a"]
    assert mapped(one, other, weighted(1, 1, 1, 1, threshold=0.76)) == []
    assert mapped("<html class=a><p>a", "<html class=b><p>a", weighted(1, 1, 1, 1, threshold=0.8)) == []


def test_many_siblings_are_mapped_where_they_are_the_same() -> None:
    one = "".join(f"<p class=c{number % 7}>{number}" for number in range(100))
    assert mapped(one, one) == [str(number) for number in range(100)]


def test_some_nodes_of_a_layout_stay_as_they_were_read() -> None:
    layout = Layout.of(subject("<body><p>a<div class=x><p>b</p><p>c</p></div>"))
    kept = layout.kept([0, 1, 4])
    assert kept.element(2) == layout.element(4) == Element(frozenset("x"), frozenset(), 2, 0.5)
