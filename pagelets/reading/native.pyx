# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""`pagelets.reading.plain`, compiled: the same arrays and the same blocks, from the structs of lxml's trees.

Nothing of libxml2 is called, which lives inside of lxml's own library: fields of structs are read, and where
an attribute or a name is out of the common, lxml's public functions are asked.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset, strlen

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.slice cimport PySlice_New
from cpython.unicode cimport (
    PyUnicode_DATA,
    PyUnicode_DecodeUTF8,
    PyUnicode_FromKindAndData,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_New,
    PyUnicode_READ,
    PyUnicode_Substring,
    PyUnicode_WRITE,
)

cimport lxml.includes.etreepublic as etree
from lxml.includes cimport tree

import os
from array import array

import numpy as np

from pagelets.page import Block, Runs, text_of
from pagelets.reading.plain import Walked
from pagelets.tree import Tree

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object)
    object PyType_GenericAlloc(object, Py_ssize_t)

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

cdef extern from *:
    """
    static inline uint64_t multiplied(uint64_t a, uint64_t b) {
        unsigned __int128 product = (unsigned __int128) a * b;
        return (uint64_t) product ^ (uint64_t) (product >> 64);
    }
    """
    uint64_t multiplied(uint64_t, uint64_t) noexcept nogil

# Unknown to a page that would have all its strings fall together.
cdef uint64_t _SEED = int.from_bytes(os.urandom(8), "little")
cdef uint64_t _FACTOR = int.from_bytes(os.urandom(8), "little") | 1


cdef class Ints:
    """Numbers in a row that grows."""

    cdef int32_t *data
    cdef Py_ssize_t size, room

    def __cinit__(self):
        self.room = 2048
        self.size = 0
        self.data = <int32_t *> malloc(self.room * sizeof(int32_t))
        if self.data == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.data)

    cdef inline int push(self, int32_t number) except -1:
        if self.size == self.room:
            self.grow()
        self.data[self.size] = number
        self.size += 1
        return 0

    cdef int grow(self) except -1:
        cdef int32_t *grown = <int32_t *> realloc(self.data, 2 * self.room * sizeof(int32_t))
        if grown == NULL:
            raise MemoryError
        self.data = grown
        self.room *= 2
        return 0

    cdef bytes bytes(self):
        return (<char *> self.data)[: self.size * sizeof(int32_t)]

    cdef object array(self):
        return np.frombuffer(self.bytes(), np.int32)


def is_utf8(bytes content not None):
    """As `pagelets.reading.plain.is_utf8`."""
    cdef const uint8_t *at = <const uint8_t *> PyBytes_AS_STRING(content)
    cdef const uint8_t *end = at + len(content)
    cdef uint64_t word
    cdef uint8_t first, second
    while at < end:
        if at[0] < 0x80:
            at += 1
            while at + 8 <= end:
                memcpy(&word, at, 8)
                if word & 0x8080808080808080ULL:
                    break
                at += 8
            continue
        first = at[0]
        # The bytes objects of Python end in a zero, which continues nothing.
        second = at[1]
        if second & 0xC0 != 0x80 or first < 0xC2 or first > 0xF4:
            return False
        if first < 0xE0:
            at += 2
            continue
        if at[2] & 0xC0 != 0x80 or first == 0xE0 and second < 0xA0 or first == 0xED and second > 0x9F:
            return False
        if first < 0xF0:
            at += 3
            continue
        if at[3] & 0xC0 != 0x80 or first == 0xF0 and second < 0x90 or first == 0xF4 and second > 0x8F:
            return False
        at += 4
    return True


cdef inline bint is_ascii(const char *string, Py_ssize_t size) noexcept nogil:
    cdef uint64_t word
    while size >= 8:
        memcpy(&word, string, 8)
        if word & 0x8080808080808080ULL:
            return False
        string += 8
        size -= 8
    while size > 0:
        size -= 1
        if <uint8_t> string[size] & 0x80:
            return False
    return True


