"""The base of commands that run on Spark: its master, its settings, and the error if it is missing."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Iterator
from typing import Final

from cluster.parameters import ArchiveJobError
from crawler.commandline.base import option
from settings.errors import ConfigurationError

_MASTER: Final = re.compile(
    r"local(\[(\*|[1-9]\d*)(,\d+)?\])?\Z|local-cluster\[\d+,\d+,\d+\]\Z|spark://.|yarn\Z|k8s://."
)


SPARK_SETTINGS: Final = option(
    "--conf K=V", "a setting of Spark's; may be repeated", action="append", default=[]
)


def check_master(master: str | None) -> None:
    """Raises ConfigurationError where there is no such kind of master."""
    if not _MASTER.match(master or ""):
        given = f"--master {master}: give" if master else "give --master"
        raise ConfigurationError(f"{given} local[2], spark://HOST:PORT, yarn or k8s://ADDRESS")


def settings_of(options: argparse.Namespace) -> dict[str, str]:
    """The settings of Spark's that ``--conf`` gives, by name. Raises ConfigurationError."""
    return dict(map(_setting, options.conf))


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        raise ConfigurationError(f"--conf {text}: give spark.NAME=VALUE")
    return name, value


@contextlib.contextmanager
def as_errors_of_users() -> Iterator[None]:
    """Raises ConfigurationError for what Spark's side says, and where Spark, loaded inside, is missing."""
    try:
        yield
    except ArchiveJobError as error:
        raise ConfigurationError(str(error)) from error
    except ImportError as error:
        raise ConfigurationError(f"{error.name} is missing: pip install -r requirements-spark.txt") from error
