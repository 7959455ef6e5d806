# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""`pagelets.reading.plain.walk`, compiled: the same blocks; and what is asked of many texts or addresses."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc

from cpython.slice cimport PySlice_New
from cpython.unicode cimport (
    PyUnicode_DATA, PyUnicode_FromKindAndData, PyUnicode_GET_LENGTH, PyUnicode_KIND, PyUnicode_READ,
    PyUnicode_Substring, PyUnicode_WRITE,
)

from array import array

from pagelets.page import Block, Runs, text_of
from pagelets.reading.plain import Walked

include "ints.pxi"

cdef extern from "Python.h":
    object PyType_GenericAlloc(object, Py_ssize_t)

cdef enum:
    # What `pagelets.reading.plain` calls its kinds; a test compares them.
    INLINE = 0
    BLOCK = 1
    PREFORMATTED = 2
    INLINE_APART = 3
    LINK_APART = 4
    LINK = 5
    LINE_BREAK = 6
    IMAGE = 7
    IMAGE_APART = 8
    SKIPPED = 9
    HIDES = 1
    BREAK = -1
    PICTURE = -2
    SPACE = -3
    NESTED_LINKS = 4

KINDS = (
    INLINE, BLOCK, PREFORMATTED, INLINE_APART, LINK_APART, LINK, LINE_BREAK, IMAGE, IMAGE_APART, SKIPPED,
    HIDES, BREAK, PICTURE, SPACE, NESTED_LINKS,
)


cdef inline bint is_space(str text) noexcept:
    cdef Py_UCS4 character
    for character in text:
        if 32 < character <= 127 or not character.isspace():
            return False
    return True


cdef str folded(str text):
    """A text whose white space is folded: as ``" ".join(text.split())``."""
    cdef Py_ssize_t count = PyUnicode_GET_LENGTH(text), start = 0, stop, at, size = 0, width
    cdef int kind = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    cdef Py_UCS4 character
    cdef bint spaced = False, is_folded = True
    cdef char *buffer
    while start < count and PyUnicode_READ(kind, data, start).isspace():
        start += 1
    stop = count
    while stop > start and PyUnicode_READ(kind, data, stop - 1).isspace():
        stop -= 1
    for at in range(start, stop):
        character = PyUnicode_READ(kind, data, at)
        if character > 32 and character <= 127:
            spaced = False
        elif character.isspace():
            if spaced or character != c" ":
                is_folded = False
                break
            spaced = True
        else:
            spaced = False
    if is_folded:
        return text if stop - start == count else PyUnicode_Substring(text, start, stop)
    width = kind
    buffer = <char *> malloc((stop - start) * width)
    if buffer == NULL:
        raise MemoryError
    try:
        spaced = False
        for at in range(start, stop):
            character = PyUnicode_READ(kind, data, at)
            if (character <= 32 or character > 127) and character.isspace():
                if not spaced:
                    PyUnicode_WRITE(kind, buffer, size, c" ")
                    size += 1
                spaced = True
            else:
                PyUnicode_WRITE(kind, buffer, size, character)
                size += 1
                spaced = False
        return PyUnicode_FromKindAndData(kind, buffer, size)
    finally:
        free(buffer)


cdef int part(list anchors) except -1:
    """Parts the words of links where a block or a line ends inside of them."""
    for texts in anchors[-NESTED_LINKS:]:
        (<list> texts).append(" ")
    return 0


