"""Hosts by name and by address."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.crawls import lines, scrapy
from tests.served import moved, page, served


def listens_to_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.skipif(not listens_to_ipv6(), reason="needs IPv6")
def test_a_site_at_an_ipv6_address_is_crawled(tmp_path: Path) -> None:
    with served({"/": page("home", "/a", "/b"), "/b": page("b"), "/a": moved("/b")}, host="::1") as site:
        done = scrapy(tmp_path, "-a", f"url={site.base}/", "-o", "-:jsonlines")
    assert (done.returncode, done.stderr) == (0, "")
    assert [document["url"] for document in lines(done.stdout)] == [f"{site.base}/", f"{site.base}/b"]
