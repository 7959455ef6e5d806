# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The loops of `pagelets.loops.plain` over features, compiled: the same numbers."""

from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

from pagelets.loops.contexts import Context, Repeats

cdef enum:
    LONG = 100
    SHORT = 25


cdef Py_ssize_t place_in(Py_ssize_t number, Py_ssize_t count) except -1:
    """A place among ``count`` things that is one of them."""
    if not 0 <= number < count:
        raise IndexError(f"no place {number} among {count}")
    return number


def write(float[:, ::1] matrix not None, plan not None, const double[:, :] values not None, at):
    """As `pagelets.loops.plain.write`."""
    cdef const int32_t[::1] layers = plan.layers, picks = plan.picks, targets = plan.targets
    cdef Py_ssize_t rows = matrix.shape[0], columns = picks.shape[0], row, column, source
    cdef Py_ssize_t step = values.shape[0] > 1
    cdef const int64_t[:, ::1] places
    if targets.shape[0] != columns or layers.shape[0] != columns:
        raise ValueError("not as many targets as columns")
    for column in range(columns):
        place_in(targets[column], matrix.shape[1])
        place_in(picks[column], values.shape[1])
    if at is None:
        if values.shape[0] not in (1, rows):
            raise ValueError("not as many values as rows")
        for row in range(rows):
            for column in range(columns):
                matrix[row, targets[column]] = <float> values[row * step, picks[column]]
        return
    places = at
    if places.shape[1] != rows:
        raise ValueError("not as many places as rows")
    for column in range(columns):
        place_in(layers[column], places.shape[0])
    for source in range(places.shape[0]):
        for row in range(rows):
            place_in(places[source, row], values.shape[0])
    for row in range(rows):
        for column in range(columns):
            matrix[row, targets[column]] = <float> values[places[layers[column], row], picks[column]]


def mark(float[:, ::1] matrix not None, plan not None, const uint64_t[:, ::1] masks not None, at):
    """As `pagelets.loops.contexts.mark`."""
    cdef const int32_t[::1] picks = plan.picks, targets = plan.targets
    cdef Py_ssize_t rows = matrix.shape[0], columns = picks.shape[0], row, column, source, step = masks.shape[0] > 1
    cdef const int64_t[::1] places = at
    if targets.shape[0] != columns:
        raise ValueError("not as many targets as columns")
    if (masks.shape[0] not in (1, rows)) if at is None else places.shape[0] != rows:
        raise ValueError("not as many masks as rows")
    for column in range(columns):
        place_in(targets[column], matrix.shape[1])
        place_in(picks[column], 64 * masks.shape[1])
    for row in range(rows):
        source = row * step if at is None else place_in(places[row], masks.shape[0])
        for column in range(columns):
            matrix[row, targets[column]] = masks[source, picks[column] >> 6] >> (picks[column] & 63) & 1


def numbered(const int32_t[::1] tags not None, dict places not None, dict numbers not None, Py_ssize_t size):
    """As `pagelets.loops.plain.numbered`."""
    cdef Py_ssize_t count = tags.shape[0], each
    of_place = np.zeros(size, np.int64)
    cdef int64_t[::1] known = of_place
    result = np.empty(count, np.int64)
    cdef int64_t[::1] found = result
    for tag, number in numbers.items():
        place = places.get(tag)
        if place is not None:
            known[place_in(place, size)] = number
    for each in range(count):
        found[each] = known[place_in(tags[each], size)]
    return result


def grouped(const int64_t[:, ::1] groups not None, const double[:, :] values not None):
    """As `pagelets.loops.plain.grouped`."""
    cdef Py_ssize_t layers = groups.shape[0], count = groups.shape[1], layer, thing, column, group, size = 0
    if values.shape[0] != count:
        raise ValueError("not as many values as things")
    for layer in range(layers):
        for thing in range(count):
            size = max(size, groups[layer, thing] + 1)
    result = np.zeros((size, 2 + values.shape[1]), np.float64)
    first = np.full(size, -1, np.int64)
    cdef double[:, ::1] found = result
    cdef int64_t[::1] began = first
    for layer in range(layers):
        for thing in range(count):
            group = place_in(groups[layer, thing], size)
            if began[group] < 0:
                began[group] = thing
            found[group, 0] += 1
            found[group, 1] = <double> (thing - began[group])
            for column in range(values.shape[1]):
                found[group, 2 + column] += values[thing, column]
    return result


cdef inline Py_ssize_t within_page(int64_t place, Py_ssize_t count) noexcept nogil:
    return 0 if place < 0 else count if place > count else place


