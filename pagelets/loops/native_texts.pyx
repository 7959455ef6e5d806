# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The loops of `pagelets.loops.plain` over texts, compiled: the same numbers."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memmove, memset

from cpython.unicode cimport PyUnicode_GET_LENGTH, PyUnicode_Substring

import numpy as np

from pagelets.loops.plain import Tally

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4 character) nogil
    bint Py_UNICODE_ISSPACE(Py_UCS4 character) nogil
    int PyUnicode_KIND(str text)
    const void *PyUnicode_DATA(str text)
    Py_UCS4 PyUnicode_READ(int kind, const void *data, Py_ssize_t index) nogil

cdef enum:
    DOT = 0x2E
    ELLIPSIS = 0x2026
    LINE_END = 0x0A
    MOST_LAST = 16
    MOST_WORDS = 16
    MOST_LETTERS = 256


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


cdef inline bint is_lower(uint32_t code) noexcept nogil:
    return 97 <= code <= 122


cdef inline bint is_upper(uint32_t code) noexcept nogil:
    return 65 <= code <= 90


cdef struct Word:
    int representation
    const void *data
    Py_ssize_t start
    Py_ssize_t stop


cdef inline uint32_t letter(const Word *word, Py_ssize_t at) noexcept nogil:
    """A letter of a word, lower-cased."""
    return <uint32_t> PyUnicode_READ(word.representation, word.data, word.start + at) | 32


cdef bint following(Word *word, Py_ssize_t size) noexcept nogil:
    """Moves on to the next word before ``size`` of the name that a word is of."""
    cdef Py_ssize_t at = word.stop
    cdef uint32_t code
    while at < size:
        word.start, code = at, PyUnicode_READ(word.representation, word.data, at)
        at += 1
        if not is_lower(code) and not is_upper(code):
            continue
        if at < size and is_lower(PyUnicode_READ(word.representation, word.data, at)):
            while at < size and is_lower(PyUnicode_READ(word.representation, word.data, at)):
                at += 1
            if is_lower(code) or at >= word.start + 3:
                word.stop = at
                return True
        elif is_upper(code):
            while at < size and is_upper(PyUnicode_READ(word.representation, word.data, at)):
                at += 1
            if at >= word.start + 3:
                word.stop = at
                return True
            at = word.start + 1
    return False


cdef inline Word begun(str name) noexcept:
    return Word(PyUnicode_KIND(name), PyUnicode_DATA(name), 0, 0)


cdef int mark(str name, Py_ssize_t longest, dict known, const uint64_t *sizes, uint64_t[::1] row) except -1:
    """Sets the bits of the known words of a name; ``sizes`` has of each first letter the lengths of these."""
    cdef Word word = begun(name)
    while following(&word, min(<Py_ssize_t> PyUnicode_GET_LENGTH(name), longest)):
        # Most words need not be made to know that they are none of those that are known.
        if sizes[letter(&word, 0) - 97] >> (min(word.stop - word.start, <Py_ssize_t> 63)) & 1:
            set_bit(row, known.get(PyUnicode_Substring(name, word.start, word.stop).lower()))
    return 0


cdef int order(const Word *one, const Word *other) noexcept nogil:
    """Below 0 where one word comes before another, 0 where they are the same."""
    cdef Py_ssize_t at, size = one.stop - one.start, other_size = other.stop - other.start
    for at in range(min(size, other_size)):
        if letter(one, at) != letter(other, at):
            return -1 if letter(one, at) < letter(other, at) else 1
    return (size > other_size) - (size < other_size)


def name_numbers(
    list strings not None, const int32_t[:, :] places not None, numbers, str prefix not None, Py_ssize_t most,
    Py_ssize_t longest,
):
    """As `pagelets.loops.plain.name_numbers`."""
    cdef Py_ssize_t count = places.shape[1], rows = places.shape[0], node, row, at, met, place, size
    cdef char letters[MOST_LETTERS]
    cdef Word firsts[MOST_WORDS + 1]
    cdef Word word
    cdef int compared
    cdef str name
    result = np.zeros((count, most), np.int32)
    cdef int32_t[:, ::1] found = result
    if not (0 < most <= MOST_WORDS and 0 <= longest <= MOST_LETTERS and rows):
        raise ValueError("too few or too many words")
    for node in range(count):
        met = 0
        for row in range(rows):
            place = places[row, node]
            if place == -1 and row:
                continue
            if not 0 <= place < len(strings):
                raise IndexError("strings that there are not")
            name = strings[place]
            if row == 0:
                # A tag comes before all words.
                found[node, 0] = numbers[f"{prefix}<{name}>"]
                continue
            word = begun(name)
            while following(&word, min(<Py_ssize_t> PyUnicode_GET_LENGTH(name), longest)):
                at, compared = met, -1
                while at and compared < 0:
                    compared = order(&word, &firsts[at - 1])
                    at -= compared < 0
                if at and compared == 0:
                    continue
                if at < most - 1:
                    memmove(&firsts[at + 1], &firsts[at], (met - at) * sizeof(Word))
                    firsts[at] = word
                    met = min(met + 1, most - 1)
        for at in range(met):
            size = firsts[at].stop - firsts[at].start
            for place in range(size):
                letters[place] = <char> letter(&firsts[at], place)
            found[node, at + 1] = numbers[prefix + letters[:size].decode("ascii")]
    return result


