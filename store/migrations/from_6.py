"""Tables and columns are called what the literature calls them."""

from __future__ import annotations

from typing import Final

STEP: Final = """
ALTER TABLE contents RENAME TO fragments;
ALTER TABLE fragments RENAME COLUMN content TO fragment;
ALTER TABLE fragments RENAME COLUMN blocks TO block_keys;
ALTER TABLE content_index RENAME TO fragment_index;
ALTER TABLE fragment_index RENAME COLUMN content TO fragment;
ALTER TABLE dropped_contents RENAME TO dropped_fragments;
ALTER TABLE dropped_fragments RENAME COLUMN content TO fragment;
ALTER TABLE content_links RENAME TO fragment_links;
ALTER TABLE fragment_links RENAME COLUMN content TO fragment;
ALTER TABLE paths RENAME TO tag_paths;
ALTER TABLE tag_paths RENAME COLUMN path TO tag_path;
ALTER TABLE pagelets RENAME COLUMN content TO fragment;
ALTER TABLE pagelets RENAME COLUMN path TO tag_path;
ALTER TABLE places RENAME TO tag_path_support;
ALTER TABLE tag_path_support RENAME COLUMN place TO tag_path_key;
ALTER TABLE tag_path_support RENAME COLUMN fresh TO singleton_share;
ALTER TABLE tag_path_support RENAME COLUMN repeats TO document_frequency;
ALTER TABLE earlier_pages RENAME TO previous_versions;
ALTER TABLE dictionaries RENAME COLUMN content TO sample;
UPDATE meta SET key = 'indexed_fragments' WHERE key = 'indexed_contents';
UPDATE meta SET value = json_remove(json_set(value, '$.previous', value ->> '$.earlier'), '$.earlier')
WHERE key = 'deriving' AND value ->> '$.earlier' IS NOT NULL;
CREATE TABLE waiting_decisions (
    sketch INTEGER PRIMARY KEY,
    state TEXT,
    text TEXT NOT NULL,
    decided_at TEXT NOT NULL
);
CREATE TABLE document_changes (
    page INTEGER NOT NULL REFERENCES pages,
    run INTEGER NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (page, run)
) WITHOUT ROWID;
INSERT INTO document_changes SELECT page, 0, 'came' FROM documents WHERE delivered AND op = 'index';
"""
