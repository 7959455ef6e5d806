"""Validators: what a server names the state of a page by, ETag and Last-Modified."""

from __future__ import annotations


def validators(headers: list[tuple[str, str]]) -> tuple[str, str]:
    """ETag and Last-Modified among name and value pairs, empty where they lack."""
    found = {name.lower(): value.strip() for name, value in headers}
    return found.get("etag", ""), found.get("last-modified", "")
