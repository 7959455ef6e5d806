# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""`pagelets.methods.source.plain`, compiled: the same tokens."""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, realloc

import numpy as np

from pagelets.methods.source.plain import Scanned

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 character) nogil
    int PyUnicode_KIND(str text)
    const void *PyUnicode_DATA(str text)

cdef enum:
    TEXT
    TAG
    REMARK
    RAW

cdef enum:
    FURTHER = 1
    BLANK = 2

cdef enum:
    LINE_END = 0x0A
    QUOTE = 0x22
    APOSTROPHE = 0x27
    DASH = 0x2D
    SLASH = 0x2F
    LESS = 0x3C
    EQUALS = 0x3D
    GREATER = 0x3E
    MARK = 0x21
    QUESTION = 0x3F

cdef enum:
    RAWS = 6
    NAMES = 9
    PLAINTEXT = 8

cdef const char **_NAMES = [
    "script", "style", "xmp", "iframe", "noembed", "noframes", "title", "textarea", "plaintext"
]

ctypedef fused Code:
    uint8_t
    uint16_t
    uint32_t


cdef struct Token:
    int32_t start
    int32_t line
    int8_t kind
    int8_t flags


cdef struct Tokens:
    Token *all
    Py_ssize_t count
    Py_ssize_t room
    int32_t line


cdef bint add(Tokens *tokens, Py_ssize_t start, int8_t kind, int8_t flags) noexcept nogil:
    """Adds a token; tells whether there is memory for it."""
    cdef Py_ssize_t room
    cdef Token *all
    if tokens.count == tokens.room:
        room = 2 * tokens.room + 1024
        all = <Token *>realloc(tokens.all, room * sizeof(Token))
        if all == NULL:
            return False
        tokens.all, tokens.room = all, room
    tokens.all[tokens.count] = Token(<int32_t>start, tokens.line, kind, flags)
    tokens.count += 1
    return True


cdef bint add_all(const Code *codes, Py_ssize_t start, Py_ssize_t stop, int8_t kind, Tokens *tokens) noexcept nogil:
    """Adds what stands between two places, if anything does; a text line by line."""
    cdef Py_ssize_t at, begun = start
    cdef int32_t ends = 0
    cdef bint blank = True
    if start == stop:
        return True
    if kind != TEXT:
        if not add(tokens, start, kind, 0):
            return False
        for at in range(start, stop):
            ends += codes[at] == LINE_END
        tokens.line += ends
        return True
    for at in range(start, stop):
        if blank and not Py_UNICODE_ISSPACE(codes[at]):
            blank = False
        if codes[at] == LINE_END or at + 1 == stop:
            if not add(tokens, begun, TEXT, (FURTHER if begun > start else 0) | (BLANK if blank else 0)):
                return False
            tokens.line += codes[at] == LINE_END
            begun, blank = at + 1, True
    return True


cdef inline bint is_letter(uint32_t code) noexcept nogil:
    return 0x61 <= (code | 0x20) <= 0x7A and code < 0x80


cdef inline bint ends_name(uint32_t code) noexcept nogil:
    return code == SLASH or code == GREATER or Py_UNICODE_ISSPACE(code)


cdef bint named(const Code *codes, Py_ssize_t size, Py_ssize_t at, const char *name) noexcept nogil:
    """Whether the name of a tag stands there."""
    cdef Py_ssize_t letter = 0
    while name[letter]:
        if at + letter >= size or not is_letter(codes[at + letter]) or (codes[at + letter] | 0x20) != name[letter]:
            return False
        letter += 1
    return at + letter < size and ends_name(codes[at + letter])


cdef Py_ssize_t tag_end(const Code *codes, Py_ssize_t size, Py_ssize_t at, bint *closed) noexcept nogil:
    """Where a tag ends whose attributes begin there.

    ``closed`` tells of double and single quotes whether there may be one more: each is looked for in vain
    once at most.
    """
    cdef Py_ssize_t ahead, end
    cdef uint32_t quote
    while at < size:
        if codes[at] == GREATER:
            return at + 1
        if codes[at] != EQUALS:
            at += 1
            continue
        ahead = at + 1
        while ahead < size and Py_UNICODE_ISSPACE(codes[ahead]):
            ahead += 1
        at += 1
        if ahead == size or (codes[ahead] != QUOTE and codes[ahead] != APOSTROPHE):
            continue
        quote = codes[ahead]
        if not closed[quote == APOSTROPHE]:
            continue
        end = ahead + 1
        while end < size and codes[end] != quote:
            end += 1
        if end < size:
            at = end + 1
        else:
            closed[quote == APOSTROPHE] = False
    return size


