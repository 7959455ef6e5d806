"""Pages made by scripts, rendered by a real Chromium."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import socket
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from crawler.fetching.browser import middleware
from crawler.fetching.browser.middleware import (
    HANDLER,
    NOT_PLAYWRIGHTS,
    RenderPages,
    is_wanted,
    launch_options,
    switch_on,
)
from pagelets.boxes import ATTRIBUTE
from settings.errors import ConfigurationError
from store.site import Store
from tests import forked
from tests.chromium import BROWSER
from tests.crawls import arguments_of, crawl, lines, scrapy, states
from tests.served import Answer, moved, page, served

if TYPE_CHECKING:
    import subprocess
    from collections import Counter
    from email.message import Message


rendered = pytest.mark.skipif(
    find_spec("scrapy_playwright") is None or BROWSER is None,
    reason="needs requirements-javascript.txt and a Chromium",
)


def script(code: str, body: str = "<main id=app></main>", head: str = "") -> str:
    """A page whose text comes from its script."""
    return (
        f"<!doctype html><html lang=en><head><title>made</title>{head}</head>"
        f"<body>{body}<script>{code}</script></body></html>"
    )


def shows(text: str) -> str:
    return f"document.getElementById('app').innerHTML = {json.dumps(text)};"


def launched_once():
    """Leaves out the launch that only shows that the browser starts, which the crawl's own shows as well."""
    middleware._probe = lambda browser, options: None


def where(pattern, javascript):
    """Options that have the pages of a pattern rendered, or not: one takes as long as a hundred others."""
    override = {"type": "regex", "pattern": pattern, "priority": 0, "javascript": javascript}
    return ["-s", f"OVERRIDES={json.dumps([override])}"]


def waiting(seconds):
    """Has pages fall idle in so many seconds."""
    from crawler.fetching.browser import handler

    handler.LONGEST_WAIT = seconds


def rendering(data_dir, site, *arguments, javascript=True, prepare=launched_once, **options):
    """Crawls by the command, as a user does; returns its documents by path."""
    on = ["-s", "RENDER_JAVASCRIPT=1"] if javascript else []
    done = scrapy(
        data_dir,
        *("-a", f"url={site.base}/", *on, "-o", "-:jsonlines", *arguments),
        prepare=prepare,
        **options,
    )
    return done, {d["url"].removeprefix(site.base): d for d in lines(done.stdout)}


@pytest.fixture
def family(monkeypatch, tmp_path):
    """Lists the processes that come from this test's crawls, and no others: id -> command line."""
    # What crawls are forked from outlives the test, and is not to have its mark.
    forked.get_ready()
    monkeypatch.setenv("CRAWL_OF_TEST", str(tmp_path))
    mark = f"CRAWL_OF_TEST={tmp_path}".encode()

    def listed() -> dict[int, str]:
        parents, found, marked = {}, {}, set()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                pid, status = int(folder.name), (folder / "stat").read_text()
                state, parent = status.rpartition(")")[2].split()[:2]
                if state == "Z":
                    continue
                parents[pid] = int(parent)
                found[pid] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    marked.add(pid)

        def is_ours(pid: int) -> bool:
            while pid in parents and pid not in marked:
                pid = parents[pid]
            return pid in marked

        return {pid: line for pid, line in found.items() if is_ours(pid)}

    return listed


def store_of(data_dir: Path) -> Path:
    [folder] = [path for path in data_dir.iterdir() if path.is_dir()]
    return folder


def state_of(data_dir, site):
    return states(store_of(data_dir), site.base)


# --- What comes out ---


