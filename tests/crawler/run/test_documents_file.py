"""``documents.jsonl`` has all documents of a site, whatever ends a crawl; ``changes`` has the difference."""

from __future__ import annotations

import json
import os
import shutil
import signal
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.exceptions import DropItem

from crawler.configuration.judgement import stored_judge
from crawler.feeds.exporters import as_line
from crawler.run.documents_file import CHANGES, FILE, KEPT, DocumentsFile
from crawler.run.outcome import RunOutcome
from inspection.templates import Choice, decide
from store.database import FILE as STORE
from store.meta import FILED_FIELDS
from store.site import Store
from tests.crawls import arguments_of, crawl, scrapy
from tests.filed import changed, check_replay, filed, last_run, replayed
from tests.forked import Running
from tests.recrawls import StopAfter, project
from tests.served import Answer, page, served

LOGGED = ["-s", "PROGRESS_ENABLED=1", "-s", "LOG_LEVEL=INFO"]
NAMES = ["", *"abcde", "é%22"]
MENU = "<nav>" + "".join(f"<a href=/n{i}>Entry {i} of the menu</a> " for i in range(5)) + "</nav>"


def article(name: str, text: str = "") -> str:
    return page(name or "home", *(f"/{one}" for one in NAMES), text=text or None, around=MENU)


@pytest.fixture(scope="module")
def server():
    with served({}) as running:
        yield running


@pytest.fixture
def site(server):
    server.pages = {f"/{name}": article(name) for name in NAMES}
    # As the URL is asked for.
    server.pages["/%C3%A9%22"] = server.pages["/é%22"]
    return server


@pytest.fixture(scope="module")
def begun(tmp_path_factory) -> Path:
    """The folder of the store of a first crawl, which is made when a test asks for it."""
    return tmp_path_factory.mktemp("begun") / "s"


@pytest.fixture
def home(site, begun, tmp_path) -> Path:
    """The store of a first crawl of `site`, in `tmp_path`: a copy of the one in `begun`."""
    if begun.exists():
        shutil.copytree(begun, tmp_path / "s")
    else:
        assert len(run(site, tmp_path).documents) == len(NAMES)
        shutil.copytree(tmp_path / "s", begun)
    return tmp_path / "s"


def run(site, folder, settings=None, **arguments):
    return crawl(folder, url=f"{site.base}/", site="s", settings=settings, **arguments)


def change(site) -> None:
    """Changes a page, takes one away and adds one."""
    site.pages["/a"] = article("a", "What the page says by now is another thing altogether.")
    site.pages["/b"] = page("b", "/new", text="It leads to a new one by now, and says so at length.")
    site.pages["/new"] = article("new")
    del site.pages["/c"]


def exported(folder: Path, **settings: object) -> bytes:
    """Returns what ``scrapy export`` writes."""
    own = project()
    own.update(settings, priority="cmdline")
    with closing(Store.open(folder)) as store:
        judge = stored_judge(store, own)
        pages = [(page, store.frontier.url(page)) for page in store.documents.current()]
        return b"".join(as_line(judge.document(page, judge.fields_of(url))) for page, url in pages)


def texts(folder: Path) -> dict[str, str]:
    return {url: document["text"] for url, document in filed(folder).items()}


def is_whole(folder: Path) -> bool:
    """Returns true if the file has the texts of an export, in its order."""
    rows = map(json.loads, exported(folder).splitlines())
    return list(texts(folder).items()) == [(row["url"], row["text"]) for row in rows]


def test_the_file_follows_the_site(site, tmp_path):
    home = tmp_path / "s"
    first = run(site, tmp_path)
    assert (first.outcome, len(filed(home))) == ("complete", 7)
    assert (home / FILE).read_bytes() == exported(home)
    assert {one["_op"] for one in changed(home, 1)} == {"put"}
    check_replay({}, home)

    change(site)
    before = filed(home)
    run(site, tmp_path)
    check_replay(before, home)
    ops = {one["url"].removeprefix(site.base): one["_op"] for one in changed(home, 2)}
    assert ops == {"/a": "put", "/b": "put", "/new": "put", "/c": "delete"}
    assert changed(home, 2)[-1] == {"_op": "delete", "url": f"{site.base}/c", "reason": "http 404"}
    assert is_whole(home)

    made = (home / FILE).stat()
    run(site, tmp_path)
    assert (home / FILE).stat() == made
    assert changed(home, 3) == []


def test_the_command_exports_the_same_and_leaves_the_folder_alone(site, tmp_path):
    before = set(Path.cwd().iterdir())
    done = scrapy(tmp_path, "-a", f"url={site.base}/", "-a", "site=s", *LOGGED)
    assert done.returncode == 0
    assert f"; all: {tmp_path / 's' / FILE}" in done.stderr
    assert f"  changes    {tmp_path / 's' / CHANGES / '1.jsonl'}" in done.stderr
    assert set(Path.cwd().iterdir()) == before
    assert exported(tmp_path / "s") == (tmp_path / "s" / FILE).read_bytes()


