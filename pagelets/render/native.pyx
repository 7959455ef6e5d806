# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Looks through written HTML, compiled: whether it is such that a parser finds in it just what is written."""

from cpython.unicode cimport (
    PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND, PyUnicode_READ, PyUnicode_Substring,
)

cdef enum:
    DEEPEST = 200
    LONGEST_HOST = 60


cdef class Rule:
    """What stands in the elements of a tag."""

    cdef str tag
    cdef frozenset holds, attributes
    cdef bint is_void, is_single, is_blank

    def __init__(self, tag, holds, attributes, is_void, is_single, is_blank):
        self.tag, self.holds, self.attributes = tag, holds, attributes
        self.is_void, self.is_single, self.is_blank = is_void, is_single, is_blank


cdef class Grammar:
    """What may stand where in HTML. Takes, by tag, the tags that an element holds (the empty tag stands for what
    is around all), and the attributes that it has; of tags those without an end, those that stand in none of
    their kind, and those that hold white space and elements alone; and the attributes that are addresses.
    """

    cdef dict rules
    cdef frozenset addresses

    def __init__(
        self, dict holds not None, dict attributes not None, frozenset void not None,
        frozenset single not None, frozenset blank not None, frozenset addresses not None,
    ):
        self.rules, self.addresses = {}, addresses
        for tag in {*holds, *void}:
            self.rules[tag] = Rule(
                tag, holds.get(tag, frozenset()), attributes.get(tag, frozenset()),
                tag in void, tag in single, tag in blank,
            )

    def fits(self, str html not None):
        """Whether HTML is written by these rules, each element ended where it has to be, and each text and
        value as a serializer writes it. What it is not sure of it says no to.
        """
        cdef Py_ssize_t at = 0, began, count = PyUnicode_GET_LENGTH(html)
        cdef int width = PyUnicode_KIND(html)
        cdef const void *data = PyUnicode_DATA(html)
        cdef Py_UCS4 character
        cdef str tag
        cdef Rule inside = self.rules[""], rule
        cdef list opened = [inside]
        if count and PyUnicode_READ(width, data, 0) != c"<":
            return False
        while at < count:
            character = PyUnicode_READ(width, data, at)
            if character != c"<":
                if inside.is_blank:
                    if character != c" " and character != c"\n":
                        return False
                    at += 1
                    continue
                at = text_end(data, width, at, count, False)
                if at < 0:
                    return False
                continue
            at += 1
            if at < count and PyUnicode_READ(width, data, at) == c"/":
                began = at + 1
                at = name_end(data, width, began, count)
                if at >= count or PyUnicode_READ(width, data, at) != c">" or len(opened) == 1:
                    return False
                if PyUnicode_Substring(html, began, at) != inside.tag:
                    return False
                opened.pop()
                inside = <Rule> opened[len(opened) - 1]
                at += 1
            else:
                began = at
                at = name_end(data, width, began, count)
                tag = PyUnicode_Substring(html, began, at)
                if tag not in inside.holds or len(opened) > DEEPEST:
                    return False
                rule = <Rule> self.rules[tag]
                if rule.is_single and rule in opened:
                    return False
                at = self.attributes_end(html, data, width, at, count, rule.attributes)
                if at < 0:
                    return False
                if rule.is_void:
                    continue
                # A parser leaves out the line end that a preformatted text begins with.
                if tag == "pre" and at < count and PyUnicode_READ(width, data, at) == c"\n":
                    return False
                opened.append(rule)
                inside = rule
        return len(opened) == 1

    cdef Py_ssize_t attributes_end(
        self, str html, const void *data, int width, Py_ssize_t at, Py_ssize_t count, frozenset known
    ) except -2:
        """Where the attributes of an element end, and its ``>``; -1 where they do not fit."""
        cdef Py_ssize_t began, value
        cdef list met = []
        cdef str name
        while at < count and PyUnicode_READ(width, data, at) == c" ":
            began = at + 1
            at = name_end(data, width, began, count)
            name = PyUnicode_Substring(html, began, at)
            value = at + 2
            if name not in known or value >= count or PyUnicode_READ(width, data, at) != c"=":
                return -1
            if PyUnicode_READ(width, data, at + 1) != c'"':
                return -1
            if name in met:
                return -1
            met.append(name)
            at = text_end(data, width, value, count, True)
            if at < 0 or at >= count or PyUnicode_READ(width, data, at) != c'"':
                return -1
            if name in self.addresses and not is_web_address(data, width, value, at):
                return -1
            at += 1
        return at + 1 if at < count and PyUnicode_READ(width, data, at) == c">" else -1