COUNTS = (
    "const n = 1 + Number(localStorage.n || 0) + document.cookie.length; localStorage.n = n;"
    "document.cookie = 'seen=1'; document.getElementById('app').innerHTML = '<p>visit ' + n + '</p>';"
)
UNREAD = (
    "<main id=app></main><img src=/i.png><video src=/v.mp4></video><audio src=/a.mp3></audio>"
    "<iframe src=/plain/frame></iframe><p style='font-family: own'>text</p>"
)
OWN_FONT = "<style>@font-face {font-family: own; src: url(/f.woff)}</style><script src=/s.js></script>"
SLOW = "<p>part</p><script>until = Date.now() + 200; while (Date.now() < until);</script>"
JAPANESE = "日本語のページ、できました。"
LISTED = (
    "/later /slow /stateless /coded /gone /broken /moved /data /leads /says /reloads /asks /reaches"
).split()
PAGES = {
    "/": Answer(
        script(
            shows(
                "<h1>Shop</h1><p>Made by a script, Größe 5 €.</p>"
                + "".join(f"<a href={p}>x</a>" for p in LISTED)
            )
        ),
        headers={"Content-Disposition": "attachment"},
    ),
    "/later": script(
        "fetch('/api').then(r => r.json()).then(d => {"
        "document.getElementById('app').innerHTML = '<p>' + d.text + '</p>'})",
        UNREAD,
        OWN_FONT,
    ),
    "/api": Answer('{"text": "This came later."}', kind="application/json"),
    "/slow": f"<!doctype html><html lang=en><title>slow</title><body>{SLOW * 4}<p>end</p>",
    # With shadow trees.
    "/stateless": script(
        "Object.defineProperty(document, 'readyState', {get() { throw 1 }});"
        "const inside = (host, html) => { host.attachShadow({mode: 'open'}).innerHTML = html; return host };"
        "const text = '<p>shaded</p><b-c></b-c><a href=/plain?s>x</a>';"
        "const outer = inside(document.getElementById('app'), text);"
        "inside(outer.shadowRoot.querySelector('b-c'), '<p>deeper</p>');"
    ),
    "/s.js": Answer("", kind="text/javascript"),
    "/coded": Answer(
        gzip.compress(
            script(f"document.getElementById('app').textContent = '{JAPANESE}'").encode("shift_jis")
        ),
        kind="text/html; charset=Shift_JIS",
        headers={"Content-Encoding": "gzip", "X-Robots-Tag": "noarchive", "ETag": '"shell"'},
    ),
    "/gone": Answer(script("fetch('/seen')"), 404),
    "/broken": Answer(script("fetch('/seen')"), 500),
    "/moved": moved("/plain/target", 302),
    "/plain/target": page("target"),
    "/data": Answer("%PDF-1.4", kind="application/pdf"),
    "/leads": script(COUNTS + "setTimeout(() => location.href = '/plain?a=1&b=2', 50)"),
    "/plain?a=1&b=2": page("there"),
    "/says": script(COUNTS + "location.href = '/plain/said'", head="<!-- </head> -->"),
    "/plain/said": page("said"),
    "/reloads": script(shows("<p>kept</p>") + "location.reload()"),
    "/own": Answer("own", kind="text/plain"),
}
TO_ALL = {"Access-Control-Allow-Origin": "*"}
STRANGERS = {"/": Answer("closed", kind="text/plain"), "/o": Answer("open", headers=TO_ALL)}


def readable(path: str) -> Answer:
    return Answer("secret", headers=TO_ALL)


def asks_strangers(base: str) -> str:
    return script(
        "const get = url => fetch(url).then(r => r.text()).catch(() => 'none');"
        f"Promise.all(['/closed', '/open', '/round', '/own', '{base}/o'].map(get)).then(all => {{"
        "document.getElementById('app').innerHTML = '<p>' + all.join(' and ') + '</p>'})"
    )