def before_delivery() -> None:
    RunOutcome._deliver = lambda _: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[method-assign]


def between_the_files() -> None:
    replace = Path.replace

    def killing(path: Path, target: Path) -> Path:
        if target.name == FILE:
            os.kill(os.getpid(), signal.SIGKILL)
        return replace(path, target)

    Path.replace = killing  # type: ignore[method-assign]


def in_the_midst() -> None:
    DocumentsFile._line = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore


@pytest.mark.parametrize("killed", [before_delivery, between_the_files, in_the_midst])
@pytest.mark.parametrize("crawled_before", [False, True])
def test_the_run_after_a_kill_puts_it_right(site, tmp_path, request, killed, crawled_before):
    home = tmp_path / "s"
    if crawled_before:
        request.getfixturevalue("home")
    before = filed(home)
    change(site)
    arguments = arguments_of(tmp_path, "-a", f"url={site.base}/", "-a", "site=s")
    assert Running(arguments, prepare=killed).wait() == -signal.SIGKILL
    assert filed(home) == before or killed is before_delivery
    before = filed(home)
    # What is new since must not hide what the killed run has done.
    site.pages["/d"] = article("d", "Another text after the kill, which is as long as the others.")
    run(site, tmp_path)
    check_replay(before, home)
    assert is_whole(home)
    assert "/c" not in {url.removeprefix(site.base) for url in filed(home)}


@pytest.mark.parametrize(
    ("how", "outcome"),
    [
        ({"settings": {"STOP_AFTER": 3, "EXTENSIONS": {StopAfter: 0}}}, "interrupted"),
        ({"max_pages": 2}, "limited"),
        ({"fresh": 1}, "complete"),
    ],
    ids=["stopped", "limited", "fresh"],
)
def test_other_ends(site, tmp_path, how, outcome):
    home = tmp_path / "s"
    for _ in range(2):
        before = filed(home)
        assert run(site, tmp_path, **how).outcome == outcome
        check_replay(before, home)
        assert is_whole(home)
        change(site)
        before = filed(home)
        run(site, tmp_path)
        check_replay(before, home)
        assert is_whole(home)
        site.pages["/c"] = article("c")


def test_a_fresh_crawl_tells_what_is_no_more(site, home, tmp_path):
    change(site)
    run(site, tmp_path, fresh=1)
    deleted = [one for one in changed(home, 2) if one["_op"] == "delete"]
    assert deleted == [{"_op": "delete", "url": f"{site.base}/c", "reason": "gone"}]


@pytest.mark.parametrize("damaged", [False, True])
def test_a_fresh_crawl_has_a_new_number_and_keeps_the_files_of_the_runs_before(site, home, tmp_path, damaged):
    first = changed(home, 1)
    if damaged:
        (home / STORE).write_bytes(b"no database")
    for number in (2, 3):
        run(site, tmp_path, fresh=1)
        assert last_run(home) == number
    assert changed(home, 1) == first
    assert sorted(path.name for path in (home / "runs").iterdir()) == ["1.json", "2.json", "3.json"]
    run(site, tmp_path)
    assert last_run(home) == 4


def test_a_suspicious_crawl_changes_nothing(site, home, tmp_path):
    made = (home / FILE).stat()
    for name in "abcde":
        site.pages[f"/{name}"] = Answer("sorry", 404)
    assert run(site, tmp_path).outcome == "suspicious"
    left = (home / FILE).stat()
    assert (left.st_ino, left.st_size, left.st_mtime_ns) == (made.st_ino, made.st_size, made.st_mtime_ns)
    assert changed(home, 2) == []


def test_what_people_decide_is_in_it_after_the_next_crawl(site, home, tmp_path):
    with Store.open(home) as store:
        assert store.derivation.partition
        decide(store, store.derivation.partition, Choice(reject=["1"]))
    before = filed(home)
    crawled = run(site, tmp_path)
    assert len(crawled.documents) == 7
    check_replay(before, home)
    assert is_whole(home)


def test_what_was_judged_anew_between_two_crawls_is_in_it_though_no_page_goes_out(site, home, tmp_path):
    with Store.open(home) as store, store.transaction():
        # As `scrapy teach` leaves documents that it has judged, whose feed was lost then.
        store.connection.execute("UPDATE documents SET delivered = 0")
    text = (home / FILE).read_bytes()
    (home / FILE).write_bytes(text.replace(b"the page a says", b"the page a said"))
    before = filed(home)
    run(site, tmp_path)
    check_replay(before, home)
    assert (home / FILE).read_bytes() == exported(home)