cdef int set_bit(uint64_t[::1] row, bit) except -1:
    cdef Py_ssize_t place
    if bit is not None:
        place = bit
        if not 0 <= place < 64 * row.shape[0]:
            raise IndexError("a bit that there is not")
        row[place >> 6] |= <uint64_t> 1 << (place & 63)
    return 0


def bits(
    list strings not None, const int32_t[:] tags not None, const int32_t[:, :] values not None,
    dict known not None, Py_ssize_t longest,
):
    """As `pagelets.loops.plain.bits`."""
    cdef Py_ssize_t count = tags.shape[0], rows = values.shape[0], width = (len(known) + 63) // 64
    cdef Py_ssize_t row, node, word, at
    cdef uint64_t[:, :, ::1] table = np.zeros((2, len(strings), width), "<u8")
    cdef uint8_t[:, ::1] seen = np.zeros((2, len(strings)), np.uint8)
    result = np.zeros((count, width), "<u8")
    cdef uint64_t[:, ::1] found = result
    cdef uint64_t sizes[26]
    cdef str each
    memset(sizes, 0, sizeof(sizes))
    for each in known:
        if each and is_lower(each[0]):
            sizes[<uint32_t> each[0] - 97] |= <uint64_t> 1 << min(len(each), 63)
    if values.shape[1] != count:
        raise ValueError("not as many names as tags")
    for node in range(count):
        # The last one is the tag.
        for row in range(rows + 1):
            at = tags[node] if row == rows else values[row, node]
            if at == -1 and row < rows:
                continue
            if not 0 <= at < len(strings):
                raise IndexError("strings that there are not")
            if not seen[row == rows, at]:
                seen[row == rows, at] = 1
                each = strings[at]
                if row == rows:
                    set_bit(table[1, at], known.get(f"<{each}>"))
                else:
                    mark(each, longest, known, sizes, table[0, at])
            for word in range(width):
                found[node, word] |= table[row == rows, at, word]
    return result


cdef inline bint is_part(uint32_t code) noexcept nogil:
    r"""As ``\w`` of a regular expression."""
    return is_lower(code) or 48 <= code <= 57 or code == 95 or (code >= 128 and Py_UNICODE_ISALNUM(code))


def ends(texts not None, numbers not None, most not None, read not None):
    """As `pagelets.loops.plain.ends`."""
    cdef Py_ssize_t count = len(texts), position, size, start, at, column, end
    cdef Py_ssize_t first = most[0], last = most[1], beginning = read[0], ending = read[1]
    cdef Py_ssize_t starts[MOST_LAST]
    cdef Py_ssize_t stops[MOST_LAST]
    cdef str text, lowered
    cdef int representation
    cdef const void *data
    result = np.zeros((count, first + last), np.int32)
    cdef int32_t[:, ::1] found = result
    if not (0 <= first and 0 < last <= MOST_LAST and 0 < beginning and 0 < ending):
        raise ValueError("too few or too many words or characters")
    for position in range(count):
        text = texts[position]
        size = PyUnicode_GET_LENGTH(text)
        lowered = (text[:beginning] if size > beginning + ending else text).lower()
        representation, data = PyUnicode_KIND(lowered), PyUnicode_DATA(lowered)
        at, end, column = 0, PyUnicode_GET_LENGTH(lowered), 0
        while at < end and column < first:
            if not is_part(PyUnicode_READ(representation, data, at)):
                at += 1
                continue
            start = at
            while at < end and is_part(PyUnicode_READ(representation, data, at)):
                at += 1
            found[position, column] = numbers[PyUnicode_Substring(lowered, start, at)]
            column += 1
        if size > beginning + ending:
            lowered = text[size - ending:].lower()
            representation, data = PyUnicode_KIND(lowered), PyUnicode_DATA(lowered)
            at, end = 0, PyUnicode_GET_LENGTH(lowered)
        # The last ones from the end on, as far as the first ones.
        size = 0
        while end > at and size < last:
            if not is_part(PyUnicode_READ(representation, data, end - 1)):
                end -= 1
                continue
            stops[size] = end
            while end > at and is_part(PyUnicode_READ(representation, data, end - 1)):
                end -= 1
            starts[size] = end
            size += 1
        while size:
            size -= 1
            found[position, column] = numbers[PyUnicode_Substring(lowered, starts[size], stops[size])]
            column += 1
    return result
