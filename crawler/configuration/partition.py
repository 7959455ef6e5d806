"""How pages are cut into pagelets, as the settings ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelets.partitions import Partition

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def partition_of(settings: BaseSettings) -> Partition:
    """What ``PARTITION`` and ``PAGELET_K`` say, which `crawler.configuration.checks` has checked."""
    return Partition(settings["PARTITION"], settings.getint("PAGELET_K"))
