"""The tables of a site's store: described in `docs/store.md`, changed by `store.migrations`."""

from __future__ import annotations

from typing import Final

VERSION: Final = 9

TABLES: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE hosts (host INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, pages INTEGER NOT NULL DEFAULT 0);

CREATE TABLE pages (
    page INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    host INTEGER NOT NULL REFERENCES hosts,
    state TEXT NOT NULL,
    reason TEXT,
    due INTEGER NOT NULL DEFAULT 0,
    depth INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    run INTEGER,
    fetched_run INTEGER,
    target INTEGER,
    status INTEGER,
    fetched_at TEXT,
    fingerprint INTEGER,
    title TEXT,
    flags TEXT NOT NULL DEFAULT '',
    excluded TEXT,
    canonical INTEGER,
    seen_run INTEGER,
    checked_at INTEGER,
    interval INTEGER,
    modified INTEGER,
    missed INTEGER NOT NULL DEFAULT 0,
    linked INTEGER NOT NULL DEFAULT 1,
    changed_run INTEGER
);
CREATE INDEX pages_due ON pages (host, depth, page) WHERE due;

CREATE TABLE follows (
    page INTEGER NOT NULL REFERENCES pages,
    target INTEGER NOT NULL REFERENCES pages,
    PRIMARY KEY (page, target)
) WITHOUT ROWID;

CREATE TABLE sitemaps (sitemap INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, run INTEGER NOT NULL);

CREATE TABLE sitemap_pages (
    sitemap INTEGER NOT NULL REFERENCES sitemaps,
    page INTEGER NOT NULL REFERENCES pages,
    PRIMARY KEY (sitemap, page)
) WITHOUT ROWID;

CREATE TABLE dictionaries (dictionary INTEGER PRIMARY KEY, sample BLOB NOT NULL);

CREATE TABLE bodies (
    page INTEGER PRIMARY KEY REFERENCES pages,
    encoding TEXT NOT NULL,
    headers BLOB NOT NULL,
    dictionary INTEGER,
    size INTEGER NOT NULL,
    body BLOB NOT NULL
);

CREATE TABLE previous_versions (
    page INTEGER PRIMARY KEY REFERENCES pages,
    columns TEXT NOT NULL,
    encoding TEXT NOT NULL,
    headers BLOB NOT NULL,
    dictionary INTEGER,
    size INTEGER NOT NULL,
    body BLOB NOT NULL,
    pagelets BLOB NOT NULL,
    follows BLOB NOT NULL
);

CREATE TABLE fragments (
    fragment INTEGER PRIMARY KEY,
    fingerprint INTEGER NOT NULL,
    sketch INTEGER NOT NULL,
    sketch_values BLOB NOT NULL,
    words INTEGER NOT NULL,
    chars INTEGER NOT NULL,
    links INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    block_keys BLOB NOT NULL
);

CREATE TABLE fragment_index (fingerprint INTEGER PRIMARY KEY, fragment INTEGER NOT NULL REFERENCES fragments);
CREATE TABLE dropped_fragments (fragment INTEGER PRIMARY KEY REFERENCES fragments);

CREATE TABLE fragment_links (
    fragment INTEGER NOT NULL REFERENCES fragments,
    position INTEGER NOT NULL,
    target INTEGER NOT NULL REFERENCES pages,
    anchor TEXT NOT NULL,
    nofollow INTEGER NOT NULL,
    PRIMARY KEY (fragment, position)
) WITHOUT ROWID;

CREATE TABLE tag_paths (
    tag_path INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,
    step TEXT NOT NULL,
    UNIQUE (parent, step)
);

CREATE TABLE pagelets (
    page INTEGER NOT NULL REFERENCES pages,
    position INTEGER NOT NULL,
    fragment INTEGER NOT NULL REFERENCES fragments,
    tag_path INTEGER NOT NULL REFERENCES tag_paths,
    PRIMARY KEY (page, position)
) WITHOUT ROWID;

CREATE TABLE page_sets (page_set INTEGER PRIMARY KEY, pages BLOB NOT NULL);

