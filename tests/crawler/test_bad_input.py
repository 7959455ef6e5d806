"""Broken and hostile pages: each is stored with a flag or settled with a reason, and hurts nothing else."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from contextlib import closing

import pytest

import pagelets
from settings.errors import ConfigurationError
from store.errors import StoreUnusable, StoreVersion
from store.site import Store
from tests.crawls import PROJECT, command, crawl, lines, scrapy, states, without_time
from tests.served import Answer, moved, page, served

GOOD = {"/": page("home", "/bad", "/good"), "/good": page("good", "/")}


def crawl_with(tmp_path, bad, **settings):
    """A crawl of a site that has one bad page; returns it, and that page's document."""
    with served({**GOOD, "/bad": bad}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=settings)
    assert crawled.outcome == "complete"
    documents = {document["url"].removeprefix(site.base): document for document in crawled.documents}
    assert {"/", "/good"} <= documents.keys()
    assert (
        documents["/good"]["text"]
        == "good\n\nThis is what the page good says, and no other page does.\n\nto /"
    )
    crawled.state = crawled.states(site.base)["/bad"]
    return crawled, documents.get("/bad")


def crawl_with_all(tmp_path, bad):
    """A crawl of a site that has several bad pages; returns the state and the document of each, in order."""
    paths = [f"/bad{number}" for number in range(len(bad))]
    pages = {
        "/": page("home", "/good", *paths),
        "/good": page("good", "/"),
        **dict(zip(paths, bad, strict=True)),
    }
    # What the bad pages have in common is no template.
    apart = {"TEMPLATE_MIN_PAGES": 100, "REPEATED_BLOCK_SHARE": 0}
    with served(pages) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=apart)
    assert (crawled.outcome, crawled.errors) == ("complete", [])
    documents = {document["url"].removeprefix(site.base): document for document in crawled.documents}
    assert {"/", "/good"} <= documents.keys()
    known = crawled.states(site.base)
    return [(known[path], documents.get(path)) for path in paths]


def flags(document):
    return set(document["stats"]["flags"])


def test_a_page_of_9_mb_is_cut(tmp_path):
    crawled, document = crawl_with(tmp_path, page("big", text="Many words, again and again. " * 320_000))
    assert "truncated" in flags(document)
    assert crawled.errors == []
    assert (1 << 22) < len(document["text"]) <= 1 << 23


def test_a_page_beyond_the_limit_of_the_download_is_refused(tmp_path):
    crawled, _ = crawl_with(tmp_path, page("big", text="word " * 10_000), DOWNLOAD_MAXSIZE=30_000)
    assert crawled.state == "refused size"


def test_a_page_that_grows_too_large_when_decompressed_is_refused(tmp_path):
    bomb = Answer(gzip.compress(b"<html>" + b"word " * 1_000_000), headers={"Content-Encoding": "gzip"})
    crawled, _ = crawl_with(tmp_path, bomb, DOWNLOAD_MAXSIZE=100_000)
    assert crawled.state == "refused size"


def test_5_000_links(tmp_path):
    anchors = "".join(f"<a href='?n={number}'>{number}</a> " for number in range(5_000))
    crawled, document = crawl_with(tmp_path, page("links", text=anchors), TRAP_MAX_QUERIES=3)
    assert crawled.errors == []
    assert "4999" in document["text"]


HREFS = [
    *("http://[::1", "//", "http://", "?", "#", "javascript:x", "mailto:a@b", "data:,x", "ftp://h/x", "\x7f"),
    *("http://a.example:99999/", "http://ü.example/ü?ü", "/%zz", "http:///x", "\ud800", "/" + "long/" * 999),
]


