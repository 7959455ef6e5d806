"""The methods that are measured: by name, or all that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.registry import OURS, Registry
from settings.errors import ConfigurationError
from settings.types import ready

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pagelets.methods.base import Training

ALL: Final = "all"
"""Stands for every method that has what it needs."""


class MethodChoice(NamedTuple):
    """The names of methods, each once, and of those that are left out why they are."""

    methods: list[str]
    left_out: Mapping[str, str]


def choose(names: Iterable[str], registry: Registry = OURS) -> MethodChoice:
    """The methods of these names, which the registry knows; `ALL` may be one.

    Raises ConfigurationError where one that is named is unknown or lacks what it needs.
    """
    methods: dict[str, None] = {}
    left_out: dict[str, str] = {}
    for name in names:
        if name.strip() != ALL:
            methods |= dict.fromkeys(check_methods([name], registry)) if name.strip() else {}
            continue
        for each in registry.methods:
            try:
                ready(each, registry)
            except ConfigurationError as error:
                left_out[each] = str(error)
            else:
                methods[each] = None
    return MethodChoice(check_methods(methods, registry), left_out)


def check_methods(names: Iterable[str], registry: Registry = OURS) -> list[str]:
    """The methods of these names, which the registry knows, each once.

    Raises ConfigurationError where one is unknown or lacks what it needs.
    """
    methods = list(dict.fromkeys(name.strip() for name in names if name.strip()))
    if not methods:
        raise ConfigurationError("no method; give --method NAME,NAME")
    for name in methods:
        ready(name, registry)
    return methods


def trained(methods: Iterable[str], registry: Registry = OURS) -> dict[str, Training]:
    """Returns the training of the methods that have a model; hosts in lower case.

    Takes methods that are ready (`check_methods`).
    """
    trainings = {name: registry.factory(name)().training for name in methods}
    return {
        name: training._replace(hosts=frozenset(map(str.lower, training.hosts)))
        for name, training in trainings.items()
        if training is not None
    }
