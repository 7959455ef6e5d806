"""Hosts take turns: none that waits keeps others from the downloader's slots."""

from __future__ import annotations

from collections import Counter
from math import inf

import pytest
from scrapy.core.downloader import Downloader, Slot
from scrapy.http import Request
from scrapy.utils.test import get_crawler

from crawler.frontier.turns import Slots, Turns

CONCURRENCY = 4


@pytest.fixture
def downloader():
    settings = {
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https", "ftp"), None),
    }
    made = Downloader(get_crawler(settings_dict=settings))
    yield made
    made.close()


@pytest.fixture
def slots(downloader):
    return Slots(downloader)


@pytest.fixture
def turns(slots):
    return Turns(slots)


def hand_out(slots, turns, downloader):
    """One turn; the request is under way from then on, and what its slot does not send waits there."""
    key = turns.choose()
    if key is None:
        return None
    request = Request(f"http://{key}/")
    slots.take(key, request)
    downloader.active.add(request)
    slot = downloader.slots.setdefault(key, Slot(CONCURRENCY, 0.0))
    slot.active.add(request)
    slot.lastseen = slots.now
    return key, request


def end(downloader, *requests):
    for request in requests:
        downloader.active.discard(request)
        downloader.slots[request.url.split("/")[2]].active.discard(request)


def test_hosts_with_a_delay_get_one_request_and_then_wait(slots, turns, downloader):
    for number in range(40):
        downloader.slots[f"slow{number}"] = Slot(CONCURRENCY, 60.0)
        turns.add(f"slow{number}")
    turns.add("quick")
    met = Counter()
    for _ in range(200):
        key, request = hand_out(slots, turns, downloader)
        met[key] += 1
        end(downloader, request)
    assert met.pop("quick") == 160
    assert set(met.values()) == {1}
    assert turns.choose() == "quick"
    turns.remove("quick")
    assert turns.choose() is None
    assert 0 < turns.wait() <= 60


def test_a_host_gets_no_more_than_its_slot_sends(slots, turns, downloader):
    turns.add("a")
    _, first = hand_out(slots, turns, downloader)
    # Its robots.txt is on its way.
    assert hand_out(slots, turns, downloader) is None
    assert turns.wait() == inf
    end(downloader, first)
    requests = [hand_out(slots, turns, downloader) for _ in range(CONCURRENCY + 1)]
    assert requests.pop() is None
    end(downloader, requests[0][1])
    assert hand_out(slots, turns, downloader)


def test_what_has_the_fewest_requests_under_way_is_next(slots, turns, downloader):
    for key in ("a", "b"):
        turns.add(key)
        end(downloader, hand_out(slots, turns, downloader)[1])
    under_way = [hand_out(slots, turns, downloader) for _ in range(8)]
    assert [key for key, _ in under_way] == ["a", "b"] * 4
    of_b = [request for key, request in under_way if key == "b"]
    end(downloader, under_way[0][1], *of_b[:3])
    assert [hand_out(slots, turns, downloader)[0] for _ in range(3)] == ["b", "b", "a"]


def test_a_host_without_requests_is_let_go_until_it_has_some(slots, turns, downloader):
    turns.add("a")
    assert turns.choose() == "a"
    turns.remove("a")
    assert turns.choose() is None
    turns.add("a")
    assert turns.choose() == "a"


@pytest.mark.parametrize(
    ("since", "crowded", "waits"),
    [(4, False, 1), (6, False, 0), (6, True, 9), (15, True, 0)],
    ids=["too early", "may be sent", "no room to wait in", "is sent"],
)
def test_a_delay_that_is_drawn(slots, downloader, since, crowded, waits):
    """Of 10 seconds, half of them more or less."""
    slot = downloader.slots["a"] = Slot(CONCURRENCY, 10.0, 0.5)
    if crowded:
        other = downloader.slots["b"] = Slot(16, 10.0, 0.5)
        requests = [Request("http://b/") for _ in range(8)]
        other.queue.extend((request, None) for request in requests)
        downloader.active.update(requests)
    slots.look()
    slot.lastseen = slots.now - since
    assert slots.wait("a") == pytest.approx(waits)


def test_a_slot_that_has_one_waiting_sends_it_by_itself(slots, downloader):
    slot = downloader.slots["a"] = Slot(CONCURRENCY, 10.0, 0.5)
    request = Request("http://a/")
    downloader.active.add(request)
    slot.queue.append((request, None))
    slots.look()
    slot.lastseen = slots.now - 2
    assert slots.wait("a") == pytest.approx(13)
