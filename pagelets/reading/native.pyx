# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""`pagelets.reading.plain`, compiled: the same arrays and the same blocks, from the structs of lxml's trees.

Nothing of libxml2 is called, which lives inside of lxml's own library: fields of structs are read, and where
an attribute or a name is out of the common, lxml's public functions are asked.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset, strlen

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.unicode cimport PyUnicode_DecodeUTF8

cimport lxml.includes.etreepublic as etree
from lxml.includes cimport tree

import os

import numpy as np

from pagelets.page import Block, Runs, text_of
from pagelets.reading.plain import Walked
from pagelets.tree import Tree

cdef extern from "libxml/xmlversion.h":
    const char *LIBXML_DOTTED_VERSION

etree.import_lxml__etree()

LIBXML = LIBXML_DOTTED_VERSION.decode()
"""The version of libxml2 whose structs this was compiled for."""

cdef enum:
    # What `pagelets.reading.plain` calls its kinds; a test compares them.
    INLINE = 0
    BLOCK = 1
    PREFORMATTED = 2
    INLINE_APART = 3
    LINK_APART = 4
    LINK = 5
    LINE_BREAK = 6
    IMAGE = 7
    IMAGE_APART = 8
    SKIPPED = 9
    HIDES = 1
    BREAK = -1
    PICTURE = -2
    SPACE = -3
    NESTED_LINKS = 4

KINDS = (
    INLINE, BLOCK, PREFORMATTED, INLINE_APART, LINK_APART, LINK, LINE_BREAK, IMAGE, IMAGE_APART, SKIPPED,
    HIDES, BREAK, PICTURE, SPACE, NESTED_LINKS,
)

cdef uint64_t _SEED = int.from_bytes(os.urandom(8), "little")


cdef class Ints:
    """Numbers in a row that grows."""

    cdef int32_t *data
    cdef Py_ssize_t size, room

    def __cinit__(self):
        self.room = 512
        self.size = 0
        self.data = <int32_t *> malloc(self.room * sizeof(int32_t))
        if self.data == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.data)

    cdef inline int push(self, int32_t number) except -1:
        cdef int32_t *grown
        if self.size == self.room:
            grown = <int32_t *> realloc(self.data, 2 * self.room * sizeof(int32_t))
            if grown == NULL:
                raise MemoryError
            self.data = grown
            self.room *= 2
        self.data[self.size] = number
        self.size += 1
        return 0

    cdef object array(self):
        return np.frombuffer((<char *> self.data)[: self.size * sizeof(int32_t)], np.int32)


cdef struct Slot:
    const char *string
    Py_ssize_t size
    uint64_t hash
    int32_t place


cdef class Strings:
    """The distinct strings of a tree, each at the place where it came first. They live as long as the tree."""

    cdef Slot *slots
    cdef Py_ssize_t count, room
    cdef uint64_t seed
    cdef list strings
    cdef list kept

    def __cinit__(self):
        # Unknown to a page that would have all its strings fall together.
        self.seed = _SEED
        self.kept = []
        self.room = 1024
        self.count = 0
        self.strings = []
        self.slots = <Slot *> calloc(self.room, sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)

    cdef int32_t place(self, const char *string, Py_ssize_t size) except -1:
        cdef uint64_t hash = self.seed
        cdef Py_ssize_t at
        cdef Slot *slot
        for at in range(size):
            hash = (hash ^ <uint8_t> string[at]) * 1099511628211ULL
        hash ^= hash >> 29
        at = hash & (self.room - 1)
        while True:
            slot = &self.slots[at]
            if slot.string == NULL:
                break
            if slot.hash == hash and slot.size == size and memcmp(slot.string, string, size) == 0:
                return slot.place
            at = (at + 1) & (self.room - 1)
        self.strings.append(PyUnicode_DecodeUTF8(string, size, NULL))
        slot.string, slot.size, slot.hash, slot.place = string, size, hash, <int32_t> self.count
        self.count += 1
        if 2 * self.count > self.room:
            self.grow()
        return <int32_t> self.count - 1

    cdef int grow(self) except -1:
        cdef Slot *old = self.slots
        cdef Py_ssize_t at, to, room = self.room
        cdef Slot *slots = <Slot *> calloc(4 * room, sizeof(Slot))
        if slots == NULL:
            raise MemoryError
        self.slots, self.room = slots, 4 * room
        for at in range(room):
            if old[at].string != NULL:
                to = old[at].hash & (self.room - 1)
                while slots[to].string != NULL:
                    to = (to + 1) & (self.room - 1)
                slots[to] = old[at]
        free(old)
        return 0

    cdef int32_t place_of(self, unicode string) except -1:
        cdef bytes encoded = string.encode()
        self.kept.append(encoded)
        return self.place(PyBytes_AS_STRING(encoded), len(encoded))


