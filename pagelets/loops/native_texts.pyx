# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The loops of `pagelets.loops.plain` over texts, compiled: the same numbers."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from cpython.unicode cimport PyUnicode_GET_LENGTH, PyUnicode_Substring

import numpy as np

from pagelets.loops.plain import Tally

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 character) nogil
    int PyUnicode_KIND(str text)
    const void *PyUnicode_DATA(str text)
    Py_UCS4 PyUnicode_READ(int kind, const void *data, Py_ssize_t index) nogil

cdef enum:
    DOT = 0x2E
    ELLIPSIS = 0x2026
    LINE_END = 0x0A


def link_sums(list urls not None, list texts not None, list spans not None, str host not None):
    """As `pagelets.loops.plain.link_sums`."""
    cdef Py_ssize_t count = len(spans), block, link, size
    cdef slice span
    cdef str url
    result = np.zeros((count, 5), np.float64)
    cdef double[:, ::1] found = result
    if len(urls) != len(texts):
        raise ValueError("not as many texts as addresses")
    for block in range(count):
        span = spans[block]
        if span.start < 0 or span.stop > len(urls):
            raise IndexError("links that there are not")
        for link in range(span.start, span.stop):
            url, size = urls[link], len(texts[link])
            found[block, 0] += 1
            found[block, 1] += size
            found[block, 2] += not url.startswith(host)
            found[block, 3] += url.count("/")
            found[block, 4] += size == 0
    return result


ctypedef fused Code:
    uint8_t
    uint16_t
    uint32_t


cdef struct Counted:
    int64_t runs
    int64_t line_ends
    bint cut


cdef Counted tally_codes(
    const Code *codes, Py_ssize_t size, const uint8_t *kind_of, uint32_t beyond, uint8_t low, uint8_t high,
    int64_t *found,
) noexcept nogil:
    cdef Counted counted = Counted(0, 0, False)
    cdef Py_ssize_t at
    cdef uint8_t kind
    cdef bint inside, was = False
    for at in range(size):
        kind = kind_of[codes[at] if codes[at] < beyond else beyond]
        found[kind] += 1
        inside = low <= kind <= high
        counted.runs += inside and not was
        counted.line_ends += codes[at] == LINE_END
        was = inside
    counted.cut = codes[size - 1] == ELLIPSIS or (
        size >= 3 and codes[size - 1] == DOT and codes[size - 2] == DOT and codes[size - 3] == DOT
    )
    return counted


cdef int64_t runs_of(const Code *codes, Py_ssize_t size, const uint8_t *parts, uint32_t beyond) noexcept nogil:
    cdef int64_t begun = 0
    cdef Py_ssize_t at
    cdef bint inside, was = False
    for at in range(size):
        inside = parts[codes[at] if codes[at] < beyond else beyond] != 0
        begun += inside and not was
        was = inside
    return begun


def tally(texts, const uint8_t[::1] kind_of not None, Py_ssize_t width, uint8_t low, uint8_t high):
    """As `pagelets.loops.plain.tally`."""
    cdef Py_ssize_t count = len(texts), position, at, size
    cdef uint32_t beyond = <uint32_t> kind_of.shape[0] - 1
    cdef int representation
    cdef const void *data
    cdef const uint8_t *kinds
    cdef Counted counted
    counts = np.zeros((count, width), np.float64)
    begun, line_counts = np.zeros(count, np.float64), np.zeros(count, np.float64)
    firsts, lasts, cuts = np.zeros(count, np.uint8), np.zeros(count, np.uint8), np.zeros(count, np.bool_)
    cdef double[:, ::1] of_kind = counts
    cdef double[::1] begins = begun, lines = line_counts
    cdef uint8_t[::1] first = firsts, last = lasts, cut = cuts.view(np.uint8)
    cdef int64_t found[256]
    cdef str text
    if kind_of.shape[0] == 0 or not 0 <= width <= 256:
        raise ValueError("no characters are told, or too many kinds")
    kinds = &kind_of[0]
    for position in range(count):
        text = texts[position]
        size = PyUnicode_GET_LENGTH(text)
        if not size:
            continue
        representation, data = PyUnicode_KIND(text), PyUnicode_DATA(text)
        memset(found, 0, sizeof(found))
        if representation == 1:
            counted = tally_codes(<const uint8_t *> data, size, kinds, beyond, low, high, found)
        elif representation == 2:
            counted = tally_codes(<const uint16_t *> data, size, kinds, beyond, low, high, found)
        else:
            counted = tally_codes(<const uint32_t *> data, size, kinds, beyond, low, high, found)
        for at in range(width):
            of_kind[position, at] = <double> found[at]
        first[position] = kinds[min(<uint32_t> PyUnicode_READ(representation, data, 0), beyond)]
        last[position] = kinds[min(<uint32_t> PyUnicode_READ(representation, data, size - 1), beyond)]
        begins[position], lines[position] = <double> counted.runs, <double> counted.line_ends
        cut[position] = counted.cut
    return Tally(counts, begun, firsts, lasts, line_counts, cuts)


