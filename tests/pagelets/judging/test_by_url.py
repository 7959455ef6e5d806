"""What differs by URL."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.judging.by_url import UrlOverrides, conflicts, override_of
from pagelets.patterns import PatternError

BASE = "https://example.org"


def override(pattern, kind="begins", **values):
    return {"type": kind, "pattern": pattern, **values}


def test_priority_then_length_then_type_and_text():
    overrides = UrlOverrides(
        [
            override("/a/", fields=["text"], method="paper"),
            override("/a/b/", fields=["url"]),
            override("/a/b/c", kind="contains", method="templates", priority=-1, javascript=True),
            override("b/c", kind="ends", revisit_max=9.0),
            override("b/c", kind="contains", revisit_max=8.0),
        ]
    )
    assert overrides.of(f"{BASE}/a/b/c") == {
        "fields": ["url"],
        "method": "paper",
        "javascript": True,
        "revisit_max": 8.0,
    }
    assert overrides.of(f"{BASE}/a/x") == {"fields": ["text"], "method": "paper"}
    assert overrides.of(f"{BASE}/x") == {}


def test_the_bounds_of_revisits_come_from_one_override():
    overrides = UrlOverrides(
        [override("/", revisit_min=60.0, revisit_max=120.0), override("/a/", revisit_max=10.0)]
    )
    assert overrides.of(f"{BASE}/a/b") == {"revisit_max": 10.0}
    assert overrides.of(f"{BASE}/b") == {"revisit_min": 60.0, "revisit_max": 120.0}


OVERRIDES = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["begins", "contains", "ends"]),
        "pattern": st.sampled_from(["/", "/a", "/a/b", "/b"]),
        "priority": st.integers(0, 1),
    },
    optional={
        "method": st.sampled_from(["paper", "judged"]),
        "revisit_min": st.sampled_from([1.0, 2.0]),
        "revisit_max": st.sampled_from([3.0, 4.0]),
    },
)


@given(st.lists(OVERRIDES, max_size=5), st.randoms(use_true_random=False))
def test_their_order_is_of_no_matter(given_, random):
    shuffled = random.sample(given_, len(given_))
    for path in ("/", "/a", "/a/b", "/b/a"):
        assert UrlOverrides(given_).of(BASE + path) == UrlOverrides(shuffled).of(BASE + path)


def test_conflicts_are_of_one_pattern_and_priority():
    given_ = [
        override("/a", javascript=True, method="paper"),
        override("/a", javascript=True, fields=["url"]),
        override("/a", javascript=False, priority=1),
        override("/b", javascript=False),
        override("/a", method="templates"),
    ]
    assert [*conflicts([override_of(one) for one in given_])] == [(0, 4, "method")]


@pytest.mark.parametrize(
    "wrong", [{}, {"type": "begins"}, override("/a", k=3), override("/a", priority="1"), override("a")]
)
def test_what_is_no_override(wrong):
    with pytest.raises(PatternError):
        UrlOverrides([wrong])
