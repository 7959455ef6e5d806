"""Whatever a page is, each method over the tree gives a mask."""

from __future__ import annotations

import pytest
from hypothesis import given

from pagelets.methods import METHODS, learns
from pagelets.methods.base import Method, Subject
from pagelets.reading import read
from tests.pagelets.literature.tree.test_mib import Host
from tests.pagelets.reading.test_reading import HTML, URL

NAMES = sorted(name for name, factory in METHODS.items() if ".tree." in factory.path)

HOSTILE = {
    "nothing": "",
    "a single text": "words",
    "no text": "<div><img src=x></div>" * 10,
    "no links": "<p>words of a page</p>" * 10,
    "only links": "<li><a href=/x>a page</a>" * 10,
    "right to left": "<p dir=rtl>שלום עולם <a href=/x>קישור</a></p>" * 10,
    "no spaces": "<p>汉字汉字<a href=/x>汉字</a></p>" * 10,
    "siblings in tables": "<table><tr><td><a href=/x>b</a></td></tr></table>" * 3_000,
    "deep": f"{'<div>a <a href=/x>b</a>' * 500}",
    "links around blocks": "<a href=/x><p>one</p>two</a>" * 2_000,
    "what is no text": "a\ud800\0<p>" * 1_000,
}


def method_of(name: str, pages: dict[str, str]) -> Method:
    method = METHODS[name]()
    return method.learned(method.learn(Host(pages))) if learns(method) else method


def check(method: Method, html: str) -> None:
    page = read(html, URL)
    verdict = method.judge(Subject(page, []))
    assert len(verdict.mask) == len(verdict.scores) == len(verdict.reasons()) == len(page.blocks)
    assert verdict.mask.dtype == bool
    assert ((verdict.scores >= 0) & (verdict.scores <= 1)).all()
    assert (verdict.mask == (verdict.scores >= 0.5)).all()


@pytest.mark.parametrize("page", HOSTILE)
@pytest.mark.parametrize("name", NAMES)
def test_hostile_pages_are_judged(name: str, page: str) -> None:
    html = HOSTILE[page]
    check(method_of(name, {URL: html}), html)


@pytest.mark.parametrize("name", NAMES)
@given(html=HTML)
def test_every_page_gets_a_mask(name: str, html: str) -> None:
    check(method_of(name, {URL: html, f"{URL}x": "<p>shares nothing"}), html)
