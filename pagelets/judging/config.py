"""The rules of judging as one value, and its names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from pagelets.fields import REPLACEABLE, FieldColumn
from pagelets.judging.by_url import KINDS
from pagelets.judging.decisions import REJECTED
from pagelets.judging.parameters import Detection, Duplicates
from pagelets.methods import DEFAULT, must_learn
from pagelets.overrides import AUTO, NO_SELECTORS, Selectors
from pagelets.partitions import DEFAULT as BY_LINKS
from pagelets.partitions import Partition
from pagelets.reading import WALK_VERSION
from pagelets.reading.fields import NO_FIELDS, Extraction
from pagelets.record import SCHEME
from pagelets.registry import OURS, Registry


@dataclass(slots=True, frozen=True, kw_only=True)
class JudgeConfig:
    """The rules by which the pages of a site are judged, and the fields of their Documents.

    It holds values alone, so that every process makes the same Document of a page.

    Args:
        site: the name of the site.
        method: the name of the method.
        overrides: methods and fields by URL (`pagelets.judging.by_url`); ``selectors`` has their selectors.
        partition: cuts pages into pagelets.
        detection: finds templates and repeated blocks.
        selectors: keep and drop elements, of every page and by URL.
        nosnippet: whether ``data-nosnippet`` is heeded.
        kinds: what becomes of `KINDS` of blocks, each one of `pagelets.overrides.CHOICES`, else `AUTO`.
        decisions: sketch -> state, decided by people, for callers without a store.
        duplicates: compares the texts of pages.
        taught: selector -> weight in log odds (`pagelets.judging.taught`).
        fields: the fields of a Document unless an override names others; empty for all but those on request.
        more_fields: fields that every Document has besides.
        known_as: the name that an earlier program gave to the same rules (`as_known`).
        registry: knows the methods and fields by name.
        extraction: takes the values of the site's fields from pages.

    """

    site: str = ""
    method: str = DEFAULT
    overrides: Sequence[Mapping[str, Any]] = ()
    partition: Partition = BY_LINKS
    detection: Detection = field(default_factory=Detection)
    selectors: Selectors = NO_SELECTORS
    nosnippet: bool = True
    kinds: Mapping[str, str] = field(default_factory=dict)
    decisions: Mapping[int, str] = field(default_factory=dict)
    duplicates: Duplicates = field(default_factory=Duplicates)
    taught: Mapping[str, float] = field(default_factory=dict)
    fields: Sequence[str] = ()
    more_fields: frozenset[str] = frozenset()
    known_as: str = ""
    registry: Registry = OURS
    extraction: Extraction = NO_FIELDS

    @property
    def methods(self) -> list[str]:
        """The names of the methods in force, each once: first that of the site, then those of overrides."""
        others = (override["method"] for override in self.overrides if "method" in override)
        return list(dict.fromkeys([self.method, *others]))

    @property
    def all_fields(self) -> set[str]:
        """The fields that some Document has."""
        of_overrides = (name for override in self.overrides for name in override.get("fields", ()))
        return {*self.fields, *self.more_fields, *of_overrides}

    @property
    def columns(self) -> tuple[FieldColumn, ...]:
        """The fields that are not ours, as feeds and indexes have them."""
        added = self.registry.fields_for(self.all_fields)
        return tuple(new_field.column for new_field in added if new_field.name not in REPLACEABLE)

    @property
    def needs_links(self) -> bool:
        """True if detection or a method looks at the links between pages."""
        methods = (self.registry.factory(name)() for name in self.methods)
        return self.detection.algorithm == "global" or any(map(must_learn, methods))

    @property
    def rejected(self) -> dict[int, bool]:
        """Sketch -> True if it was rejected, False if it was pinned."""
        return {sketch: state == REJECTED for sketch, state in self.decisions.items()}

    @property
    def derivation(self) -> str:
        """The parameters that pagelets and sketches are made with, as text: what was made with others is
        derived again, never mixed.
        """
        parted = self.selectors.parameters
        numbers = {**self.partition.parameters, "walk": WALK_VERSION, **parted, **asdict(SCHEME)}
        return json.dumps(numbers, sort_keys=True, default=str)

    @property
    def fingerprint(self) -> str:
        """Names all that decides on a Document beside what the site knows of the page."""
        version, *others = map(self.registry.version_of, self.methods)
        return self.known_as or self._named(version, others)

    @property
    def fingerprint_before(self) -> str:
        """The same as programs named it that made stores of version 5: an upgrade alone judges no page
        otherwise. Of methods they named the site's alone, and its model.
        """
        name = self.method
        named = name if self.registry.factory(name)().training is None else self.registry.version_of(name)
        return self._named(named, ())

    def as_known(self, name: str | None) -> Self:
        """The same, called as an earlier program called it where ``name`` is that."""
        return replace(self, known_as=name) if name == self.fingerprint_before else self

    def judged_with(self, fingerprint: str) -> str:
        """Names how templates are found, and what judges by them, as stores hold it; takes a name of the
        latter.
        """
        parts = {**asdict(self.detection), "judgement": fingerprint}
        if not self.detection.near_duplicates:
            # Stores hold this text, some without it.
            del parts["near_duplicates"]
        return f"Detector({', '.join(f'{name}={value!r}' for name, value in parts.items())})"

    def _named(self, method: str, others: Sequence[str]) -> str:
        # Stores hold this text: another one, though it says the same, has every page judged again.
        duplicates = self.duplicates
        parts: dict[str, Any] = {
            "method": method,
            "derivation": self.derivation,
            "nosnippet": self.nosnippet,
            "duplicates": [duplicates.compared, duplicates.min_similarity, duplicates.left_out],
            "overrides": list(self.overrides),
        }
        if others:
            parts["methods"] = others
        parts |= {name: self.kinds[name] for name in KINDS if self.kinds.get(name, AUTO) != AUTO}
        if self.taught:
            parts["taught"] = sorted((name, float(weight)) for name, weight in self.taught.items())
        return repr(parts)
