# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The loops of `pagelets.loops.plain` over elements, features and trees, compiled: the same numbers."""

from libc.math cimport INFINITY, sqrtf
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

import os

import numpy as np

from pagelets.loops.plain import Climbed, Inline

cdef uint64_t _SEED = int.from_bytes(os.urandom(8), "little") | 1

cdef enum:
    ABREAST = 8
    LANES = 8


cdef inline uint64_t mixed(uint64_t hash, uint64_t value) noexcept nogil:
    """Mixes a value into a hash, in a way that no page can know."""
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL
    return (hash ^ (hash >> 32)) * _SEED


cdef Py_ssize_t place_in(Py_ssize_t number, Py_ssize_t count) except -1:
    """A place among ``count`` things that is one of them."""
    if not 0 <= number < count:
        raise IndexError(f"no place {number} among {count}")
    return number


def climb(
    const int64_t[::1] blocks not None, const int32_t[::1] parent not None, const int32_t[::1] last not None
):
    """As `pagelets.loops.plain.climb`."""
    cdef Py_ssize_t size = blocks.shape[0], elements = parent.shape[0], node, block, count = 0, place, above
    if last.shape[0] != elements or elements == 0:
        raise ValueError("not as many parents as elements")
    # The place of each element among those found, -1 where it is none of them yet.
    cdef int32_t[::1] known = np.full(elements, -1, np.int32)
    known[0] = 0
    for block in range(size):
        node = place_in(blocks[block], elements)
        while known[node] < 0:
            known[node] = 0
            node = place_in(parent[node], node)
    for node in range(elements):
        if known[node] >= 0:
            known[node] = <int32_t> count
            count += 1
    found = Climbed(*(np.empty(each, np.int64) for each in (count, count, count, size, count, count)))
    cdef int64_t[::1] nodes = found.nodes, parents = found.parent, depth = found.depth
    cdef int64_t[::1] of_block = found.of_block, start = found.start, stop = found.stop
    for node in range(elements):
        place = known[node]
        if place < 0:
            continue
        nodes[place] = node
        above = known[parent[node]] if place else 0
        parents[place] = above
        depth[place] = depth[above] + 1 if place else 0
        start[place] = 0 if place == 0 else -1
        stop[place] = 0
    for block in range(size):
        place = known[blocks[block]]
        of_block[block] = place
        stop[place] = block + 1
        while start[place] < 0:
            start[place] = block
            place = parents[place]
    for place in range(count - 1, 0, -1):
        above = parents[place]
        if stop[place] > stop[above]:
            stop[above] = stop[place]
    return found


def named(
    const int64_t[::1] nodes not None, const int32_t[::1] starts not None, const int32_t[::1] name not None,
    const int32_t[::1] value not None, wanted,
):
    """As `pagelets.loops.plain.named`."""
    cdef Py_ssize_t count = nodes.shape[0], each, node, at, row, rows = len(wanted)
    cdef int32_t[::1] asked = np.array(wanted, np.int32)
    result = np.full((rows, count), -1, np.int32)
    cdef int32_t[:, ::1] found = result
    if value.shape[0] != name.shape[0]:
        raise ValueError("not as many values as names")
    for each in range(count):
        node = place_in(nodes[each], starts.shape[0] - 1)
        if starts[node] < 0 or starts[node + 1] > name.shape[0]:
            raise IndexError("attributes that there are not")
        for at in range(starts[node], starts[node + 1]):
            for row in range(rows):
                if name[at] == asked[row]:
                    found[row, each] = value[at]
    return result


def inline(const int64_t[::1] nodes not None, list spans not None, places, holders, int32_t picture, Py_ssize_t most):
    """As `pagelets.loops.plain.inline`."""
    cdef const int32_t[::1] texts = np.asarray(places, np.int32), around = np.asarray(holders, np.int32)
    cdef Py_ssize_t count = nodes.shape[0], size = texts.shape[0], block, run, start, stop, few, found = 0
    cdef slice span
    block_places, elements, pictures = np.empty(size, np.int64), np.empty(size, np.int64), np.zeros(count)
    cdef int64_t[::1] of_block = block_places, element = elements
    cdef double[::1] pictured = pictures
    if len(spans) != count or around.shape[0] != size:
        raise ValueError("not as many spans as blocks, or holders as runs")
    stop = 0
    for block in range(count):
        span = spans[block]
        start, few = span.start, 0
        if not stop <= start <= <Py_ssize_t> span.stop <= size:
            raise IndexError("runs that there are not")
        stop = span.stop
        for run in range(start, stop):
            if texts[run] == picture:
                pictured[block] += 1
            elif around[run] != nodes[block] and few < most:
                of_block[found], element[found] = block, around[run]
                few += 1
                found += 1
    return Inline(block_places[:found], elements[:found], pictures)


