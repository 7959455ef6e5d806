"""Fields that a site's pages show beside a label: ``dt`` and ``dd``, ``th`` and ``td``, "Label: value"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from crawler.survey.declared import ProposedField, Values, fewest, proposed
from inspection.sampled_page import MAX_TEXT, Label, SampledPage, are_all, labels_of, name_of

MOST: Final = 8
"""Fields that are proposed for labels."""
_MOST_LABELS: Final = 300
"""Labels of a page that are looked at."""
_LEAST_SHARE: Final = 0.2


def labelled_fields(pages: Sequence[SampledPage], taken: Collection[ProposedField]) -> list[ProposedField]:
    """Returns the fields that stand beside labels, those of the most pages first.

    Args:
        pages: the sample.
        taken: fields that are proposed already; none is proposed again.

    """
    by_label: defaultdict[Label, Values] = defaultdict(dict)
    for place, page in enumerate(pages):
        seen: defaultdict[Label, list[str]] = defaultdict(list)
        for label, value in _labels(page):
            seen[label].append(value)
        for label, texts in seen.items():
            if len(texts) == 1:
                by_label[label][place] = list(texts)
    least = max(fewest(pages), 2, _LEAST_SHARE * len(pages))
    names = {proposal.name for proposal in taken}
    shown = {proposal.samples for proposal in taken}
    fields: list[ProposedField] = []
    for label, values in sorted(by_label.items(), key=lambda item: (-len(item[1]), item[0])):
        name = name_of(label.label)
        if len(values) < least or not name or name in names or len(fields) == MOST:
            continue
        field = _field(name, label, values, pages)
        if field is not None and field.samples not in shown:
            names.add(name)
            shown.add(field.samples)
            fields.append(field)
    return fields


def _field(name: str, label: Label, values: Values, pages: Sequence[SampledPage]) -> ProposedField | None:
    by_place = {place: pages[place].values(label.given) for place in values}
    texts = [text for of_page in by_place.values() for text in of_page]
    if any(list(map(_letters, by_place[place])) != list(map(_letters, values[place])) for place in values):
        return None
    # What every page has may be the site's address, which a typing error makes two.
    if len(set(texts)) < (2 if len(by_place) < len(pages) else 3):
        return None
    kind = next((kind for kind in ("number", "date") if are_all(kind, texts, pages[0])), "text")
    given = label.given | ({"type": kind} if kind != "text" else {})
    by_place = {place: pages[place].values(given) for place in values}
    return proposed(name, given, by_place, f"{label.how} {label.label!r}")


def _labels(page: SampledPage) -> Iterator[tuple[Label, str]]:
    left = _MOST_LABELS
    for element in page.elements:
        for label, value in labels_of(element, page):
            if value and len(value) < MAX_TEXT // 2:
                left -= 1
                if left < 0:
                    return
                yield label, value


def _letters(text: str) -> str:
    """A text without white space, which elements inside of it may part or not."""
    return "".join(text.split())
