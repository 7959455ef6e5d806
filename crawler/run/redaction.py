"""Keeps secrets out of the log, whoever writes them there, and out of the sight of other processes."""

from __future__ import annotations

import contextlib
import json
import logging
import re
import traceback
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, Final

from scrapy.settings import BaseSettings

from crawler.configuration.checks import schema_of
from settings.errors import ConfigurationError
from settings.secrets import HIDDEN, secrets_in
from settings.tables import SCHEMA
from settings.values import masked

PASSED: Final = "PAGELETS_PASSED_SETTINGS"
"""The environment variable in which a command gives its settings to a crawl that it starts: arguments are
seen by every user of the machine."""


SEEN: Final = (
    '{}: every user of this machine sees a secret on a command line; give \'{{"env": "VARIABLE"}}\', '
    "or write it into a site file"
)


def passed(options: Iterable[str]) -> dict[str, str]:
    """The environment of a crawl that is to have these options ``NAME=VALUE``."""
    pairs = (option.partition("=") for option in options)
    return {PASSED: json.dumps({name: value for name, _, value in pairs})}


def taken(environ: MutableMapping[str, str]) -> Mapping[str, str]:
    """The settings that a crawl was passed; no process that it starts itself gets them."""
    settings: dict[str, str] = json.loads(environ.pop(PASSED, "{}"))
    return settings


def seen(options: Iterable[str], settings: BaseSettings) -> list[str]:
    """The options ``NAME=VALUE`` of a command line that tell others a secret, by their names.

    Takes the settings, which may add sinks with secrets of their own.
    """
    schema = SCHEMA
    with contextlib.suppress(ConfigurationError):
        # The checks report what is wrong with them.
        schema = schema_of(settings)
    pairs = (option.partition("=") for option in options)
    return [
        name
        for name, _, value in pairs
        if any(item and '"env"' not in json.dumps(item) for item in secrets_in(name, value, schema))
    ]


def hide(secrets: Iterable[str]) -> None:
    """Has every log record of this process made without these texts, and without passwords in addresses.

    Scrapy logs all settings that differ from its own, and the address of each feed; what libraries log is
    their own affair.
    """
    longest_first = sorted(set(secrets), key=len, reverse=True)
    known = re.compile("|".join(rf"(?<!\w){re.escape(secret)}(?!\w)" for secret in longest_first) or r"(?!)")

    def without(text: str) -> str:
        return masked(known.sub(HIDDEN, text))

    def make(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = logging.LogRecord(*args, **kwargs)
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):
            # Arguments that do not fit their message: logging says so when it writes the record.
            return record
        hidden = without(message)
        if hidden != message:
            record.msg, record.args = hidden, None
        if record.exc_info:
            record.exc_text = without("".join(traceback.format_exception(*record.exc_info)).rstrip("\n"))
        return record

    logging.setLogRecordFactory(make)