def runs(texts, is_part not None):
    """As `pagelets.loops.plain.runs`."""
    cdef const uint8_t[::1] told = is_part.view(np.uint8)
    cdef Py_ssize_t count = len(texts), position, size
    cdef uint32_t beyond = <uint32_t> told.shape[0] - 1
    cdef int representation
    cdef const void *data
    cdef const uint8_t *parts
    cdef int64_t begun
    cdef str text
    result = np.zeros(count, np.float64)
    cdef double[::1] found = result
    if told.shape[0] == 0:
        raise ValueError("no characters are told")
    parts = &told[0]
    for position in range(count):
        text = texts[position]
        size = PyUnicode_GET_LENGTH(text)
        representation, data = PyUnicode_KIND(text), PyUnicode_DATA(text)
        if representation == 1:
            begun = runs_of(<const uint8_t *> data, size, parts, beyond)
        elif representation == 2:
            begun = runs_of(<const uint16_t *> data, size, parts, beyond)
        else:
            begun = runs_of(<const uint32_t *> data, size, parts, beyond)
        found[position] = <double> begun
    return result


cdef inline uint64_t sign(
    int representation, const void *data, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """One of 64 bits, that words which are the same share."""
    cdef uint64_t first = PyUnicode_READ(representation, data, start)
    cdef uint64_t last = PyUnicode_READ(representation, data, stop - 1)
    return <uint64_t> 1 << ((first * 7 + last * 3 + <uint64_t> (stop - start)) & 63)


def overlap(texts, words not None, Py_ssize_t longest):
    """As `pagelets.loops.plain.overlap`."""
    cdef Py_ssize_t count = len(texts), position, at, start, size, own
    cdef int representation
    cdef const void *data
    cdef uint64_t signs = 0
    cdef str text, folded, word
    cdef set shared
    result = np.zeros((count, 2), np.float64)
    cdef double[:, ::1] found = result
    for word in words:
        size = PyUnicode_GET_LENGTH(word)
        if size:
            signs |= sign(PyUnicode_KIND(word), PyUnicode_DATA(word), 0, size)
    for position in range(count):
        text = texts[position]
        if not 0 < PyUnicode_GET_LENGTH(text) < longest:
            continue
        folded = text.casefold()
        size = PyUnicode_GET_LENGTH(folded)
        representation, data = PyUnicode_KIND(folded), PyUnicode_DATA(folded)
        shared = None
        own = at = 0
        while True:
            while at < size and Py_UNICODE_ISSPACE(PyUnicode_READ(representation, data, at)):
                at += 1
            if at == size:
                break
            start = at
            while at < size and not Py_UNICODE_ISSPACE(PyUnicode_READ(representation, data, at)):
                at += 1
            own += 1
            # Most words need not be made to know that they are none of those asked for.
            if signs & sign(representation, data, start, at):
                word = PyUnicode_Substring(folded, start, at)
                if word in words:
                    if shared is None:
                        shared = set()
                    shared.add(word)
        if shared is not None:
            found[position, 0] = <double> len(shared) / <double> own
            found[position, 1] = <double> len(shared) / <double> len(words)
    return result