cdef class _Walk:
    """One pass over a tree; the same steps as in `pagelets.reading.plain`."""

    cdef object tree, source
    cdef list texts, blocks, anchors, hidden
    cdef dict parted
    cdef const uint8_t[::1] kinds, hides, linked
    cdef const int32_t[::1] parents, last, holder, before
    cdef Ints places, holders
    cdef bint breaks, picture
    cdef Py_ssize_t preformatted, first_run, first_link

    def __init__(self, tree, kinds, hides, linked):
        self.tree = tree
        self.kinds, self.hides, self.linked = kinds, hides, linked
        self.parents, self.last = tree.parent, tree.last
        self.holder, self.before = tree.holder, tree.before
        self.texts = [*tree.texts, " ", "", "\n"]
        self.places, self.holders = Ints(), Ints()
        self.source = Runs(self.texts, [], [])
        self.blocks, self.anchors, self.hidden, self.parted = [], [], [], {}
        self.breaks = self.picture = False
        self.preformatted = self.first_run = self.first_link = 0

    def found(self):
        cdef list links = [], texts
        # The runs of the blocks as the rows that `Runs` reads.
        self.source.places = array("i", self.places.bytes())
        self.source.holders = array("i", self.holders.bytes())
        for node, block, texts in self.anchors:
            links.append((node, block, folded(texts[0] if len(texts) == 1 else "".join(texts))))
        return Walked(self.blocks, links, self.hidden, self.parted)

    cdef int add(self, int32_t place, int32_t holder) except -1:
        self.places.push(place)
        self.holders.push(holder)
        return 0

    cdef int run(self) except -1:
        cdef Py_ssize_t count = len(self.parents), texts = len(self.holder), text_at = 0, each
        cdef int32_t node = -1, entered = 0, inside, skipping = -1, text_place
        cdef uint8_t kind = INLINE, hides = 0
        cdef Py_ssize_t hidden = 0, depth = 0
        cdef bint after_link = False, is_text_next
        cdef Ints stack = Ints(), containers = Ints()
        cdef list open_anchors = []
        cdef list all_texts = self.texts
        cdef str text
        containers.push(0)
        while True:
            is_text_next = text_at < texts and self.before[text_at] == entered
            inside = self.holder[text_at] if is_text_next else self.parents[entered] if entered < count else -1
            while node != inside:
                if kind:
                    if kind <= LINK_APART:
                        if kind <= PREFORMATTED and open_anchors:
                            part(open_anchors)
                        if self.places.size > self.first_run or self.first_link != len(self.anchors):
                            self.flush(node, kind)
                            if kind <= PREFORMATTED:
                                after_link = False
                        elif self.parted and kind <= PREFORMATTED:
                            self.parted.pop(len(self.blocks) - 1, None)
                            after_link = False
                        containers.size -= 1
                        if kind == PREFORMATTED:
                            self.preformatted -= 1
                        elif kind == LINK_APART:
                            open_anchors.pop()
                            after_link = True
                    elif kind == LINK:
                        open_anchors.pop()
                        after_link = True
                if hides:
                    hidden -= 1
                stack.size -= 2
                node = stack.data[stack.size]
                kind = <uint8_t> (stack.data[stack.size + 1] & 255)
                hides = <uint8_t> (stack.data[stack.size + 1] >> 8)
            if is_text_next:
                text_place = <int32_t> text_at
                text_at += 1
                if hidden:
                    continue
                text = <str> all_texts[text_place]
                if not is_space(text):
                    after_link = False
                elif self.places.size == self.first_run:
                    # White space between blocks belongs to no block.
                    if self.parted:
                        self.note_gap(text, node)
                    continue
                self.add(text_place, node)
                if open_anchors:
                    for anchor in open_anchors[-NESTED_LINKS:]:
                        (<list> anchor).append(text)
                continue
            if entered == count:
                break
            stack.push(node)
            stack.push(kind | (hides << 8))
            node = entered
            entered += 1
            if node <= skipping:
                kind = hides = 0
                continue
            kind, hides = self.kinds[node], self.hides[node]
            if hides:
                if not hidden and hides == HIDES:
                    self.hidden.append(node)
                hidden += 1
            if not kind:
                continue
            if kind <= LINK_APART:
                if kind <= PREFORMATTED and open_anchors:
                    part(open_anchors)
                if after_link and kind == LINK_APART and self.places.size > self.first_run:
                    self.add(SPACE, containers.data[containers.size - 1])
                if self.places.size > self.first_run or self.first_link != len(self.anchors):
                    self.flush(containers.data[containers.size - 1], kind)
                    if kind <= PREFORMATTED:
                        after_link = False
                elif self.parted:
                    if kind <= PREFORMATTED:
                        self.parted.pop(len(self.blocks) - 1, None)
                        after_link = False
                    elif after_link and kind == LINK_APART:
                        self.note_gap(" ", containers.data[containers.size - 1])
                containers.push(node)
                if kind == PREFORMATTED:
                    self.preformatted += 1
                elif kind == LINK_APART:
                    open_anchors.append(self.anchor(node))
            elif kind == LINK:
                if after_link and self.places.size > self.first_run:
                    # Two links side by side are two words, also where only a style sheet parts them.
                    self.add(SPACE, containers.data[containers.size - 1])
                elif after_link and self.parted:
                    self.note_gap(" ", containers.data[containers.size - 1])
                open_anchors.append(self.anchor(node))
            elif kind == SKIPPED:
                skipping = self.last[node]
            elif not hidden:
                if kind == LINE_BREAK:
                    self.add(BREAK, node)
                    self.breaks = True
                    part(open_anchors)
                elif kind == IMAGE:
                    self.add(PICTURE, node)
                    self.picture = True
                else:
                    self.flush(containers.data[containers.size - 1], kind)
                    self.add(PICTURE, node)
                    self.picture = True
                    self.flush(containers.data[containers.size - 1], kind)
        self.flush(0, BLOCK)
        return 0

    cdef list anchor(self, int32_t node):
        cdef list texts = []
        if self.linked[node]:
            self.anchors.append((node, len(self.blocks), texts))
        return texts

    cdef int note_gap(self, str text, int32_t holder) except -1:
        gap = self.parted.get(len(self.blocks) - 1)
        if gap is not None:
            gap.append((text, holder))
        return 0

    cdef str text_at(self, Py_ssize_t run):
        cdef Py_ssize_t place = self.places.data[run]
        return <str> self.texts[place if place >= 0 else place + len(self.texts)]

    cdef list runs(self):
        cdef Py_ssize_t run
        return [(self.text_at(run), self.holders.data[run]) for run in range(self.first_run, self.places.size)]

    cdef int flush(self, int32_t node, uint8_t kind) except -1:
        cdef Py_ssize_t links = len(self.anchors), first = self.first_run, count = self.places.size
        cdef str text = self.text() if count > first else ""
        if text or self.picture or links != self.first_link:
            if kind > PREFORMATTED:
                self.parted[len(self.blocks)] = []
            block = PyType_GenericAlloc(Block, 0)
            block.text, block.node, block.source = text, node, self.source
            block.links = PySlice_New(self.first_link, links, None)
            block.span = PySlice_New(first, count, None)
            self.blocks.append(block)
            self.first_run, self.first_link = count, links
        else:
            if self.parted:
                if kind > PREFORMATTED:
                    for run in self.runs():
                        self.note_gap(run[0], run[1])
                else:
                    self.parted.pop(len(self.blocks) - 1, None)
            self.places.size = self.holders.size = first
        self.breaks = self.picture = False
        return 0

    cdef str text(self):
        cdef Py_ssize_t run
        if self.preformatted:
            return text_of(self.runs(), self.tree.tags, preformatted=True)
        if self.breaks:
            return self.lines()
        if self.places.size == self.first_run + 1:
            return folded(self.text_at(self.first_run))
        return folded("".join([self.text_at(run) for run in range(self.first_run, self.places.size)]))

    cdef str lines(self):
        """The text of the block that is read, whose lines end with those of ``br``."""
        cdef Py_ssize_t run, place
        cdef list found = [], pieces = []
        cdef str line
        for run in range(self.first_run, self.places.size + 1):
            place = self.places.data[run] if run < self.places.size else BREAK
            if place == BREAK:
                line = folded("".join(pieces))
                if line:
                    found.append(line)
                pieces = []
            elif place >= 0 and self.kinds[self.holders.data[run]] == LINE_BREAK:
                return text_of(self.runs(), self.tree.tags, preformatted=False)
            else:
                pieces.append(self.text_at(run))
        return "\n".join(found)


