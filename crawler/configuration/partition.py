"""How pages are cut into pagelets, as the settings ask for it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from crawler.configuration.selectors import selectors_of
from pagelets.partitions import Partition
from pagelets.reading import WALK_VERSION
from pagelets.record import SCHEME

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def partition_of(settings: BaseSettings) -> Partition:
    """What ``PARTITION`` and ``PAGELET_K`` say, which `crawler.configuration.checks` has checked."""
    return Partition(settings["PARTITION"], settings.getint("PAGELET_K"))


def derivation(settings: BaseSettings) -> str:
    """The parameters that pagelets and sketches are made with, as text: what was made with others is derived
    again, never mixed.
    """
    selectors = selectors_of(settings)
    parted = {"keep": selectors.keep, "drop": selectors.drop}
    numbers = {**partition_of(settings).parameters, "walk": WALK_VERSION, **parted, **asdict(SCHEME)}
    return json.dumps(numbers, sort_keys=True, default=str)