def inherited(masks not None, const int64_t[::1] parent not None, outer not None):
    """As `pagelets.loops.plain.inherited`."""
    result = np.array(masks, np.uint64)
    cdef uint64_t[:, ::1] found = result
    cdef const uint8_t[::1] marks = outer.view(np.uint8)
    cdef Py_ssize_t count = parent.shape[0], node, word, words = found.shape[1], above
    if found.shape[0] != count or marks.shape[0] != count:
        raise ValueError("not as many masks as nodes")
    for node in range(count):
        if marks[node]:
            for word in range(words):
                found[node, word] = 0
        else:
            above = place_in(parent[node], node)
            for word in range(words):
                found[node, word] |= found[above, word]
    return result


def alike(*rows):
    """As `pagelets.loops.plain.alike`."""
    cdef int64_t[:, ::1] values = np.array(rows, np.int64)
    cdef Py_ssize_t width = values.shape[0], count = values.shape[1], row, thing, at, room = 64, other
    found = np.empty(count, np.int64)
    cdef int64_t[::1] numbers = found
    cdef int64_t next_number = 0
    cdef uint64_t hash
    cdef int32_t *slots
    while room < 2 * count:
        room *= 2
    # Each slot holds the first thing of its kind, counted from 1.
    slots = <int32_t *> calloc(room, sizeof(int32_t))
    if slots == NULL:
        raise MemoryError
    for thing in range(count):
        hash = _SEED
        for row in range(width):
            hash = mixed(hash, <uint64_t> values[row, thing])
        at = <Py_ssize_t> ((hash ^ (hash >> 29)) & <uint64_t> (room - 1))
        while True:
            other = slots[at] - 1
            if other < 0:
                slots[at] = <int32_t> thing + 1
                numbers[thing] = next_number
                next_number += 1
                break
            row = 0
            while row < width and values[row, thing] == values[row, other]:
                row += 1
            if row == width:
                numbers[thing] = numbers[other]
                break
            at = (at + 1) & (room - 1)
    free(slots)
    return found


def ordinals(const int64_t[::1] groups not None):
    """As `pagelets.loops.plain.ordinals`."""
    cdef Py_ssize_t count = groups.shape[0], thing
    met = np.zeros(count, np.int64)
    members, order = np.empty(count, np.int64), np.empty(count, np.int64)
    cdef int64_t[::1] seen = met, many = members, place = order
    for thing in range(count):
        place[thing] = seen[place_in(groups[thing], count)]
        seen[groups[thing]] += 1
    for thing in range(count):
        many[thing] = seen[groups[thing]]
    return members, order


def nearest(wanted not None, const int64_t[::1] parent not None):
    """As `pagelets.loops.plain.nearest`."""
    cdef const uint8_t[:, ::1] marks = np.ascontiguousarray(wanted, np.bool_).view(np.uint8)
    cdef Py_ssize_t count = parent.shape[0], rows = marks.shape[0], node, row, above
    result = np.zeros((rows, count), np.int64)
    cdef int64_t[:, ::1] found = result
    if marks.shape[1] != count:
        raise ValueError("not as many marks as nodes")
    for node in range(1, count):
        above = place_in(parent[node], node)
        for row in range(rows):
            found[row, node] = node if marks[row, node] else found[row, above]
    return result


def means(const float[:, ::1] table not None, const int32_t[:, ::1] numbers not None):
    """As `pagelets.loops.plain.means`."""
    cdef Py_ssize_t width = table.shape[1], row, each, place, column, count
    result = np.zeros((numbers.shape[0], width), np.float32)
    cdef float[:, ::1] found = result
    cdef float scale
    for row in range(numbers.shape[0]):
        count = 0
        for each in range(numbers.shape[1]):
            place = place_in(numbers[row, each], table.shape[0])
            if place:
                count += 1
                for column in range(width):
                    found[row, column] += table[place, column]
        scale = <float> (2.0 / <double> max(count, 1))
        for column in range(width):
            found[row, column] *= scale
    return result


cdef inline float mean(const float *values, Py_ssize_t width, bint squared) noexcept nogil:
    cdef float sums[LANES]
    cdef Py_ssize_t at = 0, lane
    memset(sums, 0, sizeof(sums))
    while at < width:
        for lane in range(LANES):
            sums[lane] += values[at + lane] * values[at + lane] if squared else values[at + lane]
        at += LANES
    sums[0] = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
    return sums[0] / <float> width


