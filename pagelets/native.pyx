# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""What every page takes, compiled: looking up elements and attributes. Plain code beside it does the same."""

from libc.stdint cimport int32_t, uint8_t

from cpython.list cimport PyList_GET_ITEM


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


def where(const int32_t[::1] places not None, int32_t place):
    """As `pagelets.tree.where`."""
    cdef Py_ssize_t at
    return [at for at in range(len(places)) if places[at] == place]


def values(
    list strings not None,
    const int32_t[::1] starts not None,
    const int32_t[::1] names not None,
    const int32_t[::1] places not None,
    int32_t name,
):
    """As `pagelets.tree.values`."""
    cdef Py_ssize_t at, owner = 0
    cdef dict found = {}
    for at in range(len(names)):
        if names[at] == name:
            while starts[owner + 1] <= at:
                owner += 1
            found[owner] = <object> PyList_GET_ITEM(strings, places[at])
    return found


cdef inline Py_ssize_t first_from(const int32_t[::1] numbers, Py_ssize_t least) noexcept:
    """The first of sorted numbers that is no smaller."""
    cdef Py_ssize_t low = 0, high = len(numbers), middle
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


def text_span(tree, int32_t node):
    """As `pagelets.tree.text_span`."""
    cdef const int32_t[::1] lasts = tree.last, before = tree.before, holder = tree.holder
    cdef int32_t last = lasts[node]
    cdef Py_ssize_t start = first_from(before, node + 1), stop = first_from(before, last + 2)
    while stop > start and not node <= holder[stop - 1] <= last:
        stop -= 1
    return start, stop
