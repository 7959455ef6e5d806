"""A search index for tests, in a JSON file: what it holds can be read, and what goes wrong ordered."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import time
from typing import TYPE_CHECKING, Any

from search.sink import Refusal, Sink, SinkDown, stale_ids, unit_ids, units_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BACKENDS = {"json": "tests.jsonsink.JsonSink"}
SETTINGS = {"SINKS": ["json"], "SINK_BACKENDS": BACKENDS}
OPTIONS = [
    *("-s", "SINKS=json"),
    *("-s", f"SINK_BACKENDS={json.dumps(BACKENDS)}"),
]
"""`SETTINGS` as the command line has them."""


class JsonSink(Sink):
    """Keeps units in ``json.json``. ``faults.json`` beside it orders what goes wrong, and is used up by it:

    ``open``, ``write``, ``rebuild``: so often the next ones find the index down; ``half``: so many writes
    take half of a batch, and find it down then; ``hang``: so many writes do not return; ``busy``: the URLs
    that it has no time for, once; ``poisoned``: the URLs that it never takes; ``kill``: "before" or "after"
    the next commit, or "inside" the next rebuild.
    """

    most_documents = 3

    def __init__(self, place: Any) -> None:
        super().__init__(place)
        self.path = place.folder / "json.json"
        self.into = self.path

    def open(self) -> str:
        self._may("open")
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _save(self.path, {"identity": secrets.token_hex(4), "units": {}})
        return f"{_load(self.path)['identity']} {self.units}"

    def write(self, operations):
        self._may("write")
        if self._ordered("hang"):
            time.sleep(600)
        refusals = {}
        half = self._ordered("half")
        state = _load(self.into)
        for number, operation in enumerate(operations):
            if half and number == len(operations) // 2:
                _save(self.into, state)
                raise SinkDown("the index broke off in the middle of a batch")
            if operation.url in self._faults().get("poisoned", []):
                refusals[operation.id] = Refusal("it is poisoned")
            elif self._once("busy", operation.url):
                refusals[operation.id] = Refusal("too much to do", lasting=False)
            else:
                self._put(state, operation)
        if self._once("kill", "before"):
            os.kill(os.getpid(), signal.SIGKILL)
        _save(self.into, state)
        if self._once("kill", "after") or (self.into != self.path and self._once("kill", "inside")):
            os.kill(os.getpid(), signal.SIGKILL)
        return refusals

    def _put(self, state, operation):
        for unit in stale_ids(operation, self.units):
            state["units"].pop(unit, None)
        for unit in units_of(operation, self.units):
            state["units"][unit.id] = {"url": unit.url, "text": unit.text, "hash": unit.content_hash}
        if operation.document is None:
            for unit in unit_ids(operation.id, self.units, operation.units_before):
                state["units"].pop(unit, None)

    @contextlib.contextmanager
    def rebuild(self) -> Iterator[None]:
        self._may("rebuild")
        self.into = self.path.with_suffix(".new")
        _save(self.into, {"identity": secrets.token_hex(4), "units": {}})
        try:
            yield
            self.into.replace(self.path)
        finally:
            self.into.unlink(missing_ok=True)
            self.into = self.path

    def held(self):
        return ((unit, found["hash"]) for unit, found in _load(self.path)["units"].items())

    def _faults(self) -> dict[str, Any]:
        return orders(self.path.parent)

    def _may(self, what: str) -> None:
        if self._ordered(what):
            raise SinkDown(f"the index is down for {what}")

    def _ordered(self, what: str) -> bool:
        faults = self._faults()
        if not faults.get(what):
            return False
        order(self.path.parent, **{**faults, what: faults[what] - 1})
        return True

    def _once(self, what: str, value: str) -> bool:
        faults = self._faults()
        if value not in faults.get(what, []):
            return False
        order(self.path.parent, **{**faults, what: [one for one in faults[what] if one != value]})
        return True


def order(folder: Path, **faults: Any) -> None:
    """Says what is to go wrong with the index in a folder from now on."""
    folder.mkdir(parents=True, exist_ok=True)
    _save(folder / "faults.json", faults)


def orders(folder: Path) -> dict[str, Any]:
    """What is still to go wrong with the index in a folder."""
    with contextlib.suppress(FileNotFoundError):
        return _load(folder / "faults.json")
    return {}


def hashes(folder: Path) -> dict[str, str]:
    """The content hash of each unit that an index in a folder holds, by URL; none where there is no index."""
    path = folder / "json.json"
    found = _load(path)["units"].values() if path.exists() else []
    return {unit["url"]: unit["hash"] for unit in found}


def texts(folder: Path) -> dict[str, list[str]]:
    """The texts of the units that an index in a folder holds, by URL, in their order."""
    found: dict[str, list[str]] = {}
    for unit in sorted(_load(folder / "json.json")["units"].items(), key=lambda one: _place(one[0])):
        found.setdefault(unit[1]["url"], []).append(unit[1]["text"])
    return found


def _place(unit: str) -> tuple[str, int]:
    document, _, number = unit.partition("-")
    return document, int(number or 0)


def _load(path: Path) -> Any:
    return json.loads(path.read_text())


def _save(path: Path, value: Any) -> None:
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(value))
    partial.replace(path)
