"""Validators: what a server names the state of a page by, ETag and Last-Modified."""

from __future__ import annotations


def validators(headers: list[tuple[str, str]]) -> tuple[str, str]:
    """ETag and Last-Modified among name and value pairs, empty where they lack."""
    by_name = {name.lower(): value.strip() for name, value in headers}
    return by_name.get("etag", ""), by_name.get("last-modified", "")