cdef class Quotients:
    """The ratios of a plan, for rows of so many columns."""

    cdef const int32_t[::1] part, whole
    cdef const double[::1] least, floor
    cdef Py_ssize_t columns

    def __init__(self, plan, Py_ssize_t width):
        cdef Py_ssize_t column
        self.part, self.whole, self.least, self.floor = plan.part, plan.whole, plan.least, plan.floor
        self.columns = self.part.shape[0]
        if not self.columns == self.whole.shape[0] == self.least.shape[0] == self.floor.shape[0]:
            raise ValueError("not as many wholes as parts")
        for column in range(self.columns):
            place_in(self.part[column], width)
            if self.whole[column] != -1:
                place_in(self.whole[column], width)

    cdef void write(self, const double *values, double *found) noexcept nogil:
        cdef Py_ssize_t column
        cdef double above, below
        for column in range(self.columns):
            above, below = values[self.part[column]], self.floor[column]
            if above < self.least[column]:
                above = self.least[column]
            if self.whole[column] >= 0 and not values[self.whole[column]] < below:
                below = values[self.whole[column]]
            found[column] = above / below


def ratios(const double[:, ::1] values not None, plan not None):
    """As `pagelets.loops.plain.ratios`."""
    cdef Quotients quotients = Quotients(plan, values.shape[1])
    cdef Py_ssize_t row
    result = np.empty((values.shape[0], quotients.columns), np.float64)
    cdef double[:, ::1] found = result
    for row in range(values.shape[0]):
        quotients.write(&values[row, 0], &found[row, 0])
    return result


def blocks(
    texts not None, const double[::1] chars not None, const int64_t[::1] heading not None,
    const int64_t[::1] tag not None, const int64_t[::1] depth not None, const double[::1] pictures not None,
    const double[:, ::1] links not None, const double[:, ::1] overlap not None,
    const double[::1] weights not None, roles not None, Py_ssize_t tags,
):
    """As `pagelets.loops.contexts.blocks`."""
    cdef const double[:, ::1] kinds = texts.kinds
    cdef const double[::1] spoken = texts.words, lines = texts.lines
    cdef const uint8_t[::1] begin = texts.first, end = texts.last, cut = texts.cut.view(np.uint8)
    cdef Py_ssize_t size = chars.shape[0], width = kinds.shape[1], row, column, kind, title = -1, first = -1, of_title
    cdef Py_ssize_t stop, comma, digit, upper, currency, colon
    cdef double total = 0, before = 0, best = 0.1, score, words, letters, linked
    cdef double *at
    stop, comma, digit, upper, currency, colon = roles
    for kind in roles:
        place_in(kind, width)
    if not size == heading.shape[0] == tag.shape[0] == depth.shape[0] == pictures.shape[0] == links.shape[0]:
        raise ValueError("not as many numbers as blocks")
    if not size == overlap.shape[0] == kinds.shape[0] == spoken.shape[0] == lines.shape[0] == begin.shape[0]:
        raise ValueError("not as many texts as blocks")
    if not size == end.shape[0] == cut.shape[0] or links.shape[1] != 5 or overlap.shape[1] != 2 or width < 5:
        raise ValueError("not as many texts as blocks, or too few columns")
    result = np.zeros((size, 15 + width + 6 + tags + 16), np.float64)
    cdef double[:, ::1] found = result
    for row in range(size):
        total += chars[row]
    total = max(total, 1.0)
    for row in range(size):
        at = &found[row, 0]
        words, linked, letters = spoken[row], min(chars[row], links[row, 1]), 0
        at[0], at[1], at[2], at[3], at[4] = chars[row], words, linked, links[row, 0], 1
        at[5], at[6], at[7] = kinds[row, stop], kinds[row, comma], kinds[row, digit]
        at[8], at[9] = heading[row] > 0, chars[row] >= LONG and linked / max(chars[row], 1e-9) < 0.3
        at[10], at[11], at[12] = tag[row] == 1 and chars[row] > 40, pictures[row], links[row, 2]
        at[13], at[14] = 0 < chars[row] < SHORT, kinds[row, currency]
        at += 15
        for kind in range(width):
            at[kind] = kinds[row, kind]
            if 1 <= kind <= 4:
                letters += kinds[row, kind]
        at += width
        at[0], at[1], at[2], at[3] = letters, lines[row], <double> heading[row], <double> depth[row]
        at[4], at[5] = links[row, 3], links[row, 4]
        at += 6
        if tag[row]:
            at[place_in(tag[row] - 1, tags)] = 1
        at += tags
        at[0], at[1], at[2] = end[row] == stop, end[row] == colon, cut[row]
        at[3], at[4] = begin[row] == upper, begin[row] == digit
        at[5], at[6], at[7] = <double> row, <double> row / <double> size, <double> (size - row)
        at[8], at[9] = before / total, 1 - (before + chars[row]) / total
        at[10], at[11] = overlap[row, 0], overlap[row, 1]
        before += chars[row]
        score = overlap[row, 0] * overlap[row, 1] * weights[place_in(heading[row], weights.shape[0])] * (words > 1)
        if score > best:
            best, title = score, row
        if first < 0 and heading[row] == 1:
            first = row
    for row in range(size):
        at = &found[row, found.shape[1] - 4]
        for column in (title, first):
            at[0] = NAN if column < 0 else <double> (row - column)
            at[1] = at[0] / <double> size
            at += 2
    return result, title, first