@pytest.mark.parametrize("lost", ["all", "half", "order", "garbage", "end", "content"])
def test_a_file_that_was_lost_is_written_anew(site, home, tmp_path, lost):
    rows = (home / FILE).read_bytes().splitlines(keepends=True)
    (home / FILE).unlink()
    if lost != "all":
        garbage = [b"{}\n", b"\0\n", b'{"url":"\xe9"}\n', *rows]
        kept = {"half": [*rows[:3], rows[3][:20]], "order": rows[::-1], "garbage": garbage, "content": []}
        (home / FILE).write_bytes(b"".join(kept.get(lost, [*rows[:-1], rows[-1][:-20]])))
    if lost in ("half", "order", "garbage"):
        change(site)
    run(site, tmp_path)
    assert is_whole(home)
    if lost == "all":
        assert (home / FILE).read_bytes() == exported(home)
        check_replay({}, home)


def test_other_fields_write_it_anew(site, home, tmp_path):
    before = filed(home)
    crawled = run(site, tmp_path, {"DOCUMENT_FIELDS": ["title"]})
    assert crawled.documents == []
    assert {tuple(document) for document in filed(home).values()} == {("url", "title")}
    check_replay(before, home)
    change(site)
    crawled = run(site, tmp_path, {"DOCUMENT_FIELDS": ["title"]})
    assert {tuple(document) for document in crawled.documents} == {("title",)}
    assert {tuple(document) for document in filed(home).values()} == {("url", "title")}
    run(site, tmp_path)
    assert (home / FILE).read_bytes() == exported(home)


def test_another_name_of_the_site_is_on_all_lines(site, home, tmp_path):
    before = filed(home)
    home.rename(tmp_path / "t")
    assert crawl(tmp_path, url=f"{site.base}/", site="t").documents == []
    assert {document["site"] for document in filed(tmp_path / "t").values()} == {"t"}
    check_replay(before, tmp_path / "t")


@pytest.mark.parametrize("waits", [False, True])
def test_a_file_that_is_written_anew_has_what_went_out(site, tmp_path, waits):
    override = {"type": "begins", "pattern": "/a", "method": "all-text"}
    settings = {"OVERRIDES": [override], "METHOD": "templates"}
    run(site, tmp_path, settings)
    before = {url: document["text"] for url, document in filed(tmp_path / "s").items()}
    if waits:
        # A redesign of which a part was seen: what has changed goes out with the rest.
        for path, old in site.pages.items():
            site.pages[path] = old.replace("of the menu", "at the top of all pages").replace(
                ">to", ">and now"
            )
    crawled = run(site, tmp_path, {**settings, "DOCUMENT_FIELDS": ["text"]}, max_pages=5 if waits else 0)
    assert crawled.documents == []
    assert {url: document["text"] for url, document in filed(tmp_path / "s").items()} == before


def test_a_new_field_of_a_project_is_on_all_lines_though_no_page_goes_out(site, home, tmp_path):
    crawled = run(site, tmp_path, {"FIELD_FUNCTIONS": {"tags": "tests.shopfields.tags"}})
    assert crawled.documents == []
    assert all("tags" in document for document in filed(home).values())


def test_it_can_be_switched_off(site, tmp_path):
    home = tmp_path / "s"
    run(site, tmp_path, {"DOCUMENTS_FILE": False})
    run(site, tmp_path, sample=3)
    assert not [*tmp_path.glob(f"**/{FILE}"), *tmp_path.glob(f"**/{CHANGES}")]
    run(site, tmp_path)
    before = filed(home)
    change(site)
    run(site, tmp_path, {"DOCUMENTS_FILE": False})
    assert filed(home) == before
    # Nothing has changed since, but for what the file has missed.
    assert run(site, tmp_path).documents == []
    check_replay(before, home)
    assert is_whole(home)


@pytest.mark.parametrize("where", [FILE, CHANGES])
def test_a_place_that_cannot_be_written_loses_nothing(site, home, tmp_path, caplog, where):
    change(site)
    before = filed(home)
    blocked, aside = home / where, tmp_path / "aside"
    if where == CHANGES:
        blocked.rename(aside)
        blocked.write_text("in the way")
    else:
        (home / f".{FILE}").mkdir()
    assert run(site, tmp_path).outcome == "undelivered"
    assert "the next crawl writes it; -s DOCUMENTS_FILE=0 keeps none" in caplog.text
    assert filed(home) == before
    if where == CHANGES:
        blocked.unlink()
        aside.rename(blocked)
    else:
        (home / f".{FILE}").rmdir()
    assert len(run(site, tmp_path).documents) == 3
    check_replay(before, home)
    assert is_whole(home)


class Drops:
    """Drops the document of one page, and changes the fields of another."""

    def process_item(self, item):
        if isinstance(item, dict) and item["url"].endswith("/a"):
            raise DropItem("not wanted")
        if isinstance(item, dict) and item["url"].endswith("/b"):
            return {"text": "of mine", "seen": {1}}
        return item


