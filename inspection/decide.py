"""Deciding on templates: what is pinned, rejected, and left to detection again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspection.decided import STATES, lists, with_decisions
from inspection.named_templates import find
from inspection.templates import sample_texts
from settings.errors import ConfigurationError
from store.decisions import sketch_name, sketch_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from store.site import Store


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


def decide(store: Store, k: int, choice: Choice) -> set[int]:
    """Decides on templates of a store whose pagelets have k links; returns the sketches that it was about.

    Raises ConfigurationError where one is not known, or is to be pinned and rejected.
    """
    pinned, rejected = find(store, choice.pin), find(store, choice.reject)
    if both := pinned & rejected:
        raise ConfigurationError(f"template {sketch_name(min(both))} is to be pinned and rejected: choose")
    reset = None if choice.reset == [] else find(store, choice.reset or ())
    texts = sample_texts(store, k, pinned | rejected)
    about = pinned | rejected | (set(store.decisions.states()) if reset is None else reset)
    with store.transaction():
        if choice.reset is not None:
            store.decisions.reset(reset)
        store.decisions.pin({sketch: texts.get(sketch, "") for sketch in sorted(pinned)})
        store.decisions.reject({sketch: texts.get(sketch, "") for sketch in sorted(rejected)})
    return about


def in_file(store: Store, k: int, source: str, shown: Callable[[str], str]) -> InFile:
    """The text of a site file with the store's decisions in it, and what the file itself has changed.

    Takes the file's text, and how a sample is written beside its template's name. Raises ValueError.
    """
    states = store.decisions.merged(*lists(source).values())
    texts = {one.sketch: one.text for one in store.decisions.all()} | sample_texts(store, k, states)
    named = {sketch_name(sketch): state for sketch, state in states.items()}
    samples = {sketch_name(sketch): shown(text) for sketch, text in texts.items()}
    return InFile(with_decisions(source, named, samples), states)


def differs(store: Store, source: str) -> bool:
    """Whether the lists of a site file say otherwise than the store's decisions. Raises ValueError."""
    listed, states = lists(source), store.decisions.states()
    return any(states.get(sketch_of(name)) != state for state in STATES for name in listed[state])
