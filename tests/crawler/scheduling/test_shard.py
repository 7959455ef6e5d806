from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.scheduling.due import MOST, Shard, shard_of
from settings.errors import ConfigurationError

NAMES = [f"site-{number}" for number in range(3000)]


@given(st.text(min_size=1), st.integers(1, 50))
def test_every_site_is_of_one_shard(name, count):
    assert sum(Shard(index, count).has(name) for index in range(count)) == 1


def test_which_shard_has_a_site_is_the_same_for_ever():
    # A site that changed shards would be crawled anew, beside what it has delivered.
    assert [next(i for i in range(3) if Shard(i, 3).has(name)) for name in NAMES[:12]] == [
        0,
        0,
        2,
        0,
        0,
        0,
        0,
        1,
        2,
        2,
        0,
        0,
    ]
    assert all(Shard(0, 1).has(name) for name in NAMES)


def test_shards_have_about_as_many_sites_each():
    sizes = [sum(Shard(index, 8).has(name) for name in NAMES) for index in range(8)]
    assert sum(sizes) == len(NAMES)
    assert max(sizes) < 1.25 * len(NAMES) / 8


@pytest.mark.parametrize(
    ("text", "environment", "shard"),
    [
        ("0/3", {}, Shard(0, 3)),
        ("2/3", {"JOB_COMPLETION_INDEX": "1"}, Shard(2, 3)),
        ("3", {"JOB_COMPLETION_INDEX": "1"}, Shard(1, 3)),
        (f"0/{MOST}", {}, Shard(0, MOST)),
        (
            "3",
            {"SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_COUNT": "3"},
            Shard(2, 3),
        ),
        ("3", {"JOB_COMPLETION_INDEX": "0", "SLURM_ARRAY_TASK_ID": "2"}, Shard(0, 3)),
    ],
)
def test_a_shard_is_given_or_told_by_the_environment(text, environment, shard):
    assert shard_of(text, environment) == shard


@pytest.mark.parametrize(
    ("text", "environment", "said"),
    [
        ("", {}, "--shard : give I/N, such as 0/4"),
        ("0", {}, "give I/N"),
        ("1/", {}, "give I/N"),
        ("/3", {}, "give I/N"),
        ("-1/3", {}, "give I/N"),
        ("1/3\n", {}, "give I/N"),
        ("²/3", {}, "give I/N"),
        ("0/100001", {}, f"at most {MOST}"),
        ("9" * 5000, {}, "--shard 99999999999999999999: give"),
        ("3/3", {}, "counted from 0, so the last is 2"),
        ("3", {}, "neither JOB_COMPLETION_INDEX nor SLURM_ARRAY_TASK_ID; give I/N, such as 0/3"),
        ("3", {"JOB_COMPLETION_INDEX": "3"}, "--shard 3: shard 3 of 3"),
        ("3", {"JOB_COMPLETION_INDEX": ""}, "JOB_COMPLETION_INDEX=: is no whole number; give --shard I/3"),
        ("3", {"JOB_COMPLETION_INDEX": "9" * 5000}, "is no whole number"),
        ("3", {"SLURM_ARRAY_TASK_ID": "2"}, "SLURM_ARRAY_TASK_COUNT=: is no whole number"),
        (
            "3",
            {"SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_MIN": "2", "SLURM_ARRAY_TASK_COUNT": "1"},
            "SLURM_ARRAY_TASK_COUNT=1 tasks; give it 3, or I/N",
        ),
        (
            "3",
            {"SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_MIN": "2", "SLURM_ARRAY_TASK_COUNT": "3"},
            "shard -1 of 3",
        ),
    ],
)
def test_what_is_wrong_is_told_with_the_mend(text, environment, said):
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        shard_of(text, environment)
