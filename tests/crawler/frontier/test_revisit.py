from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.frontier.revisit import Revisit

URL = "http://site.example/"
HOUR, DAY = 3600, 86_400


def test_without_an_upper_bound_a_page_is_due_at_every_run():
    assert Revisit(0, 0).next(URL, None, changed=False) is None
    assert Revisit(HOUR, 0).next(URL, DAY, changed=True) is None


def test_the_first_interval_is_a_day_within_the_bounds():
    assert Revisit(0, 30 * DAY).next(URL, None, changed=False) == DAY
    assert Revisit(0, HOUR).next(URL, None, changed=False) == HOUR
    assert Revisit(7 * DAY, 30 * DAY).next(URL, None, changed=False) == 7 * DAY


def test_a_change_halves_it_and_none_doubles_it():
    revisit = Revisit(HOUR, 30 * DAY)
    assert revisit.next(URL, DAY, changed=True) == DAY // 2
    assert revisit.next(URL, DAY, changed=False) == 2 * DAY


def test_bounds_differ_by_url():
    revisit = Revisit(0, DAY, lambda url: {"revisit_max": 2 * HOUR} if "/news/" in url else {})
    assert revisit.next(f"{URL}news/1", None, changed=False) == 2 * HOUR
    assert revisit.next(f"{URL}about", None, changed=False) == DAY


@given(st.lists(st.booleans(), max_size=60), st.integers(0, 40 * DAY), st.integers(1, 40 * DAY))
def test_it_stays_within_its_bounds_and_never_gets_stuck(changes, least, most):
    least, most = sorted((least, most))
    revisit, interval = Revisit(least, most), None
    for changed in changes:
        interval = revisit.next(URL, interval, changed)
        assert least <= interval <= most
    for _ in range(40):
        interval = revisit.next(URL, interval, changed=False)
    assert interval == most
