"""The lines of keys and values in TOML."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from settings.toml import Locations

SCALARS = st.sampled_from(
    ["1", "-0.5", "true", "1979-05-27 07:32:00", '"a # [ ] = , }"', "'C:\\path'", '"\\"\\\\"', '""']
)
LONG = st.sampled_from(['"""\na "quoted" # text\n[table]\nk = 1\n"""', "'''\nit''s = [\n'''", '""""two"""""'])
SPACE = st.sampled_from(["", " ", "\t"])
BREAKS = st.sampled_from(["", " ", "\n", " # a comment ] }\n  ", "\n\n"])


class Writer:
    """Writes TOML, and notes where it puts things."""

    def __init__(self, draw):
        self.draw = draw
        self.text = ""
        self.lines = {}
        self.count = 0

    def put(self, text):
        self.text += text

    def note(self, *place):
        self.lines.setdefault(place, self.text.count("\n") + 1)

    def key(self):
        self.count += 1
        style = self.draw(st.sampled_from(["k{}", '"k {}"', "'k.#{}'", '"k\\u00e4{}"'])).format(self.count)
        return style, next(iter(tomllib.loads(f"{style} = 1")))

    def pair(self, table, depth, inline=False):
        written, key = self.key()
        place = (*table, key)
        self.note(*place)
        self.put(written)
        if self.draw(st.booleans()):
            dotted, inner = self.key()
            place = (*place, inner)
            self.note(*place)
            self.put(f"{self.draw(SPACE)}.{self.draw(SPACE)}{dotted}")
        self.put(f"{self.draw(SPACE)}={self.draw(SPACE)}")
        self.value(place, depth, inline)

    def value(self, place, depth, inline):
        kind = self.draw(st.sampled_from(["scalar", "long", "array", "table"])) if depth else "scalar"
        if kind == "long" and not inline:
            self.put(self.draw(LONG))
        elif kind == "array":
            between = SPACE if inline else BREAKS
            self.put("[" + self.draw(between))
            for element in range(self.draw(st.integers(0, 3))):
                self.note(*place, element)
                self.value((*place, element), depth - 1, inline)
                self.put(f"{self.draw(between)},{self.draw(between)}")
            self.put("]")
        elif kind == "table":
            self.put("{ ")
            for number in range(self.draw(st.integers(0, 2))):
                self.put(", " if number else "")
                self.pair(place, depth - 1, inline=True)
            self.put(" }")
        else:
            self.put(self.draw(SCALARS))

    def header(self, arrays):
        if arrays and self.draw(st.booleans()):
            name = self.draw(st.sampled_from(sorted(arrays)))
            arrays[name] += 1
            self.note(name)
            self.note(name, arrays[name])
            self.put(f"[[{name}]]")
            return name, arrays[name]
        written, key = self.key()
        if self.draw(st.booleans()):
            name = f"list{self.count}"
            arrays[name] = 0
            self.note(name)
            self.note(name, 0)
            self.put(f"[[ {name} ]]")
            return name, 0
        parents = ()
        if arrays and self.draw(st.booleans()):
            name = self.draw(st.sampled_from(sorted(arrays)))
            parents = name, arrays[name]
            written = f"{name} . {written}"
        self.note(*parents, key)
        self.put(f"[{written}]")
        return *parents, key


@st.composite
def documents(draw):
    writer = Writer(draw)
    table, arrays = (), {}
    for _ in range(draw(st.integers(0, 8))):
        writer.put(draw(st.sampled_from(["", "\n", "# k1 = 1\n", "  "])))
        if draw(st.integers(0, 2)) == 0:
            table = writer.header(arrays)
        else:
            writer.pair(table, 2)
        writer.put(draw(st.sampled_from(["\n", "  # [x]\n"])))
    return writer


def places(value, place=()):
    if place:
        yield place
    if isinstance(value, dict):
        for key, one in value.items():
            yield from places(one, (*place, key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from places(one, (*place, number))


@given(documents())
def test_every_key_and_element_is_where_it_was_written(writer):
    locations = Locations(writer.text)
    assert locations.lost is None
    found = set(places(tomllib.loads(writer.text)))
    assert found == set(writer.lines)
    assert {place: locations.line(place) for place in found} == writer.lines


@given(st.text("ab\"'[]{}=,.# \n\\1", max_size=60))
def test_any_text_is_survived(text):
    locations = Locations(text)
    assert locations.line(("a", 0, "b")) >= 1
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert locations.lost is None


def test_what_is_not_there_is_where_it_would_be():
    locations = Locations('url = "x"\n[rate]\ndelay = 1\n\n[[rules]]\ntype = "ends"\n')
    assert locations.line(("rate", "retries")) == 2
    assert locations.line(("rules", 0, "pattern")) == 5
    assert locations.line(("nothing",)) == 1


def test_a_text_that_is_no_toml_is_located_up_to_the_mistake():
    locations = Locations("a = 1\nb = [\n1,\n\nc = 2\n")
    assert locations.line(("a",)) == 1
    assert locations.lost == 2