REACHES = """<!doctype html><title>t</title>
<link rel=preconnect href=http://127.0.0.1:{port}><link rel=dns-prefetch href=http://127.0.0.1:{port}>
<link rel=prefetch href=http://127.0.0.1:{port}/prefetch><link rel=modulepreload href=http://{inside}/m.js>
<script src=http://{inside}/script.js></script><link rel=stylesheet href=http://{inside}/style.css>
<main id=app></main><object data=http://{inside}/object></object><embed src=http://{inside}/embed>
<iframe src=http://{inside}/frame></iframe><form id=f action=http://{inside}/form method=post></form>
<script>
const get = url => fetch(url).then(r => r.text()).catch(() => 'none');
const peer = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{port}'}}]}});
peer.createDataChannel('x'); peer.createOffer().then(o => peer.setLocalDescription(o));
window.open('http://127.0.0.1:{port}/popup'); navigator.sendBeacon('http://127.0.0.1:{port}/beacon', 'x');
new WebSocket('ws://127.0.0.1:{port}/socket'); new EventSource('http://127.0.0.1:{port}/events');
const code = "importScripts('http://{inside}/worker.js'); fetch('http://{inside}/of-worker')";
new Worker(URL.createObjectURL(new Blob([code])));
try {{ new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.1:{port}/shared')"]))); }}
catch (e) {{}}
const all = [get('http://{inside}/fetch'), get('/away'), get('/api'), get('file:///etc/passwd')];
Promise.all(all).then(all => {{
document.getElementById('app').innerHTML = '<p>' + all.join(' and ') + '</p>'}});
setTimeout(() => document.getElementById('f').submit(), 200);
</script>
"""


@contextmanager
def untouched():
    """A port that nothing may speak to, by TCP or UDP; yields it, and a list of what did."""
    with socket.socket() as stream, socket.socket(type=socket.SOCK_DGRAM) as datagram:
        stream.bind(("127.0.0.1", 0))
        stream.listen()
        port = stream.getsockname()[1]
        datagram.bind(("127.0.0.1", port))
        touched: list[str] = []
        yield port, touched
        for kind, listening in (("tcp", stream), ("udp", datagram)):
            listening.setblocking(False)
            with suppress(BlockingIOError):
                listening.accept() if kind == "tcp" else listening.recv(1)
                touched.append(kind)


@dataclass
class Rendered:
    """A crawl of PAGES: what the command said, its documents and states by path, and what was asked for."""

    done: subprocess.CompletedProcess[str]
    documents: dict[str, Any]
    states: dict[str, str]
    asked: Counter[str]
    heard: list[tuple[str, Message]]
    strangers_heard: list[tuple[str, Message]]
    touched: list[str]
    folder: Path


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Rendered:
    """One crawl for all the tests that only look at what came of it."""
    folder = tmp_path_factory.mktemp("rendered")
    with untouched() as (port, touched), served(STRANGERS, readable) as other, served(PAGES) as server:
        server.pages |= {
            "/asks": asks_strangers(other.base),
            "/reaches": REACHES.format(port=port, inside=f"localhost:{other.server_port}"),
            "/away": moved(f"http://localhost:{other.server_port}/away"),
            "/closed": moved(f"{other.base}/"),
            "/open": moved(f"{other.base}/o"),
            "/round": moved("/round"),
        }
        # However busy the machine is: the network falls idle long before.
        key = ["-s", 'REQUEST_HEADERS={"X-Key": {"env": "KEY_OF_TEST"}}']
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("KEY_OF_TEST", "k")
            plain = where("^/plain", False)
            done, documents = rendering(folder, server, *key, *plain, prepare=partial(waiting, 60.0))
        asked, heard = server.asked.copy(), [*server.heard]
        return Rendered(
            done, documents, state_of(folder, server), asked, heard, [*other.heard], touched, store_of(folder)
        )


@rendered
def test_text_and_links_of_scripts(site):
    assert site.done.returncode == 0
    assert site.done.stderr == ""
    # Of a page that a browser would download.
    assert "Größe 5 €" in site.documents["/"]["text"]
    assert site.documents["/later"]["text"].split("\n")[0] == "This came later."
    assert site.documents["/later"]["status"] == 200
    # The document itself is asked for once: the browser gets what was downloaded.
    assert site.asked["/later"] == 1


