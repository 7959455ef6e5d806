from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import shutil
import socket
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from scrapy.settings import Settings

from crawler.commands.inspect import Command
from tests import forked
from tests.chromium import chromium
from tests.inspector import sites

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "a-token-of-the-tests"
HERE = Path(__file__).parent


@dataclass
class Served:
    """An inspector that answers, and the folders of its stores and site files."""

    port: int
    data: Path
    sites: Path
    stores: Command

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}/{TOKEN}"

    def address(self, path: str, **arguments: object) -> str:
        return f"{self.root}{path}{'?' if arguments else ''}{urlencode(arguments)}"

    def ask(
        self, path: str, *, method: str = "GET", body: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of the answer to a request, whose path is as it is given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True)
            for name, value in {"Host": f"127.0.0.1:{self.port}", **headers}.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body.encode())))
            connection.endheaders(None if body is None else body.encode())
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, told, answer.read().decode()
        finally:
            connection.close()

    def json(self, path: str, **arguments: object) -> Any:
        """The JSON of a view."""
        _, _, text = self.ask(
            self.address(path, **arguments).partition(str(self.port))[2], Accept="application/json"
        )
        return json.loads(text)

    def post(self, path: str, values: object) -> tuple[int, Any]:
        """Status and JSON of a change."""
        origin = f"http://127.0.0.1:{self.port}"
        status, _, text = self.ask(f"/{TOKEN}{path}", method="POST", body=json.dumps(values), Origin=origin)
        return status, json.loads(text)


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store of a site with a hostile page, crawled by the real command."""
    folder = tmp_path_factory.mktemp("inspected")
    pages = folder / "shed"
    for name, text in sites.pages().items():
        path = pages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    options = ["-s", f"DATA_DIR={folder / 'data'}", "-s", "LOG_LEVEL=WARNING"]
    done = forked.run(["crawl", "archive", "-a", f"path={pages}", "-a", f"base={sites.BASE}", *options])
    assert done.returncode == 0, done.stderr
    return folder / "data"


@contextlib.contextmanager
def answering(crawled: Path, folder: Path) -> Iterator[Served]:
    """The inspector over a copy of a crawled store, in a folder."""
    pytest.importorskip("starlette", reason="needs requirements-inspect.txt")
    uvicorn = pytest.importorskip("uvicorn", reason="needs requirements-inspect.txt")
    from inspector.server import application

    data, files = folder / "data", folder / "sites"
    shutil.copytree(crawled, data)
    files.mkdir()
    settings = Settings()
    settings.setmodule("settings.base", priority="project")
    settings.update({"DATA_DIR": str(data), "SITES_DIR": str(files)}, priority="cmdline")
    stores = Command()
    stores.settings = settings
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        app, _, end = application(stores, TOKEN, frozenset({f"127.0.0.1:{port}"}))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off", ws="none"))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
        thread.start()
        try:
            yield Served(port, data, files, stores)
        finally:
            server.should_exit = True
            thread.join()
            end()


@pytest.fixture(scope="session")
def served(crawled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An inspector that tests only read."""
    with answering(crawled, tmp_path_factory.mktemp("served")) as found:
        yield found


@pytest.fixture
def fresh(crawled: Path, tmp_path: Path) -> Iterator[Served]:
    """An inspector over a store of the test's own."""
    with answering(crawled, tmp_path) as found:
        yield found


@dataclass
class Opened:
    """A page of a browser, what it has asked for, and what it has complained about."""

    page: Any
    requests: list[str]
    complaints: list[str]


@contextlib.contextmanager
def _tab() -> Iterator[Opened]:
    """A page of a browser that notes its requests, errors and new windows."""
    with chromium() as browser:
        context = browser.new_context()
        page = context.new_page()
        found = Opened(page, [], [])
        context.on("request", lambda request: found.requests.append(request.url))
        context.on("page", lambda _: found.complaints.append("a window was opened"))
        page.on(
            "console",
            lambda message: found.complaints.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.on("dialog", lambda dialog: found.complaints.append(dialog.message))
        yield found


# For the tests of this folder that follow each other: a new one takes as long as what a test does in it.
_KEPT = contextlib.ExitStack()
_TABS: list[Opened] = []


@pytest.fixture
def opened() -> Iterator[Opened]:
    """A page of a browser, as a new one is."""
    if not _TABS:
        _TABS.append(_KEPT.enter_context(_tab()))
        _KEPT.callback(_TABS.clear)
    [tab] = _TABS
    tab.page.set_viewport_size({"width": 1280, "height": 800})
    tab.page.emulate_media(color_scheme="light")
    tab.requests.clear()
    tab.complaints.clear()
    yield tab
    if tab.page.url != "about:blank":
        tab.page.evaluate("sessionStorage.clear()")
    tab.page.context.clear_permissions()
    tab.page.context.unroute_all()
    tab.page.goto("about:blank")


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    # Beside the event loop of a browser, tests of other folders could have none.
    if nextitem is None or not nextitem.path.is_relative_to(HERE):
        _KEPT.close()
