"""The partition of pages into pagelets, from the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelets.partitions import Partition

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def partition_of(settings: BaseSettings) -> Partition:
    """Returns the partition of ``PARTITION`` and ``PAGELET_K``, which `crawler.configuration.checks` has
    checked.
    """
    return Partition(settings["PARTITION"], settings.getint("PAGELET_K"))