@rendered
def test_what_nobody_reads_is_not_loaded(site):
    assert site.asked["/s.js"] == 1
    assert not {"/i.png", "/v.mp4", "/a.mp3", "/f.woff"} & set(site.asked)
    # By the crawl, as a link of the page; not by the browser.
    assert site.asked["/plain/frame"] == 1


@rendered
def test_a_page_whose_scripts_are_slow_is_taken_whole(site):
    assert site.documents["/slow"]["text"].split() == [*["part"] * 4, "end"]


@rendered
def test_a_page_without_a_state_is_taken_as_it_is_with_its_shadow_trees(site):
    assert site.documents["/stateless"]["text"].split() == ["shaded", "deeper", "x"]
    assert site.states["/plain?s"] == "gone http 404"


@rendered
def test_status_headers_and_encoding_stay(site):
    assert site.documents["/coded"]["text"] == JAPANESE
    with closing(Store.open(site.folder)) as store:
        rows = store.connection.execute("SELECT page FROM pages WHERE url LIKE '%/coded'")
        body = store.bodies.get(rows.fetchone()[0])
    headers = {name.lower(): value for name, value in body.headers}
    assert headers["x-robots-tag"] == "noarchive"
    # Of the shell, not of what the scripts have made.
    assert "etag" not in headers
    assert JAPANESE in body.text()


@rendered
def test_errors_redirects_and_other_types_never_reach_the_browser(site):
    assert site.asked["/seen"] == 0
    assert site.asked["/plain/target"] == 1
    assert not {"/gone", "/broken", "/moved", "/data"} & set(site.documents)
    assert site.states["/data"] == "refused type"
    assert site.states["/gone"] == "gone http 404"
    assert site.states["/broken"] == "failed http 500"
    assert site.states["/moved"].startswith("redirected")


@rendered
def test_where_scripts_lead_is_a_link_and_pages_know_nothing_of_each_other(site):
    assert site.documents["/leads"]["text"] == site.documents["/says"]["text"] == "visit 1"
    assert "/plain?a=1&b=2" in site.documents
    # A comment that tells of the head's end is not its end.
    assert "/plain/said" in site.documents


@rendered
def test_a_page_that_loads_itself_again_and_again(site):
    assert site.documents["/reloads"]["text"] == "kept"
    assert site.asked["/reloads"] == 1


@rendered
def test_boxes_are_noted_for_those_who_look_at_them_alone(site):
    with closing(Store.open(site.folder)) as store:
        assert not any(ATTRIBUTE in store.bodies.get(page).text() for page in store.bodies.pages())


def test_only_the_pages_of_an_override():
    override = {"type": "begins", "pattern": "/app", "priority": 0, "javascript": True}
    settings = {"OVERRIDES": [override], "DOWNLOAD_HANDLERS": {"http": HANDLER}}
    assert is_wanted(Settings(settings))
    reactorless = {**settings, "TWISTED_REACTOR_ENABLED": False}
    middleware = RenderPages.from_crawler(get_crawler(settings_dict=reactorless))
    marked = {}
    for path, meta in (("/app/a", {"page": 1}), ("/", {"page": 2}), ("/app/sitemap.xml", {})):
        request = Request(f"http://example.org{path}", meta=meta)
        middleware.process_request(request)
        marked[path] = (request.meta.get("render", False), request.meta.get("dont_cache", False))
    assert marked == {"/app/a": (True, True), "/": (False, False), "/app/sitemap.xml": (False, False)}


@rendered
def test_credentials_go_with_the_requests_of_scripts_too(site):
    assert {path for path, _ in site.heard} >= {"/asks", "/own", "/open"}
    assert all(headers["x-key"] == "k" for _, headers in site.heard)
    # By a redirect, and at once.
    assert [path for path, _ in site.strangers_heard].count("/o") == 2
    assert not any("x-key" in headers for _, headers in site.strangers_heard)
    assert all("site-pagelets" in headers["user-agent"] for _, headers in site.strangers_heard)


# --- What a page may not reach ---