cdef inline unicode decoded(const char *string, Py_ssize_t size):
    cdef object text
    if size < 2 or not is_ascii(string, size):
        return PyUnicode_DecodeUTF8(string, size, NULL)
    text = PyUnicode_New(size, 127)
    memcpy(PyUnicode_DATA(text), string, size)
    return text


cdef struct Slot:
    const char *string
    Py_ssize_t size
    uint64_t hash
    int32_t place


cdef struct Named:
    # A name as libxml2 keeps it, once a document, and its place.
    const void *name
    int32_t place

cdef enum:
    NAMES = 512
    SPACES = 64
    SHORT = 40


cdef class Strings:
    """The distinct strings of a tree, each at the place where it came first. They live as long as the tree."""

    cdef Slot *slots
    cdef Named names[NAMES]
    cdef Py_ssize_t count, room
    cdef list strings
    cdef list kept

    def __cinit__(self):
        self.kept = []
        self.room = 4096
        self.count = 0
        self.strings = []
        memset(self.names, 0, sizeof(self.names))
        self.slots = <Slot *> calloc(self.room, sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)

    cdef int32_t place(self, const char *string, Py_ssize_t size) except -1:
        cdef uint64_t hash = _SEED ^ <uint64_t> size, word
        cdef Py_ssize_t at = 0, left = size
        cdef Slot *slot
        while left >= 8:
            memcpy(&word, string + at, 8)
            hash = multiplied(hash ^ word, _FACTOR)
            at += 8
            left -= 8
        word = 0
        memcpy(&word, string + at, left)
        hash = multiplied(hash ^ word, _FACTOR)
        at = hash & (self.room - 1)
        while True:
            slot = &self.slots[at]
            if slot.string == NULL:
                break
            if slot.hash == hash and slot.size == size and memcmp(slot.string, string, size) == 0:
                return slot.place
            at = (at + 1) & (self.room - 1)
        self.strings.append(decoded(string, size))
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

    cdef inline int32_t named(self, tree.xmlNode *node) except -1:
        """The place of the name of an element or attribute."""
        cdef Named *known
        if node.ns != NULL:
            return self.place_of(etree.namespacedName(node))
        known = &self.names[(<size_t> node.name ^ (<size_t> node.name >> 9)) & (NAMES - 1)]
        if known.name != node.name:
            known.place = self.place(<const char *> node.name, strlen(<const char *> node.name))
            known.name = node.name
        return known.place


cdef class Texts:
    """Texts between tags in a row, each with its holder; of white space that comes again there is one object."""

    cdef list found
    cdef Ints holders, before
    cdef list spaces

    def __cinit__(self):
        self.found = []
        self.holders, self.before = Ints(), Ints()
        self.spaces = [""] * SPACES

    cdef unicode made(self, const char *string):
        cdef Py_ssize_t size = strlen(string), at
        cdef unicode known
        if <uint8_t> string[0] > 32 or size > SHORT:
            return decoded(string, size)
        at = (<size_t> size + <size_t> string[size - 1]) & (SPACES - 1)
        known = <unicode> self.spaces[at]
        if PyUnicode_GET_LENGTH(known) == size and PyUnicode_IS_ASCII(known):
            if memcmp(PyUnicode_DATA(known), string, size) == 0:
                return known
        known = decoded(string, size)
        self.spaces[at] = known
        return known

    cdef tree.xmlNode *add(self, tree.xmlNode *node, int32_t holder, int32_t before, bint kept) except NULL:
        """Adds the texts that follow each other from a node on as one, if any and if they are ``kept``.

        Returns the last of them.
        """
        cdef unicode text = None, piece
        while True:
            if kept and node.content != NULL and node.content[0] != 0:
                piece = self.made(<const char *> node.content)
                text = piece if text is None else text + piece
            if node.next == NULL or not is_text(node.next):
                break
            node = node.next
        if text is not None:
            self.found.append(text)
            self.holders.push(holder)
            self.before.push(before)
        return node


cdef inline bint is_text(tree.xmlNode *node) noexcept nogil:
    return node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE


