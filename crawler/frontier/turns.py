"""Hosts take turns: whose request is next, of those that have a free slot in the downloader."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterator
from math import inf
from time import monotonic

from scrapy.core.downloader import Downloader
from scrapy.http import Request

from crawler.frontier.pauses import Pauses


class Slots:
    """The downloader's slots, by their keys: one for a host, or for what else Scrapy parts requests by.

    A request is worth handing out when its slot would send it at once: until then it would hold a place
    among ``CONCURRENT_REQUESTS`` for nothing. The first request of a slot goes alone, as the robots.txt that
    it waits for may ask for a delay. A slot whose host has asked for one of the ``pauses`` sends nothing.
    """

    def __init__(self, downloader: Downloader) -> None:
        self.pauses = Pauses()
        self._downloader = downloader
        self._first: dict[str, Request] = {}
        self._active: Counter[str] = Counter()
        self._crowded = False
        self.now = 0.0

    def look(self) -> None:
        """Takes note of the time, and of the requests that are under way."""
        downloader = self._downloader
        self.now = monotonic()
        self._active = Counter(map(downloader.get_slot_key, downloader.active))
        queued = sum(len(slot.queue) for slot in map(downloader.slots.get, self._active) if slot is not None)
        self._crowded = 2 * queued >= downloader.total_concurrency > 0

    def key(self, request: Request) -> str:
        """The key of a request's slot."""
        return self._downloader.get_slot_key(request)

    def active(self, key: str) -> int:
        """Returns the number of requests of a slot that are under way."""
        return self._active[key]

    def take(self, key: str, request: Request) -> None:
        """Hears that a request of a slot is handed out."""
        self._first.setdefault(key, request)

    def wait(self, key: str) -> float:
        """Seconds until a slot takes another request, infinite where one of its own has to end before."""
        if pause := self.pauses.left(key, self.now):
            return pause
        active, slot = self._active[key], self._downloader.slots.get(key)
        if slot is None:
            return inf if active else 0.0
        if active >= slot.concurrency or self._first.get(key) in self._downloader.active:
            return inf
        if not slot.delay:
            return 0.0
        since = self.now - slot.lastseen
        latest = slot.delay * (1 + slot.jitter) - since
        if slot.queue:
            # Another one waits already; the slot sends it by itself.
            return max(latest, slot.delay)
        if latest <= 0:
            return 0.0
        # The slot draws how long it waits in these bounds; places are left for the slots of others.
        soonest = slot.delay * max(0.0, 1 - slot.jitter) - since
        return latest if self._crowded else max(0.0, soonest)


class Turns:
    """The slots that requests wait for, each in its turn.

    Those with nothing under way go first, in the order in which they became so, then those with the fewest
    requests under way. No turn looks at more than the slots at work and those that the last turns have left.
    """

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._known: set[str] = set()
        self._idle: deque[str] = deque()
        self._at_work: dict[str, None] = {}
        self._waiting: list[tuple[float, str]] = []

    def add(self, key: str) -> None:
        """Takes a slot that requests wait for."""
        if key not in self._known:
            self._known.add(key)
            self._idle.append(key)

    def remove(self, key: str) -> None:
        """Lets the slot go that `choose` has just returned: no request waits for it any more."""
        self._known.discard(key)
        self._at_work.pop(key, None)

    def choose(self) -> str | None:
        """The slot whose turn it is, None where none is free; it stays in turn until it is removed."""
        slots = self._slots
        slots.look()
        self._rouse()
        while self._idle:
            key = self._idle.popleft()
            if slots.active(key):
                self._at_work[key] = None
            elif wait := slots.wait(key):
                heapq.heappush(self._waiting, (slots.now + wait, key))
            else:
                self._at_work[key] = None
                return key
        free = (key for key in self._at_work if not slots.wait(key))
        return min(free, key=slots.active, default=None)

    def _rouse(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._slots.now:
            self._idle.append(heapq.heappop(self._waiting)[1])
        for key in [key for key in self._at_work if not self._slots.active(key)]:
            del self._at_work[key]
            self._idle.append(key)

    def wait(self) -> float:
        """Seconds until a slot is free, infinite where a request has to end before."""
        return min(self._waits(), default=inf)

    def _waits(self) -> Iterator[float]:
        if self._waiting:
            yield self._waiting[0][0] - self._slots.now
        yield from map(self._slots.wait, self._at_work)
