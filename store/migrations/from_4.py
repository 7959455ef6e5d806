"""Which run has last seen a page's text change; what is due is found host by host; what a recrawl remembers
of its judgement, and of blocks whose digits change.
"""

from __future__ import annotations

from typing import Final

STEP: Final = """
ALTER TABLE pages ADD COLUMN changed_run INTEGER;
UPDATE pages SET changed_run = fetched_run WHERE state = 'held';
DROP INDEX pages_due;
CREATE INDEX pages_due ON pages (host, depth, page) WHERE due;

CREATE TABLE judged_support (
    template INTEGER PRIMARY KEY,
    pages INTEGER NOT NULL,
    share REAL NOT NULL
);
INSERT INTO judged_support SELECT template, pages, share FROM templates;

ALTER TABLE documents ADD COLUMN basis BLOB;
ALTER TABLE documents ADD COLUMN keys BLOB;
ALTER TABLE documents ADD COLUMN steady_hash TEXT;
ALTER TABLE documents ADD COLUMN sent_hash TEXT;

CREATE TABLE changing_blocks (
    placed INTEGER PRIMARY KEY,
    changed INTEGER NOT NULL,
    still INTEGER NOT NULL DEFAULT 0,
    pages INTEGER NOT NULL,
    sample TEXT NOT NULL
);
"""
