"""An archive is a site: what each night sends, deletes and holds back."""

from __future__ import annotations

import gzip
import io
import shutil
from contextlib import closing

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from settings.errors import ConfigurationError
from store.site import Store
from tests.crawls import crawl
from tests.hostile import answer, record
from tests.served import page

BASE = "http://site.example/"
NAMES = [f"p{number}.html" for number in range(10)]
TWICE = {"MISSED_RUNS": 2}


def text(name, edition=0):
    words = " ".join(f"{name[:-5]}w{edition}x{number}" for number in range(40))
    return page(name, *NAMES, text=words)


def filled(folder):
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text(text(name))
    return folder


@pytest.fixture
def folder(tmp_path):
    return filled(tmp_path / "site")


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    place = tmp_path_factory.mktemp("begun")
    night(place, filled(place / "site"))
    return place / "data"


@pytest.fixture
def first_night(begun, tmp_path):
    """The store of a first night of `folder`."""
    shutil.copytree(begun, tmp_path / "data")


def night(tmp_path, path, **arguments):
    given = {"base": BASE} if path.is_dir() else {}
    path = ",".join(map(str, [path, *arguments.pop("others", [])]))
    return crawl(tmp_path / "data", "archive", TWICE, path=path, site="site", **{**given, **arguments})


