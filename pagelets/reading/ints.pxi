# What both ways over a tree gather numbers in; included, as each library stands alone.

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, realloc

import numpy as np


cdef class Ints:
    """Numbers in a row that grows."""

    cdef int32_t *data
    cdef Py_ssize_t size, room

    def __cinit__(self):
        self.room = 2048
        self.size = 0
        self.data = <int32_t *> malloc(self.room * sizeof(int32_t))
        if self.data == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.data)

    cdef inline int push(self, int32_t number) except -1:
        if self.size == self.room:
            self.grow()
        self.data[self.size] = number
        self.size += 1
        return 0

    cdef int grow(self) except -1:
        cdef int32_t *grown = <int32_t *> realloc(self.data, 2 * self.room * sizeof(int32_t))
        if grown == NULL:
            raise MemoryError
        self.data = grown
        self.room *= 2
        return 0

    cdef bytes bytes(self):
        return (<char *> self.data)[: self.size * sizeof(int32_t)]

    cdef object array(self):
        return np.frombuffer(self.bytes(), np.int32)