def test_pages_that_are_broken_each_in_its_way(tmp_path):
    cut = page("cut", text="the beginning").encode()
    raw = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99999\r\n\r\n" + cut
    packed = gzip.compress(page("cut", text="".join(f"word {n} " for n in range(20_000))).encode())
    half = Answer(packed[: len(packed) // 2], headers={"Content-Encoding": "gzip"})
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 200
    lying = Answer(page("coded", text="Grüße über alles").encode(), kind="text/html; charset=iso-8859-1")
    bad = [
        page("deep", text="<div>" * 100_000 + "the bottom"),
        page("deep inline", text="<b>" * 100_000 + "the bottom"),
        page("nul\0", text="be\0fore <a href='/n\0ul'>and</a> after\0"),
        lying,
        Answer(picture),
        Answer(b""),
        Answer(raw=raw),
        half,
        page("links", *HREFS).encode("utf-8", "surrogatepass"),
    ]
    documents = [document for _, document in crawl_with_all(tmp_path, bad)]
    deep, inline, nul, garbled, binary, empty, truncated, unpacked, links = documents
    assert "truncated" in flags(deep)
    assert inline["title"] == "deep inline"
    assert "\0" not in nul["text"]
    assert "fore and after" in nul["text"]
    assert "binary" in flags(nul)
    assert flags(garbled) == {"garbled"}
    assert "binary" in flags(binary)
    assert "empty" in flags(empty)
    assert empty["text"] == ""
    assert "truncated" in flags(truncated)
    assert "the beginning" in truncated["text"]
    assert "word 1 " in unpacked["text"]
    assert links is not None


def test_charsets(tmp_path, monkeypatch):
    # Scrapy's own detection is slow, and nobody asks for it.
    monkeypatch.setattr("scrapy.http.response.text.from_bytes", None)
    coded = [
        ("Grüße über alles", "utf-16", "text/html"),
        ("Grüße über alles", "utf-16", "text/html; charset=utf-8"),
        ("Grüße über alles", "utf-16-le", "text/html; charset=utf-16le"),
        ("日本語のページ", "shift_jis", "text/html; charset=Shift_JIS"),
        ("汉字和标点，全都在这里。", "gb18030", "text/html; charset=gb2312"),
        ("汉字和标点，全都在这里。", "gb18030", "text/html; charset=gb18030"),
        ("It costs €5 – “cheap”", "windows-1252", "text/html; charset=ISO-8859-1"),
        ("Die Größe der Maße hängt von der Übung ab – „ganz ohne Mühe“.", "windows-1252", "text/html"),
        ("Très bon marché : l'été à la forêt, même le garçon déçu a reçu un cadeau.", "cp1252", "text/html"),
        ("Zażółć gęślą jaźń: książka, która leży na półce.", "iso8859-2", "text/html charset=x, text/html"),
        ("お探しのページは見つかりませんでした。", "iso2022_jp", "text/html"),
        ("Grüße über alles", "utf-8", "text/html"),
        ("Grüße über alles", "utf-8", "text/html; charset=nonsense"),
        ("Grüße über alles", "utf-8-sig", "text/html; charset=windows-1252"),
    ]
    bad = [Answer(page("coded", text=text).encode(encoding), kind=kind) for text, encoding, kind in coded]
    for (text, *said), (_, document) in zip(coded, crawl_with_all(tmp_path, bad), strict=True):
        assert text in document["text"], said
        assert not flags(document), said
        body = page("coded", text=text).encode(said[0])
        alone = pagelets.extract(
            body, url=document["url"], content_type=said[1], format="document", method="all-text"
        )
        assert alone["text"] == document["text"]


def test_what_cannot_be_decoded(tmp_path):
    body = page("broken", text="before").encode() + b"\xff\xfe\x80\xd8\x00 after \xed\xa0\x80"
    kinds = ["text/html; charset=utf-8", "text/html; charset=utf-16", "text/html"]
    for _, document in crawl_with_all(tmp_path, [Answer(body, kind=kind) for kind in kinds]):
        assert flags(document)


def test_hardly_a_body(tmp_path):
    bodies = ["<!-- nothing -->", "   \n ", "<?xml version='1.0'?>", "&#0;&#xD800;", "<"]
    for body, (_, document) in zip(
        bodies, crawl_with_all(tmp_path, [Answer(body) for body in bodies]), strict=True
    ):
        assert document is not None, body


def test_a_wrong_content_coding(tmp_path):
    codings = ["gzip", "deflate", "br", "zstd", "nonsense", "none", "utf-8", "identity"]
    bad = [Answer(b"no such coding" * 9, headers={"Content-Encoding": coding}) for coding in codings]
    bad.append(Answer(b"\x01\x02 such a coding", headers={"Content-Encoding": codings[4]}))
    *states, (last, _) = crawl_with_all(tmp_path, bad)
    for coding, (state, _) in zip(codings, states, strict=True):
        # A text in no coding that anybody knows is what its type says.
        assert state == "delivered" or (state.startswith("failed") and coding in codings[:4]), coding
    assert last == "refused type"


def test_broken_http(tmp_path):
    raws = [
        b"",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"HTTP/1.1 999 What\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 301 Moved\r\nLocation: http://[broken/\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 301 Moved\r\nLocation: javascript:alert(1)\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n",
    ]
    for raw, (state, document) in zip(
        raws, crawl_with_all(tmp_path, [Answer(raw=raw) for raw in raws]), strict=True
    ):
        assert document is None or "truncated" in flags(document), raw
        assert state == "delivered" or state.startswith("failed"), raw


def test_redirects_to_what_is_no_page(tmp_path):
    places = [
        "mailto:a@b.example",
        "javascript:alert(1)",
        "tel:1",
        "http://[broken/",
        "http://a.example:99999/",
    ]
    found = crawl_with_all(tmp_path, [moved(place) for place in places])
    assert {state for state, _ in found} == {"failed redirect to no page"}


@pytest.mark.parametrize("breaks", ["crawler.fetching.reading.read", "pagelets.record.fingerprint"])
def test_an_exception_on_one_page_hurts_no_other(tmp_path, monkeypatch, breaks):
    import importlib

    module, _, name = breaks.rpartition(".")
    original = getattr(importlib.import_module(module), name)

    def broken(first, *rest, **more):
        where = rest[0] if name == "read" else "".join(map(str, first))
        if "bad" in str(where) and "good" not in str(where):
            raise RecursionError("too deep")
        return original(first, *rest, **more)

    monkeypatch.setattr(breaks, broken)
    crawled, document = crawl_with(tmp_path, page("bad"))
    assert document is None
    assert crawled.state.startswith("failed ")
    assert crawled.state.endswith("RecursionError")


def test_an_exception_on_the_start_page_makes_an_empty_run(tmp_path, monkeypatch):
    monkeypatch.setattr("crawler.fetching.reading.read", lambda *_: 1 / 0)
    with served(GOOD) as site:
        assert crawl(tmp_path, url=f"{site.base}/").outcome == "empty"


def test_an_exception_in_the_judgement_of_one_page_hurts_no_other(tmp_path, monkeypatch):
    from store import judging

    original = judging.StoredJudge.judge

    def broken(self, page_id):
        judged = original(self, page_id)
        if judged.page.title == "bad":
            raise ZeroDivisionError
        return judged

    with monkeypatch.context() as patch:
        patch.setattr(judging.StoredJudge, "judge", broken)
        crawled, document = crawl_with(tmp_path, page("bad"))
        assert document is None
        assert crawled.stats["pages/faults/judging"] == 1
        assert crawled.state == "held"


def test_the_command_on_a_site_of_bad_pages(tmp_path):
    """The command has another HTTP client than the crawls above."""
    text = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    bomb = gzip.compress(b"<html>" + b"word " * 1_000_000)
    answers = {
        "/cut": Answer(raw=f"{text}Content-Length: 9999\r\n\r\n<p>the beginning".encode()),
        "/open": Answer(raw=f"{text}\r\n<p>until the end".encode()),
        "/closed": Answer(raw=f"{text}\r\n<p>with its end</html>\n".encode()),
        "/chunks": Answer(raw=f"{text}Transfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\nZZ\r\n".encode()),
        "/nothing": Answer(raw=b""),
        "/garbage": Answer(raw=b"garbage\r\n\r\n"),
        "/empty": Answer(b""),
        "/pdf": Answer(b"%PDF" * 100_000, kind="application/pdf"),
        "/json": Answer(b"{}", 404, "application/json"),
        "/busy": Answer(b"{}", 503, "application/json"),
        "/packed": Answer(b"not packed", kind="text/css", headers={"Content-Encoding": "gzip"}),
        "/bomb": Answer(bomb, headers={"Content-Encoding": "gzip"}),
        "/big": Answer(b"<p>" + b"word " * 200_000),
        "/loop": Answer(b"", 301, headers={"Location": "/loop"}),
        "/away": Answer(b"x" * 100_000, 302, "image/png", {"Location": "/good"}),
        "/deep": Answer("<div>" * 50_000),
        "/nul": Answer(page("nul\0", text="be\0fore")),
    }
    with served({"/": page("home", "/good", *answers), "/good": page("good", "/"), **answers}) as site:
        done = scrapy(
            tmp_path,
            "-a",
            f"url={site.base}/",
            "-a",
            "site=s",
            "-s",
            "DOWNLOAD_MAXSIZE=300000",
            "-O",
            "-:jsonlines",
        )
        known = states(tmp_path / "s", site.base)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    documents = {document["url"].removeprefix(site.base): document for document in lines(done.stdout)}
    assert documents.keys() == {path for path, state in known.items() if state == "delivered"}
    assert {path: "truncated" in flags(document) for path, document in documents.items()} == {
        "/": False,
        "/good": False,
        "/cut": True,
        "/open": True,
        "/closed": False,
        "/chunks": True,
        "/empty": False,
        "/deep": True,
        "/nul": False,
    }
    assert {path: state for path, state in known.items() if state != "delivered"} == {
        "/nothing": "failed DownloadFailedError",
        "/garbage": "failed DownloadFailedError",
        "/pdf": "refused type",
        "/json": "gone http 404",
        "/busy": "failed http 503",
        "/packed": "refused type",
        "/bomb": "refused size",
        "/big": "refused size",
        "/loop": "failed redirect loop",
        "/away": "redirected temporary",
    }


# --- Archives ---


def test_an_archive_gives_the_documents_of_the_site(tmp_path):
    pages = {**GOOD, "/bad": page("bad", "/?sid=1", "/good#x"), "/ü": page("umlaut")}
    pages["/"] = page("home", "/bad", "/good", "/%C3%BC", "/moved", "/pdf")
    answers = {path.replace("ü", "%C3%BC"): Answer(body) for path, body in pages.items()}
    answers["/moved"] = Answer(b"", 301, headers={"Location": "/good"})
    answers["/pdf"] = Answer(b"%PDF", kind="application/pdf")
    answers["/bad"].headers["Refresh"] = "5; url=/refreshed"
    answers["/refreshed"] = Answer(page("refreshed"))
    with served(answers) as site:
        expected = crawl(tmp_path / "live", url=f"{site.base}/", site="same")
    with (tmp_path / "same.warc.gz").open("wb") as file:
        for path, answer in answers.items():
            head = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
            payload = f"HTTP/1.1 {answer.status} X\r\n{head}\r\n".encode() + answer.body
            record = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {site.base}{path}\r\n"
                "WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(payload)}\r\n\r\n"
            )
            file.write(gzip.compress(record.encode() + payload + b"\r\n\r\n"))
        file.write(gzip.compress(b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: nonsense\r\n\r\nx"))
    crawled = crawl(tmp_path / "archive", "archive", path=tmp_path / "same.warc.gz")
    assert crawled.outcome == "complete"
    assert without_time(crawled.documents) == without_time(expected.documents)
    assert f"{site.base}/refreshed" in crawled.urls
    assert crawled.stats["pages/unreadable_records"] == 1


# --- Places and stores ---


@pytest.mark.parametrize("name", ["../x", "..", "a/b", "/etc", ".hidden", "", "a\0b", "x" * 300, "a..b"])
def test_site_names_lead_nowhere_else(tmp_path, name):
    with pytest.raises(ConfigurationError):
        crawl(tmp_path, url="http://127.0.0.1:9/", site=name)
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_place_of_the_data_folder(tmp_path):
    (tmp_path / "data").write_text("in the way")
    done = scrapy(tmp_path / "data", "-a", "url=http://127.0.0.1:9/")
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("scrapy crawl:")]
    assert "DATA_DIR" in line
    assert "Traceback" not in done.stderr
    assert (tmp_path / "data").read_text() == "in the way"


def test_a_folder_that_cannot_be_written(tmp_path):
    done = scrapy("/proc/self", "-a", "url=http://127.0.0.1:9/")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_store_of_another_version(tmp_path):
    with served(GOOD) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
        with closing(Store.open(tmp_path / "s")) as store:
            store.connection.execute("PRAGMA user_version = 99")
        with pytest.raises(StoreVersion, match="fresh=1"):
            crawl(tmp_path, url=f"{site.base}/", site="s")
        assert crawl(tmp_path, url=f"{site.base}/", site="s", fresh=1).outcome == "complete"


def test_a_store_that_is_no_database(tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "store.sqlite").write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreUnusable):
        crawl(tmp_path, url="http://127.0.0.1:9/", site="s")
    assert (tmp_path / "s" / "store.sqlite").read_bytes() == b"not a database" * 1000


def many_pages(count=60):
    noise = " ".join(f"{number * 7919 % 99991:x}" for number in range(3000))
    pages = {f"/{n}": page(str(n), text=f"{n} " + noise.replace("a", str(n))) for n in range(count)}
    return {**pages, "/": page("home", *pages)}


def limited(tmp_path, url, size, *arguments):
    """A crawl in a process that may write no file of more than ``size`` bytes."""
    return scrapy(tmp_path, "-a", f"url={url}", "-a", "site=s", *arguments, file_size=size)


@pytest.mark.parametrize("size", [300_000, 450_000])
def test_a_full_disk_ends_the_crawl_and_loses_nothing(tmp_path, size):
    pages = many_pages()
    with served(pages) as site:
        site.delay = lambda path: 0.01
        done = limited(tmp_path, f"{site.base}/", size)
        assert done.returncode == 4, done.stderr
        assert "Traceback" not in done.stderr
        assert len([line for line in done.stderr.splitlines() if "the disk has room" in line]) == 1
        before = states(tmp_path / "s", site.base)
        stored = {path for path, state in before.items() if state == "held"}
        assert stored
        site.asked.clear()
        again = crawl(tmp_path, url=f"{site.base}/", site="s")
        assert again.outcome == "complete"
        assert not stored & site.asked.keys()
    assert again.paths(site.base) == sorted(pages)


def test_a_disk_that_is_full_before_the_first_page(tmp_path):
    with served(GOOD) as site:
        done = limited(tmp_path, f"{site.base}/", 20_000)
    assert done.returncode in (2, 4)
    assert "Traceback" not in done.stderr
    assert "the disk has room" in done.stderr


def test_a_feed_that_cannot_be_written_leaves_its_documents_undelivered(tmp_path):
    with served(GOOD) as site:
        site.pages["/bad"] = page("bad")
        feed = tmp_path / "in the way"
        feed.mkdir()
        failed = scrapy(tmp_path, "-a", f"url={site.base}/", "-a", "site=s", "-O", f"{feed}:jsonlines")
        assert failed.returncode == 7
        assert set(states(tmp_path / "s", site.base).values()) == {"released"}
        done = scrapy(tmp_path, "-a", f"url={site.base}/", "-a", "site=s", "-O", "-:jsonlines")
    assert done.returncode == 0
    assert len(lines(done.stdout)) == 3


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("%(nosuch)s.jsonl", "KeyError: 'nosuch'"),
        ("%(time)d.jsonl", "TypeError: %d format: a real number is required, not str"),
    ],
)
def test_an_address_of_a_feed_that_cannot_be_made_is_refused(tmp_path, name, why):
    feed = str(tmp_path / name)
    done = scrapy(tmp_path, "-a", "url=http://127.0.0.1:9/", "-a", "site=s", "-O", feed)
    assert done.returncode == 2
    assert done.stderr == f"scrapy crawl: FEEDS: {feed!r}: {why}; mend its parameters, %(…)s\n"


