# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Looking up elements, cutting pages and unpacking them, compiled. Each function does as the plain one of its
name.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memchr

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.list cimport PyList_GET_ITEM
from cpython.slice cimport PySlice_New
from cpython.unicode cimport PyUnicode_DecodeUTF8

import numpy as np

from pagelets.page import Block

cdef extern from "Python.h":
    object PyType_GenericAlloc(object, Py_ssize_t)


def strings_at(list strings not None, const int32_t[::1] places not None):
    """As `pagelets.tree.strings_at`."""
    cdef Py_ssize_t at
    return [<object> PyList_GET_ITEM(strings, places[at]) for at in range(len(places))]


def distinct(list strings not None, const int32_t[::1] places not None):
    """As `pagelets.tree.distinct`."""
    cdef Py_ssize_t at
    cdef bytearray met = bytearray(len(strings))
    cdef uint8_t[::1] seen = met
    cdef dict found = {}
    for at in range(len(places)):
        if not seen[places[at]]:
            seen[places[at]] = 1
            found[<object> PyList_GET_ITEM(strings, places[at])] = places[at]
    return found


def values_of(
    list strings not None,
    const int32_t[::1] starts not None,
    const int32_t[::1] names not None,
    const int32_t[::1] values not None,
    int32_t name,
):
    """As `pagelets.tree.values_of`."""
    cdef Py_ssize_t at, node = 0
    cdef dict found = {}
    for at in range(len(names)):
        if names[at] == name:
            # The last of `starts` is the number of attributes.
            while starts[node + 1] <= at:
                node += 1
            found[node] = <object> PyList_GET_ITEM(strings, values[at])
    return found


def slices(page, const uint8_t[::1] linked not None, Py_ssize_t k):
    """As `pagelets.partition.slices`."""
    cdef const int32_t[::1] parents = page.tree.parent
    cdef list blocks = page.blocks, found = []
    cdef Py_ssize_t count = len(parents), position, start = 0
    # Of each element: its links, whether it is split, and the pagelet's element around it (-1: it is split).
    cdef int32_t[::1] links = np.zeros(count, np.int32), regions = np.full(count, -2, np.int32)
    cdef int32_t node, owner = 0, here
    cdef bint loose, anonymous = False
    for position in range(count):
        if not linked[position]:
            continue
        node = <int32_t> position
        while node >= 0:
            links[node] += 1
            if links[node] > k:
                # This one and all above it have their k links already.
                break
            if links[node] == k and parents[node] >= 0:
                regions[parents[node]] = -1
            node = parents[node]
    for position in range(len(blocks)):
        block = blocks[position]
        here = block.node
        node = region(parents, regions, here)
        loose = node < 0
        if loose:
            node = region_of_run(parents, regions, block.source[block.span])
            if node < 0:
                node = here
            loose = node == here
        if position and (loose or anonymous or node != owner):
            found.append((start, position, owner, anonymous))
            start = position
        owner, anonymous = node, loose
    if blocks:
        found.append((start, len(blocks), owner, anonymous))
    return found


cdef int32_t region(const int32_t[::1] parents, int32_t[::1] regions, int32_t node) noexcept:
    """The pagelet's element around a node, -1 where that is itself split; remembers what it has climbed."""
    cdef int32_t above, found, below
    if regions[node] != -2:
        return regions[node]
    below, above = node, parents[node]
    while above >= 0 and regions[above] == -2:
        below, above = above, parents[above]
    found = regions[above] if above >= 0 else -1
    if found < 0:
        found = below
    while node != above:
        regions[node] = found
        node = parents[node]
    return found


cdef int32_t region_of_run(const int32_t[::1] parents, int32_t[::1] regions, list runs):
    """The one region that all texts of a run lie in, -1 where there is none."""
    cdef int32_t found = -2, one
    for text, holder in runs:
        if text.isspace():
            continue
        one = region(parents, regions, holder)
        if found != -2 and one != found:
            return -1
        found = one
    return -1 if found == -2 else found


def split(bytes data not None, Py_ssize_t start):
    """As `pagelets.page_bytes.split`."""
    cdef const char *text = PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = len(data)
    cdef const char *end
    cdef list texts = []
    cdef Py_ssize_t length
    while True:
        end = <const char *> memchr(text + start, 0, size - start)
        length = size - start if end == NULL else end - text - start
        texts.append(PyUnicode_DecodeUTF8(text + start, length, "surrogatepass"))
        if end == NULL:
            return texts
        start = end - text + 1


def blocks_of(list all_texts not None, const int32_t[:, ::1] columns not None, runs):
    """As `pagelets.page_bytes.blocks_of`."""
    cdef Py_ssize_t at, texts = len(all_texts), run = 0, link = 0, runs_end, links_end
    cdef list found = []
    for at in range(columns.shape[1]):
        if columns[0, at] >= texts:
            raise IndexError
        runs_end, links_end = run + columns[2, at], link + columns[3, at]
        block = PyType_GenericAlloc(Block, 0)
        block.text = <object> PyList_GET_ITEM(all_texts, columns[0, at])
        block.node, block.source = columns[1, at], runs
        block.links, block.span = PySlice_New(link, links_end, None), PySlice_New(run, runs_end, None)
        found.append(block)
        run, link = runs_end, links_end
    return found


def is_tree(
    const int32_t[::1] parent not None,
    const int32_t[::1] last not None,
    const int32_t[::1] holder not None,
    const int32_t[::1] before not None,
):
    """As `pagelets.page_bytes.is_tree`."""
    cdef Py_ssize_t count = len(parent), texts = len(holder), text = 0
    cdef int32_t node = -1, entered, inside
    cdef bint is_text
    for entered in range(count + 1):
        while True:
            is_text = text < texts and before[text] == entered
            inside = holder[text] if is_text else parent[entered] if entered < count else -1
            if inside < 0 and (is_text or 0 < entered < count):
                return False
            while node != inside:
                # What ends here is the innermost that is open.
                if node < 0 or last[node] != entered - 1:
                    return False
                node = parent[node]
            if not is_text:
                break
            text += 1
        node = entered
    return count > 0 and text == texts
