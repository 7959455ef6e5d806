"""Changes of site files that can be taken back, as long as nobody else changes the file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from inspection.taught_change import TaughtFiles, check_unchanged, source_name
from settings.errors import ConfigurationError

MOST: Final = 100
"""Number of changes of one file that are remembered."""


class FileHistory:
    """The changes that one process makes to site files; several threads may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: dict[Path, list[tuple[str, str]]] = {}

    def change(self, files: TaughtFiles, name: str, edit: Callable[[str], str]) -> str:
        """Changes a site file; returns what names its new text.

        Args:
            files: the site's files.
            name: names the text that the file has (`inspection.taught_change.source_name`).
            edit: returns the new text for the old one.

        Raises:
            ConfigurationError: the file has another text, or cannot be changed.

        """
        with self._lock:
            check_unchanged(files, name)
            before = files.source()
            after = edit(before)
            if after != before:
                files.write(files.path, after)
                # A file of which nothing is left is removed: what it says then is read back.
                self._texts.setdefault(files.path, []).append((before, files.source()))
                del self._texts[files.path][:-MOST]
            return source_name(files)

    def undo(self, files: TaughtFiles, name: str) -> str:
        """Takes the last change of a site file back; returns what names its text then.

        Args:
            files: the site's files.
            name: names the text that the file has.

        Raises:
            ConfigurationError: there is no change, or the file was changed since by others.

        """
        with self._lock:
            check_unchanged(files, name)
            texts = self._texts.get(files.path)
            if not texts:
                raise ConfigurationError(f"{files.path}: nothing was written since the inspector began")
            before, after = texts[-1]
            if files.source() != after:
                raise ConfigurationError(
                    f"{files.path} was changed since, and is left as it is; edit it by hand"
                )
            files.write(files.path, before)
            texts.pop()
            return source_name(files)