cdef inline Py_ssize_t name_end(const void *data, int width, Py_ssize_t at, Py_ssize_t count) noexcept:
    cdef Py_UCS4 character
    while at < count:
        character = PyUnicode_READ(width, data, at)
        if not (c"a" <= character <= c"z" or c"0" <= character <= c"9"):
            break
        at += 1
    return at


cdef Py_ssize_t text_end(const void *data, int width, Py_ssize_t at, Py_ssize_t count, bint is_value) noexcept:
    """Where a text, or the value of an attribute, ends; -1 where it is not as a serializer writes it."""
    cdef Py_UCS4 character
    while at < count:
        character = PyUnicode_READ(width, data, at)
        if character == c" " or 97 <= character <= 122:
            pass
        elif character > 62 and character != 0xA0:
            if 0xD800 <= character <= 0xDFFF or character == 0xFEFF:
                return -1
        elif character == c"<":
            return -1 if is_value else at
        elif character == c'"':
            if is_value:
                return at
        elif character == c"&":
            if follows(data, width, at, count, "amp;"):
                at += 4
            elif follows(data, width, at, count, "lt;") or follows(data, width, at, count, "gt;"):
                at += 3
            elif follows(data, width, at, count, "nbsp;"):
                at += 5
            elif is_value and follows(data, width, at, count, "quot;"):
                at += 5
            else:
                return -1
        elif character == c">" or character == 0xA0 or character < 32 and character != c"\n" and character != c"\t":
            return -1
        at += 1
    return at


cdef inline bint follows(const void *data, int width, Py_ssize_t at, Py_ssize_t count, const char *name) noexcept:
    """Whether a name follows a place."""
    while name[0]:
        at += 1
        if at >= count or PyUnicode_READ(width, data, at) != <Py_UCS4> name[0]:
            return False
        name += 1
    return True


cdef bint is_web_address(const void *data, int width, Py_ssize_t at, Py_ssize_t end) noexcept:
    """Whether an address is one that no parser of addresses refuses: of mail, or of a host of plain names."""
    cdef Py_UCS4 character = 0, before = c"."
    cdef Py_ssize_t began, each
    for each in range(at, end):
        if PyUnicode_READ(width, data, each) < 32:
            return False
    if follows(data, width, at - 1, end, "mailto:"):
        return not follows(data, width, at + 6, end, "//")
    if not follows(data, width, at - 1, end, "http"):
        return False
    at += 4
    if at < end and PyUnicode_READ(width, data, at) == c"s":
        at += 1
    if not follows(data, width, at - 1, end, "://"):
        return False
    at += 3
    began = at
    while at < end:
        character = PyUnicode_READ(width, data, at)
        if not (is_letter(character) or c"0" <= character <= c"9"):
            if character != c"." and character != c"-" or before == c"." or before == c"-":
                break
        before = character
        at += 1
    # What ends in a digit may be meant for a number.
    if at == began or at - began > LONGEST_HOST or not is_letter(before):
        return False
    if not has_name_last(data, width, began, at):
        return False
    if at < end and PyUnicode_READ(width, data, at) == c":":
        began = at = at + 1
        while at < end and c"0" <= PyUnicode_READ(width, data, at) <= c"9":
            at += 1
        # No port of four digits is too large.
        if at - began > 4:
            return False
    return at == end or PyUnicode_READ(width, data, at) in "/?#"


cdef bint has_name_last(const void *data, int width, Py_ssize_t began, Py_ssize_t end) noexcept:
    """Whether the last part of a host is of letters alone."""
    cdef Py_UCS4 character
    while end > began:
        end -= 1
        character = PyUnicode_READ(width, data, end)
        if character == c".":
            return True
        if not is_letter(character):
            return False
    return True


cdef inline bint is_letter(Py_UCS4 character) noexcept:
    return c"a" <= character <= c"z" or c"A" <= character <= c"Z"