cdef inline bint is_text(tree.xmlNode *node) noexcept nogil:
    return node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE


cdef inline int32_t name_of(Strings strings, tree.xmlNode *node) except -1:
    if node.ns != NULL:
        return strings.place_of(etree.namespacedName(node))
    return strings.place(<const char *> node.name, strlen(<const char *> node.name))


cdef int32_t value_of(Strings strings, tree.xmlNode *node, tree.xmlAttr *attribute) except -1:
    cdef tree.xmlNode *content = attribute.children
    if content == NULL:
        return strings.place("", 0)
    if content.next != NULL or not is_text(content) or attribute.ns != NULL:
        return strings.place_of(etree.attributeValue(node, attribute))
    if content.content == NULL:
        return strings.place("", 0)
    return strings.place(<const char *> content.content, strlen(<const char *> content.content))


cdef object text_from(tree.xmlNode **node):
    """The texts that follow each other from a node on, which is moved to the last of them; None for none."""
    cdef tree.xmlNode *one = node[0]
    cdef object text = None
    while True:
        if one.content != NULL and one.content[0] != 0:
            piece = PyUnicode_DecodeUTF8(<const char *> one.content, strlen(<const char *> one.content), NULL)
            text = piece if text is None else text + piece
        if one.next == NULL or not is_text(one.next):
            node[0] = one
            return text
        one = one.next


def flatten(etree._Element root not None, unread):
    """As `pagelets.reading.plain.flatten`."""
    cdef Strings strings = Strings()
    cdef Ints tags = Ints(), parents = Ints(), last = Ints(), starts = Ints(), names = Ints(), values = Ints()
    cdef Ints holders = Ints(), before = Ints()
    cdef list texts = []
    cdef frozenset silent = frozenset(unread)
    cdef tree.xmlNode *top = root._c_node
    cdef tree.xmlNode *node = top
    cdef tree.xmlAttr *attribute
    # The element that is open, and the outermost open one whose texts are left out.
    cdef int32_t number = -1, mute = -1, name, value, tag
    cdef bint json_ld
    starts.push(0)
    while True:
        if node.type == tree.XML_ELEMENT_NODE:
            parents.push(number)
            number = <int32_t> tags.size
            last.push(number)
            tag = name_of(strings, node)
            tags.push(tag)
            json_ld = False
            attribute = node.properties
            while attribute != NULL:
                if attribute.ns != NULL or attribute.name[0] != b"o" or attribute.name[1] != b"n":
                    name = name_of(strings, <tree.xmlNode *> attribute)
                    value = value_of(strings, node, attribute)
                    names.push(name)
                    values.push(value)
                    if strings.strings[tag] == "script" and strings.strings[name] == "type":
                        json_ld = json_ld or "ld+json" in strings.strings[value].lower()
                attribute = attribute.next
            starts.push(<int32_t> names.size)
            if mute < 0 and not json_ld and strings.strings[tag] in silent:
                mute = number
            if node.children != NULL:
                node = node.children
                continue
        elif is_text(node):
            text = text_from(&node)
            if text is not None and mute < 0:
                texts.append(text)
                holders.push(number)
                before.push(<int32_t> tags.size)
        while node == top or node.next == NULL:
            if node.type == tree.XML_ELEMENT_NODE:
                last.data[number] = <int32_t> tags.size - 1
                if mute == number:
                    mute = -1
                number = parents.data[number]
            if node == top:
                return Tree(
                    strings.strings, tags.array(), parents.array(), last.array(), starts.array(),
                    names.array(), values.array(), texts, holders.array(), before.array(),
                )
            node = node.parent
        if node.type == tree.XML_ELEMENT_NODE:
            last.data[number] = <int32_t> tags.size - 1
            if mute == number:
                mute = -1
            number = parents.data[number]
        node = node.next


