"""Keys that carry their site."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cluster.keys import keyed, site_key, unkeyed

NUMBERS = st.lists(st.integers(-(1 << 63), (1 << 63) - 1), max_size=20)


@given(numbers=NUMBERS, name=st.text(max_size=10))
def test_a_key_can_be_turned_back(numbers: list[int], name: str) -> None:
    site = site_key(name)
    column = np.array(numbers, np.int64)
    assert unkeyed(keyed(column, site), site).tolist() == numbers


def test_a_number_has_another_key_on_each_site() -> None:
    numbers = np.arange(1000)
    one, other = (set(keyed(numbers, site_key(name)).tolist()) for name in ("a.example", "b.example"))
    assert len(one) == len(other) == 1000
    assert not one & other


def test_keys_of_32_bits_are_keys_of_their_numbers() -> None:
    numbers = np.array([0, 7, (1 << 32) - 1], np.uint32)
    assert unkeyed(keyed(numbers, 5), 5).tolist() == numbers.tolist()
