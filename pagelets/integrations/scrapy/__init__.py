"""Clean fields for items of any Scrapy project: ``ADDONS = {"pagelets.integrations.scrapy.Addon": 500}``."""

from __future__ import annotations

from pagelets.integrations.scrapy.addon import Addon

__all__ = ["Addon"]
