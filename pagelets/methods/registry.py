"""Methods by name: the one place that knows them. What a name stands for is imported when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from pagelets.methods.base import MethodError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import TypeIs

    from pagelets.methods.base import Extractor, Method, SiteMethod

_OURS: Final = "pagelets.methods"


@dataclass(slots=True, frozen=True, eq=False)
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


@dataclass(slots=True, frozen=True, eq=False)
class _Added(Factory):
    """Makes a method of somebody else's, which may be anything."""

    def __call__(self) -> Method | SiteMethod:
        """Imports the class, and returns the method. Raises MethodError where that is none."""
        try:
            method = Factory.__call__(self)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise MethodError(f"{self.path.replace(':', '.')} gives no method: {said}; mend it") from error
        wanted = ("cite", "version", "training", "check", "learn" if learns(method) else "judge")
        for name in wanted:
            if not hasattr(method, name):
                raise MethodError(f"{self.path.replace(':', '.')} has no {name!r}; see docs/extending.md")
        return method


def _baseline(module: str, name: str, **parameters: Any) -> Factory:
    return Factory(f"{_OURS}.baselines.{module}:{name}", parameters, baseline=True)


DEFAULT: Final = "judged"
"""The method of those who choose none."""
DETECTION: Final = "templates"
"""The method by which detection alone decides."""
EVERYTHING: Final = "all-text"
"""The method that keeps all there is: what every other one is measured against."""

METHODS: Final[dict[str, Factory]] = {
    EVERYTHING: Factory(f"{_OURS}.all_text:AllTextMethod"),
    "paper": Factory(
        f"{_OURS}.templates:TemplatesMethod",
        {"blocks": False},
        of=DETECTION,
        settings={"TEMPLATE_MIN_PAGES": 2, "TEMPLATE_MIN_SHARE": 0.0},
    ),
    DETECTION: Factory(f"{_OURS}.templates:TemplatesMethod"),
    DEFAULT: Factory(f"{_OURS}.judged.method:JudgedMethod"),
    "justext": _baseline("justext", "JusTextMethod"),
    "readability": _baseline("readability", "ReadabilityMethod"),
    "resiliparse": _baseline("resiliparse", "ResiliparseMethod"),
    "trafilatura": _baseline("trafilatura", "TrafilaturaMethod"),
    "trafilatura-no-comments": _baseline("trafilatura", "TrafilaturaMethod", comments=False),
    "trafilatura-recall": _baseline("trafilatura", "TrafilaturaMethod", favor_recall=True),
}
"""Name -> what makes the method. Holds those that were added, too."""

_NAMES: Final = frozenset(METHODS)


def add_methods(paths: Mapping[str, str]) -> None:
    """Has this process know methods beside ours, and no others: name -> import path of the class.

    A class is imported when its method is asked for. Raises ValueError where a name is one of ours.
    """
    for name in METHODS.keys() - _NAMES:
        del METHODS[name]
    for name, path in paths.items():
        if name in _NAMES:
            raise ValueError(f"{name!r} is a method of ours; give yours another name")
        METHODS[name] = _Added(":".join(path.rsplit(".", 1)))


def version_of(name: str) -> str:
    """The name of a method with its version: what judges by another one may judge otherwise.

    Raises KeyError where there is no such method, and MethodError where it lacks what it needs.
    """
    return f"{name} {METHODS[name]().version}".rstrip()


def page_method(name: str) -> Method:
    """The method of a name, which judges pages as they come.

    Raises KeyError where there is no such method, and MethodError where it has to learn of their site first.
    """
    method = METHODS[name]()
    if learns(method):
        raise MethodError(f"{name} has to learn of a site first; crawl it with this method")
    return method


def learns(method: Method | SiteMethod) -> TypeIs[SiteMethod]:
    """Whether a method has to learn of a host before it can judge its pages."""
    return hasattr(method, "learn")


def extracts(method: Method | SiteMethod) -> TypeIs[Extractor]:
    """Whether a method gives a text of its own."""
    return hasattr(method, "extract")