def warc(path, *records):
    """Writes records: (name, body or None for a revisit) and what else differs."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for name, body, more in records:
            kind = "response" if body is not None else "revisit"
            status, date = more.get("status", "200 OK"), more.get("date", "2026-01-01T00:00:00Z")
            head = StatusAndHeaders(
                status,
                [("Content-Type", more.get("type", "text/html")), *more.get("headers", [])],
                "HTTP/1.1",
            )
            fields = {"WARC-Date": date}
            if "refers_to" in more:
                fields["WARC-Refers-To-Target-URI"] = f"{BASE}{more['refers_to']}"
            payload = io.BytesIO((body or "").encode())
            made = writer.create_warc_record(
                f"{BASE}{name}",
                kind,
                payload=payload,
                length=len(payload.getvalue()),
                http_headers=head,
                warc_headers_dict=fields,
            )
            writer.write_record(made)
    return path


def whole(names=NAMES, edition=0):
    return [(name, text(name, edition), {}) for name in names]


def revisits(names):
    return [(name, None, {}) for name in names]


def test_what_was_no_html_in_one_archive_may_be_a_page_in_the_next(tmp_path):
    rest = whole(NAMES[1:])
    first = night(
        tmp_path, warc(tmp_path / "a.warc.gz", (NAMES[0], "%PDF", {"type": "application/pdf"}), *rest)
    )
    assert first.states(BASE)[NAMES[0]] == "refused type"
    assert first.current(BASE) == NAMES[1:]
    assert night(tmp_path, warc(tmp_path / "b.warc.gz", *whole())).current(BASE) == NAMES


def test_only_what_has_changed_goes_out(tmp_path, folder):
    first = night(tmp_path, folder)
    assert (first.outcome, len(first.documents)) == ("complete", 10)
    again = night(tmp_path, folder)
    assert (again.outcome, again.documents, again.deletions) == ("complete", [], [])
    (folder / "p3.html").write_text(text("p3.html", 1))
    (folder / "new.html").write_text(text("new.html"))
    changed = night(tmp_path, folder)
    assert changed.paths(BASE) == ["new.html", "p3.html"]
    assert changed.stats["documents/current"] == 11
    fresh = night(tmp_path, folder, fresh=1)
    assert len(fresh.documents) == 11


@pytest.mark.usefixtures("first_night")
def test_what_is_absent_for_some_nights_is_deleted(tmp_path, folder):
    for name in NAMES[:2]:
        (folder / name).unlink()
    assert night(tmp_path, folder).deleted == {}
    (folder / NAMES[0]).write_text(text(NAMES[0]))
    assert night(tmp_path, folder).deleted == {f"{BASE}{NAMES[1]}": "missed"}
    (folder / NAMES[1]).write_text(text(NAMES[1]))
    back = night(tmp_path, folder)
    assert back.paths(BASE) == [NAMES[1]]
    assert len(back.current()) == 10


@pytest.mark.usefixtures("first_night")
def test_what_is_gone_is_not_asked_for_again(tmp_path, folder):
    (folder / NAMES[0]).unlink()
    asked = [night(tmp_path, folder).stats["downloader/request_count"] for _ in range(3)]
    # Two nights the archive lacks it; the requests for the archive's pages, and the one for the release.
    assert asked == [asked[0]] * 2 + [asked[0] - 1]


def test_a_part_cannot_be_all_of_a_new_store(tmp_path, folder):
    with pytest.raises(ConfigurationError, match="fresh store"):
        night(tmp_path, folder, partial=1, fresh=1)


@pytest.mark.usefixtures("first_night")
def test_a_broken_archive_is_suspicious_and_deletes_nothing(tmp_path, folder):
    aside = tmp_path / "aside"
    shutil.copytree(folder, aside)
    for name in NAMES[:6]:
        (folder / name).unlink()
    for _ in range(2):
        broken = night(tmp_path, folder)
        assert (broken.outcome, broken.documents, broken.deletions) == ("suspicious", [], [])
    well = night(tmp_path, aside)
    assert (well.outcome, well.documents, len(well.current())) == ("complete", [], 10)
    accepted = [night(tmp_path, folder, accept=1), night(tmp_path, folder)]
    assert [one.outcome for one in accepted] == ["complete"] * 2
    assert len(accepted[-1].deletions) == 6


@pytest.mark.usefixtures("first_night")
def test_a_part_of_a_site_adds_and_changes_and_deletes_nothing(tmp_path, folder):
    part = [
        ("p1.html", text("p1.html", 1), {}),
        ("new.html", text("new.html"), {}),
        ("p2.html", "gone", {"status": "404 Not Found"}),
        ("p3.html", "moved", {"status": "301 Moved", "headers": [("Location", f"{BASE}p1.html")]}),
    ]
    archive = warc(tmp_path / "part.warc.gz", *part)
    for number in range(2):
        crawled = night(tmp_path, archive, partial=1)
        assert crawled.outcome == "complete"
        assert crawled.paths(BASE) == (["new.html", "p1.html"] if number == 0 else [])
        assert crawled.deletions == []
        assert len(crawled.current()) == 11
    (folder / "new.html").write_text(text("new.html"))
    (folder / "p1.html").write_text(text("p1.html", 1))
    full = night(tmp_path, folder)
    assert (full.outcome, full.documents, full.deletions) == ("complete", [], [])


@pytest.mark.usefixtures("first_night")
def test_a_part_that_lost_its_text_is_suspicious(tmp_path, folder):
    emptied = warc(
        tmp_path / "part.warc.gz", *[(name, page("login", text="Log in"), {}) for name in NAMES[:6]]
    )
    crawled = night(tmp_path, emptied, partial=1)
    assert (crawled.outcome, crawled.documents) == ("suspicious", [])
    assert night(tmp_path, folder).documents == []


def test_evidence_of_the_archive_deletes_at_once(tmp_path):
    night(tmp_path, warc(tmp_path / "a.warc.gz", *whole()))
    gone = [("p0.html", "", {"status": "404 Not Found"}), *whole(NAMES[1:])]
    crawled = night(tmp_path, warc(tmp_path / "b.warc.gz", *gone))
    assert crawled.deleted == {f"{BASE}p0.html": "http 404"}


def test_a_revisit_counts_as_seen_and_unchanged(tmp_path):
    night(tmp_path, warc(tmp_path / "a.warc.gz", *whole()))
    mixed = [*revisits(NAMES[:8]), ("p8.html", text("p8.html", 1), {}), *whole(["p9.html"])]
    crawled = night(tmp_path, warc(tmp_path / "b.warc.gz", *mixed))
    assert crawled.outcome == "complete"
    assert crawled.paths(BASE) == ["p8.html"]
    assert crawled.stats["pages/not_modified"] == 8
    for _ in range(2):
        again = night(tmp_path, warc(tmp_path / "c.warc.gz", *revisits(NAMES)))
        assert (again.outcome, again.documents, again.deletions) == ("complete", [], [])
    assert len(again.current()) == 10


def test_a_revisit_has_the_page_of_the_record_that_it_refers_to(tmp_path):
    records = [
        *whole(["p0.html", "p1.html"]),
        ("p0.html", None, {"date": "2026-02-01T00:00:00Z"}),
        ("copy.html", None, {"refers_to": "p1.html"}),
        ("lost.html", None, {}),
        ("gone.html", None, {"status": "404 Not Found", "refers_to": "p1.html"}),
    ]
    crawled = night(tmp_path, warc(tmp_path / "a.warc.gz", *records))
    texts = {document["url"].removeprefix(BASE): document["text"] for document in crawled.documents}
    assert sorted(texts) == ["copy.html", "p0.html", "p1.html"]
    assert texts["copy.html"] == texts["p1.html"] != texts["p0.html"]
    assert crawled.states(BASE)["lost.html"] == "refused archive"
    assert crawled.states(BASE)["gone.html"] == "gone http 404"


def test_the_latest_record_of_a_url_wins_whatever_the_file(tmp_path):
    old = warc(tmp_path / "a.warc.gz", *whole())
    new = ("p1.html", text("p1.html", 1), {"date": "2026-03-01T00:00:00Z"})
    later = warc(tmp_path / "b.warc.gz", new)
    night(tmp_path, later, others=[old])
    again = night(tmp_path, old, others=[later])
    assert again.documents == []
    # Without the later file the page is as it was before.
    assert night(tmp_path, old).paths(BASE) == ["p1.html"]


@pytest.mark.parametrize("fresh", [0, 1])
@pytest.mark.usefixtures("first_night")
def test_an_archive_without_a_page_that_can_be_read_is_empty_and_replaces_nothing(tmp_path, fresh):
    archive = warc(tmp_path / "a.warc.gz", (NAMES[0], text(NAMES[0]), {}))
    archive.write_bytes(archive.read_bytes()[:-20])
    crawled = night(tmp_path, archive, fresh=fresh)
    assert (crawled.outcome, crawled.deletions, len(crawled.current())) == ("empty", [], 10)
    shutil.rmtree(tmp_path / "data")
    assert night(tmp_path, archive).outcome == "empty"


def test_an_address_that_none_can_ask_for_fails_alone(tmp_path, caplog):
    records = [record(url.encode(), answer(text(NAMES[0]).encode())) for url in (f"{BASE}p", "http://[::1")]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(map(gzip.compress, records)))
    crawled = night(tmp_path, tmp_path / "a.warc.gz")
    assert (crawled.outcome, len(crawled.documents)) == ("complete", 1)
    assert crawled.states()["http://[::1"].startswith("failed no URL")
    assert not [line for line in caplog.records if line.name == "asyncio"]


def test_what_may_be_in_a_damaged_record_is_not_missed(tmp_path):
    archive = warc(tmp_path / "a.warc.gz", *whole())
    night(tmp_path, archive)
    damaged = warc(tmp_path / "b.warc.gz", *whole())
    data = bytearray(damaged.read_bytes())
    data[-300:-280] = bytes(20)
    damaged.write_bytes(data)
    for _ in range(2):
        crawled = night(tmp_path, damaged)
        assert (crawled.outcome, crawled.deletions) == ("complete", [])
    assert crawled.states(BASE)["p9.html"] == "failed archive record"
    assert len(crawled.current()) == 10


@pytest.mark.usefixtures("first_night")
def test_another_base_is_another_site_until_it_is_accepted(tmp_path, folder):
    other = "http://other.example/"
    crawled = night(tmp_path, folder, base=other)
    assert (crawled.outcome, crawled.documents, crawled.deletions) == ("suspicious", [], [])
    for _ in range(2):
        crawled = night(tmp_path, folder, base=other, accept=1)
    assert len(crawled.deletions) == 10
    assert [url for url in crawled.current() if not url.startswith(other)] == []


@pytest.mark.usefixtures("first_night")
def test_a_store_of_before_sends_and_deletes_nothing(tmp_path, folder):
    """Archives were not reviewed once: what they had lost by then is no loss of this night."""
    for name in NAMES[:7]:
        (folder / name).unlink()
    with closing(Store.open(tmp_path / "data" / "site")) as store, store.transaction():
        store.connection.execute("DELETE FROM meta WHERE key IN ('missed_round', 'site_text')")
    for deleted in (0, 7):
        crawled = night(tmp_path, folder)
        assert (crawled.outcome, crawled.documents) == ("complete", [])
        assert len(crawled.deletions) == deleted
