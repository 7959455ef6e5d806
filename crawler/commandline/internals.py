"""Private parts of Python, of Scrapy's ``--help`` and of its log that commands use."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
from typing import NoReturn

from scrapy.commands import ScrapyHelpFormatter
from scrapy.settings import BaseSettings
from scrapy.utils.log import _get_handler

from settings.errors import ConfigurationError


class HelpFormatter(ScrapyHelpFormatter):
    """Scrapy's, which takes every line that ends with a colon for a heading, also one of an option's text
    that happens to be broken there; a description may have sections (`crawler.commandline.helptext.section`).
    """

    def format_part_strings(self, part_strings: list[str]) -> list[str]:
        """Underlines headings alone: what comes second in a section, after its empty line."""
        parts = [
            f"{part[:-1]} \n" if part.endswith(":\n") and part_strings[:index] != ["\n"] else part
            for index, part in enumerate(part_strings)
        ]
        return super().format_part_strings(parts)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        first, *sections = text.split("\n\n")
        return "\n\n".join([super()._fill_text(first, width, indent), *sections])


def check_log(settings: BaseSettings) -> None:
    """Raises ConfigurationError where Scrapy cannot write its log as the settings say."""
    try:
        _get_handler(settings).close()  # type: ignore[arg-type]
    except (LookupError, OSError, ValueError) as error:
        raise ConfigurationError(f"{error}; mend LOG_LEVEL, LOG_FILE or LOG_ENCODING") from error


def end(code: int) -> NoReturn:
    """Ends the process as Python does, but for its memory, which the system takes back faster."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    end_at_once(code)


def end_at_once(code: int) -> NoReturn:
    """Ends the process, and waits for nothing that still runs in threads."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