CREATE TABLE templates (
    template INTEGER PRIMARY KEY AUTOINCREMENT,
    sketch INTEGER NOT NULL,
    page_set INTEGER REFERENCES page_sets,
    algorithm TEXT NOT NULL,
    min_pages INTEGER NOT NULL,
    min_share REAL NOT NULL,
    pages INTEGER NOT NULL,
    share REAL NOT NULL,
    sample_page INTEGER NOT NULL,
    sample_position INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'found',
    first_run INTEGER NOT NULL,
    last_run INTEGER NOT NULL
);
CREATE INDEX templates_sketch ON templates (sketch);
CREATE TABLE judged_support (template INTEGER PRIMARY KEY, pages INTEGER NOT NULL, share REAL NOT NULL);

CREATE TABLE decisions (
    sketch INTEGER PRIMARY KEY,
    state TEXT NOT NULL,
    text TEXT NOT NULL,
    decided_at TEXT NOT NULL
);

CREATE TABLE waiting_decisions (
    sketch INTEGER PRIMARY KEY,
    state TEXT,
    text TEXT NOT NULL,
    decided_at TEXT NOT NULL
);

CREATE TABLE blocks (fingerprint INTEGER PRIMARY KEY, pages INTEGER NOT NULL, share REAL NOT NULL);
CREATE TABLE placed_blocks (fingerprint INTEGER PRIMARY KEY, pages INTEGER NOT NULL, share REAL NOT NULL);

CREATE TABLE tag_path_support (
    tag_path_key INTEGER PRIMARY KEY,
    pages INTEGER NOT NULL,
    share REAL NOT NULL,
    singleton_share REAL NOT NULL,
    document_frequency REAL NOT NULL
);

CREATE TABLE changing_blocks (
    placed INTEGER PRIMARY KEY,
    changed INTEGER NOT NULL,
    still INTEGER NOT NULL DEFAULT 0,
    pages INTEGER NOT NULL,
    sample TEXT NOT NULL
);

CREATE TABLE learned (
    method TEXT NOT NULL,
    host INTEGER NOT NULL REFERENCES hosts,
    version TEXT NOT NULL,
    pages TEXT NOT NULL,
    model BLOB NOT NULL,
    PRIMARY KEY (method, host)
);

CREATE TABLE documents (
    page INTEGER PRIMARY KEY REFERENCES pages,
    run INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    template_version TEXT NOT NULL,
    mask BLOB NOT NULL,
    reasons TEXT NOT NULL,
    delivered INTEGER NOT NULL DEFAULT 0,
    op TEXT NOT NULL DEFAULT 'index',
    deleted_for TEXT,
    version INTEGER NOT NULL DEFAULT 0,
    kept_back INTEGER NOT NULL DEFAULT 0,
    basis BLOB,
    keys BLOB,
    steady_hash TEXT,
    sent_hash TEXT,
    fields_hash TEXT,
    settled_mask BLOB,
    settled_keys BLOB
);

CREATE TABLE page_fields (
    page INTEGER PRIMARY KEY REFERENCES pages,
    extraction TEXT NOT NULL,
    fields_hash TEXT NOT NULL,
    found TEXT NOT NULL,
    flags TEXT NOT NULL,
    extracted TEXT NOT NULL
);

CREATE TABLE document_changes (
    page INTEGER NOT NULL REFERENCES pages,
    run INTEGER NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (page, run)
) WITHOUT ROWID;

CREATE TABLE sinks (sink INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, identity TEXT NOT NULL DEFAULT '');

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

CREATE TABLE signatures (
    page INTEGER PRIMARY KEY REFERENCES pages,
    signature BLOB NOT NULL,
    stands_for INTEGER
);

CREATE TABLE signature_bands (
    band INTEGER NOT NULL,
    page INTEGER NOT NULL REFERENCES pages,
    PRIMARY KEY (band, page)
) WITHOUT ROWID;

CREATE TABLE runs (
    run INTEGER PRIMARY KEY,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    outcome TEXT,
    parameters TEXT NOT NULL,
    versions TEXT NOT NULL,
    counts TEXT NOT NULL DEFAULT '{}'
);
"""
