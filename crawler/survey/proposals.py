"""Proposals of a survey for a site's file: fields, elements to drop, URLs to deny."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from crawler.survey.fields import declared_fields, labelled_fields
from crawler.survey.systems import Recognised, recognised
from pagelets.reading.fields import WrongField
from pagelets.registry import OURS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from crawler.survey.fields import ProposedField
    from inspection.sampled_page import SampledPage
    from pagelets.registry import Registry

    T = TypeVar("T")

MOST: Final = 16
"""Fields that are proposed."""

logger = logging.getLogger(__name__)


@dataclass(slots=True, frozen=True)
class Proposals:
    """Proposals for a site file, and the number of ``pages`` that were examined for them."""

    pages: int = 0
    fields: Sequence[ProposedField] = ()
    systems: Recognised = field(default_factory=Recognised)


def proposals_of(
    sample: Sequence[SampledPage],
    urls: Collection[str],
    wanted: Collection[str],
    registry: Registry = OURS,
) -> Proposals:
    """Returns what the pages of a sample propose. Never raises.

    Args:
        sample: the pages; those that would take long are left out.
        urls: the URLs in scope that they name.
        wanted: URLs that are pages to have.
        registry: knows the fields that documents have already.

    """
    pages = [page for page in sample if page.is_usual]
    none: list[ProposedField] = []
    declared = _tried(partial(declared_fields, pages), none)
    fields = _new(declared, registry)
    fields += _new(_tried(partial(labelled_fields, pages, fields), none), registry)
    systems = _tried(partial(recognised, pages, urls, wanted), Recognised())
    return Proposals(len(pages), fields[:MOST], systems)


def _new(fields: Sequence[ProposedField], registry: Registry) -> list[ProposedField]:
    """The fields whose names are free."""
    free = []
    for proposal in fields:
        try:
            registry.check_new_field(proposal.name)
        except WrongField:
            continue
        free.append(proposal)
    return free


def _tried(look: Callable[[], T], otherwise: T) -> T:
    """Returns what is found, or ``otherwise`` if something on a page makes looking fail."""
    try:
        return look()
    except Exception:
        logger.exception("Not all of the sample was looked through")
        return otherwise
