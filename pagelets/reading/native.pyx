# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""`pagelets.reading.plain.flatten`, compiled: the same arrays, from the structs of lxml's trees.

Nothing of libxml2 is called, which lives inside of lxml's own library: fields of structs are read, and where
an attribute or a name is out of the common, lxml's public functions are asked.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset, strlen

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_DecodeUTF8, PyUnicode_GET_LENGTH

cimport lxml.includes.etreepublic as etree
from lxml.includes cimport tree

import os

from pagelets.tree import Tree

include "ints.pxi"

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object)

cdef extern from "libxml/xmlversion.h":
    const char *LIBXML_DOTTED_VERSION

etree.import_lxml__etree()

LIBXML = LIBXML_DOTTED_VERSION.decode()
"""The version of libxml2 whose structs this was compiled for."""

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
            return PyUnicode_DecodeUTF8(string, size, NULL)
        at = (<size_t> size + <size_t> string[size - 1]) & (SPACES - 1)
        known = <unicode> self.spaces[at]
        if PyUnicode_GET_LENGTH(known) == size and PyUnicode_IS_ASCII(known):
            if memcmp(PyUnicode_DATA(known), string, size) == 0:
                return known
        known = PyUnicode_DecodeUTF8(string, size, NULL)
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
        while True:
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
            if node.next != NULL:
                break
            node = node.parent
        node = node.next


cdef bint is_json_ld(Strings strings, int32_t tag, Ints names, Ints values, Py_ssize_t first) except -1:
    cdef Py_ssize_t at
    if strings.strings[tag] != "script":
        return False
    for at in range(first, names.size):
        if strings.strings[names.data[at]] == "type" and "ld+json" in strings.strings[values.data[at]].lower():
            return True
    return False
