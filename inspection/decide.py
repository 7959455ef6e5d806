"""Deciding on templates: what is pinned, rejected, and left to detection again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from inspection.site_file import STATES, lists, with_decisions
from inspection.templates import sample_texts
from pagelets.judging.decisions import PINNED, REJECTED, sketch_name, sketch_of
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pagelets.partitions import Partition
    from store.site import Store

_NEAREST: Final = 3
_ID: Final = re.compile(r"[0-9]{1,15}\Z", re.ASCII)


@dataclass(slots=True, frozen=True)
class Choice:
    """What is to be decided of templates, by ids or names; ``reset`` is None for nothing, empty for all."""

    pin: Sequence[str] = ()
    reject: Sequence[str] = ()
    reset: Sequence[str] | None = None


@dataclass(slots=True, frozen=True)
class InFile:
    """A site file with the decisions of a store: its text, and the state of each sketch that it lists."""

    text: str
    states: dict[int, str]


def decide(store: Store, partition: Partition, choice: Choice, *, waits: bool = False) -> set[int]:
    """Decides on templates of a store; returns the sketches that it was about.

    Args:
        store: of the site.
        partition: how its pages are cut.
        choice: the templates, and what is decided of each.
        waits: a crawl is at work on the store, and takes what is decided when it judges its pages next, or at
            its end.

    Raises:
        ConfigurationError: a template is not known, or is to be pinned and rejected.
    """
    pinned, rejected = find(store, choice.pin), find(store, choice.reject)
    if both := pinned & rejected:
        raise ConfigurationError(f"template {sketch_name(min(both))} is to be pinned and rejected: choose")
    texts = sample_texts(store, partition, pinned | rejected)
    with store.transaction():
        decided = {*store.decisions.states(), *(decision.sketch for decision in store.decisions.waiting())}
        reset = decided if choice.reset == [] else find(store, choice.reset or ())
        states = dict.fromkeys(reset) | dict.fromkeys(pinned, PINNED) | dict.fromkeys(rejected, REJECTED)
        store.decisions.wait(states, texts)
        if not waits:
            store.decisions.take()
    return set(states)


def in_file(store: Store, partition: Partition, source: str, shown: Callable[[str], str]) -> InFile:
    """Returns the text of a site file with the store's decisions in it, and its own changes.

    Args:
        store: the store.
        partition: how its pages are cut.
        source: the file's text.
        shown: writes a sample beside its template's name.

    Raises:
        ValueError: the file cannot be read.

    """
    states = store.decisions.merged(*lists(source).values())
    texts = {decision.sketch: decision.text for decision in store.decisions.all()} | sample_texts(
        store, partition, states
    )
    named = {sketch_name(sketch): state for sketch, state in states.items()}
    samples = {sketch_name(sketch): shown(text) for sketch, text in texts.items()}
    return InFile(with_decisions(source, named, samples), states)


def differs(store: Store, source: str) -> bool:
    """Returns True if the lists of a site file differ from the store's decisions. Raises ValueError."""
    listed, states = lists(source), store.decisions.states()
    return any(states.get(sketch_of(name)) != state for state in STATES for name in listed[state])


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
