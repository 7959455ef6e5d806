"""Documents of programs by which keep selectors won wherever they were, where now the innermost decides."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from pagelets.overrides import Selectors, is_dropped_in_kept
from store.meta import INNERMOST_DECIDES

if TYPE_CHECKING:
    from store.site import Store


def may_change(store: Store, selectors: Selectors) -> bool:
    """Returns true if the rule may change documents of a store: once in its life."""
    return all(selectors.sides) and store.meta(INNERMOST_DECIDES) is None and store.documents.any()


def judge_again(store: Store, selectors: Selectors, step: str) -> int:
    """Has the documents judged again by the next release that the rule changes.

    Args:
        store: the store, all pages of which are read if it `may_change`.
        selectors: those of its site.
        step: the name of the step that pages fail in which cannot be read.

    Returns:
        The number of these documents.

    """
    changed = array("q")
    for page in store.documents.current() if may_change(store, selectors) else ():
        with store.border(page, step):
            if is_dropped_in_kept(store.flat_pages.read(page, selectors)):
                changed.append(page)
    with store.transaction():
        store.connection.executemany(
            "UPDATE documents SET basis = NULL, template_version = '' WHERE page = ?",
            ((page,) for page in changed),
        )
        store.set_meta(INNERMOST_DECIDES, 1)
    return len(changed)