def walk(tree, kinds, hides, linked):
    """As `pagelets.reading.plain.walk`."""
    cdef _Walk found = _Walk(tree, kinds, hides, linked)
    found.run()
    return found.found()


def numbered(list texts not None, list places not None, Py_ssize_t longest):
    """As `pagelets.reading.counts.numbered`."""
    cdef Py_ssize_t place
    cdef Py_UCS4 character
    cdef str text
    cdef list found = []
    for place in places:
        text = <str> texts[place]
        if len(text) <= longest:
            for character in text:
                if character.isdecimal():
                    found.append(place)
                    break
    return found


def all_joined(list references not None, join, base, str origin not None, list folders not None):
    """As `pagelets.reading.references.all_joined`: most are of plain ASCII."""
    cdef list found = []
    cdef str reference
    cdef Py_ssize_t at
    for each in references:
        # Those of XPath are of a class of lxml's.
        reference = str(each)
        at = host_end(reference)
        if at and (at == len(reference) or is_path(reference, at, True)):
            found.append(reference)
        elif origin and is_path(reference, 0, True) and (len(reference) == 1 or reference[1] not in "/.?#"):
            found.append(origin + reference)
        else:
            at = 0
            while reference.startswith("../", at):
                at += 3
            if folders and is_path(reference, at, False):
                found.append(folders[min(at // 3, len(folders) - 1)] + reference[at:])
            else:
                found.append(join(reference, base, origin, folders))
    return found


cdef Py_ssize_t host_end(str reference):
    """Where the host of a whole address ends; 0 where there is none of letters, digits, dots and hyphens."""
    cdef Py_ssize_t began = 8 if reference.startswith("https://") else 7, at
    cdef Py_UCS4 character
    if began == 7 and not reference.startswith("http://"):
        return 0
    for at in range(began, len(reference)):
        character = reference[at]
        if not (c"a" <= character <= c"z" or c"0" <= character <= c"9" or c"A" <= character <= c"Z"):
            if at == began or character != c"." and character != c"-":
                return at if at > began else 0
    return len(reference) if len(reference) > began else 0


cdef bint is_path(str reference, Py_ssize_t first, bint is_rooted) noexcept:
    """Whether from a place on stands a path, from the root or not, of which no part has to be looked at; with
    a query and a fragment, or without.
    """
    cdef Py_ssize_t at, count = len(reference)
    cdef Py_UCS4 character, before = c"/"
    if first >= count or (reference[first] == c"/") != is_rooted or reference[first] in "?#":
        return False
    for at in range(first + is_rooted, count):
        character = reference[at]
        if not 32 < character < 127 or character == c";" or character == c"\\":
            return False
        if before == c"/" and (character == c"." or character == c"/" and (not is_rooted or at == first + 1)):
            return False
        if before == c"?" and character == c"#" or character == c":" and not is_rooted:
            return False
        before = character
    return before != c"?" and before != c"#"