def context(held not None, page not None, const int64_t[::1] marked not None, siblings not None, plan not None):
    """As `pagelets.loops.contexts.context`."""
    cdef const int64_t[::1] parent = held.parent, of_block = held.of_block, start = held.start, stop = held.stop
    cdef const int64_t[::1] depth = held.depth, alike = siblings[0], ordinal = siblings[1]
    cdef const int64_t[::1] same = page.same, heading = page.heading
    cdef const int64_t[::1] windows = plan.windows, shifts = plan.shifts
    cdef const double[:, :] counts = page.counts, shape = page.shape
    cdef const double[::1] trunks = plan.trunks
    cdef const uint8_t[::1] running = page.long.view(np.uint8)
    cdef Py_ssize_t size = of_block.shape[0], count = parent.shape[0], width = counts.shape[1], up = plan.up
    cdef Py_ssize_t share = plan.share, blocks = plan.blocks, kinds = trunks.shape[0] + 3, levels = up + 2 + kinds
    cdef Py_ssize_t title = page.title, first = page.first, row, column, level, node, window, low, high, each
    cdef int64_t far = plan.far, last_heading = -1, last_long = -1
    cdef Quotients of_part = Quotients(plan.parts, width), within = Quotients(plan.within, width)
    cdef double[:, ::1] total = np.zeros((size + 1, width)), sums = np.empty((count, width))
    cdef int64_t[:, ::1] nearest = np.zeros((kinds, count), np.int64)
    cdef double[::1] window_sums = np.empty(width)
    cdef double chars, part, above, met = 0
    cdef bint wanted
    at = np.empty((levels, size), np.int64)
    parts = np.empty((count, of_part.columns + 5))
    values = np.empty(
        (size, levels + 2 * windows.shape[0] * within.columns + 1 + shifts.shape[0] * shape.shape[1] + 6)
    )
    cdef int64_t[:, ::1] places = at
    cdef double[:, ::1] of_node = parts, found = values
    if not size == counts.shape[0] == shape.shape[0] == same.shape[0] == heading.shape[0] == running.shape[0]:
        raise ValueError("not as many counts as blocks")
    if not count == start.shape[0] == stop.shape[0] == depth.shape[0] == marked.shape[0] == alike.shape[0]:
        raise ValueError("not as many numbers as containers")
    if ordinal.shape[0] != count or title >= size or not (size and count):
        raise ValueError("no blocks, or not as many numbers as containers")
    place_in(blocks, width)
    place_in(share, of_part.columns)
    for row in range(size):
        place_in(of_block[row], count)
        for column in range(width):
            total[row + 1, column] = total[row, column] + counts[row, column]
    for node in range(count):
        place_in(parent[node], node + (node == 0))
        low, high = place_in(start[node], size + 1), place_in(stop[node], size + 1)
        for column in range(width):
            sums[node, column] = total[high, column] - total[low, column]
        of_part.write(&sums[node, 0], &of_node[node, 0])
        of_node[node, share] /= max(total[size, 0], 1.0)
        column = of_part.columns
        of_node[node, column] = <double> alike[node]
        of_node[node, column + 1] = <double> depth[node]
        of_node[node, column + 2] = <double> ordinal[node]
        of_node[node, column + 3] = NAN if title < 0 else low <= title < high
        of_node[node, column + 4] = NAN if first < 0 else low <= first < high
        if node:
            chars = max(sums[0, 0], 1.0)
            part, above = sums[node, 0] / chars, sums[parent[node], 0] / chars
            for level in range(kinds):
                if level < kinds - 3:
                    wanted = part >= trunks[level]
                elif level == kinds - 3:
                    wanted = part < 0.5 and not above < 0.5
                else:
                    wanted = marked[node] > 0 if level == kinds - 2 else alike[node] >= 3
                nearest[level, node] = node if wanted else nearest[level, parent[node]]
    for row in range(size):
        for level in range(levels):
            if level == 0:
                node = of_block[row]
            elif level <= up or level == levels - 1:
                node = parent[node]
            else:
                node = nearest[level - up - 1, of_block[row]]
            places[level, row] = node
            found[row, level] = <double> (row - start[node]) / max(sums[node, blocks], 1.0)
        column = levels
        for each in range(2 * windows.shape[0]):
            window = windows[each % windows.shape[0]]
            low = row - window if each < windows.shape[0] else row + 1
            high = row if each < windows.shape[0] else row + 1 + window
            low, high = within_page(low, size), within_page(high, size)
            for level in range(width):
                window_sums[level] = total[high, level] - total[low, level]
            within.write(&window_sums[0], &found[row, column])
            column += within.columns
        met += title >= 0 and same[row] == same[title]
        found[row, column] = NAN if title < 0 else met
        column += 1
        for each in range(shifts.shape[0]):
            node = row + shifts[each]
            for level in range(shape.shape[1]):
                found[row, column] = shape[node, level] if 0 <= node < size else NAN
                column += 1
        found[row, column] = <double> (row - last_heading if last_heading >= 0 else far)
        found[row, column + 1] = <double> (row - last_long if last_long >= 0 else far)
        found[row, column + 4] = <double> heading[last_heading] if last_heading >= 0 else 0
        found[row, column + 5] = counts[last_heading, 0] if last_heading >= 0 else 0
        last_heading = row if heading[row] > 0 else last_heading
        last_long = row if running[row] else last_long
    last_heading = last_long = -1
    column = found.shape[1] - 4
    for row in range(size - 1, -1, -1):
        found[row, column] = <double> (last_heading - row if last_heading >= 0 else far)
        found[row, column + 1] = <double> (last_long - row if last_long >= 0 else far)
        last_heading = row if heading[row] > 0 else last_heading
        last_long = row if running[row] else last_long
    return Context(at, parts, values)


