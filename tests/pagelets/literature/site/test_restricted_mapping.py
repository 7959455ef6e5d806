from __future__ import annotations

from random import Random

import pytest

from pagelets.literature.site.rtdm_td import identical_nodes
from pagelets.literature.site.trees import BlockTree, hashed


def tree(text: str) -> BlockTree:
    """A tree that is written as ``a(b c(d))``."""
    parents, labels, around = [], [], [-1]
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            around.append(len(labels) - 1)
        elif token == ")":
            around.pop()
        else:
            parents.append(around[-1])
            labels.append(hashed(token))
    return BlockTree(parents, labels, [-1] * len(labels), [0] * len(labels))


def names(text: str) -> list[str]:
    return text.replace("(", " ").replace(")", " ").split()


def mapped(one: str, other: str, **parameters: int) -> str:
    pairs = identical_nodes(tree(one), tree(other), **parameters)
    assert all(names(one)[place] == names(other)[counterpart] for place, counterpart in pairs)
    return " ".join(names(one)[place] for place, _ in pairs)


@pytest.mark.parametrize("cells", [0, 50_000])
def test_identical_nodes_are_mapped(cells: int) -> None:
    page = "html(menu(home news) main(one two) foot)"
    assert mapped(page, page, cells=cells) == "html menu home news main one two foot"
    assert (
        mapped(page, "html(menu(home news) main(three) foot)", cells=cells) == "html menu home news main foot"
    )
    assert mapped(page, "html(banner menu(home news) foot)", cells=cells) == "html menu home news foot"
    assert mapped(page, "html(menu(home here news) foot)", cells=cells) == "html menu home news foot"
    assert mapped("html", "html(a)", cells=cells) == "html"


def test_roots_that_differ_share_nothing() -> None:
    assert mapped("html(a b)", "rss(a b)") == ""


def test_nodes_are_mapped_below_nodes_that_are_and_in_their_order() -> None:
    # What is identical lies in another element there.
    assert mapped("r(a(x y))", "r(b(x y))") == "r"
    assert mapped("r(x y)", "r(y x)") == "r x"


def test_of_mappings_the_one_of_least_cost_is_taken() -> None:
    # The second "div" is kept, at the cost of the one leaf that is removed with the first.
    assert mapped("r(div(p) div(x y z))", "r(div(x y z w))") == "r div x y z"
    pairs = identical_nodes(tree("r(div(p) div(x y z))"), tree("r(div(x y z w))"))
    assert [place for place, _ in pairs] == [0, 3, 4, 5, 6]


def cost(one: BlockTree, other: BlockTree, a: int, b: int) -> tuple[int, int]:
    """The least cost by the definition, without any short cut, and the fewest replacements at that cost."""
    if one.labels[a] != other.labels[b]:
        return (1, 1) if not one.children[a] and not other.children[b] else (10**6, 0)
    ours, theirs = one.children[a], other.children[b]
    table = {(0, 0): (0, 0)}
    for i in range(len(ours) + 1):
        for j in range(len(theirs) + 1):
            ways = []
            if i:
                ways.append((table[i - 1, j], (one.sizes[ours[i - 1]], 0)))
            if j:
                ways.append((table[i, j - 1], (other.sizes[theirs[j - 1]], 0)))
            if i and j:
                ways.append((table[i - 1, j - 1], cost(one, other, ours[i - 1], theirs[j - 1])))
            if ways:
                table[i, j] = min((before[0] + more[0], before[1] + more[1]) for before, more in ways)
    return table[len(ours), len(theirs)]


def random_tree(random: Random) -> str:
    def grow(depth: int) -> str:
        tag = random.choice("ab")
        children = [grow(depth - 1) for _ in range(random.randrange(4))] if depth else []
        return f"{tag}({' '.join(children)})" if children else random.choice("abxyz")

    return f"r({' '.join(grow(3) for _ in range(random.randrange(1, 5)))})"


def test_short_cuts_find_as_many_pairs_as_the_definition() -> None:
    random = Random(7)
    for _ in range(300):
        one, other = tree(random_tree(random)), tree(random_tree(random))
        pairs = identical_nodes(one, other)
        least, replaced = cost(one, other, 0, 0)
        # Each node is in a pair, replaced, or removed or inserted at a cost of 1.
        assert 2 * len(pairs) == len(one) + len(other) - least - replaced
        assert len(dict(pairs)) == len({counterpart for _, counterpart in pairs}) == len(pairs)
        parents = {(one.parents[place], other.parents[counterpart]) for place, counterpart in pairs}
        assert parents - {(-1, -1)} <= set(pairs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"r({'a(x y) ' * 15_000})", f"r({'a(y z) ' * 15_000})"),
        (f"r({'a(' * 10_000}x{')' * 10_000})", f"r({'a(' * 10_000}y{')' * 10_000})"),
        (f"r({('a(' + 'b(c d) ' * 60 + ')') * 200})", f"r({('a(' + 'b(d e) ' * 60 + ')') * 200})"),
    ],
    ids=["siblings", "deep", "both"],
)
def test_large_trees_are_mapped(one: str, other: str) -> None:
    first, second = tree(one), tree(other)
    assert identical_nodes(first, second)
