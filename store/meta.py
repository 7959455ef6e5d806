"""Single values that a store keeps of itself, each by a key with a type."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True, frozen=True)
class Key(Generic[T]):
    """The name of a value, and how it is written as text and read."""

    name: str
    read: Callable[[str], T]
    write: Callable[[T], str]


def _text(name: str) -> Key[str]:
    return Key(name, str, str)


def _number(name: str) -> Key[int]:
    return Key(name, int, str)


def _words(name: str) -> Key[list[str]]:
    return Key(name, str.split, " ".join)


def _json(name: str) -> Key[Any]:
    return Key(name, json.loads, json.dumps)


def _bytes(name: str) -> Key[bytes]:
    return Key(name, base64.b64decode, lambda value: base64.b64encode(value).decode())


SCOPE: Final = _text("scope")
"""The scope of the site, as the last crawl had it."""
MOVED_TO: Final = _words("moved_to")
"""Where start URLs have taken the scope to."""
ACCEPTED: Final = _words("accepted")
"""Where people have said that start URLs have moved to."""
NAMED_ADDRESSES: Final[Key[dict[str, str]]] = _json("named_addresses")
"""The kind of address that each named host had at first."""
DISTRUSTED_HOSTS: Final = _words("distrusted_hosts")
"""The hosts whose validators have been found to lie."""
SELECTORS_MET: Final[Key[dict[str, list[str]]]] = _json("selectors_met")
"""The selectors which all pages were held against (``asked``), and those that met one (``met``). It is not
there while a run is at work: of one that is killed nobody knows what its pages have met.
"""

DERIVATION: Final = _text("derivation")
"""The parameters that pagelets were made with, a JSON object."""
DERIVING: Final[Key[dict[str, Any]]] = _json("deriving")
"""The way to other parameters, while pages are derived again."""

MISSED_ROUND: Final = _number("missed_round")
"""The last round whose missed pages were counted."""
ROUND_TEXT: Final = _number("site_text")
"""The characters that the last good round has found."""
LINKS_CHANGED: Final = _number("links_changed")
"""There where links have changed otherwise than by a page that was fetched, until a good round."""

TITLE_AFFIXES: Final[Key[list[str]]] = _json("title_affixes")
"""What titles of many pages begin or end with."""
TITLE_KEYS: Final = _bytes("title_keys")
"""The fingerprints of the titles of all pages, 64-bit little-endian, sorted."""
DETECTION_RUN: Final = _number("detection_run")
"""The run that has detected the templates."""
DETECTED_OVER: Final = _text("detected_over")
"""Which pages the templates were found on."""
EVIDENCE_VERSION: Final = _text("evidence_version")
"""Names all that pages are judged by but for templates and decisions."""
TEMPLATE_VERSION: Final = _text("template_version")
"""Names all that pages are judged by."""
JUDGEMENT: Final = _text("judgement")
"""Names what decides on a document beside the site's evidence."""
JUDGED_WITH: Final = _text("judged_with")
"""What the documents were judged with."""
FILED_FIELDS: Final = _text("filed_fields")
"""The fields of ``documents.jsonl``. It is not there while that file may lack what a run has changed."""
INNERMOST_DECIDES: Final = _number("innermost_decides")
"""There (1) if documents were judged by the rule that of keep and drop selectors the innermost decides; once
keep won wherever it was.
"""
UNSEEN_SINCE: Final = _number("unseen_since")
"""The last run before the round whose evidence is stored. Pages that no later run has seen are of an earlier
state of the site; -1 where that makes no difference.
"""


class Meta:
    """The values by their keys. Each write belongs to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, key: Key[T]) -> T | None:
        """Returns the value of a key, or None."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key.name,)).fetchone()
        return None if row is None else key.read(str(row[0]))

    def set(self, key: Key[T], value: T) -> None:
        """Keeps a value in place of the one before."""
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key.name, key.write(value)))

    def forget(self, key: Key[Any]) -> None:
        """Removes a value."""
        self._connection.execute("DELETE FROM meta WHERE key = ?", (key.name,))
