"""Methods that judge the blocks of a page, by name, in the one place that knows them. A method is imported
when asked for.

A name may be composed: ``vote:a,b,c`` is the vote of three methods (`pagelets.literature.vote`). In a list
that commas part, its voters are parted by ``+``, as in ``a,vote:b+c``; `pagelets.registry` takes either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast

from pagelets.methods.base import CurveMethod, Extractor, Method, MethodError, SiteMethod

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import TypeIs


_OURS: Final = "pagelets.methods"
_LITERATURE: Final = "pagelets.literature"


@dataclass(slots=True, frozen=True)
class Factory:
    """Makes a method: the class at ``path`` (``package.module:Class``) with these ``parameters``.

    ``baseline`` tells an extractor by others, of one page, which ours are compared with. A preset is the
    method ``of`` another name with ``parameters`` of its own, and ``settings`` of the whole site that go with
    it where nobody says otherwise.
    """

    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    baseline: bool = False
    of: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self) -> Method | SiteMethod:
        """Imports the class, and returns the method."""
        module, _, name = self.path.partition(":")
        return cast("Method | SiteMethod", getattr(import_module(module), name)(**self.parameters))


@dataclass(slots=True, frozen=True)
class AddedFactory(Factory):
    """Makes a method of somebody else's, which may be anything."""

    def __call__(self) -> Method | SiteMethod:
        """Imports the class, and returns the method. Raises MethodError for a class of another kind."""
        try:
            method = Factory.__call__(self)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise MethodError(f"{self.path.replace(':', '.')} gives no method: {why}; mend it") from error
        wanted = ("cite", "version", "training", "check", "learn" if learns(method) else "judge")
        for name in wanted:
            if not hasattr(method, name):
                kind = "SiteMethod" if learns(method) else "Method"
                has = f"{self.path.replace(':', '.')} has no {name!r}"
                raise MethodError(f"{has}; help(pagelets.methods.base.{kind}) tells what a method has")
        return method


def _baseline(name: str, **parameters: Any) -> Factory:
    return Factory(f"{_LITERATURE}.baselines.extractors:{name}", parameters, baseline=True)


DEFAULT: Final = "judged"
"""The method of those who choose none."""
DETECTION: Final = "templates"
"""The method by which detection alone decides."""
EVERYTHING: Final = "all-text"
"""The method that keeps all there is: what every other one is measured against."""

COMPARED: Final = (DEFAULT, DETECTION, "danag", "cetr", "lqf", "k-mib")
"""The methods that stand beside a site's own where somebody compares and names none: one of each kind."""

METHODS: Final[Mapping[str, Factory]] = MappingProxyType(
    {
        EVERYTHING: Factory(f"{_OURS}.all_text:AllTextMethod"),
        "paper": Factory(
            f"{_OURS}.templates:TemplatesMethod",
            {"blocks": False},
            of=DETECTION,
            settings={
                "TEMPLATE_MIN_PAGES": 2,
                "TEMPLATE_MIN_SHARE": 0.0,
                "TEMPLATE_NEAR_DUPLICATES": True,
            },
        ),
        DETECTION: Factory(f"{_OURS}.templates:TemplatesMethod"),
        DEFAULT: Factory(f"{_OURS}.judged.method:JudgedMethod"),
        "danag": Factory(f"{_LITERATURE}.source.regions:DANAgMethod"),
        "addanag": Factory(f"{_LITERATURE}.source.regions:AdDANAgMethod"),
        "dana": Factory(f"{_LITERATURE}.source.regions:DANAMethod"),
        "r2l": Factory(f"{_LITERATURE}.source.regions:R2LMethod"),
        "cetr": Factory(f"{_LITERATURE}.source.cetr:CETRMethod"),
        "cetr-tm": Factory(f"{_LITERATURE}.source.cetr:CETRTMMethod"),
        "cetr-km": Factory(f"{_LITERATURE}.source.cetr:CETRKMMethod"),
        "ccb": Factory(f"{_LITERATURE}.source.ccb:CCBMethod"),
        "accb": Factory(f"{_LITERATURE}.source.ccb:CCBMethod", {"adapted": True}),
        "tccb": Factory(f"{_LITERATURE}.source.ccb:CCBMethod", {"tokens": True, "radius": 25}),
        "dsc": Factory(f"{_LITERATURE}.source.dsc:DSCMethod"),
        "density": Factory(f"{_LITERATURE}.source.regions:DensityMethod"),
        "bte": Factory(f"{_LITERATURE}.source.dsc:BTEMethod"),
        "crunch": Factory(f"{_LITERATURE}.tree.linked:CrunchMethod"),
        "k-mib": Factory(f"{_LITERATURE}.tree.wisdom:KMibMethod"),
        "lqf": Factory(f"{_LITERATURE}.tree.linked:LqfMethod"),
        "wisdom": Factory(f"{_LITERATURE}.tree.wisdom:WisdomMethod"),
        "content-extractor": Factory(f"{_LITERATURE}.site.content_extractor:ContentExtractorMethod"),
        "cst": Factory(f"{_LITERATURE}.site.style_tree:CstMethod"),
        "etdm": Factory(f"{_LITERATURE}.site.etdm:EtdmMethod"),
        "feature-extractor": Factory(f"{_LITERATURE}.site.content_extractor:FeatureExtractorMethod"),
        "infodiscoverer": Factory(f"{_LITERATURE}.site.infodiscoverer:InfoDiscovererMethod"),
        "rtdm-td": Factory(f"{_LITERATURE}.site.rtdm_td:RtdmTdMethod"),
        "sst": Factory(f"{_LITERATURE}.site.style_tree:SstMethod"),
        "boilerpy3": _baseline("BoilerPy3Method"),
        "goose3": _baseline("GooseMethod"),
        "justext": _baseline("JusTextMethod"),
        "newspaper4k": _baseline("NewspaperMethod"),
        "readability": _baseline("ReadabilityMethod"),
        "resiliparse": _baseline("ResiliparseMethod"),
        "trafilatura": _baseline("TrafilaturaMethod"),
        "trafilatura-no-comments": _baseline("TrafilaturaMethod", comments=False),
        "trafilatura-recall": _baseline("TrafilaturaMethod", favor_recall=True),
    }
)
"""Name -> what makes the method, of ours; `pagelets.registry` knows those that were added, too."""

VOTE: Final = "vote:"
"""What the name of a vote begins with."""
VOTE_PATH: Final = f"{_LITERATURE}.vote:vote"
PARTING: Final = re.compile("[,+]")


def learns(method: Method | SiteMethod) -> TypeIs[SiteMethod]:
    """Returns True if a method learns of hosts."""
    return hasattr(method, "learn")


def must_learn(method: Method | SiteMethod) -> TypeIs[SiteMethod]:
    """Returns True if a method has to learn of a host before it can judge its pages."""
    return learns(method) and not getattr(method, "judges_unlearned", False)


def reads_html(method: Method | SiteMethod) -> bool:
    """Returns True if a method may ask for the HTML of a page, the default."""
    return bool(getattr(method, "reads_html", True))


def teachable(method: Method | SiteMethod) -> bool:
    """Returns true if a method weighs what people have taught (`pagelets.judging.taught`)."""
    return bool(getattr(method, "teachable", False))


def extracts(method: Method | SiteMethod) -> TypeIs[Extractor]:
    """Returns True if a method gives a text of its own."""
    return hasattr(method, "extract")


def has_curve(method: object) -> TypeIs[CurveMethod]:
    """Returns True if a method judges by a curve along the page."""
    return hasattr(method, "curve")
