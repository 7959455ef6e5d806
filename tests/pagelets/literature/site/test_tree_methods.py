"""Whatever the pages of a host are, the methods that compare their trees give a mask."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.methods import METHODS, learns
from tests.hosts import subject as page_of
from tests.pagelets.literature.site.linked import LinkedHost
from tests.pagelets.reading.test_reading import HTML

if TYPE_CHECKING:
    from pagelets.methods.base import Method, Subject

NAMES = ("cst", "etdm", "rtdm-td", "sst")

LINKS = "<a href=/0>0</a><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>"
HOSTILE = {
    "nothing": "",
    "a single text": "words",
    "no text": "<div><img src=x></div>" * 10,
    "right to left": "<p dir=rtl>שלום עולם <a href=/x>קישור</a></p>" * 10,
    "no spaces": "<p>汉字汉字<a href=/x>汉字</a></p>" * 10,
    "siblings with classes": "<div class=a><p class=b>a {}</p></div>" * 1_200,
    "groups of siblings": ("<ul>" + "<li><p>a {}</p></li>" * 40 + "</ul>") * 25,
    "deep": f"{'<div>a {}' * 500}",
    "links around blocks": "<a href=/x><p>{}</p>two</a>" * 500,
    "what is no text": "a\ud800\0<p>" * 1_000,
}


def host(*pages: str) -> LinkedHost:
    """A host whose pages all link to each other."""
    return LinkedHost({str(number): LINKS + html for number, html in enumerate(pages)})


def learned(name: str, site: LinkedHost) -> Method:
    method = METHODS[name]()
    assert learns(method)
    return method.learned(method.learn(site))


def check(method: Method, subject: Subject) -> None:
    verdict = method.judge(subject)
    assert len(verdict.mask) == len(verdict.scores) == len(verdict.reasons()) == len(subject.page.blocks)
    assert verdict.mask.dtype == bool
    assert ((verdict.scores >= 0) & (verdict.scores <= 1)).all()


@cache
def hostile(kind: str) -> LinkedHost:
    """A host of two pages, alike in shape, other in text."""
    return host(*(HOSTILE[kind].replace("{}", str(number)) for number in range(2)))


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("name", NAMES)
def test_hostile_pages_are_judged(name: str, kind: str) -> None:
    site = hostile(kind)
    method = learned(name, site)
    for subject in site.sample(2):
        check(method, subject)


@pytest.mark.parametrize("name", NAMES)
@given(pages=st.lists(HTML, max_size=4), html=HTML)
def test_every_page_gets_a_mask(name: str, pages: list[str], html: str) -> None:
    check(learned(name, host(*pages)), page_of(html))


@pytest.mark.parametrize("name", NAMES)
def test_equal_pages_give_equal_bytes(name: str) -> None:
    method = METHODS[name]()
    assert learns(method)
    pages = [f"<div class='b a' id=x{number}><p>one<p>{number}</div>" for number in range(5)]
    assert method.learn(host(*pages)) == method.learn(host(*pages))


@pytest.mark.parametrize("name", NAMES)
def test_pages_that_share_nothing_keep_all(name: str) -> None:
    pages = ["<p>one", "<table><tr><td>two", "<ul><li>three", "<h1>four"]
    for site in (
        LinkedHost(dict(zip("abcd", pages, strict=True))),
        LinkedHost({"a": pages[0]}),
        LinkedHost({}),
    ):
        method = learned(name, site)
        for html in pages:
            assert method.judge(page_of(html)).mask.all()