@pytest.mark.parametrize(("kind", "name"), [("parquet", "Parquet"), ("json", "JSON"), ("xml", "XML")])
def test_nothing_is_added_to_a_file_of_a_format_that_is_whole(tmp_path, kind, name):
    feed = tmp_path / f"documents.{kind}"
    feed.write_bytes(b"of the run before")
    done = scrapy(tmp_path, "-a", "url=http://127.0.0.1:9/", "-a", "site=s", "-o", str(feed))
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"scrapy crawl: FEEDS: {feed} is there, and nothing can be added to {name};"
    )
    assert feed.read_bytes() == b"of the run before"


def test_the_site_is_a_parameter_of_the_address_of_a_feed(tmp_path):
    with served({**GOOD, "/bad": page("bad")}) as site:
        feed = f"{tmp_path}/100%20/%(site)s-%(name)s.jsonl"
        assert scrapy(tmp_path, "-a", f"url={site.base}/", "-a", "site=s", "-O", feed).returncode == 0
    assert len(lines((tmp_path / "100%20" / "s-site.jsonl").read_text())) == 3


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_process_without_standard_output_or_error_crawls_as_ever(tmp_path, closed):
    with served({**GOOD, "/bad": page("bad")}) as site:
        arguments = command(tmp_path, "-a", f"url={site.base}/", "-a", "site=s")
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "sh", *arguments],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


