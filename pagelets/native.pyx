# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Hashing words, texts and tag paths, compiled.

Each function does as the plain one of its name.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND, PyUnicode_READ

import numpy as np

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object)

cdef enum:
    # What a character is to words, and of how many of a word's characters it is made, as in `pagelets.text.words`.
    PART = 1
    WHOLE = 2
    LONGEST = 1 << 16

cdef uint64_t BASE = 0xD1342543DE82EF95

# RFC 7693, sections 2.6 and 2.7.
cdef uint64_t _INITIAL[8]
cdef uint8_t _ORDERS[10][16]
# Of the polynomial of CRC-32, for each byte.
cdef uint32_t _REMAINDERS[256]


cdef int _prepare() except -1:
    cdef int at, each
    cdef uint32_t remainder
    for at, number in enumerate((
        0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
        0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
    )):
        _INITIAL[at] = number
    for at, order in enumerate((
        "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
        "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
    )):
        for each in range(16):
            _ORDERS[at][each] = int(order[each], 16)
    for at in range(256):
        remainder = at
        for each in range(8):
            remainder = remainder >> 1 ^ (0xEDB88320U if remainder & 1 else 0)
        _REMAINDERS[at] = remainder
    return 0


_prepare()


cdef class Buffer:
    """Bytes in a row that grows."""

    cdef uint8_t *data
    cdef Py_ssize_t size, room

    def __cinit__(self):
        self.room, self.size = 1 << 12, 0
        self.data = <uint8_t *> malloc(self.room)
        if self.data == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.data)

    cdef int reserve(self, Py_ssize_t more) except -1:
        cdef uint8_t *grown
        cdef Py_ssize_t room = self.room
        while room - self.size < more:
            room *= 2
        if room > self.room:
            grown = <uint8_t *> realloc(self.data, room)
            if grown == NULL:
                raise MemoryError
            self.data, self.room = grown, room
        return 0


cdef class Hashes(Buffer):
    """64-bit numbers in a row that grows; its size is that of their bytes."""

    cdef inline int push(self, uint64_t number) except -1:
        if self.size == self.room:
            self.reserve(sizeof(uint64_t))
        (<uint64_t *> (self.data + self.size))[0] = number
        self.size += sizeof(uint64_t)
        return 0

    cdef inline bytes whole(self):
        return self.data[: self.size]


cdef inline uint64_t mixed(uint64_t hash) noexcept nogil:
    hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDULL
    hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53ULL
    return hash ^ (hash >> 33)


cdef int add_words(Hashes hashes, str text, const uint8_t[::1] kinds) except -1:
    """Adds the hashes of a text's words."""
    cdef bint is_ascii = PyUnicode_IS_ASCII(text)
    if not is_ascii:
        text = text.casefold()
    cdef Py_ssize_t at, count = PyUnicode_GET_LENGTH(text), length = 0
    cdef int width = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t last = len(kinds) - 1
    cdef uint64_t hash = 0, power = 1
    cdef uint32_t character
    cdef uint8_t kind
    for at in range(count):
        character = <uint32_t> PyUnicode_READ(width, data, at)
        if is_ascii and 65 <= character <= 90:
            character += 32
        kind = kinds[character if <Py_ssize_t> character < last else last]
        if kind == PART:
            if length < LONGEST:
                hash += character * power
                power *= BASE
            length += 1
            continue
        if length:
            hashes.push(mixed(hash))
            hash, power, length = 0, 1, 0
        if kind == WHOLE:
            hashes.push(mixed(character))
    if length:
        hashes.push(mixed(hash))
    return 0


cdef uint64_t whole_hash(str string) noexcept:
    cdef Py_ssize_t at, count = min(PyUnicode_GET_LENGTH(string), LONGEST)
    cdef int width = PyUnicode_KIND(string)
    cdef const void *data = PyUnicode_DATA(string)
    cdef uint64_t hash = 0, power = 1
    for at in range(count):
        hash += <uint32_t> PyUnicode_READ(width, data, at) * power
        power *= BASE
    return mixed(hash)


cdef int take_minima(
    uint64_t hash, const uint64_t[::1] a, const uint64_t[::1] b, uint64_t *least
) except -1 nogil:
    cdef Py_ssize_t each
    cdef uint64_t value
    for each in range(a.shape[0]):
        value = hash * a[each] + b[each]
        if value < least[each]:
            least[each] = value
    return 0


def word_hashes(str text not None, const uint8_t[::1] kinds not None):
    """As `pagelets.sketch.word_hashes`."""
    cdef Hashes hashes = Hashes()
    add_words(hashes, text, kinds)
    return np.frombuffer(hashes.whole(), np.uint64)


