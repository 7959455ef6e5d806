"""A site's templates as people look at them: each with its name, its support, and a sample of its text."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pagelets.judging.decisions import sketch_name
from store.templates import FOUND, Template

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pagelets.partitions import Partition
    from store.site import Store


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


class _Place(NamedTuple):
    """The place of a sample of a sketch."""

    sketch: int
    page: int
    position: int


def list_templates(
    store: Store, partition: Partition, sketches: Collection[int] | None = None
) -> list[ListedTemplate]:
    """Lists the templates of a ``store`` whose pages are cut by ``partition``, or those of some ``sketches``,
    those on most pages first.
    """
    return _listed(
        store,
        partition,
        [row for row in store.templates.all() if sketches is None or row.sketch in sketches],
    )


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
    by_sketch = store.templates.places(sketches)
    places = [_Place(sketch, *place) for sketch, place in by_sketch.items()]
    return {place.sketch: text for place, (_, text) in _samples(store, places, partition).items()}


def _place(template: Template) -> _Place:
    return _Place(template.sketch, template.sample_page, template.sample_position)


def _samples(store: Store, places: Iterable[_Place], partition: Partition) -> dict[_Place, tuple[str, str]]:
    """The path and the text of the pagelets at places, without those whose page has changed since."""
    on_page: dict[int, list[_Place]] = defaultdict(list)
    for place in places:
        on_page[place.page].append(place)
    selectors = store.derivation.selectors
    samples = {}
    for page_id, sampled in on_page.items():
        paths = {place: store.pages.path(page_id, place.position, place.sketch) for place in sampled}
        if not any(paths.values()):
            continue
        page = store.flat_pages.read(page_id, selectors)
        pagelets = partition(page)
        for place, path in paths.items():
            if path is not None:
                pagelet = pagelets[place.position]
                blocks = page.blocks[pagelet.start : pagelet.stop]
                samples[place] = path, "\n".join(block.text for block in blocks if block.text)
    return samples