@pytest.mark.parametrize("order", [250, 900])
def test_what_another_pipeline_makes_of_documents(site, tmp_path, order):
    home = tmp_path / "s"
    for documents in (6, 7):
        if documents == 7:
            change(site)
            site.pages["/c"] = article("c")
        before = filed(home)
        run(site, tmp_path, {"ITEM_PIPELINES": {Drops: order}})
        check_replay(before, home)
        found = {url.removeprefix(site.base): document for url, document in filed(home).items()}
        assert "/a" not in found
        # A document without a URL is made from the store.
        assert len(found) == documents
        assert ("page b says" if documents == 6 else "a new one by now") in found["/b"]["text"]


def test_without_the_pipeline_the_documents_are_made_from_the_store(site, tmp_path):
    pipelines = {"pipelines.indexing.IndexingPipeline": None}
    run(site, tmp_path, {"ITEM_PIPELINES": pipelines})
    assert is_whole(tmp_path / "s")
    change(site)
    run(site, tmp_path, {"ITEM_PIPELINES": pipelines})
    assert is_whole(tmp_path / "s")


@pytest.mark.parametrize("how", [{}, {"fresh": 1}])
def test_the_changes_of_old_runs_go(site, home, tmp_path, how):
    folder = home / CHANGES
    with Store.open(home) as store, store.transaction():
        store.connection.execute("UPDATE runs SET run = 200")
    for number in range(100, 140):
        shutil.copy(folder / "1.jsonl", folder / f"{number}.jsonl")
    (folder / ".7.jsonl").write_text("of a run that was killed")
    run(site, tmp_path, **how)
    assert len(list(folder.iterdir())) == KEPT
    assert last_run(home) == 201


URLS = [f"https://e.org/{name}" for name in ("a", "a/b", "ab", 'q"', "é", "\U0001f600", "z")]
PAGES = st.fixed_dictionaries(
    {
        "old": st.sampled_from(["", "old"]),
        "change": st.sampled_from(["", "put", "put twice", "delete"]),
        "wanted": st.booleans(),
        "can_be_made": st.booleans(),
        "arrived": st.booleans(),
    }
)


def insert(store: Store, page: int, url: str, known: dict[str, object]) -> None:
    """Puts a page and its document into a store, as far as the file asks for them."""
    store.connection.execute(
        "INSERT INTO pages (page, url, host, state, fetched_run) VALUES (?, ?, 1, 'delivered', ?)",
        (page, url, 1 if known["can_be_made"] else None),
    )
    store.connection.execute(
        "INSERT INTO documents (page, run, content_hash, template_version, mask, reasons, delivered, op) "
        "VALUES (?, 1, '', '', x'', '{}', ?, ?)",
        (page, known["arrived"], "index" if known["wanted"] else "delete"),
    )


@given(pages=st.lists(PAGES, min_size=len(URLS), max_size=len(URLS)), usable=st.booleans())
def test_any_changes_make_the_new_file_of_the_old(tmp_path_factory, pages, usable):
    folder = tmp_path_factory.mktemp("s")
    (folder / FILE).write_bytes(
        b"".join(
            as_line({"url": url, "text": known["old"]})
            for url, known in zip(sorted(URLS, key=str.encode), pages, strict=True)
            if known["old"]
        )
    )
    config = SimpleNamespace(fields=["text"], overrides=[])
    with Store.open(folder, create=True) as store:
        urls = dict(enumerate(sorted(URLS, key=str.encode), 1))
        file = DocumentsFile(folder, folder, 1, config, {url: page for page, url in urls.items()}.get)
        with store.transaction():
            store.connection.execute("INSERT INTO hosts (host, name) VALUES (1, 'e.org')")
            for page, known in zip(urls, pages, strict=True):
                insert(store, page, urls[page], known)
        for page, known in zip(urls, pages, strict=True):
            for _ in range(known["change"].count("put") + known["change"].count("twice")):
                file.put(urls[page], {"text": "new"})
            if known["change"] == "delete":
                file.delete(urls[page], "http 404")
        before = filed(folder)
        if usable:
            with store.transaction():
                store.set_meta(FILED_FIELDS, file.fields)
        file.write(store, lambda page, url: {"text": "made"}, changed=True)
    check_replay(before, folder)
    found = filed(folder)
    for url, known in zip(urls.values(), pages, strict=True):
        if not known["wanted"]:
            assert url not in found
        elif known["change"].startswith("put"):
            assert found[url]["text"] == "new"
        elif known["old"] and known["arrived"] and usable and not known["change"]:
            assert found[url]["text"] == "old"
        elif known["can_be_made"]:
            assert found[url]["text"] == "made"
    assert found == replayed(before, changed(folder, 1))
    shutil.rmtree(folder)
