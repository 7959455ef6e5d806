"""Errors of a store.

StoreError
├── StoreMissing      the site has no store
├── StoreVersion      it was made by another version of this project
├── StoreHalfDerived  its pages are being derived again, and a part of them is
├── NotLearned        a method has to learn of the site before it can judge its pages
├── NotEnoughMemory   what a site repeats does not fit into the memory that there is for it
├── StoreUnusable     the disk is full or read-only, or the file is no database
└── SiteBusy          another process crawls the site
"""

from __future__ import annotations


class StoreError(Exception):
    """A store cannot be used; the text is one line that names the path and the mend."""


class StoreMissing(StoreError):
    """Raised by commands that read a store, where none is."""


class StoreVersion(StoreError):
    """Raised on opening a store whose tables are of another version."""


class StoreUnusable(StoreError):
    """Raised where the store's folder or database cannot be read or written."""


class StoreHalfDerived(StoreError):
    """Raised where a store's pages are to be judged or published that are not all derived alike."""


class NotLearned(StoreError):
    """Raised where pages are to be judged by a method that has not learned of their host."""


class NotEnoughMemory(StoreError):
    """Raised where templates cannot be detected for want of memory."""


class SiteBusy(StoreError):
    """Raised on starting a crawl of a site that another process crawls."""
