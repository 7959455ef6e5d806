"""Shards of many sites over machines: each site belongs to one shard of N, by its name alone."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from settings.errors import ConfigurationError

MOST: Final = 100_000
"""More shards than this are a typing error."""
_GIVEN: Final = re.compile(r"(?:([0-9]{1,6})/)?([0-9]{1,6})\Z", re.ASCII)


@dataclass(slots=True, frozen=True)
class Shard:
    """Shard ``index`` of ``count``, counted from 0."""

    index: int
    count: int

    def has(self, site: str) -> bool:
        """Returns True if a site is of this shard: exactly one of ``count`` shards has it, whatever other
        sites there are.
        """
        digest = blake2b(os.fsencode(site), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.count == self.index


def shard_of(text: str, environment: Mapping[str, str]) -> Shard:
    """The shard that ``I/N`` names, or ``N`` where the environment has I: ``JOB_COMPLETION_INDEX``
    (Kubernetes), else ``SLURM_ARRAY_TASK_ID`` less ``SLURM_ARRAY_TASK_MIN`` (Slurm).

    Raises ConfigurationError.
    """
    given = _GIVEN.match(text)
    if given is None or not 1 <= int(given[2]) <= MOST:
        raise ConfigurationError(
            f"--shard {text[:20]}: give I/N, such as 0/4 for the first of four, or N alone where the "
            f"environment has I; N is at most {MOST}"
        )
    count = int(given[2])
    index = int(given[1]) if given[1] else _of_the_environment(count, environment)
    if not 0 <= index < count:
        raise ConfigurationError(
            f"--shard {text}: shard {index} of {count}; they are counted from 0, so the last is {count - 1}"
        )
    return Shard(index, count)


def _of_the_environment(count: int, environment: Mapping[str, str]) -> int:
    if "JOB_COMPLETION_INDEX" in environment:
        return _number("JOB_COMPLETION_INDEX", count, environment)
    if "SLURM_ARRAY_TASK_ID" not in environment:
        raise ConfigurationError(
            f"--shard {count}: the environment has neither JOB_COMPLETION_INDEX nor SLURM_ARRAY_TASK_ID; "
            f"give I/N, such as 0/{count}"
        )
    tasks = _number("SLURM_ARRAY_TASK_COUNT", count, environment)
    if tasks != count:
        # One task of an array that is sent in again alone would take itself for the first.
        raise ConfigurationError(
            f"--shard {count}: the array has SLURM_ARRAY_TASK_COUNT={tasks} tasks; give it {count}, or I/N"
        )
    first = _number("SLURM_ARRAY_TASK_MIN", count, environment)
    return _number("SLURM_ARRAY_TASK_ID", count, environment) - first


def _number(name: str, count: int, environment: Mapping[str, str]) -> int:
    value = environment.get(name, "")
    if not (value.isdecimal() and value.isascii() and len(value) <= 9):
        raise ConfigurationError(f"{name}={value[:20]}: is no whole number; give --shard I/{count}")
    return int(value)
