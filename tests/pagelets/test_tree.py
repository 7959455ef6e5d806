"""The flat tree of a page says what lxml's tree says."""

from __future__ import annotations

from hypothesis import given, settings

from pagelets.reading import parse, read
from tests.pagelets.reading.test_reading import HTML, URL

NAMES = ("class", "href", "id", "hidden", "style")


@settings(deadline=None)
@given(HTML)
def test_elements_are_those_of_lxml(html: str) -> None:
    elements = list(parse(html).iter("*"))
    place = {element: number for number, element in enumerate(elements)}
    found = read(html, URL).tree
    assert len(found) == len(elements)
    assert found.tags == [element.tag for element in elements]
    for node, element in enumerate(elements):
        assert [elements[above] for above in found.ancestors(node)] == list(element.iterancestors())
        assert [elements[child] for child in found.children(node)] == list(element.iterchildren("*"))
        before = element.itersiblings("*", preceding=True)
        assert [elements[sibling] for sibling in found.previous_siblings(node)] == list(before)
        assert found.next_sibling(node) == place.get(next(element.itersiblings("*"), None))
        assert int(found.last[node]) == max(place[inner] for inner in element.iter("*"))
        assert {name: found.get(node, name) for name in NAMES} == {name: element.get(name) for name in NAMES}
    for tag in {*found.tags, "none"}:
        assert found.of_tag(tag) == [node for node, element in enumerate(elements) if element.tag == tag]
        inside = [next(element.iterancestors(tag), None) is not None for element in elements]
        assert [mark == 1 for mark in found.inside(found.of_tag(tag))] == inside


@settings(deadline=None)
@given(HTML)
def test_texts_are_those_of_lxml(html: str) -> None:
    root = parse(html)
    for unread in list(root.iter("script", "style")):
        unread.text = ""
    found = read(html, URL).tree
    for node, element in enumerate(root.iter("*")):
        inside = [found.texts[place] for place in found.text_span(node)]
        assert "".join(inside) == "".join(element.itertext("*"))
        if not any(not isinstance(beside.tag, str) for beside in element.iter()):
            assert found.text(node) == (element.text or "")


def test_what_stands_behind_an_element_ends_with_the_next_one() -> None:
    found = read("<p>a<b>b<i>c</i></b>d<!-- -->e<u>f</u>g</p>h", URL).tree
    (bold,), (italic,), (underlined,) = map(found.of_tag, "biu")
    assert [found.tail(node) for node in (bold, italic, underlined)] == ["de", "", "g"]


def test_scripts_and_event_handlers_are_not_kept_but_json_ld_is() -> None:
    found = read(
        "<script>one</script><style>two</style><script type='application/LD+json'>three</script>"
        "<p onclick=four data-x=five>six</p>",
        URL,
    ).tree
    assert found.texts == ["three", "six"]
    assert {"data-x", "five"} <= set(found.strings)
    assert {"onclick", "four"}.isdisjoint(found.strings)
