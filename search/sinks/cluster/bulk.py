"""Sends documents to OpenSearch or Elasticsearch by the bulk calls of their official clients."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from search.sinks.cluster.trouble import BUSY, TOO_LARGE, Trouble, answered, trouble_of

RETRIES: Final = 4
"""Tries after the first of what is answered with 429."""
FIRST_PAUSE: Final = 1 / 60
LONGEST_PAUSE: Final = 1 / 6
"""The pauses before tries, the first and the longest, as shares of the timeout."""

_ACTIONS: Final = 1000
_BYTES: Final = 8 << 20
_PASSING: Final = BUSY - {429}


class NotTaken(Exception):
    """Raised where a server takes nothing now, whatever it is sent."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.said)
        self.trouble = trouble


class Bulk:
    """Sends index and delete actions with a client's ``streaming_bulk``.

    That makes requests of a number of actions and of bytes, and sends what is answered with 429 again, ever
    later. What it does not know of is done here: that 502, 503 and 504 pass, so that they are tried again
    until ``timeout`` seconds are over, and that a request may be too large for what is in between (413), so
    that smaller ones are sent from then on.
    """

    def __init__(self, streaming_bulk: Callable[..., Iterable[tuple[bool, Any]]], timeout: float) -> None:
        self._streaming_bulk = streaming_bulk
        self._timeout = timeout
        self._bytes = _BYTES

    def send(self, client: Any, actions: Mapping[str, dict[str, Any]], **target: Any) -> dict[str, Trouble]:
        """Sends actions by their ids, to what ``target`` names; returns what is wrong with each that was not
        taken. To delete what is not there is nothing wrong.

        Raises NotTaken, and what the client raises; then any part may have been taken.
        """
        until = time.monotonic() + self._timeout
        pause = self._timeout * FIRST_PAUSE
        failed: dict[str, Trouble] = {}
        pending = actions
        while pending:
            wrong, again = self._round(client, pending, target)
            busy = {id_ for id_, trouble in wrong.items() if trouble.status in _PASSING}
            if busy and time.monotonic() + pause < until:
                again |= busy
                time.sleep(pause)
                pause = min(2 * pause, self._timeout * LONGEST_PAUSE)
            failed.update((id_, trouble) for id_, trouble in wrong.items() if id_ not in again)
            pending = {id_: actions[id_] for id_ in again}
        return failed

    def _round(
        self, client: Any, actions: Mapping[str, dict[str, Any]], target: Mapping[str, Any]
    ) -> tuple[dict[str, Trouble], set[str]]:
        """Sends actions once; returns what is wrong, and what has to go in smaller requests."""
        wrong: dict[str, Trouble] = {}
        seen: set[str] = set()
        # What is wrong with a whole request is one exception, which each of its actions has.
        too_large: defaultdict[BaseException, list[str]] = defaultdict(list)
        for ok, result in self._streaming_bulk(
            client,
            ({"_id": id_, **action} for id_, action in actions.items()),
            chunk_size=_ACTIONS,
            max_chunk_bytes=self._bytes,
            raise_on_error=False,
            raise_on_exception=False,
            max_retries=RETRIES,
            initial_backoff=self._timeout * FIRST_PAUSE,
            max_backoff=self._timeout * LONGEST_PAUSE,
            **target,
        ):
            ((operation, item),) = result.items()
            seen.add(item["_id"])
            if ok:
                continue
            error = item.get("exception")
            trouble = trouble_of(error) if error is not None else answered(item["status"], item.get("error"))
            if error is not None and trouble.status == TOO_LARGE:
                too_large[error].append(item["_id"])
            elif error is not None and trouble.status not in _PASSING:
                raise NotTaken(trouble)
            elif error is None and operation == "delete" and item["status"] == 404 and "error" not in item:
                continue
            elif error is None and trouble.concerns_all:
                raise NotTaken(trouble)
            wrong[item["_id"]] = trouble
        if actions.keys() - seen:
            raise NotTaken(Trouble(None, "SerializationError", "results are missing"))
        again = self._parted(actions, too_large.values())
        return {id_: trouble for id_, trouble in wrong.items() if id_ not in again}, again

    def _parted(self, actions: Mapping[str, dict[str, Any]], requests: Iterable[list[str]]) -> set[str]:
        """Makes requests small enough that each of those that were too large becomes several; returns the
        actions of those. What was too large alone has no other way to go.
        """
        several = [ids for ids in requests if len(ids) > 1]
        for ids in several:
            size = sum(len(json.dumps(actions[id_], ensure_ascii=False).encode()) for id_ in ids)
            self._bytes = max(1, min(self._bytes, size // 2))
        return {id_ for ids in several for id_ in ids}