def normalised(
    const float[:, ::1] rows not None, const float[::1] scale not None, const float[::1] shift not None, float least
):
    """As `pagelets.loops.plain.normalised`."""
    cdef Py_ssize_t count = rows.shape[0], width = rows.shape[1], row, column
    level, page = np.empty((count, width), np.float32), np.zeros(2 * width, np.float32)
    cdef float[:, ::1] found = level
    cdef float[::1] whole = page
    cdef float middle, spread, value
    if not count or not width or width % LANES or not scale.shape[0] == shift.shape[0] == width:
        raise ValueError("no rows, or not as many columns as scales")
    whole[width:] = -INFINITY
    for row in range(count):
        middle = mean(&rows[row, 0], width, False)
        for column in range(width):
            found[row, column] = rows[row, column] - middle
        spread = sqrtf(mean(&found[row, 0], width, True) + least)
        for column in range(width):
            value = found[row, column] / spread * scale[column] + shift[column]
            found[row, column] = value
            whole[column] += value
            whole[width + column] = max(value, whole[width + column])
    for column in range(width):
        whole[column] /= <float> count
    return level, page


def advanced(
    const float[:, ::1] rows not None, const float[:, ::1] itself not None, const float[:, ::1] before not None,
    const float[:, ::1] after not None, const float[::1] bias not None,
):
    """As `pagelets.loops.plain.advanced`."""
    cdef Py_ssize_t count = rows.shape[0], width = rows.shape[1], row, column
    cdef Py_ssize_t reach = count - before.shape[0], end = after.shape[0]
    result = np.empty((count, width), np.float32)
    cdef float[:, ::1] total = result
    cdef float value
    if itself.shape[0] != count or reach < 0 or end > count:
        raise ValueError("not as many rows as were found")
    if not before.shape[1] == itself.shape[1] == after.shape[1] == bias.shape[0] == width:
        raise ValueError("not as many columns as were found")
    for row in range(count):
        for column in range(width):
            total[row, column] = itself[row, column] + bias[column]
        if row >= reach:
            for column in range(width):
                total[row, column] += before[row - reach, column]
        if row < end:
            for column in range(width):
                total[row, column] += after[row, column]
        for column in range(width):
            value = total[row, column]
            total[row, column] = rows[row, column] + (0 if value < 0 else value)
    return result


cdef inline uint32_t rank(float value) noexcept nogil:
    """As `pagelets.loops.trees.ranks`, without a branch."""
    cdef uint32_t bits
    value += 0.0
    memcpy(&bits, &value, sizeof(bits))
    bits ^= <uint32_t> (<int32_t> bits >> 31) | 0x80000000U
    return bits if value == value else 0xFFFFFFFFU


def fall(const float[:, ::1] matrix not None, trees not None, Py_ssize_t first, Py_ssize_t last):
    """As `pagelets.loops.trees.fall`."""
    # A step in one number: what it asks, 16 bits; how far it leads to the right, 16 bits; the most, 32 bits.
    cdef const uint64_t[::1] steps = trees.steps.view(np.uint64)
    cdef const float[::1] values = trees.values
    cdef const int64_t[::1] roots = trees.roots
    cdef Py_ssize_t count = matrix.shape[0], features = matrix.shape[1], row, tree, each, column
    cdef uint32_t[::1] ranks = np.empty(2 * features * ABREAST, np.uint32)
    cdef const float *rows[ABREAST]
    cdef float asked[ABREAST]
    cdef uint32_t place[ABREAST]
    cdef uint32_t moved, on
    cdef uint64_t step
    cdef const uint64_t *root
    cdef uint32_t *ranked
    if not 0 <= first <= last <= roots.shape[0] or features != trees.features:
        raise IndexError("trees or features that there are not")
    if values.shape[0] != steps.shape[0]:
        raise ValueError("not as many values as nodes")
    sums = np.zeros(count, np.float32)
    cdef float[::1] found = sums
    row = 0
    while row < count:
        # Several rows fall side by side: none waits for the memory that another one asks for. Ranks stand as
        # they are asked for: of each feature those of all rows, and then those where a missing one is least.
        for each in range(ABREAST):
            rows[each] = &matrix[min(row + each, count - 1), 0]
        ranked = &ranks[0]
        for column in range(features):
            for each in range(ABREAST):
                asked[each] = rows[each][column]
            for each in range(ABREAST):
                ranked[each] = rank(asked[each])
                ranked[ABREAST + each] = rank(asked[each]) + 1
            ranked += 2 * ABREAST
        for tree in range(first, last):
            root = &steps[roots[tree]]
            for each in range(ABREAST):
                place[each] = 0
            moved = 1
            while moved:
                moved = 0
                for each in range(ABREAST):
                    step = root[place[each]]
                    on = <uint16_t> (step >> 16)
                    if ranks[<uint16_t> step * ABREAST + each] <= step >> 32:
                        on = 1
                    moved |= on
                    place[each] += on
            for each in range(min(<Py_ssize_t> ABREAST, count - row)):
                found[row + each] += values[roots[tree] + place[each]]
        row += ABREAST
    return sums.astype(np.float64)