cdef int32_t value_of(Strings strings, tree.xmlNode *node, tree.xmlAttr *attribute) except -1:
    cdef tree.xmlNode *content = attribute.children
    if content == NULL:
        return strings.place("", 0)
    if content.next != NULL or not is_text(content) or attribute.ns != NULL:
        return strings.place_of(etree.attributeValue(node, attribute))
    if content.content == NULL:
        return strings.place("", 0)
    return strings.place(<const char *> content.content, strlen(<const char *> content.content))


def flatten(etree._Element root not None, unread):
    """As `pagelets.reading.plain.flatten`."""
    cdef Strings strings = Strings()
    cdef Texts texts = Texts()
    cdef Ints tags = Ints(), parents = Ints(), last = Ints(), starts = Ints(), names = Ints(), values = Ints()
    # Of each string whether it is a tag whose texts are left out: not known yet, no, yes.
    cdef Ints silent = Ints()
    cdef frozenset silences = frozenset(unread)
    cdef tree.xmlNode *top = root._c_node
    cdef tree.xmlNode *node = top
    cdef tree.xmlAttr *attribute
    # The element that is open, and the outermost open one whose texts are left out.
    cdef int32_t number = -1, mute = -1, name, tag
    cdef bint json_ld
    starts.push(0)
    while True:
        if node.type == tree.XML_ELEMENT_NODE:
            parents.push(number)
            number = <int32_t> tags.size
            last.push(number)
            tag = strings.named(node)
            tags.push(tag)
            attribute = node.properties
            while attribute != NULL:
                if attribute.ns != NULL or attribute.name[0] != b"o" or attribute.name[1] != b"n":
                    # Its name first: strings are in the order in which they came.
                    name = strings.named(<tree.xmlNode *> attribute)
                    names.push(name)
                    values.push(value_of(strings, node, attribute))
                attribute = attribute.next
            starts.push(<int32_t> names.size)
            if mute < 0:
                while silent.size < strings.count:
                    silent.push(-1)
                if silent.data[tag] < 0:
                    silent.data[tag] = strings.strings[tag] in silences
                if silent.data[tag] and not is_json_ld(strings, tag, names, values, starts.data[number]):
                    mute = number
            if node.children != NULL:
                node = node.children
                continue
        elif is_text(node):
            node = texts.add(node, number, <int32_t> tags.size, mute < 0)
        while node == top or node.next == NULL:
            if node.type == tree.XML_ELEMENT_NODE:
                last.data[number] = <int32_t> tags.size - 1
                if mute == number:
                    mute = -1
                number = parents.data[number]
            if node == top:
                return Tree(
                    strings.strings, tags.array(), parents.array(), last.array(), starts.array(),
                    names.array(), values.array(), texts.found, texts.holders.array(), texts.before.array(),
                )
            node = node.parent
        if node.type == tree.XML_ELEMENT_NODE:
            last.data[number] = <int32_t> tags.size - 1
            if mute == number:
                mute = -1
            number = parents.data[number]
        node = node.next


cdef bint is_json_ld(Strings strings, int32_t tag, Ints names, Ints values, Py_ssize_t first) except -1:
    cdef Py_ssize_t at
    if strings.strings[tag] != "script":
        return False
    for at in range(first, names.size):
        if strings.strings[names.data[at]] == "type" and "ld+json" in strings.strings[values.data[at]].lower():
            return True
    return False


cdef inline bint is_space(str text) noexcept:
    cdef Py_UCS4 character
    for character in text:
        if 32 < character <= 127 or not character.isspace():
            return False
    return True


def size(str text not None):
    """As `pagelets.reading.plain.size`."""
    cdef Py_ssize_t at, found = 0
    cdef int kind = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    cdef Py_UCS4 character
    for at in range(PyUnicode_GET_LENGTH(text)):
        character = PyUnicode_READ(kind, data, at)
        found += 32 < character <= 127 or not character.isspace()
    return found


