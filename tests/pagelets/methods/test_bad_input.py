"""Every method over pages that are made to hurt: a mask, and no exception.

Nothing is timed: what is not linear in the size of a large page takes minutes for it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from pagelets.methods import METHODS
from tests.hosts import method_of, subject

if TYPE_CHECKING:
    from pagelets.methods.base import Method, Subject

_MANY: Final = 5_000

SMALL: Final = {
    "empty": "",
    "no text": "<img src=a><hr><script>x()</script>",
    "a single text node": "Words without any element around them.",
    "no words": "<p>. , ; - \u2014<p>\ufffd\u0000",
    "right to left": "<div><p>\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd</p>\u202e\u0645</div>" * 20,
    "no spaces": "<div>\u4eca\u65e5\u306f\u826f\u3044\u3002<b>\u660e\u65e5\u3082\u3002</b></div>" * 20,
    "unclosed": "<table><tr><td><ul><li><a href='<p>one<div><td>two</table></b></i><p",
    "lone surrogate": "<p>a\ud800b</p><p>\udfff",
}
LARGE: Final = {
    "one line": f"<p>{'word ' * 20 * _MANY}",
    "one word": f"<p>{'x' * 20 * _MANY}",
    "one line of tags": "<i>a</i>" * _MANY,
    "line breaks": "\n" * 10 * _MANY + "<p>text",
    "siblings": "".join(f"<div>text {number}</div>" for number in range(_MANY)),
    "links": "".join(f"<li><a href=/{number}>link {number}</a>" for number in range(_MANY)),
    "nested": "<div>a" * 1_500,
    "long attributes": f"<p class='{'name ' * _MANY}'>text" * 3,
}
OTHER: Final = "<div><a href=/>home</a></div><p>Another page, which shares nothing.</p>"


@cache
def page(name: str) -> Subject:
    return subject({**SMALL, **LARGE}[name])


def check(method: Method, name: str, own: Subject) -> None:
    verdict = method.judge(own)
    blocks = len(own.page.blocks)
    assert (verdict.mask.dtype, len(verdict.mask), len(verdict.scores)) == (bool, blocks, blocks), name
    assert np.all((verdict.scores >= 0) & (verdict.scores <= 1)), name
    if blocks < _MANY:
        assert len(verdict.reasons()) == blocks, name


@pytest.mark.parametrize("name", METHODS)
def test_a_page_is_judged_whatever_it_is(name: str) -> None:
    for own in SMALL:
        for site in ((), (own,), (own, own, own), tuple(SMALL)):
            check(method_of(name, *map(page, site)), own, page(own))


OURS: Final = [name for name, factory in METHODS.items() if not factory.baseline]


@pytest.mark.long
def test_large_pages_are_judged() -> None:
    for large in LARGE:
        own, other = page(large), subject(OTHER)
        for name in OURS:
            check(method_of(name, own, other), f"{name}: {large}", own)
