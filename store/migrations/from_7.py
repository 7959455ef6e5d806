"""The values of a site's fields, page by page."""

from __future__ import annotations

from typing import Final

STEP: Final = """
ALTER TABLE documents ADD COLUMN fields_hash TEXT;

CREATE TABLE page_fields (
    page INTEGER PRIMARY KEY REFERENCES pages,
    extraction TEXT NOT NULL,
    fields_hash TEXT NOT NULL,
    found TEXT NOT NULL,
    flags TEXT NOT NULL,
    extracted TEXT NOT NULL
);
"""