cdef str folded(str text):
    """A text whose white space is folded: as ``" ".join(text.split())``."""
    cdef Py_ssize_t count = PyUnicode_GET_LENGTH(text), start = 0, stop, at, size = 0, width
    cdef int kind = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    cdef Py_UCS4 character
    cdef bint spaced = False, is_folded = True
    cdef char *buffer
    while start < count and PyUnicode_READ(kind, data, start).isspace():
        start += 1
    stop = count
    while stop > start and PyUnicode_READ(kind, data, stop - 1).isspace():
        stop -= 1
    for at in range(start, stop):
        character = PyUnicode_READ(kind, data, at)
        if character > 32 and character <= 127:
            spaced = False
        elif character.isspace():
            if spaced or character != c" ":
                is_folded = False
                break
            spaced = True
        else:
            spaced = False
    if is_folded:
        return text if stop - start == count else PyUnicode_Substring(text, start, stop)
    width = kind
    buffer = <char *> malloc((stop - start) * width)
    if buffer == NULL:
        raise MemoryError
    try:
        spaced = False
        for at in range(start, stop):
            character = PyUnicode_READ(kind, data, at)
            if (character <= 32 or character > 127) and character.isspace():
                if not spaced:
                    PyUnicode_WRITE(kind, buffer, size, c" ")
                    size += 1
                spaced = True
            else:
                PyUnicode_WRITE(kind, buffer, size, character)
                size += 1
                spaced = False
        return PyUnicode_FromKindAndData(kind, buffer, size)
    finally:
        free(buffer)


cdef class _Walk:
    """One pass over a tree; the same steps as in `pagelets.reading.plain`."""

    cdef object tree, source
    cdef list texts, blocks, anchors, hidden
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
        self.source = Runs(self.texts, [], [])
        self.blocks, self.anchors, self.hidden, self.parted = [], [], [], {}
        self.breaks = self.picture = False
        self.preformatted = self.first_run = self.first_link = 0

    def found(self):
        cdef list links = [], texts
        for node, block, texts in self.anchors:
            links.append((node, block, folded(texts[0] if len(texts) == 1 else "".join(texts))))
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
            block = PyType_GenericAlloc(Block, 0)
            block.text, block.node, block.source = text, node, self.source
            block.links = PySlice_New(self.first_link, links, None)
            block.span = PySlice_New(first, count, None)
            self.blocks.append(block)
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
        if self.preformatted:
            return text_of(self.runs(), self.tree.tags, preformatted=True)
        if self.breaks:
            return self.lines()
        if self.places.size == first + 1:
            place = self.places.data[first]
            return folded(<str> self.texts[place if place >= 0 else place + count])
        cdef list pieces = []
        for each in range(first, self.places.size):
            place = self.places.data[each]
            pieces.append(self.texts[place if place >= 0 else place + count])
        return folded("".join(pieces))

    cdef str lines(self):
        """The text of the block that is read, whose lines end with those of ``br``."""
        cdef Py_ssize_t each, place, count = len(self.texts)
        cdef list found = [], pieces = []
        cdef str line
        for each in range(self.first_run, self.places.size + 1):
            place = self.places.data[each] if each < self.places.size else BREAK
            if place == BREAK:
                line = folded("".join(pieces))
                if line:
                    found.append(line)
                pieces = []
            elif place >= 0 and self.kinds[self.holders.data[each]] == LINE_BREAK:
                return text_of(self.runs(), self.tree.tags, preformatted=False)
            else:
                pieces.append(self.texts[place if place >= 0 else place + count])
        return "\n".join(found)

    cdef int settle(self) except -1:
        """Gives the runs of the blocks out as the rows that `Runs` reads."""
        self.source.places = array("i", self.places.bytes())
        self.source.holders = array("i", self.holders.bytes())
        return 0


def walk(tree, kinds, hides, linked):
    """As `pagelets.reading.plain.walk`."""
    cdef _Walk found = _Walk(tree, kinds, hides, linked)
    found.run()
    return found.found()


cdef inline bint is_alphanumeric(Py_UCS4 character) noexcept:
    return c"0" <= character <= c"9" or c"A" <= character <= c"Z" or c"a" <= character <= c"z"