cdef bint is_space(str text):
    cdef Py_UCS4 character
    for character in text:
        if not character.isspace():
            return False
    return True


cdef class _Walk:
    """One pass over a tree; the same steps as in `pagelets.reading.plain`."""

    cdef object tree, source
    cdef list texts, blocks, anchors, hidden, places_of, holders_of
    cdef dict parted
    cdef const uint8_t[::1] kinds, hides, linked
    cdef const int32_t[::1] parents, last, holder, before
    cdef Ints places, holders
    cdef bint breaks, picture
    cdef Py_ssize_t preformatted, first_run, first_link

    def __init__(self, tree, kinds, hides, linked):
        self.tree = tree
        self.kinds, self.hides, self.linked = kinds, hides, linked
        self.parents, self.last = tree.parent, tree.last
        self.holder, self.before = tree.holder, tree.before
        self.texts = [*tree.texts, " ", "", "\n"]
        self.places, self.holders = Ints(), Ints()
        self.places_of, self.holders_of = [], []
        self.source = Runs(self.texts, self.places_of, self.holders_of)
        self.blocks, self.anchors, self.hidden, self.parted = [], [], [], {}
        self.breaks = self.picture = False
        self.preformatted = self.first_run = self.first_link = 0

    def found(self):
        cdef list links = [
            (node, block, " ".join("".join(texts).split())) for node, block, texts in self.anchors
        ]
        return Walked(self.blocks, links, self.hidden, self.parted)

    cdef int add(self, int32_t place, int32_t holder) except -1:
        self.places.push(place)
        self.holders.push(holder)
        return 0

    cdef int run(self) except -1:
        cdef Py_ssize_t count = len(self.parents), texts = len(self.holder), text_at = 0, each
        cdef int32_t node = -1, entered = 0, inside, skipping = -1, text_place
        cdef uint8_t kind = INLINE, hides = 0
        cdef Py_ssize_t hidden = 0, depth = 0
        cdef bint after_link = False, is_text_next
        cdef Ints stack = Ints(), containers = Ints()
        cdef list open_anchors = []
        cdef list all_texts = self.texts
        cdef str text
        containers.push(0)
        while True:
            is_text_next = text_at < texts and self.before[text_at] == entered
            inside = self.holder[text_at] if is_text_next else self.parents[entered] if entered < count else -1
            while node != inside:
                if kind:
                    if kind <= LINK_APART:
                        if self.places.size > self.first_run or self.first_link != len(self.anchors):
                            self.flush(node, kind)
                            if kind <= PREFORMATTED:
                                after_link = False
                        elif self.parted and kind <= PREFORMATTED:
                            self.parted.pop(len(self.blocks) - 1, None)
                            after_link = False
                        containers.size -= 1
                        if kind == PREFORMATTED:
                            self.preformatted -= 1
                        elif kind == LINK_APART:
                            open_anchors.pop()
                            after_link = True
                    elif kind == LINK:
                        open_anchors.pop()
                        after_link = True
                if hides:
                    hidden -= 1
                stack.size -= 2
                node = stack.data[stack.size]
                kind = <uint8_t> (stack.data[stack.size + 1] & 255)
                hides = <uint8_t> (stack.data[stack.size + 1] >> 8)
            if is_text_next:
                text_place = <int32_t> text_at
                text_at += 1
                if hidden:
                    continue
                text = <str> all_texts[text_place]
                if not is_space(text):
                    after_link = False
                elif self.places.size == self.first_run:
                    # White space between blocks belongs to no block.
                    if self.parted:
                        self.note_gap(text, node)
                    continue
                self.add(text_place, node)
                if open_anchors:
                    for anchor in open_anchors[-NESTED_LINKS:]:
                        (<list> anchor).append(text)
                continue
            if entered == count:
                break
            stack.push(node)
            stack.push(kind | (hides << 8))
            node = entered
            entered += 1
            if node <= skipping:
                kind = hides = 0
                continue
            kind, hides = self.kinds[node], self.hides[node]
            if hides:
                if not hidden and hides == HIDES:
                    self.hidden.append(node)
                hidden += 1
            if not kind:
                continue
            if kind <= LINK_APART:
                if after_link and kind == LINK_APART and self.places.size > self.first_run:
                    self.add(SPACE, containers.data[containers.size - 1])
                if self.places.size > self.first_run or self.first_link != len(self.anchors):
                    self.flush(containers.data[containers.size - 1], kind)
                    if kind <= PREFORMATTED:
                        after_link = False
                elif self.parted:
                    if kind <= PREFORMATTED:
                        self.parted.pop(len(self.blocks) - 1, None)
                        after_link = False
                    elif after_link and kind == LINK_APART:
                        self.note_gap(" ", containers.data[containers.size - 1])
                containers.push(node)
                if kind == PREFORMATTED:
                    self.preformatted += 1
                elif kind == LINK_APART:
                    open_anchors.append(self.anchor(node))
            elif kind == LINK:
                if after_link and self.places.size > self.first_run:
                    # Two links side by side are two words, also where only a style sheet parts them.
                    self.add(SPACE, containers.data[containers.size - 1])
                elif after_link and self.parted:
                    self.note_gap(" ", containers.data[containers.size - 1])
                open_anchors.append(self.anchor(node))
            elif kind == SKIPPED:
                skipping = self.last[node]
            elif not hidden:
                if kind == LINE_BREAK:
                    self.add(BREAK, node)
                    self.breaks = True
                elif kind == IMAGE:
                    self.add(PICTURE, node)
                    self.picture = True
                else:
                    self.flush(containers.data[containers.size - 1], kind)
                    self.add(PICTURE, node)
                    self.picture = True
                    self.flush(containers.data[containers.size - 1], kind)
        self.flush(0, BLOCK)
        self.settle()
        return 0

    cdef list anchor(self, int32_t node):
        cdef list texts = []
        if self.linked[node]:
            self.anchors.append((node, len(self.blocks), texts))
        return texts

    cdef int note_gap(self, str text, int32_t holder) except -1:
        gap = self.parted.get(len(self.blocks) - 1)
        if gap is not None:
            gap.append((text, holder))
        return 0

    cdef list runs(self):
        cdef Py_ssize_t each, count = len(self.texts)
        return [
            (self.texts[self.places.data[each] + (count if self.places.data[each] < 0 else 0)],
             self.holders.data[each])
            for each in range(self.first_run, self.places.size)
        ]

    cdef int flush(self, int32_t node, uint8_t kind) except -1:
        cdef Py_ssize_t links = len(self.anchors), first = self.first_run, count = self.places.size
        cdef str text = self.text() if count > first else ""
        if text or self.picture or links != self.first_link:
            if kind > PREFORMATTED:
                self.parted[len(self.blocks)] = []
            self.blocks.append(
                Block(text, node, slice(self.first_link, links), slice(first, count), self.source)
            )
            self.first_run, self.first_link = count, links
        else:
            if self.parted:
                if kind > PREFORMATTED:
                    for run in self.runs():
                        self.note_gap(run[0], run[1])
                else:
                    self.parted.pop(len(self.blocks) - 1, None)
            self.places.size = self.holders.size = first
        self.breaks = self.picture = False
        return 0

    cdef str text(self):
        cdef Py_ssize_t each, first = self.first_run, place, count = len(self.texts)
        if self.preformatted or self.breaks:
            return text_of(self.runs(), self.tree.tags, preformatted=self.preformatted > 0)
        if self.places.size == first + 1:
            place = self.places.data[first]
            return " ".join((<str> self.texts[place if place >= 0 else place + count]).split())
        cdef list pieces = []
        for each in range(first, self.places.size):
            place = self.places.data[each]
            pieces.append(self.texts[place if place >= 0 else place + count])
        return " ".join("".join(pieces).split())

    cdef int settle(self) except -1:
        """Gives the runs of the blocks out as the lists that `Runs` reads."""
        cdef Py_ssize_t each
        for each in range(self.places.size):
            self.places_of.append(self.places.data[each])
            self.holders_of.append(self.holders.data[each])
        return 0


def walk(tree, kinds, hides, linked):
    """As `pagelets.reading.plain.walk`."""
    cdef _Walk found = _Walk(tree, kinds, hides, linked)
    found.run()
    return found.found()
