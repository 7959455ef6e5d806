"""The sinks of OpenSearch and Elasticsearch, each with its official client over HTTP."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from search.sink import Operation, Place, SinkDown, document_id, unit_ids
from tests.search.sinks.cluster.conftest import BACKENDS
from tests.searchserver import Fault, Index, SearchServer, Wrong

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from search.sinks.cluster.server import SearchServerSink

ALIAS = "site-example"
BUSY = Wrong(429, "es_rejected_execution_exception", "rejected execution: the queue is full")
AWAY = Wrong(503, "unavailable_shards_exception", "primary shard is not active")
POISON = Wrong(400, "document_parsing_exception", "failed to parse field [text]")


def sink_at(
    server: SearchServer, folder: Path, site: str = "example", timeout: float = 10.0, **options: Any
) -> SearchServerSink:
    given = {"hosts": [server.base], **options}
    return BACKENDS[server.flavour](Place(site, folder, given, timeout))


@pytest.fixture
def sink(server: SearchServer, tmp_path: Path) -> Iterator[SearchServerSink]:
    with closing(sink_at(server, tmp_path)) as sink:
        sink.open()
        yield sink


@pytest.fixture
def parts(server: SearchServer, tmp_path: Path) -> Iterator[SearchServerSink]:
    with closing(sink_at(server, tmp_path, units="sections")) as sink:
        sink.open()
        yield sink


def url_of(number: int) -> str:
    return f"https://example.org/{number}"


def taken(number: int, text: str = "words", sections: int = 1, before: int = 0) -> Operation:
    document: Any = {
        "url": url_of(number),
        "site": "example",
        "title": f"Page {number}",
        "text": text,
        "language": "en",
        "author": None,
        "published": "2026-01-01",
        "canonical_url": None,
        "fetched_at": "2026-02-01T00:00:00Z",
        "content_hash": f"hash of {text}",
        "sections": [{"heading": ["Top", str(n)], "text": text} for n in range(sections)],
        "passages": [f"{text} {n}" for n in range(sections)],
    }
    return Operation(document_id(url_of(number)), url_of(number), document, None, before)


def gone(number: int, before: int = 1) -> Operation:
    return Operation(document_id(url_of(number)), url_of(number), None, "http 404", before)


def texts(server: SearchServer) -> dict[str, str]:
    """What searches find: URL and text."""
    return {entry["url"]: entry["text"] for entry in server.found(ALIAS).values()}


def only_index(server: SearchServer) -> tuple[str, Index]:
    ((name, index),) = server.behind(ALIAS).items()
    return name, index


# --- opening ---


def test_opening_makes_an_index_behind_an_alias(server: SearchServer, sink: SearchServerSink) -> None:
    name, index = only_index(server)
    assert name.startswith(f"{ALIAS}-20")
    assert list(server.indexes) == [name]
    assert index.aliases == {ALIAS: {"is_write_index": True}}
    assert index.mappings["properties"]["published"]["ignore_malformed"] is True
    assert index.mappings["dynamic"] is False


def test_pagelets_have_a_field_of_their_own(server: SearchServer, tmp_path: Path) -> None:
    with closing(sink_at(server, tmp_path, units="pagelets")) as sink:
        sink.open()
        assert sink.write([taken(1, sections=2)]) == {}
        with sink.rebuild():
            sink.write([taken(1, sections=1)])
    document = document_id(url_of(1))
    found = server.found(ALIAS)
    assert {id_: (entry.get("text"), entry.get("pagelet")) for id_, entry in found.items()} == {
        document: ("words", None),
        f"{document}-1": (None, "words 0"),
    }
    assert [entry["title"] for entry in found.values()] == ["Page 1", ""]
    assert only_index(server)[1].mappings["properties"]["pagelet"]["type"] == "text"


def test_the_name_of_an_index_stays(server: SearchServer, sink: SearchServerSink, tmp_path: Path) -> None:
    first = sink.open()
    sink.write([taken(1)])
    with closing(sink_at(server, tmp_path)) as other:
        assert other.open() == first
    sink.close()
    assert sink.open() == first


def test_an_index_that_was_lost_is_made_anew_with_another_name(
    server: SearchServer, sink: SearchServerSink
) -> None:
    first = sink.open()
    server.indexes.clear()
    assert sink.open() != first
    assert texts(server) == {}


def test_other_units_are_another_index_and_the_old_one_stays_until_the_rebuild(
    server: SearchServer, sink: SearchServerSink, tmp_path: Path
) -> None:
    first = sink.open()
    sink.write([taken(1, "old")])
    with closing(sink_at(server, tmp_path, units="sections")) as other:
        second = other.open()
        assert second != first
        assert other.open() == second
        assert texts(server) == {url_of(1): "old"}
        with other.rebuild():
            other.write([taken(1, "new", sections=3)])
        third = other.open()
        assert third not in (first, second)
        assert len(dict(other.held())) == 3


def test_an_empty_index_of_other_units_is_replaced_at_once(
    server: SearchServer, sink: SearchServerSink, tmp_path: Path
) -> None:
    before, _ = only_index(server)
    with closing(sink_at(server, tmp_path, units="sections")) as other:
        name = other.open()
        after, index = only_index(server)
        assert after != before
        assert name.startswith(index.uuid)


def test_many_that_open_at_once_make_one_index(server: SearchServer, tmp_path: Path) -> None:
    together = threading.Barrier(6)

    def opened() -> str:
        with closing(sink_at(server, tmp_path)) as sink:
            together.wait(10)
            return sink.open()

    with ThreadPoolExecutor(6) as pool:
        names = {future.result() for future in [pool.submit(opened) for _ in range(6)]}
    assert len(names) == 1
    assert len(server.indexes) == 1


def test_one_that_was_slower_takes_the_index_of_the_other(server: SearchServer, tmp_path: Path) -> None:
    with closing(sink_at(server, tmp_path)) as sink, closing(sink_at(server, tmp_path)) as other:
        first = sink.open()
        # The other has asked before the index was there, and makes one now.
        server.faults.append(Fault(f"GET /{ALIAS}$", wrong=Wrong(404, "index_not_found_exception", ALIAS)))
        assert other.open() == first
    assert len(server.indexes) == 1


def test_an_index_whose_making_was_not_answered_is_found(server: SearchServer, tmp_path: Path) -> None:
    server.faults.append(Fault(f"PUT /{ALIAS}-", lost=True))
    with closing(sink_at(server, tmp_path)) as sink:
        sink.open()
        sink.write([taken(1)])
    assert len(server.indexes) == 1


def test_two_sites_have_two_indexes(server: SearchServer, sink: SearchServerSink, tmp_path: Path) -> None:
    with closing(sink_at(server, tmp_path, "Example")) as other:
        other.open()
        other.write([taken(2)])
    assert len(server.indexes) == 2
    assert texts(server) == {}


def test_an_alias_of_another_site_is_not_taken(
    server: SearchServer, sink: SearchServerSink, tmp_path: Path
) -> None:
    with (
        closing(sink_at(server, tmp_path, "ple", prefix="site-exam")) as other,
        pytest.raises(SinkDown, match=r"not of this site; give another prefix in \["),
    ):
        other.open()


def test_an_index_of_the_aliass_name_is_named(server: SearchServer, tmp_path: Path) -> None:
    server.create(ALIAS, {}, {})
    with closing(sink_at(server, tmp_path)) as sink, pytest.raises(SinkDown, match=f"has an index {ALIAS}"):
        sink.open()


def test_an_alias_of_several_indexes_is_named(server: SearchServer, sink: SearchServerSink) -> None:
    server.create("other", {}, {"aliases": {ALIAS: {}}})
    with pytest.raises(SinkDown, match=r"several indexes behind site-example \(other, site-example-"):
        sink.open()


def test_a_template_that_people_have_changed_stays(
    server: SearchServer, sink: SearchServerSink, tmp_path: Path
) -> None:
    ((name, template),) = server.templates.items()
    template["template"]["settings"]["index"]["number_of_replicas"] = 2
    server.indexes.clear()
    sink.open()
    assert only_index(server)[1].settings["number_of_replicas"] == 2
    template["version"] = 0
    sink.open()
    assert "number_of_replicas" not in server.templates[name]["template"]["settings"]["index"]


def test_prefixes_that_begin_alike_can_be_used_side_by_side(
    server: SearchServer, sink: SearchServerSink, tmp_path: Path
) -> None:
    with closing(sink_at(server, tmp_path, prefix="site-b-")) as other:
        other.open()
    assert len(server.templates) == 2


# --- writing ---


def test_what_was_written_is_found(server: SearchServer, sink: SearchServerSink) -> None:
    assert sink.write([taken(1), taken(2, "ümläut \U0001f600 \0")]) == {}
    assert texts(server) == {url_of(1): "words", url_of(2): "ümläut \U0001f600 \0"}
    assert sink.write([taken(1, "other", before=1), gone(2)]) == {}
    assert texts(server) == {url_of(1): "other"}
    assert sink.write([]) == {}


def test_sections_that_a_document_has_no_more_go(server: SearchServer, parts: SearchServerSink) -> None:
    parts.write([taken(1, "long", sections=4), taken(2, sections=2)])
    parts.write([taken(1, "short", sections=2, before=4), gone(2, before=2)])
    assert dict(parts.held()) == dict.fromkeys(
        unit_ids(document_id(url_of(1)), "sections", 2), "hash of short"
    )
    entry = server.found(ALIAS)[f"{document_id(url_of(1))}-1"]
    assert (entry["headings"], entry["position"]) == (["Top", "1"], 1)


def test_what_is_not_there_can_be_let_go(server: SearchServer, sink: SearchServerSink) -> None:
    assert sink.write([gone(1), gone(2, before=3)]) == {}


def test_many_are_written_in_several_requests_and_read_in_several_pages(
    server: SearchServer, parts: SearchServerSink
) -> None:
    parts.write([taken(n, sections=50) for n in range(45)])
    assert len(server.bulks) == 3
    assert len(dict(parts.held())) == 2250
    assert server.scrolls == {}


def test_a_poisoned_document_is_refused_for_good_and_the_others_are_taken(
    server: SearchServer, parts: SearchServerSink
) -> None:
    poisoned = f"{document_id(url_of(3))}-1"
    server.faults.append(Fault("_bulk", items=lambda id_: POISON if id_ == poisoned else None))
    refused = parts.write([taken(n, sections=2) for n in range(6)])
    assert list(refused) == [document_id(url_of(3))]
    reason, lasting = refused[document_id(url_of(3))]
    assert lasting
    assert reason == "document_parsing_exception: failed to parse field [text]"
    assert {url_of(n) for n in range(6) if n != 3} <= texts(server).keys()


def test_a_document_that_the_mapping_does_not_take_is_refused_for_good(
    server: SearchServer, sink: SearchServerSink
) -> None:
    wrong = taken(1)
    assert wrong.document is not None
    wrong.document["language"] = 7  # type: ignore[typeddict-item]
    refused = sink.write([wrong, taken(2)])
    assert [(refusal.lasting, "language" in refusal.reason) for refusal in refused.values()] == [(True, True)]
    assert texts(server) == {url_of(2): "words"}


@pytest.mark.parametrize("wrong", [BUSY, AWAY])
def test_a_storm_passes(server: SearchServer, tmp_path: Path, wrong: Wrong) -> None:
    # The pauses before tries are shares of the timeout.
    with closing(sink_at(server, tmp_path, timeout=2.0)) as sink:
        sink.open()
        server.faults += [
            Fault("_bulk", times=2, wrong=wrong),
            Fault("_bulk", times=2, items=lambda id_: wrong if id_ < "8" else None),
            Fault("_refresh", times=2, wrong=wrong),
        ]
        assert sink.write([taken(n) for n in range(20)]) == {}
    assert len(texts(server)) == 20
    # What was taken is not sent again.
    assert server.bulks[0] == 20 > server.bulks[-1]


@pytest.mark.parametrize("wrong", [BUSY, AWAY])
def test_what_a_server_has_no_time_for_is_refused_for_now(
    server: SearchServer, tmp_path: Path, wrong: Wrong
) -> None:
    busy = document_id(url_of(1))
    with closing(sink_at(server, tmp_path, timeout=0.5)) as sink:
        sink.open()
        server.faults.append(Fault("_bulk", times=-1, items=lambda id_: wrong if id_ == busy else None))
        refused = sink.write([taken(n) for n in range(20)])
        assert {id_: refusal.lasting for id_, refusal in refused.items()} == {busy: False}
        assert wrong.reason in refused[busy].reason
    assert len(texts(server)) == 19


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("wrong", [BUSY, AWAY])
def test_a_server_that_takes_nothing_is_down(
    server: SearchServer, tmp_path: Path, wrong: Wrong, whole: bool
) -> None:
    with closing(sink_at(server, tmp_path, timeout=0.5)) as sink:
        sink.open()
        how: dict[str, Any] = {"wrong": wrong} if whole else {"items": lambda id_: wrong}
        server.faults.append(Fault("_bulk", times=-1, **how))
        with pytest.raises(SinkDown, match=f"has too much to do or is starting \\({wrong.status} "):
            sink.write([taken(1), taken(2)])


BLOCK = "index [x] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark]"
DOWN = [
    ("GET|_bulk", Fault("", wrong=Wrong(401, "security_exception", "no")), "does not know the user"),
    ("GET|_bulk", Fault("", wrong=Wrong(403, "security_exception", "no")), "give the user the privileges"),
    ("_bulk", Fault("", items=lambda id_: Wrong(403, "security_exception", "no")), "privileges"),
    ("GET|_bulk", Fault("", wrong=Wrong(500, "null_pointer_exception", "oops")), "answers 500 null_pointer"),
    ("_bulk", Fault("", wrong=Wrong(400, "parse_exception", "what?")), "answers 400 parse_exception: what"),
    ("_bulk", Fault("", items=lambda id_: Wrong(429, "cluster_block_exception", BLOCK)), "make room"),
    ("_bulk", Fault("", items=lambda id_: Wrong(403, "cluster_block_exception", BLOCK)), "make room"),
    ("_bulk", Fault("", items=lambda id_: Wrong(400, "index_closed_exception", "closed")), "answers 400"),
    ("GET|_bulk", Fault("", garbage=(200, "application/json", b'{"took": 1, "items": [{"ind')), "no JSON"),
    ("GET|_bulk", Fault("", garbage=(200, "application/json", b'["surprise"]')), "no JSON"),
    ("GET|_bulk", Fault("", garbage=(500, "application/json", b'["surprise"]')), "no JSON|answers 500"),
    ("GET|_bulk", Fault("", garbage=(200, "application/json", b"[" * 100_000)), "no JSON"),
    ("_bulk", Fault("", garbage=(200, "application/json", b'{"errors": false, "items": []}')), "missing"),
    ("GET|_bulk", Fault("", garbage=(200, "text/html", b"<h1>Log in</h1>")), "no JSON"),
    ("GET|_bulk", Fault("", garbage=(500, "text/html", b"<h1>Oh no</h1>")), "answers 500"),
    ("GET|_bulk", Fault("", hang=5.0), "does not answer within 0.5 s"),
    ("GET|_bulk|_refresh", Fault("", lost=True), "cannot be reached"),
]


@pytest.mark.parametrize(("on", "fault", "said"), DOWN, ids=lambda value: value if type(value) is str else "")
def test_a_server_that_is_out_of_order_is_down(
    server: SearchServer, tmp_path: Path, on: str, fault: Fault, said: str
) -> None:
    with closing(sink_at(server, tmp_path, timeout=0.5 if fault.hang else 1.0)) as sink:
        sink.open()
        server.faults.append(replace(fault, on=on, times=-1))
        asks = [sink.open] if "GET" in on else []
        for ask in [*asks, lambda: sink.write([taken(1), taken(2)])]:
            with pytest.raises(SinkDown, match=said) as raised:
                ask()
            assert "\n" not in str(raised.value)
            assert str(raised.value).startswith(server.base)
        server.faults.clear()
        assert sink.open()
        assert sink.write([taken(1), taken(2)]) == {}


def test_a_server_that_is_not_there_is_down(running: SearchServer, tmp_path: Path) -> None:
    with closing(sink_at(running, tmp_path, hosts=["http://127.0.0.1:1"])) as sink:
        for ask in (sink.open, lambda: sink.write([taken(1)]), lambda: list(sink.held())):
            with pytest.raises(
                SinkDown, match=r"^http://127.0.0.1:1 cannot be reached \(Connection refused\)"
            ):
                ask()


def test_of_several_hosts_one_that_is_there_is_asked(server: SearchServer, tmp_path: Path) -> None:
    with closing(sink_at(server, tmp_path, hosts=["http://127.0.0.1:1", server.base])) as sink:
        sink.open()
        for number in range(4):
            assert sink.write([taken(number)]) == {}
    assert len(texts(server)) == 4


def test_requests_get_smaller_where_a_proxy_takes_no_large_ones(
    server: SearchServer, sink: SearchServerSink
) -> None:
    server.largest = 20_000
    assert sink.write([taken(n, "word " * 500) for n in range(40)]) == {}
    assert len(texts(server)) == 40
    asked = sum("_bulk" in one for one in server.asked)
    sink.write([taken(n, "more " * 500) for n in range(40)])
    assert sum("_bulk" in one for one in server.asked) - asked == len(server.bulks) // 2


def test_a_document_that_is_too_large_alone_is_refused_for_good(
    server: SearchServer, sink: SearchServerSink
) -> None:
    server.largest = 20_000
    refused = sink.write([taken(1), taken(2, "word " * 5000), taken(3)])
    assert [(id_, refusal.lasting) for id_, refusal in refused.items()] == [(document_id(url_of(2)), True)]
    assert "Too Large" in refused[document_id(url_of(2))].reason
    assert texts(server).keys() == {url_of(1), url_of(3)}


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_server_killed_in_the_middle_of_a_batch_gets_it_again(
    server: SearchServer, parts: SearchServerSink, share: float
) -> None:
    parts.write([taken(n, "old", sections=3) for n in range(4)])
    batch = [taken(n, "new", sections=2, before=3) for n in range(3)] + [gone(3, before=3)]
    fault = Fault("_bulk", share=share) if share < 1 else Fault("_bulk", lost=True)
    server.faults.append(fault)
    with pytest.raises(SinkDown, match="cannot be reached"):
        parts.write(batch)
    parts.open()
    assert parts.write(batch) == {}
    assert sorted(dict(parts.held()).values()) == ["hash of new"] * 6


def test_what_a_killed_process_wrote_without_a_refresh_is_held(
    server: SearchServer, sink: SearchServerSink
) -> None:
    server.faults.append(Fault("_refresh", wrong=Wrong(500, "oops", "")))
    with pytest.raises(SinkDown):
        sink.write([taken(1)])
    assert texts(server) == {}
    assert len(dict(sink.held())) == 1


def test_no_index_is_made_in_the_place_of_an_alias_that_was_lost(
    server: SearchServer, sink: SearchServerSink
) -> None:
    first = sink.open()
    server.indexes.clear()
    with pytest.raises(SinkDown, match="lacks what should be there"):
        sink.write([taken(1)])
    assert server.indexes == {}
    assert sink.open() != first
    assert sink.write([taken(1)]) == {}


# --- rebuilding ---


def test_a_rebuild_shows_when_it_is_whole(server: SearchServer, sink: SearchServerSink) -> None:
    first = sink.open()
    before, _ = only_index(server)
    sink.write([taken(1, "old"), taken(2, "old")])
    with sink.rebuild():
        sink.write([taken(1, "new")])
        sink.write([taken(3, "new")])
        assert texts(server) == {url_of(1): "old", url_of(2): "old"}
    assert texts(server) == {url_of(1): "new", url_of(3): "new"}
    after, index = only_index(server)
    assert list(server.indexes) == [after] != [before]
    assert "refresh_interval" not in index.settings
    assert sink.open() not in ("", first)
    sink.write([taken(3, "newer", before=1)])
    assert texts(server)[url_of(3)] == "newer"


def test_a_rebuild_that_fails_changes_nothing(server: SearchServer, sink: SearchServerSink) -> None:
    first = sink.open()
    sink.write([taken(1, "old")])
    with pytest.raises(KeyError), sink.rebuild():
        sink.write([taken(2, "new")])
        raise KeyError
    assert texts(server) == {url_of(1): "old"}
    assert sink.open() == first
    sink.write([taken(3, "more")])
    assert len(server.indexes) == 1
    assert texts(server).keys() == {url_of(1), url_of(3)}


def test_what_a_killed_rebuild_has_left_goes(
    server: SearchServer, sink: SearchServerSink, tmp_path: Path
) -> None:
    sink.write([taken(1)])
    kept, _ = only_index(server)
    server.create(f"{ALIAS}-20260101000000-0123456z", {}, {})
    server.create(f"{ALIAS}-20260101000000-01234567", {}, {"aliases": {"somebodys": {}}})
    with closing(sink_at(server, tmp_path)) as killed:
        killed.open()
        context = killed.rebuild()
        context.__enter__()
        killed.write([taken(2)])
        assert len(server.indexes) == 4
        sink.open()
        assert server.indexes.keys() == {
            kept,
            f"{ALIAS}-20260101000000-0123456z",
            f"{ALIAS}-20260101000000-01234567",
        }
        # The bulk call of one that went on would make its index anew, and half.
        killed.write([taken(3)])
        with pytest.raises(SinkDown, match="while it was filled"):
            context.__exit__(None, None, None)
    assert texts(server).keys() == {url_of(1)}
    assert len(server.indexes) == 3


def test_a_swap_whose_answer_is_lost_is_one(server: SearchServer, sink: SearchServerSink) -> None:
    sink.write([taken(1, "old")])
    server.faults.append(Fault("_aliases", lost=True))
    with sink.rebuild():
        sink.write([taken(1, "new")])
    assert texts(server) == {url_of(1): "new"}
    assert len(server.indexes) == 1


@pytest.mark.parametrize("done", [True, False])
def test_a_swap_of_which_nobody_can_tell_leaves_one_whole_index(
    server: SearchServer, sink: SearchServerSink, done: bool
) -> None:
    sink.write([taken(1, "old")])
    wrong = Wrong(500, "oops", "")
    server.faults.append(Fault("_aliases", lost=True) if done else Fault("_aliases", wrong=wrong))
    server.faults.append(Fault("GET", wrong=wrong, after="_aliases"))
    with pytest.raises(SinkDown), sink.rebuild():
        sink.write([taken(1, "new")])
    assert texts(server) == {url_of(1): "new" if done else "old"}
    assert len(server.indexes) == 2
    sink.open()
    assert texts(server) == {url_of(1): "new" if done else "old"}
    assert len(server.indexes) == 1


def test_an_old_index_that_cannot_be_deleted_goes_later(
    server: SearchServer, sink: SearchServerSink, caplog: pytest.LogCaptureFixture
) -> None:
    server.faults.append(Fault("DELETE", wrong=Wrong(500, "oops", "")))
    with sink.rebuild():
        sink.write([taken(1, "new")])
    assert texts(server) == {url_of(1): "new"}
    assert "is not deleted, the next run will" in caplog.text
    assert len(server.indexes) == 2
    sink.open()
    assert len(server.indexes) == 1


def test_other_aliases_move_along(server: SearchServer, sink: SearchServerSink) -> None:
    _, index = only_index(server)
    index.aliases["all"] = {"filter": {"term": {"language": "en"}}}
    with sink.rebuild():
        pass
    _, index = only_index(server)
    assert index.aliases == {
        ALIAS: {"is_write_index": True},
        "all": {"filter": {"term": {"language": "en"}}},
    }


# --- all of it at random ---

numbers = st.integers(0, 5)
operations = st.builds(taken, numbers, st.sampled_from(["a", "b", "c"]), st.integers(1, 3)) | st.builds(
    gone, numbers
)
faults = st.one_of(
    st.builds(lambda share: Fault("_bulk", share=share), st.sampled_from([0.0, 0.3, 0.7])),
    st.builds(
        lambda on: Fault(on, lost=True), st.sampled_from(["_bulk", "_refresh", "PUT", "_aliases", "DELETE"])
    ),
    st.builds(
        lambda on, wrong: Fault(on, wrong=wrong),
        st.sampled_from(["_bulk", "_refresh", "GET", "_aliases", "_settings"]),
        st.sampled_from([BUSY, AWAY, Wrong(500, "oops", ""), Wrong(401, "security_exception", "")]),
    ),
    st.builds(
        lambda wrong, digit: Fault("_bulk", times=3, items=lambda id_: wrong if id_ > digit else None),
        st.sampled_from([BUSY, AWAY]),
        st.sampled_from("048c"),
    ),
    st.just(Fault("_bulk", garbage=(200, "application/json", b"{"))),
)
steps = st.tuples(
    st.lists(operations, max_size=5, unique_by=lambda operation: operation.id),
    st.lists(faults, max_size=3),
    st.booleans(),
)


class Busy(Exception):
    """Raised where a rebuild cannot be whole."""


def rebuilt_with(sink: SearchServerSink, batch: list[Operation]) -> None:
    with sink.rebuild():
        if sink.write(batch):
            raise Busy


def tried(sink: SearchServerSink, batch: list[Operation], rebuilt: bool) -> list[Operation]:
    """What a try leaves to be sent again."""
    try:
        sink.open()
        if rebuilt:
            rebuilt_with(sink, batch)
            return []
        refused = sink.write(batch)
    except (SinkDown, Busy):
        return batch
    assert not any(refusal.lasting for refusal in refused.values())
    return [operation for operation in batch if operation.id in refused]


def insistent(sink: SearchServerSink, batch: list[Operation], rebuilt: bool) -> None:
    """Tries until all is taken, as a delivery does."""
    for _ in range(15):
        batch = tried(sink, batch, rebuilt)
        if not batch:
            return
    raise AssertionError("never taken")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    script=st.lists(steps, min_size=1, max_size=4),
    units=st.sampled_from(["documents", "sections", "pagelets"]),
)
def test_whatever_goes_wrong_the_index_holds_what_was_taken(
    running: SearchServer, tmp_path: Path, script: list[Any], units: str
) -> None:
    running.forget()
    model: dict[str, Operation] = {}
    most: dict[str, int] = {}

    def count(operation: Operation) -> int:
        document = operation.document
        if document is None or units == "documents":
            return int(document is not None)
        return len(document["sections"]) + (units == "pagelets")

    with closing(sink_at(running, tmp_path, units=units, timeout=0.6)) as sink:
        for batch, wrong, rebuilt in script:
            running.faults = [replace(fault) for fault in wrong]
            for operation in batch:
                model[operation.id] = operation
            sent = [
                Operation(o.id, o.url, o.document, o.reason, most.get(o.id, 0))
                for o in (model.values() if rebuilt else batch)
            ]
            for operation in batch:
                most[operation.id] = max(most.get(operation.id, 0), count(operation))
            insistent(sink, sent, rebuilt)
        running.faults = []
        expected = {
            unit: operation.document["content_hash"]
            for operation in model.values()
            if operation.document is not None
            for unit in unit_ids(operation.id, units, count(operation))
        }
        shown = {id_: source["content_hash"] for id_, source in running.found(ALIAS).items()}
        assert shown == expected
        sink.open()
        assert dict(sink.held()) == expected
        assert len(running.indexes) == 1
