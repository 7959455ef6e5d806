from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pagelets.literature.site.etdm import EtdmMethod
from pagelets.literature.site.trees import BlockTree
from pagelets.methods.base import CONTENT, TEMPLATE, Method
from tests.hosts import subject
from tests.pagelets.literature.site.linked import BASE, LinkedHost

SECTIONS = ("news", "sport", "weather", "arts")
MENU = "".join(f"<li><a href=/{name}>{name}</a>" for name in SECTIONS)


def page(text: str, more: str = "") -> str:
    return f"<body><ul class=menu>{MENU}</ul>{more}<main><h1>{text}</h1><p>All of {text}.</main><footer>By us"


PAGES = {name: page(name, f"<a href=/{name}/1>first</a>") for name in SECTIONS} | {
    f"{name}/1": page(f"{name} 1") for name in SECTIONS
}


def kept(method: Method, html: str) -> list[str]:
    found = subject(html)
    verdict = method.judge(found)
    reasons = [CONTENT if mask else TEMPLATE for mask in verdict.mask]
    assert [reason.name for reason in verdict.reasons()] == reasons
    return [block.text for block, mask in zip(found.page.blocks, verdict.mask, strict=True) if mask]


def learned(host: LinkedHost, **parameters: float) -> Method:
    method = EtdmMethod(**parameters)  # type: ignore[arg-type]
    return method.learned(method.learn(host))


def test_the_pages_of_the_menu_have_the_template() -> None:
    host = LinkedHost(PAGES)
    method = learned(host)
    # The key page is one of the menu's; the three others that it links to make no more than a set of three.
    assert host.asked[0] == f"{BASE}arts"
    assert sorted(host.asked) == [BASE + name for name in sorted(SECTIONS)]
    assert kept(method, PAGES["news/1"]) == ["news 1", "All of news 1."]
    # All of these four link to a first article.
    assert kept(method, PAGES["sport"]) == ["sport", "All of sport."]
    assert kept(method, page("a page that was not seen", "<p>and more</p>")) == [
        "and more",
        "a page that was not seen",
        "All of a page that was not seen.",
    ]


def test_a_page_with_another_layout_is_kept() -> None:
    assert kept(learned(LinkedHost(PAGES)), "<div><p>news</p></div><p>By us") == ["news", "By us"]


def test_fewer_pages_do_where_there_are_no_more() -> None:
    two = {"a": "<p><a href=/b>b</a></p><p>foot<p>one", "b": "<p><a href=/a>b</a></p><p>foot<p>two"}
    assert kept(learned(LinkedHost(two)), two["a"]) == ["one"]
    assert kept(learned(LinkedHost(two), n=2), two["b"]) == ["two"]


def test_where_no_page_links_to_another_nothing_is_learned() -> None:
    for pages in ({}, {"a": "<p>one"}, {"a": "<p>one", "b": "<p>one"}, {"a": "<a href=/a>one</a>"}):
        assert EtdmMethod().learn(LinkedHost(pages)) == b""
    assert kept(learned(LinkedHost({})), "<p>one") == ["one"]


def test_the_equality_is_a_parameter() -> None:
    # Strict: of the menu's pages one has it in another class.
    pages = {**PAGES, "news": PAGES["news"].replace("class=menu", "class=news")}
    assert "sport" not in kept(learned(LinkedHost(pages)), page("x"))
    assert "sport" in kept(learned(LinkedHost(pages), threshold=0.9), page("x"))
    assert EtdmMethod().sample == 5


ELEMENTS = st.recursive(
    st.sampled_from(["<p>one</p>", "<p>two</p>", "<p class=x>one</p>", "text", "<a href=/a>link</a>"]),
    lambda inner: st.tuples(
        st.sampled_from(["div", "ul", "div class=menu", "td"]), st.lists(inner, max_size=4)
    ).map(lambda one: f"<{one[0]}>{''.join(one[1])}</{one[0].split()[0]}>"),
    max_leaves=12,
)


@given(st.lists(ELEMENTS, min_size=1, max_size=4))
def test_a_template_is_a_part_of_the_key_page_from_its_root_on(pages: list[str]) -> None:
    subjects = [subject(f"<html><body>{page}") for page in pages]
    template = EtdmMethod().template(subjects)
    assert template is not None
    key = BlockTree.of(subjects[0])
    nodes = list(zip(key.nodes, key.blocks, strict=True))
    places = [nodes.index(node) for node in zip(template.tree.nodes, template.tree.blocks, strict=True)]
    assert places == sorted(set(places))
    assert places[0] == 0
    for place, parent in zip(places, template.tree.parents, strict=True):
        assert key.parents[place] == (-1 if parent < 0 else places[parent])
    texts = {
        label for label, block in zip(template.tree.labels, template.tree.blocks, strict=True) if block >= 0
    }
    for other in map(BlockTree.of, subjects[1:]):
        assert texts <= set(other.labels) or other.labels[0] != key.labels[0]


def test_no_pages_have_no_template() -> None:
    assert EtdmMethod().template([]) is None
