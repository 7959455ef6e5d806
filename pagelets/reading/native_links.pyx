# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""`pagelets.reading.references`, compiled: the same addresses."""


cdef inline bint is_alphanumeric(Py_UCS4 character) noexcept:
    return c"0" <= character <= c"9" or c"A" <= character <= c"Z" or c"a" <= character <= c"z"


cdef inline bint is_any(Py_UCS4 character, const char *those) noexcept:
    while those[0] != 0:
        if character == <Py_UCS4> those[0]:
            return True
        those += 1
    return False


cdef bint is_plain_rest(str reference, Py_ssize_t at):
    """Whether a path, a query and a fragment follow, without white space or dot segments."""
    cdef Py_ssize_t count = len(reference), began = at
    cdef Py_UCS4 character, before = 0
    # What is read: 0 the path, 1 the query, 2 the fragment.
    cdef int part = 0
    while at < count:
        character = reference[at]
        if character <= 32 or character == c"\\" or character > 127 and character.isspace():
            return False
        if character == c"." and before == c"/" or character == c";" and part == 0:
            return False
        if character == c"?" and part == 0 or character == c"#" and part < 2:
            if part and at == began:
                return False
            part = 1 if character == c"?" else 2
            began = at + 1
        before = character
        at += 1
    return part == 0 or began < count


cdef bint begins_web_address(str reference):
    """Whether it begins with ``http://`` or ``https://``."""
    cdef Py_ssize_t at = 4
    if len(reference) < 8 or reference[1] != c"t" or reference[2] != c"t" or reference[3] != c"p":
        return reference == "http://"
    if reference[4] == c"s":
        at = 5
    return (
        reference[at] == c":" and reference[at + 1] == c"/"
        and len(reference) > at + 2 and reference[at + 2] == c"/"
    )


cdef bint leads_elsewhere(str reference):
    cdef Py_ssize_t count = len(reference), at
    cdef Py_UCS4 character
    for at in range(count):
        character = reference[at]
        if character == c":":
            return at > 0 and reference[:at].lower() not in ("http", "https")
        if not is_alphanumeric(character) and (not at or not is_any(character, "+.-")):
            return False
        if not at and character <= c"9":
            return False
    return False


def all_joined(list references not None, str base not None, str origin not None, list folders not None):
    """As `pagelets.reading.references.all_joined`."""
    return [joined(reference, base, origin, folders) for reference in references]


cdef object joined(str reference, str base, str origin, list folders):
    """As `pagelets.reading.references.joined`."""
    cdef Py_ssize_t count = len(reference), at = 0, ups = 0, ahead
    cdef Py_UCS4 first
    cdef bint fits = True
    if not count:
        return base if origin else ""
    first = reference[0]
    if first == c"h" and begins_web_address(reference):
        at = 8 if reference[4] == c"s" else 7
        if at == count or not is_alphanumeric(reference[at]):
            return ""
        while at < count and (is_alphanumeric(reference[at]) or is_any(reference[at], ".:_-")):
            at += 1
        if at == count:
            return reference
        if reference[at] != c"/" or at + 1 < count and reference[at + 1] == c"/":
            return ""
        return reference if is_plain_rest(reference, at + 1) else ""
    if first == c"/":
        if count > 1 and is_any(reference[1], "/.?#") or not is_plain_rest(reference, 1):
            return ""
        return origin + reference if origin else ""
    if first == c"#":
        if not origin or not is_plain_rest(reference, 1):
            return ""
        return base + reference if count > 1 else base
    if reference.startswith("./"):
        at = 2
    while at + 2 < count and reference[at] == c"." and reference[at + 1] == c"." and reference[at + 2] == c"/":
        at += 3
        ups += 1
    if at < count and is_any(reference[at], "./?#"):
        return None if leads_elsewhere(reference) else ""
    ahead = at
    while ahead < count and not is_any(reference[ahead], "/?#"):
        if reference[ahead] == c":":
            return None if leads_elsewhere(reference) else ""
        ahead += 1
    while ahead < count and not is_any(reference[ahead], "?#"):
        if reference[ahead] == c"/" and ahead + 1 < count and reference[ahead + 1] == c"/":
            fits = False
        ahead += 1
    if not fits or not folders or at == count or not is_plain_rest(reference, at):
        return ""
    return folders[min(ups, len(folders) - 1)] + reference[at:]
