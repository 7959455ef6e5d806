"""A site's templates as people look at them, and what they decide: pinned, rejected, left to detection."""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from dataclasses import dataclass
from difflib import get_close_matches
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from inspection.site_file import STATES, lists, with_decisions
from pagelets.judging.decisions import PINNED, REJECTED, sketch_name, sketch_of
from settings.errors import ConfigurationError
from store.templates import FOUND, Template

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from pagelets.partitions import Partition
    from store.site import Store

    _Place = tuple[int, int, int]
    """The place of a sample: its sketch, its page, and its position on that."""

_NEAREST: Final = 3
_ID: Final = re.compile(r"[0-9]{1,15}\Z", re.ASCII)
_place: Final = attrgetter("sketch", "sample_page", "sample_position")


@dataclass(slots=True, frozen=True)
class ListedTemplate:
    """A template: ``pages`` and ``share`` are its support, ``where`` and ``text`` those of a sample, None
    where it stands on no page now; ``sample_url`` is that page. ``first_run`` and ``last_run`` found it, None
    where none did. ``waits`` is the state that was decided while a crawl is at work, and that it has to take.
    """

    id: int
    name: str
    state: str
    pages: int
    share: float
    where: str | None
    text: str | None
    sample_url: str | None
    algorithm: str
    first_run: int | None
    last_run: int | None
    waits: str | None


def list_templates(
    store: Store, partition: Partition, sketches: Collection[int] | None = None
) -> list[ListedTemplate]:
    """Lists the templates of a ``store`` whose pages are cut by ``partition``, or those of some ``sketches``,
    those on most pages first.
    """
    rows = [row for row in store.templates.all() if sketches is None or row.sketch in sketches]
    return _listed(store, partition, rows)


def largest_templates(
    store: Store, partition: Partition, start: int, count: int
) -> tuple[int, list[ListedTemplate]]:
    """Returns the number of a store's templates, and some of them, those that remove most text first.

    Args:
        store: the store.
        partition: cuts its pages.
        start: how many to pass over.
        count: how many to return at most.

    Raises:
        StoreHalfDerived: the pages are being derived again.

    """
    store.derivation.check()
    chars = store.templates.sample_chars()
    templates = sorted(store.templates.all(), key=lambda one: -one.pages * chars.get(one.template, 0))
    # Texts are read for the shown ones alone: each is of another page.
    return len(templates), _listed(store, partition, templates[start : start + count])


def _listed(store: Store, partition: Partition, templates: Sequence[Template]) -> list[ListedTemplate]:
    samples = _samples(store, map(_place, templates), partition)
    waiting = {one.sketch: one.state or FOUND for one in store.decisions.waiting()}
    remembered = {one.sketch: one.text or None for one in store.decisions.all()}
    rows = []
    for template in templates:
        where, text = samples.get(_place(template), (None, remembered.get(template.sketch)))
        rows.append(
            ListedTemplate(
                template.template,
                sketch_name(template.sketch),
                template.state,
                template.pages,
                template.share,
                where,
                text,
                store.frontier.url(template.sample_page) if template.sample_page else None,
                template.algorithm,
                template.first_run or None,
                template.last_run or None,
                waiting.get(template.sketch),
            )
        )
    return rows


def sample_texts(store: Store, partition: Partition, sketches: Collection[int]) -> dict[int, str]:
    """Returns sketch -> text of a sample for ``sketches`` of a ``store`` whose pages are cut by
    ``partition``, without those that are on no page now.
    """
    if not sketches:
        return {}
    places = [(sketch, *place) for sketch, place in store.templates.places(sketches).items()]
    return {sketch: text for (sketch, *_), (_, text) in _samples(store, places, partition).items()}


def _samples(store: Store, places: Iterable[_Place], partition: Partition) -> dict[_Place, tuple[str, str]]:
    """The path and the text of the pagelets at places, without those whose page has changed since."""
    on_page: dict[int, list[_Place]] = defaultdict(list)
    for place in places:
        on_page[place[1]].append(place)
    selectors = store.derivation.selectors
    samples = {}
    for number, sampled in on_page.items():
        paths = {place: store.pages.path(number, place[2], place[0]) for place in sampled}
        if not any(paths.values()):
            continue
        page = store.flat_pages.read(number, selectors)
        pagelets = partition(page)
        for place, path in paths.items():
            if path is not None:
                pagelet = pagelets[place[2]]
                blocks = page.blocks[pagelet.start : pagelet.stop]
                samples[place] = path, "\n".join(block.text for block in blocks if block.text)
    return samples


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
    check_apart(pinned, rejected)
    texts = sample_texts(store, partition, pinned | rejected)
    with store.transaction():
        reset = decided(store) if choice.reset == [] else find(store, choice.reset or ())
        states = dict.fromkeys(reset) | dict.fromkeys(pinned, PINNED) | dict.fromkeys(rejected, REJECTED)
        store.decisions.wait(states, texts)
        if not waits:
            store.decisions.take()
    return set(states)


def check_apart(pinned: set[int], rejected: set[int]) -> None:
    """Raises ConfigurationError if a sketch is to be pinned and rejected."""
    if both := pinned & rejected:
        raise ConfigurationError(f"template {sketch_name(min(both))} is to be pinned and rejected: choose")


def decided(store: Store) -> set[int]:
    """The sketches that people have decided on in a store; a crawl may have to take that yet."""
    return {*store.decisions.states(), *(waiting.sketch for waiting in store.decisions.waiting())}


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
    return {_by_id(store, int(name)) if _ID.match(name) else _by_name(store, name) for name in names}


def _by_id(store: Store, number: int) -> int:
    ids = {template.template: template.sketch for template in store.templates.all()}
    if number not in ids:
        nearest = sorted(ids, key=lambda known: (abs(known - number), known))[:_NEAREST]
        raise _unknown(store, str(number), map(str, nearest))
    return ids[number]


def _by_name(store: Store, name: str) -> int:
    with contextlib.suppress(ValueError):
        sketch = sketch_of(name)
        if sketch in store.decisions.states() or store.pages.has_sketch(sketch):
            return sketch
    known = [sketch_name(template.sketch) for template in store.templates.all()]
    raise _unknown(store, name, get_close_matches(name.lower(), dict.fromkeys(known), _NEAREST))


def _unknown(store: Store, name: str, nearest: Iterable[str]) -> ConfigurationError:
    near = ", ".join(nearest)
    mend = f"the nearest: {near}" if near else f"scrapy templates {store.name} lists them"
    return ConfigurationError(f"unknown template {name!r}; {mend}")