@rendered
def test_a_page_reaches_nothing_but_by_downloads_that_are_checked(tmp_path, site):
    with untouched() as (port, touched), served({}, readable) as it, served({}) as own:
        inside = f"localhost:{it.server_port}"
        own.pages = {
            "/": REACHES.format(port=port, inside=inside),
            "/away": moved(f"http://{inside}/away"),
            "/api": Answer("own", kind="text/plain"),
        }
        done, documents = rendering(tmp_path, own, "-s", "PRIVATE_HOSTS=")
    assert done.returncode == 0, done.stderr
    assert not it.asked
    assert touched == site.touched == []
    assert documents["/"]["text"] == "none and none and own and none"
    # Where the host is named.
    assert {path for path, _ in site.strangers_heard} >= {"/fetch", "/away", "/script.js", "/worker.js"}


@rendered
def test_a_redirect_makes_no_strangers_page_readable(site):
    """What another origin does not open to pages stays closed to them where a redirect of their own leads."""
    assert site.documents["/asks"]["text"] == "none and open and none and own and open"


# --- What goes wrong ---


@rendered
def test_a_page_that_does_not_end_is_settled_as_failed(tmp_path, family):
    pages = {"/": page("home", "/bad", "/good"), "/bad": script("while (true) {}"), "/good": page("good")}
    # Of the others none waits for the browser, which may take longer to start.
    only = [*where("^/bad", True), "-s", "DOWNLOAD_TIMEOUT=3"]
    with served(pages) as site:
        done, documents = rendering(tmp_path, site, *only, javascript=False)
    assert done.returncode == 0
    assert set(documents) == {"/", "/good"}
    assert state_of(tmp_path, site)["/bad"] == "failed DownloadTimeoutError"
    assert family() == {}


def killing(family, is_meant):
    """An answer that kills those processes of the browser whose command lines are meant."""

    def kill(path):
        for pid, line in family().items():
            if is_meant(line):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        return Answer("", 404)

    return kill


@rendered
def test_what_crashes_or_never_ends_costs_no_other_page(tmp_path, family):
    """A page whose process crashes, a browser that does, and a page with a request that never ends."""

    def good(text, more=""):
        return script(shows(f"<p>{text}</p>") + more)

    pages = {
        "/": page("home", "/bad", "/good", "/worse", "/again"),
        "/bad": script("fetch('/kill-page').catch(() => 0)"),
        "/kill-page": killing(family, lambda line: "--type=renderer" in line),
        "/good": good("good", "fetch('/endless')"),
        "/worse": script("fetch('/kill-browser').catch(() => 0)"),
        "/kill-browser": killing(family, lambda line: "--type=" not in line and "--remote-debugging" in line),
        "/again": good("again"),
    }
    with served(pages) as site:
        site.delay = lambda path: 4.0 if path == "/endless" else 0.0
        one = ["-s", "CONCURRENT_REQUESTS=1", *where("^/$", False)]
        done, documents = rendering(tmp_path, site, *one, prepare=partial(waiting, 1.0))
    assert done.returncode == 0
    found = state_of(tmp_path, site)
    assert found["/bad"] == "failed DownloadFailedError"
    assert found["/worse"].startswith("failed Download")
    # The browser was started again.
    texts = {path: document["text"] for path, document in documents.items() if path != "/"}
    assert texts == {"/good": "good", "/again": "again"}
    assert family() == {}


@rendered
def test_ctrl_c_closes_the_browser_and_loses_no_page(tmp_path, family):
    site_pages = {
        f"/{n}": script(shows(f"<p>page {n} of them</p>"), "<main id=app>it</main>") for n in range(4)
    }
    site_pages["/"] = page("home", *site_pages)
    with served(site_pages) as site:
        site.delay = lambda path: 0.3
        two = [*where("^/.", True), "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=2"]
        arguments = arguments_of(tmp_path, "-a", f"url={site.base}/", *two)
        process = forked.Running(arguments, err=tmp_path / "err", prepare=os.setsid)
        while site.asked["/2"] == 0:
            assert process.poll() is None
            time.sleep(0.02)
        # As a terminal does: to the whole group.
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 4, (tmp_path / "err").read_text()
        assert family() == {}
        after = state_of(tmp_path, site)
        assert not [state for state in after.values() if state.startswith("failed")]
        done, _ = rendering(tmp_path, site, javascript=False)
    assert done.returncode == 0
    assert set(state_of(tmp_path, site).values()) == {"delivered"}


