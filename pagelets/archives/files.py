"""Files of a folder that are HTML pages, by their names and their first bytes."""

from __future__ import annotations

import re
from mimetypes import MimeTypes
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_BACKUPS: Final = ("~", ".bak", ".old", ".orig", ".part", ".tmp")
_BEGIN: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?>(?:<!--.*?-->\s*)*)<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_HTML: Final = ("text/html", "application/xhtml+xml")
_NAMES: Final = MimeTypes()
_READ: Final = 5000


def named_html(name: str) -> bool | None:
    """Returns whether a file has the name of a page; None if its content has to tell, as mirrors have names
    such as ``news``, ``news.php`` and ``view?file=a.txt``.
    """
    if name.endswith(_BACKUPS):
        return False
    # In a name with a slash no scheme is looked for.
    kind, coding = _NAMES.guess_type(f"/{name}")
    if kind in _HTML and not coding:
        return True
    return False if (kind or coding) and "?" not in name else None


def begins_as_html(file: Path) -> bool:
    """Returns True for a file that begins as a page, and not as a program that makes one."""
    with file.open("rb") as opened:
        return _BEGIN.match(opened.read(_READ)) is not None
