"""Migrations of the tables of earlier versions to those of today.

Each step of `STEPS` is the SQL that makes the tables of a version those of the next one. A step that has been
released is never edited again, and takes nothing from `store.schema` or another step: it does what was right
in its time.

Until version 9 is released, who needs a table or a column adds it in two places that say the same:
`store.schema.TABLES`, a column as the last of its table, and the step of version 8, a column by ``ALTER TABLE
… ADD COLUMN`` with the same words. A column that is NOT NULL needs a DEFAULT. Tests open stores of each
earlier version, kept as SQL in `tests/store/versions`, and compare their tables with those of a new store.
After the release the next change is a step of version 9, and ``store.schema.VERSION`` 10.

A step runs in one transaction with the number of its version. Statements are separated by a semicolon at the
end of a line. What pages have to be read again for is no migration but a derivation: the next crawl's.
"""

from __future__ import annotations

from typing import Final

STEPS: Final = {
    # The store knows the documents that each search index has received.
    3: """
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
""",
    # Which run has last seen a page's text change; what is due is found host by host; what a recrawl
    # remembers of its judgement, and of blocks whose digits change.
    4: """
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
""",
    # Models that methods have learned of a site's hosts.
    5: """
CREATE TABLE learned (
    method TEXT NOT NULL,
    host INTEGER NOT NULL REFERENCES hosts,
    version TEXT NOT NULL,
    pages TEXT NOT NULL,
    model BLOB NOT NULL,
    PRIMARY KEY (method, host)
);
""",
    # Tables and columns are called what the literature calls them.
    6: """
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
""",
    # The values of a site's fields, page by page.
    7: """
ALTER TABLE documents ADD COLUMN fields_hash TEXT;

CREATE TABLE page_fields (
    page INTEGER PRIMARY KEY REFERENCES pages,
    extraction TEXT NOT NULL,
    fields_hash TEXT NOT NULL,
    found TEXT NOT NULL,
    flags TEXT NOT NULL,
    extracted TEXT NOT NULL
);
""",
    # The verdicts of the last round, while a later run has not ended.
    8: """
ALTER TABLE documents ADD COLUMN settled_mask BLOB;
ALTER TABLE documents ADD COLUMN settled_keys BLOB;
""",
}
"""Version -> the SQL that makes its tables those of the next one."""