def repeats(const double[:] chars not None, const double[:, ::1] known not None, bounds not None, shifts not None,
            windows not None):
    """As `pagelets.loops.contexts.repeats`."""
    cdef const int64_t[::1] ends = bounds[0], start = bounds[1], stop = bounds[2], ways = shifts, widths = windows
    cdef Py_ssize_t size = chars.shape[0], row, column, each, low, high, at
    cdef double weight, whole
    cdef double[:, ::1] total = np.zeros((size + 1, 6))
    if known.shape[0] != 6 or known.shape[1] != size or start.shape[0] != stop.shape[0]:
        raise ValueError("not as many numbers as blocks, or as many stops as starts")
    found = Repeats(
        np.empty((ends.shape[0], 2)), np.empty((start.shape[0], 6)), np.empty(2),
        np.empty((size, 5 * ways.shape[0] + 2 * widths.shape[0])),
    )
    cdef double[:, ::1] pagelets = found.pagelets, containers = found.containers, near = found.near
    cdef double[::1] page = found.page
    for row in range(size):
        weight = max(chars[row], 1.0)
        total[row + 1, 0] = total[row, 0] + weight
        for column in range(5):
            total[row + 1, column + 1] = total[row, column + 1] + weight * known[column, row]
    low = 0
    for row in range(ends.shape[0]):
        high = place_in(ends[row], size + 1)
        whole = total[high, 0] - total[low, 0]
        for column in range(2):
            pagelets[row, column] = (total[high, column + 2] - total[low, column + 2]) / whole
        low = high
    for row in range(start.shape[0]):
        low, high = place_in(start[row], size + 1), place_in(stop[row], size + 1)
        whole = total[high, 0] - total[low, 0]
        for column in range(5):
            containers[row, column] = (total[high, column + 1] - total[low, column + 1]) / whole
        containers[row, 5] = (total[high, 2] - total[low, 2]) / max(total[size, 2], 1.0)
    for column in range(2):
        page[column] = total[size, column + 2] / total[size, 0]
    for row in range(size):
        at = 0
        for each in range(ways.shape[0]):
            low = row + ways[each]
            for column in range(1, 6):
                near[row, at] = known[column, low] if 0 <= low < size else NAN
                at += 1
        for each in range(widths.shape[0]):
            low, high = within_page(row - widths[each], size), within_page(row + widths[each] + 1, size)
            whole = max(total[high, 0] - total[low, 0], 1e-9)
            for column in range(2, 4):
                near[row, at] = (total[high, column] - total[low, column]) / whole
                at += 1
    return found