cdef inline bint is_any(Py_UCS4 character, const char *those) noexcept:
    while those[0] != 0:
        if character == <Py_UCS4> those[0]:
            return True
        those += 1
    return False


cdef bint is_plain_rest(str reference, Py_ssize_t at):
    """Whether a path, a query and a fragment follow, without white space or dot segments."""
    cdef Py_ssize_t count = len(reference), began = at
    cdef Py_UCS4 character, before = 0
    # What is read: 0 the path, 1 the query, 2 the fragment.
    cdef int part = 0
    while at < count:
        character = reference[at]
        if character <= 32 or character == c"\\" or character > 127 and character.isspace():
            return False
        if character == c"." and before == c"/" or character == c";" and part == 0:
            return False
        if character == c"?" and part == 0 or character == c"#" and part < 2:
            if part and at == began:
                return False
            part = 1 if character == c"?" else 2
            began = at + 1
        before = character
        at += 1
    return part == 0 or began < count


cdef bint begins_web_address(str reference):
    """Whether it begins with ``http://`` or ``https://``."""
    cdef Py_ssize_t at = 4
    if len(reference) < 8 or reference[1] != c"t" or reference[2] != c"t" or reference[3] != c"p":
        return reference == "http://"
    if reference[4] == c"s":
        at = 5
    return (
        reference[at] == c":" and reference[at + 1] == c"/"
        and len(reference) > at + 2 and reference[at + 2] == c"/"
    )


cdef bint leads_elsewhere(str reference):
    cdef Py_ssize_t count = len(reference), at
    cdef Py_UCS4 character
    for at in range(count):
        character = reference[at]
        if character == c":":
            return at > 0 and reference[:at].lower() not in ("http", "https")
        if not is_alphanumeric(character) and (not at or not is_any(character, "+.-")):
            return False
        if not at and character <= c"9":
            return False
    return False


def all_joined(list references not None, str base not None, str origin not None, list folders not None):
    """As `pagelets.reading.references.all_joined`."""
    return [joined(reference, base, origin, folders) for reference in references]


cdef object joined(str reference, str base, str origin, list folders):
    """As `pagelets.reading.references.joined`."""
    cdef Py_ssize_t count = len(reference), at = 0, ups = 0, ahead
    cdef Py_UCS4 first
    cdef bint fits = True
    if not count:
        return base if origin else ""
    first = reference[0]
    if first == c"h" and begins_web_address(reference):
        at = 8 if reference[4] == c"s" else 7
        if at == count or not is_alphanumeric(reference[at]):
            return ""
        while at < count and (is_alphanumeric(reference[at]) or is_any(reference[at], ".:_-")):
            at += 1
        if at == count:
            return reference
        if reference[at] != c"/" or at + 1 < count and reference[at + 1] == c"/":
            return ""
        return reference if is_plain_rest(reference, at + 1) else ""
    if first == c"/":
        if count > 1 and is_any(reference[1], "/.?#") or not is_plain_rest(reference, 1):
            return ""
        return origin + reference if origin else ""
    if first == c"#":
        if not origin or not is_plain_rest(reference, 1):
            return ""
        return base + reference if count > 1 else base
    if reference.startswith("./"):
        at = 2
    while at + 2 < count and reference[at] == c"." and reference[at + 1] == c"." and reference[at + 2] == c"/":
        at += 3
        ups += 1
    if at < count and is_any(reference[at], "./?#"):
        return None if leads_elsewhere(reference) else ""
    ahead = at
    while ahead < count and not is_any(reference[ahead], "/?#"):
        if reference[ahead] == c":":
            return None if leads_elsewhere(reference) else ""
        ahead += 1
    while ahead < count and not is_any(reference[ahead], "?#"):
        if reference[ahead] == c"/" and ahead + 1 < count and reference[ahead + 1] == c"/":
            fits = False
        ahead += 1
    if not fits or not folders or at == count or not is_plain_rest(reference, at):
        return ""
    return folders[min(ups, len(folders) - 1)] + reference[at:]
