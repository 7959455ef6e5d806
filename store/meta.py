"""Single values that a store keeps of itself, each by a key with a type."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

from store.table import Table

T = TypeVar("T")


@dataclass(frozen=True)
class Key(Generic[T]):
    """The name of a value, and how it is written as text and read."""

    name: str
    read: Callable[[str], T]
    write: Callable[[T], str]


_text = partial(Key[str], read=str, write=str)
_number = partial(Key[int], read=int, write=str)
_words = partial(Key[list[str]], read=str.split, write=" ".join)
_json = partial(Key[Any], read=json.loads, write=json.dumps)
_bytes = partial(Key[bytes], read=base64.b64decode, write=lambda value: base64.b64encode(value).decode())

SCOPE: Final = _text("scope")
"""The scope of the site, as the last crawl had it."""
CLASSES_TAKEN_IN: Final = _number("classes_taken_in")
"""The last run that ended before a crawl of the site took in what one of pages like a sample had left out."""
ONE_ESCAPE: Final = _number("one_escape")
"""1 if the URLs of the site are escaped in one way; 0 in stores of earlier versions, which have each as it
came.
"""
READ_AS: Final[Key[list[Any]]] = _json("read_as")
"""The heeded requests of pages, the ignored parameters, and the run since which pages are read so."""
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

DECISIONS_OF_THE_FILE: Final[Key[dict[str, str]]] = _json("decisions_of_the_file")
"""What the site file said of templates when it was last followed or written."""
DOCUMENT_VERSION: Final = _number("document_version")
"""The last version that a document has had."""
INDEXED_FRAGMENTS: Final = _number("indexed_fragments")
"""All fragments up to this one are in the index."""
MISSED_ROUND: Final = _number("missed_round")
"""The last round whose missed pages were counted."""
ROUND_TEXT: Final = _number("site_text")
"""The characters that the last good round has found."""
LINKS_CHANGED: Final = _number("links_changed")
"""There where links have changed otherwise than by a page that was fetched, until a good round."""

TITLE_AFFIXES: Final[Key[list[str]]] = _json("title_affixes")
"""What titles of many pages begin or end with."""
TITLE_BESIDE: Final[Key[list[str]]] = _json("title_beside")
"""What nearly all titles have beside it."""
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


class Meta(Table):
    """The values by their keys. Each write belongs to the caller's transaction."""

    def get(self, key: Key[T]) -> T | None:
        """Returns the value of a key, or None."""
        return self._first(key.read, "SELECT value FROM meta WHERE key = ?", key.name)

    def set(self, key: Key[T], value: T) -> None:
        """Keeps a value in place of the one before."""
        self._execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key.name, key.write(value)))

    def forget(self, key: Key[Any]) -> None:
        """Removes a value."""
        self._execute("DELETE FROM meta WHERE key = ?", (key.name,))
