"""The store knows the documents that each search index has received."""

from __future__ import annotations

from typing import Final

STEP: Final = """
ALTER TABLE documents ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN kept_back INTEGER NOT NULL DEFAULT 0;
UPDATE documents SET version = page;
INSERT OR REPLACE INTO meta SELECT 'document_version', coalesce(max(page), 0) FROM documents;

CREATE TABLE sinks (
    sink INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    identity TEXT NOT NULL DEFAULT ''
);

CREATE TABLE deliveries (
    sink INTEGER NOT NULL REFERENCES sinks,
    url TEXT NOT NULL,
    version INTEGER NOT NULL,
    units INTEGER NOT NULL,
    PRIMARY KEY (sink, url)
) WITHOUT ROWID;

CREATE TABLE dead_letters (
    sink INTEGER NOT NULL REFERENCES sinks,
    url TEXT NOT NULL,
    version INTEGER NOT NULL,
    reason TEXT NOT NULL,
    refused_at TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 1,
    discarded INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (sink, url)
) WITHOUT ROWID;
"""