cdef Py_ssize_t comment_end(const Code *codes, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    """Where a comment ends, given the place after its opening."""
    if at < size and codes[at] == GREATER:
        return at + 1
    if at + 1 < size and codes[at] == DASH and codes[at + 1] == GREATER:
        return at + 2
    while at < size:
        if codes[at] == DASH and at + 2 < size and codes[at + 1] == DASH:
            if codes[at + 2] == GREATER:
                return at + 3
            if codes[at + 2] == MARK and at + 3 < size and codes[at + 3] == GREATER:
                return at + 4
        at += 1
    return size


cdef Py_ssize_t content_end(const Code *codes, Py_ssize_t size, Py_ssize_t at, int name) noexcept nogil:
    """Where the content of an element ends that holds no markup."""
    if name == PLAINTEXT:
        return size
    while at < size:
        if codes[at] == LESS and at + 1 < size and codes[at + 1] == SLASH and named(codes, size, at + 2, _NAMES[name]):
            return at
        at += 1
    return size


cdef bint scan_codes(const Code *codes, Py_ssize_t size, Tokens *tokens) noexcept nogil:
    cdef Py_ssize_t at = 0, text = 0, end
    cdef uint32_t first, second
    cdef int8_t kind
    cdef int name
    cdef bint[2] closed
    closed[0] = closed[1] = True
    while at < size:
        if codes[at] != LESS or at + 1 == size:
            at += 1
            continue
        first = codes[at + 1]
        second = codes[at + 2] if at + 2 < size else 0
        name, kind = NAMES, TAG
        if is_letter(first):
            name = 0
            while name < NAMES and not named(codes, size, at + 1, _NAMES[name]):
                name += 1
            end = tag_end(codes, size, at + 2, closed)
        elif first == SLASH and is_letter(second):
            end = tag_end(codes, size, at + 3, closed)
        elif first == MARK and second == DASH and at + 3 < size and codes[at + 3] == DASH:
            kind, end = REMARK, comment_end(codes, size, at + 4)
        elif first == MARK or first == QUESTION or first == SLASH:
            kind, end = REMARK, at + 2
            while end < size and codes[end] != GREATER:
                end += 1
            end += end < size
        else:
            at += 1
            continue
        if not add_all(codes, text, at, TEXT, tokens) or not add_all(codes, at, end, kind, tokens):
            return False
        at = text = end
        if name < NAMES:
            end = content_end(codes, size, at, name)
            if not add_all(codes, at, end, RAW if name < RAWS else TEXT, tokens):
                return False
            at = text = end
    return add_all(codes, text, size, TEXT, tokens)


def scan(str html not None):
    """As `pagelets.methods.source.plain.scan`."""
    cdef Tokens tokens = Tokens(NULL, 0, 0, 0)
    cdef Py_ssize_t size = len(html), token
    cdef int kind = PyUnicode_KIND(html)
    cdef const void *codes = PyUnicode_DATA(html)
    cdef bint done
    cdef int32_t[::1] start, line
    cdef int8_t[::1] kinds
    cdef uint8_t[::1] further, blank
    try:
        with nogil:
            if kind == 1:
                done = scan_codes(<const uint8_t *>codes, size, &tokens)
            elif kind == 2:
                done = scan_codes(<const uint16_t *>codes, size, &tokens)
            else:
                done = scan_codes(<const uint32_t *>codes, size, &tokens)
        if not done:
            raise MemoryError
        found = Scanned(
            np.empty(tokens.count, np.int32), np.empty(tokens.count, np.int8), np.empty(tokens.count, np.int32),
            np.empty(tokens.count, np.bool_), np.empty(tokens.count, np.bool_),
        )
        start, kinds, line = found.start, found.kind, found.line
        further, blank = found.further.view(np.uint8), found.blank.view(np.uint8)
        for token in range(tokens.count):
            start[token] = tokens.all[token].start
            line[token] = tokens.all[token].line
            kinds[token] = tokens.all[token].kind
            further[token] = (tokens.all[token].flags & FURTHER) != 0
            blank[token] = (tokens.all[token].flags & BLANK) != 0
        return found
    finally:
        free(tokens.all)