def minima(const uint64_t[::1] shingles not None, const uint64_t[::1] a not None, const uint64_t[::1] b not None):
    """As `pagelets.sketch.minima`."""
    cdef Py_ssize_t at
    found = np.full(len(a), 0xFFFFFFFFFFFFFFFF, np.uint64)
    cdef uint64_t[::1] least = found
    for at in range(len(shingles)):
        take_minima(mixed(shingles[at]), a, b, &least[0])
    return found


def sketched(
    fragments,
    const uint8_t[::1] kinds not None,
    const uint64_t[::1] places not None,
    const uint64_t[::1] a not None,
    const uint64_t[::1] b not None,
):
    """As `pagelets.sketch.sketched`."""
    cdef Hashes hashes = Hashes()
    cdef Py_ssize_t size = len(places), words, at, each, width = len(a) * sizeof(uint64_t)
    cdef uint64_t shingle
    cdef list found = []
    cdef bytearray row = bytearray(width)
    cdef uint64_t *least = <uint64_t *> PyByteArray_AS_STRING(row)
    cdef uint64_t *numbers
    for texts, targets in fragments:
        hashes.size = 0
        for text in texts:
            add_words(hashes, text, kinds)
        words = hashes.size // sizeof(uint64_t)
        for target in targets:
            hashes.push(whole_hash(target))
        if words < size:
            found.append((words, b"", hashes.whole()))
            continue
        memset(least, 255, width)
        numbers = <uint64_t *> hashes.data
        for at in range(words - size + 1):
            shingle = 0
            for each in range(size):
                shingle += numbers[at + each] * places[each]
            take_minima(mixed(shingle), a, b, least)
        for at in range(words, hashes.size // sizeof(uint64_t)):
            take_minima(mixed(numbers[at]), a, b, least)
        found.append((words, bytes(row), b""))
    return found


cdef class Utf8(Buffer):
    """Texts in UTF-8, lone surrogates written as if they were characters."""

    cdef inline void put(self, uint32_t character) noexcept:
        """Adds a character, for which there is room."""
        cdef uint8_t *to = self.data + self.size
        if character < 0x80:
            to[0] = <uint8_t> character
            self.size += 1
        elif character < 0x800:
            to[0] = <uint8_t> (0xC0 | character >> 6)
            to[1] = <uint8_t> (0x80 | character & 0x3F)
            self.size += 2
        elif character < 0x10000:
            to[0] = <uint8_t> (0xE0 | character >> 12)
            to[1] = <uint8_t> (0x80 | character >> 6 & 0x3F)
            to[2] = <uint8_t> (0x80 | character & 0x3F)
            self.size += 3
        else:
            to[0] = <uint8_t> (0xF0 | character >> 18)
            to[1] = <uint8_t> (0x80 | character >> 12 & 0x3F)
            to[2] = <uint8_t> (0x80 | character >> 6 & 0x3F)
            to[3] = <uint8_t> (0x80 | character & 0x3F)
            self.size += 4

    cdef int add(self, str text) except -1:
        cdef Py_ssize_t at, count = PyUnicode_GET_LENGTH(text)
        cdef int width = PyUnicode_KIND(text)
        cdef const void *data = PyUnicode_DATA(text)
        # One more, for what parts it from the next.
        self.reserve(4 * count + 1)
        if PyUnicode_IS_ASCII(text):
            memcpy(self.data + self.size, data, count)
            self.size += count
            return 0
        for at in range(count):
            self.put(<uint32_t> PyUnicode_READ(width, data, at))
        return 0

    cdef int add_masked(self, str text) except -1:
        """Adds a text with each run of digits as one zero."""
        cdef Py_ssize_t at, count = PyUnicode_GET_LENGTH(text)
        cdef int width = PyUnicode_KIND(text)
        cdef const void *data = PyUnicode_DATA(text)
        cdef Py_UCS4 character
        cdef bint in_digits = False
        self.reserve(4 * count)
        for at in range(count):
            character = PyUnicode_READ(width, data, at)
            if c"0" <= character <= c"9" or character > 127 and character.isdecimal():
                if not in_digits:
                    self.put(48)
                in_digits = True
            else:
                self.put(<uint32_t> character)
                in_digits = False
        return 0

    cdef int add_all(self, texts) except -1:
        """Adds texts, each parted from the next."""
        cdef bint first = True
        for text in texts:
            if not first:
                self.data[self.size] = 0x1F
                self.size += 1
            first = False
            self.add(text)
        if first:
            self.reserve(1)
        return 0


cdef inline uint64_t turned(uint64_t number, int by) noexcept nogil:
    return number >> by | number << (64 - by)


cdef inline void quarter(
    uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y
) noexcept nogil:
    v[a] += v[b] + x
    v[d] = turned(v[d] ^ v[a], 32)
    v[c] += v[d]
    v[b] = turned(v[b] ^ v[c], 24)
    v[a] += v[b] + y
    v[d] = turned(v[d] ^ v[a], 16)
    v[c] += v[d]
    v[b] = turned(v[b] ^ v[c], 63)


cdef void compress(uint64_t *state, const uint8_t *block, uint64_t count, bint is_last) noexcept nogil:
    """RFC 7693, section 3.2: one block of 128 bytes, of which ``count`` bytes are read with it."""
    cdef uint64_t v[16]
    cdef uint64_t m[16]
    cdef int at, shift
    cdef const uint8_t *order
    for at in range(16):
        m[at] = 0
        for shift in range(8):
            m[at] |= <uint64_t> block[8 * at + shift] << (8 * shift)
    for at in range(8):
        v[at], v[8 + at] = state[at], _INITIAL[at]
    v[12] ^= count
    if is_last:
        v[14] = ~v[14]
    for at in range(12):
        order = &_ORDERS[at % 10][0]
        quarter(v, 0, 4, 8, 12, m[order[0]], m[order[1]])
        quarter(v, 1, 5, 9, 13, m[order[2]], m[order[3]])
        quarter(v, 2, 6, 10, 14, m[order[4]], m[order[5]])
        quarter(v, 3, 7, 11, 15, m[order[6]], m[order[7]])
        quarter(v, 0, 5, 10, 15, m[order[8]], m[order[9]])
        quarter(v, 1, 6, 11, 12, m[order[10]], m[order[11]])
        quarter(v, 2, 7, 8, 13, m[order[12]], m[order[13]])
        quarter(v, 3, 4, 9, 14, m[order[14]], m[order[15]])
    for at in range(8):
        state[at] ^= v[at] ^ v[8 + at]


cdef int64_t digest(const uint8_t *data, Py_ssize_t size) noexcept nogil:
    """BLAKE2b of 8 bytes, as a signed number."""
    cdef uint64_t state[8]
    cdef uint8_t rest[128]
    cdef Py_ssize_t done = 0
    memcpy(state, _INITIAL, sizeof(state))
    state[0] ^= 0x01010000 ^ 8
    while size - done > 128:
        compress(state, data + done, done + 128, False)
        done += 128
    memset(rest, 0, 128)
    memcpy(rest, data + done, size - done)
    compress(state, rest, size, True)
    return <int64_t> state[0]


def fingerprint(texts, targets=()):
    """As `pagelets.sketch.fingerprint`."""
    cdef Utf8 buffer = Utf8()
    buffer.add_all(texts)
    buffer.data[buffer.size] = 0x1E
    buffer.size += 1
    buffer.add_all(targets)
    return digest(buffer.data, buffer.size)


cdef uint32_t crc(const uint8_t *data, Py_ssize_t size, uint32_t sum) noexcept nogil:
    """CRC-32 of bytes, from a sum of those before them on."""
    cdef Py_ssize_t at
    sum = ~sum
    for at in range(size):
        sum = _REMAINDERS[(sum ^ data[at]) & 255] ^ sum >> 8
    return ~sum


def tag_path_sums(list steps not None, const int64_t[::1] parents not None):
    """As `pagelets.block_keys.tag_path_sums`."""
    cdef Py_ssize_t at
    cdef Utf8 buffer = Utf8()
    found = np.zeros(len(steps) + 1, np.uint32)
    cdef uint32_t[::1] sums = found
    for at in range(len(steps)):
        buffer.data[0], buffer.size = c"/", 1
        buffer.add(steps[at])
        sums[at + 1] = crc(buffer.data, buffer.size, sums[parents[at + 1]])
    return found


def write_keys(list texts not None, const uint32_t[::1] tag_paths not None, int64_t[:] blocks, uint32_t[:] placed):
    """As `pagelets.block_keys.write_keys`."""
    cdef Utf8 buffer = Utf8()
    cdef Py_ssize_t at
    cdef str text
    for at in range(len(texts)):
        text = texts[at]
        buffer.size = 0
        buffer.add(text)
        buffer.data[buffer.size] = 0x1E
        blocks[at] = digest(buffer.data, buffer.size + 1) if text else 0
        buffer.size = 0
        buffer.add_masked(text)
        placed[at] = crc(buffer.data, buffer.size, tag_paths[at])
