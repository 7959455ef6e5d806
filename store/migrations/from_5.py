"""Models that methods have learned of a site's hosts."""

from __future__ import annotations

from typing import Final

STEP: Final = """
CREATE TABLE learned (
    method TEXT NOT NULL,
    host INTEGER NOT NULL REFERENCES hosts,
    version TEXT NOT NULL,
    pages TEXT NOT NULL,
    model BLOB NOT NULL,
    PRIMARY KEY (method, host)
);
"""
