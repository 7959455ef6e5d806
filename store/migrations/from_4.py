"""Which run has last seen a page's text change; what is due is found host by host."""

from __future__ import annotations

from typing import Final

STEP: Final = """
ALTER TABLE pages ADD COLUMN changed_run INTEGER;
UPDATE pages SET changed_run = fetched_run WHERE state = 'held';
DROP INDEX pages_due;
CREATE INDEX pages_due ON pages (host, depth, page) WHERE due;
"""
