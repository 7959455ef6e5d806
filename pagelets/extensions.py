"""What others add to this package by name: methods, and fields of Documents.

It holds for the whole process; another one is handed what `extensions` returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.document import add_fields
from pagelets.methods import add_methods

if TYPE_CHECKING:
    from collections.abc import Mapping


class Extensions(NamedTuple):
    """Import paths by name: of the classes of methods, and of the functions that compute fields."""

    methods: Mapping[str, str]
    fields: Mapping[str, str]


_IN_FORCE: Final = [Extensions({}, {})]


def extensions() -> Extensions:
    """What was added to this process."""
    return _IN_FORCE[0]


def extend(added: Extensions) -> None:
    """Adds methods and fields, in place of those that were added before.

    Raises ValueError where a name is one of ours, and where a field has no function that says its type. A
    method is imported when it is asked for.
    """
    if added != extensions():
        add_methods(added.methods)
        add_fields(added.fields)
        _IN_FORCE[0] = added
