"""The facts of a site in memory, built from the results of detection."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pagelets.judging import naming
from pagelets.judging.engine import Judge
from pagelets.judging.facts import Changing, KnownTemplate, SiteFacts
from pagelets.judging.learning import HeldHost, HeldPages, HostView, is_large_enough
from pagelets.judging.other_titles import title_keys
from pagelets.judging.title import site_names
from pagelets.methods import learns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pagelets.judging.config import JudgeConfig
    from pagelets.judging.support import SupportTables


class FoundTemplate(NamedTuple):
    """A template without an id: its sketch, its support, and the number of its set of pages, None for all
    pages with the sketch.
    """

    sketch: int
    pages: int
    share: float
    page_set: int | None


class Host(NamedTuple):
    """A host: its name, and the number of pages that detection counts."""

    name: str
    pages: int


@dataclass(slots=True, frozen=True, eq=False)
class FoundSite:
    """The results of detection on the pages of a site.

    Args:
        templates: in the order in which a new store numbers them.
        page_sets: sets of pages, as sorted numbers.
        fingerprints: the fingerprints of the addresses of these pages.
        support: how often blocks repeat.
        hosts: by their numbers.
        titles: the titles of all pages.
        decided: sketch -> support, of those sketches that people decided on and that stand on a page.

    """

    templates: Sequence[FoundTemplate]
    page_sets: Sequence[NDArray[np.integer]]
    fingerprints: Sequence[NDArray[np.int64]]
    support: SupportTables
    hosts: Mapping[int, Host]
    titles: Iterable[str]
    decided: Mapping[int, tuple[int, float]]
    _models: dict[tuple[str, int], bytes] = field(default_factory=dict, init=False)

    def judge(self, config: JudgeConfig) -> Judge:
        """Returns the judge of the site's pages; call `learn` or `name` before the first."""
        rejected, detection = config.rejected, config.detection
        names, beside = site_names(self.titles, detection.min_pages)
        facts = SiteFacts(
            self._known(sorted(rejected)),
            self.page_sets.__getitem__,
            self.support,
            {number: host.pages for number, host in self.hosts.items()},
            detection=detection,
            rejected=rejected,
            changing=Changing.none(),
            affixes=names,
            beside=beside,
            titles=title_keys(self.titles, names),
            models=self._models,
        )
        return Judge(config, facts)

    def learn(self, judge: Judge, hosts: Mapping[int, str], pages: HeldPages) -> None:
        """Lets methods learn of each host, and names the facts of the site.

        Args:
            judge: the judge that `judge` has returned.
            hosts: the names of hosts, by their numbers.
            pages: the pages of the site.

        """
        for name in judge.config.methods:
            method = judge.methods.made(name)
            if learns(method):
                size = Counter(pages.hosts)
                for host in sorted(hosts, key=hosts.__getitem__):
                    if is_large_enough(method, size[host]):
                        self._models[name, host] = method.learn(HostView(HeldHost(pages, host)))
        self.name(judge, hosts)

    def name(self, judge: Judge, hosts: Mapping[int, str] = MappingProxyType({})) -> None:
        """Names the facts of the site, as a new store of the same pages does. ``hosts`` are the hosts that
        methods have learned of.
        """
        config = judge.config
        names = [naming.page_set_name(fingerprints) for fingerprints in self.fingerprints]
        rows = (
            (
                template.sketch,
                b"" if template.page_set is None else names[template.page_set],
                template.pages,
                template.share,
            )
            for template in self.templates
            if template.sketch not in config.decisions
        )
        sizes = sorted((host.name, host.pages) for host in self.hosts.values() if host.pages)
        models = sorted(
            (name, hosts[host], config.registry.version_of(name), model)
            for (name, host), model in self._models.items()
        )
        support, learned = naming.support_name(self.support, sizes), naming.learned_name(models)
        evidence = naming.evidence_name(support, b"", learned, config.detection, config.fingerprint)
        templates = naming.templates_name(rows, sorted(config.decisions.items()))
        assert judge.facts is not None
        judge.facts.version = naming.site_version(templates, evidence)

    def _known(self, decided: Sequence[int]) -> list[KnownTemplate]:
        """The templates with their ids, and those of decided sketches that were not found."""
        sketches = {row.sketch for row in self.templates}
        rows = zip(numbered(self.templates, decided), self.templates, strict=True)
        known = [KnownTemplate(number, *template) for number, template in rows]
        known += [
            KnownTemplate(number, sketch, *self.decided.get(sketch, (0, 0.0)), None)
            for number, sketch in enumerate(decided, start=1)
            if sketch not in sketches
        ]
        return sorted(known, key=lambda row: (-row.pages, row.template))


def numbered(templates: Sequence[FoundTemplate], decided: Sequence[int]) -> list[int]:
    """Returns the ids of templates, as the first crawl of a store numbers them.

    The sketches in ``decided``, which are sorted, have their ids before detection. Of several templates of
    such a sketch the one on most pages takes that id.
    """
    number_of = {sketch: number for number, sketch in enumerate(decided, start=1)}
    going_on: dict[int, int] = {}
    for place, template in enumerate(templates):
        if (
            template.sketch in number_of
            and template.pages > templates[going_on.setdefault(template.sketch, place)].pages
        ):
            going_on[template.sketch] = place
    new = count(len(number_of) + 1)
    return [
        number_of[template.sketch] if going_on.get(template.sketch) == place else next(new)
        for place, template in enumerate(templates)
    ]