def test_a_feed_to_a_closed_standard_output_is_refused(tmp_path):
    arguments = command(tmp_path, "-a", "url=http://127.0.0.1:9/", "-a", "site=s", "-O", "-:jsonlines")
    shell = ["sh", "-c", 'exec "$@" >&-', "sh", *arguments]
    done = subprocess.run(shell, cwd=PROJECT, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith("scrapy crawl: FEEDS: the standard output is closed; name a file\n")


def hang_up():
    """Lets the standard output of this process be a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    os.dup2(writing, 1)


@pytest.mark.parametrize("kind", ["csv", "jsonlines", "xml"])
def test_a_reader_that_hangs_up_leaves_the_documents_undelivered_whatever_the_format(tmp_path, kind):
    with served(GOOD) as site:
        site.pages["/bad"] = page("bad", text="long " * 50_000)
        arguments = ["-a", f"url={site.base}/", "-a", "site=s", "-O", f"-:{kind}"]
        done = scrapy(tmp_path, *arguments, prepare=hang_up)
    assert done.returncode == 7
    # Others hold back what they write until the end.
    told = done.stderr.count("a feed cannot be written: Broken pipe; the next run sends its documents again")
    assert told == (kind == "jsonlines"), "once, not for each document"
    assert "Traceback" not in done.stderr
    with closing(Store.open(tmp_path / "s")) as store:
        assert store.documents.pending()


def test_a_feed_that_cannot_be_stored_is_an_error_of_one_line(tmp_path):
    with served(GOOD) as site:
        arguments = ["-a", f"url={site.base}/", "-a", "site=s", "-O", "ftp://me:hidden@127.0.0.1:1/a.jsonl"]
        done = scrapy(tmp_path, *arguments)
    assert done.returncode == 7
    assert "items) in: ftp://***@127.0.0.1:1/a.jsonl: ConnectionRefusedError: [Errno 111]" in done.stderr
    assert ("Traceback" in done.stderr, "hidden" in done.stderr) == (False, False)


def test_feeds_whose_folder_is_lost_on_the_way_are_errors_of_one_line(tmp_path):
    """Both are opened at the end alone, as no document goes into them."""
    folder = tmp_path / "out"

    def lost(path):
        folder.write_text("in the way")

    with served(GOOD) as site:
        crawl(tmp_path / "data", url=f"{site.base}/", site="s")
        site.otherwise = lost
        feeds = [option for name in ("a.csv", "b.json") for option in ("-O", str(folder / name))]
        done = scrapy(tmp_path / "data", "-a", f"url={site.base}/", "-a", "site=s", *feeds)
    assert (done.returncode, done.stderr.count("the end could not be written")) == (7, 2)
    assert "Traceback" not in done.stderr


def test_a_pipeline_that_refuses_a_document_gets_it_again(tmp_path):
    pipelines = {
        "pipelines.shingling.ShinglingPipeline": 100,
        "pipelines.stripping.StrippingPipeline": 200,
        "tests.crawler.test_bad_input.Refusing": 300,
    }
    with served(GOOD) as site:
        site.pages["/bad"] = page("bad")
        crawled = crawl(tmp_path, url=f"{site.base}/", site="s", settings={"ITEM_PIPELINES": pipelines})
        assert crawled.outcome == "undelivered"
        assert crawled.paths(site.base) == ["/", "/good"]
        assert crawled.states(site.base) == {"/": "delivered", "/good": "delivered", "/bad": "released"}
        assert crawl(tmp_path, url=f"{site.base}/", site="s").paths(site.base) == ["/bad"]


class Refusing:
    """A pipeline that fails on one document."""

    def process_item(self, item):
        if isinstance(item, dict) and item["title"] == "bad":
            raise RuntimeError("no")
        return item


def test_a_pipeline_that_drops_a_fetched_page_settles_it(tmp_path):
    pipelines = {
        "tests.crawler.test_bad_input.Dropping": 50,
        "pipelines.shingling.ShinglingPipeline": 100,
        "pipelines.stripping.StrippingPipeline": 200,
    }
    crawled, document = crawl_with(tmp_path, page("bad"), ITEM_PIPELINES=pipelines)
    assert document is None
    assert crawled.state == "refused dropped: DropItem"


class Dropping:
    """A pipeline that wants some pages not."""

    def process_item(self, item):
        from scrapy.exceptions import DropItem

        if getattr(getattr(item, "page", None), "title", "") == "bad":
            raise DropItem("not this one")
        return item


def test_a_middleware_that_swallows_a_page_does_not_hold_up_the_crawl(tmp_path):
    middlewares = {"tests.crawler.test_bad_input.Swallowing": 500}
    crawled, document = crawl_with(tmp_path, page("bad"), SPIDER_MIDDLEWARES=middlewares)
    assert document is None
    assert crawled.state == "failed lost"


class Swallowing:
    """A spider middleware that lets a page fall."""

    async def process_spider_output(self, response, result):
        async for item in result:
            if not response.url.endswith("/bad"):
                yield item


def test_the_run_file_holds_what_the_store_says(tmp_path):
    with served({"/": page("home")}) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
    run = json.loads((tmp_path / "s" / "runs" / "1.json").read_text())
    assert (run["outcome"], run["counts"]["documents/delivered"]) == ("complete", 1)
