"""The templates that a user names: by id, or by the name of their sketch."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from pagelets.judging.decisions import sketch_name, sketch_of
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from store.site import Store

_NEAREST: Final = 3
_ID: Final = re.compile(r"[0-9]{1,15}\Z", re.ASCII)


def find(store: Store, names: Iterable[str]) -> set[int]:
    """The sketches that ids and names stand for: of templates, of decisions, or of any pagelet of the site.

    Raises ConfigurationError for one that is not known, with the nearest.
    """
    sketches = set()
    for name in names:
        if _ID.match(name):
            sketches.add(_by_id(store, int(name)))
        else:
            sketches.add(_by_name(store, name))
    return sketches


def _by_id(store: Store, number: int) -> int:
    ids = {template.template: template.sketch for template in store.templates.all()}
    if number not in ids:
        nearest = sorted(ids, key=lambda known: (abs(known - number), known))[:_NEAREST]
        raise _unknown(store, str(number), map(str, nearest))
    return ids[number]


def _by_name(store: Store, name: str) -> int:
    try:
        sketch = sketch_of(name)
    except ValueError:
        sketch = None
    if sketch is not None and (sketch in store.decisions.states() or store.pages.has_sketch(sketch)):
        return sketch
    known = [sketch_name(template.sketch) for template in store.templates.all()]
    raise _unknown(store, name, get_close_matches(name.lower(), dict.fromkeys(known), _NEAREST))


def _unknown(store: Store, name: str, nearest: Iterable[str]) -> ConfigurationError:
    near = ", ".join(nearest)
    mend = f"the nearest: {near}" if near else f"scrapy templates {store.name} lists them"
    return ConfigurationError(f"unknown template {name!r}; {mend}")