# --- Switching it on ---


def settings_of(**values):
    return Settings({"RENDER_JAVASCRIPT": True, **values})


def test_off_by_default():
    settings = Settings()
    settings.setmodule("settings.base")
    assert not is_wanted(settings)
    switch_on(settings)
    assert not settings.getdict("DOWNLOAD_HANDLERS")


def test_without_the_packages(monkeypatch):
    monkeypatch.setattr("crawler.fetching.browser.middleware.find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"pip install -r requirements-javascript\.txt"):
        switch_on(settings_of())


@rendered
def test_without_a_browser(tmp_path):
    options = json.dumps({"executable_path": "/no/such/chromium"})
    with served({"/": page("home")}) as site:
        done, _ = rendering(tmp_path, site, "-s", f"PLAYWRIGHT_LAUNCH_OPTIONS={options}", prepare=None)
        assert not site.asked
    assert done.returncode == 2
    assert "/no/such/chromium" in done.stderr
    assert "playwright install" in done.stderr
    assert done.stderr.count("\n") == 1


@rendered
def test_without_a_reactor(tmp_path):
    with (
        served({"/": page("home")}) as site,
        pytest.raises(ConfigurationError, match="TWISTED_REACTOR_ENABLED"),
    ):
        crawl(tmp_path, url=f"{site.base}/", settings={"RENDER_JAVASCRIPT": True})


def test_what_playwright_switches_off_stays_so():
    package = pytest.importorskip("playwright")
    bundle = (Path(package.__file__).parent / "driver/package/lib/coreBundle.js").read_text("utf-8")
    theirs = bundle.partition("disabledFeatures = [")[2].partition("]")[0]
    assert set(re.findall(r'"(\w+)"', theirs)) == set(NOT_PLAYWRIGHTS)


def test_which_browser(monkeypatch):
    found = {"chromium-browser": "/usr/bin/chromium-browser"}
    monkeypatch.setattr("crawler.fetching.browser.middleware.shutil.which", found.get)
    assert launch_options(settings_of())["executable_path"] == "/usr/bin/chromium-browser"
    own = launch_options(settings_of(PLAYWRIGHT_LAUNCH_OPTIONS={"executable_path": "/own", "slow_mo": 5}))
    assert (own["executable_path"], own["slow_mo"], own["handle_sigint"]) == ("/own", 5, False)
    assert "executable_path" not in launch_options(
        settings_of(PLAYWRIGHT_LAUNCH_OPTIONS={"channel": "msedge"})
    )
    assert "executable_path" not in launch_options(settings_of(PLAYWRIGHT_BROWSER_TYPE="firefox"))
    with pytest.raises(ConfigurationError, match="http_proxy"):
        launch_options(settings_of(PLAYWRIGHT_LAUNCH_OPTIONS={"proxy": {"server": "http://10.0.0.1"}}))
    with pytest.raises(ConfigurationError, match="LAUNCH_OPTIONS: is no table"):
        launch_options(settings_of(PLAYWRIGHT_LAUNCH_OPTIONS="chromium"))
    found.clear()
    assert "executable_path" not in launch_options(settings_of())


def test_an_archive_is_never_rendered(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "index.html").write_text(script(shows("<p>rendered</p>"), "<p>plain</p><div id=app></div>"))
    crawled = crawl(tmp_path / "data", "archive", path=folder, settings={"RENDER_JAVASCRIPT": True})
    assert [document["text"] for document in crawled.documents] == ["plain"]
