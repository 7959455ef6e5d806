"""Which run has last seen a page's text change."""

from __future__ import annotations

from typing import Final

STEP: Final = """
ALTER TABLE pages ADD COLUMN changed_run INTEGER;
UPDATE pages SET changed_run = fetched_run WHERE state = 'held';
"""
