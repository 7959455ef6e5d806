from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scrapy.cmdline import execute
from scrapy.settings import Settings
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tests import forked

if TYPE_CHECKING:
    from collections.abc import Callable

PROJECT = Path(__file__).parents[3]
BASE = "https://stones.example"
MENU = '<nav id="menu"><a href="/">Home</a><a href="/1">First</a><a href="/2">Second</a></nav>'
FOOTER = "<footer><p>Run by the society of people who walk past stones and look at them again.</p></footer>"
STONES = "granite basalt gneiss marble slate chalk flint sandstone".split()


def article(number: int, site: str = "stones") -> str:
    stone = STONES[number]
    return "\n".join(
        f"On the {place} of {site} lies {stone} that nobody has carried away since {1800 + 7 * number}."
        for place in ("hill", "shore", "road")
    )


def page(number: int, site: str = "stones") -> str:
    paragraphs = "".join(f"<p>{line}</p>" for line in article(number, site).splitlines())
    return (
        f"<!DOCTYPE html><html><head><title>{STONES[number]}</title></head><body>{MENU}"
        f"<main><h1>{STONES[number].title()}</h1>{paragraphs}"
        f'<p><a href="/gone">Gone</a></p></main>{FOOTER}</body>'
    )


def gold(number: int, site: str = "stones") -> str:
    return f"{STONES[number].title()}\n{article(number, site)}\nGone"


def write_archive(path: Path, base: str, site: str = "stones") -> Path:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        records = [
            (f"{base}/{number or ''}", "200 OK", page(number, site), {}) for number in range(len(STONES))
        ]
        records += [
            (f"{base}/gone", "404 Not Found", "<p>No such stone.", {}),
            (f"{base}/moved", "301 Moved Permanently", "", {"Location": f"{base}/1"}),
        ]
        for url, status, text, more in records:
            body = text.encode()
            headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body)), **more}
            http = StatusAndHeaders(status, list(headers.items()), "HTTP/1.1")
            record = writer.create_warc_record(
                url, "response", payload=io.BytesIO(body), length=len(body), http_headers=http
            )
            writer.write_record(record)
    return path


def write_gold(path: Path, base: str, site: str = "stones", more: tuple[dict[str, object], ...] = ()) -> Path:
    rows: list[dict[str, object]] = [
        {"id": f"{base}/{number or ''}", "text": gold(number, site), "group": "article" if number else "home"}
        for number in range(len(STONES))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, *more]), encoding="utf-8")
    return path


@dataclass
class Crawled:
    data: Path
    archive: Path
    feed: bytes


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """A site of eight pages, crawled by the real command."""
    folder = tmp_path_factory.mktemp("crawled")
    archive = write_archive(folder / "stones.warc.gz", BASE)
    feed = folder / "feed.jsonl"
    options = ["-s", f"DATA_DIR={folder / 'data'}", "-s", "LOG_LEVEL=WARNING"]
    done = forked.run(["crawl", "archive", "-a", f"path={archive}", "-O", str(feed), *options])
    assert done.returncode == 0, done.stderr
    return Crawled(folder / "data", archive, feed.read_bytes())


@dataclass
class Ran:
    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]

    def refused(self, *parts: str) -> None:
        """Asserts a usage error: exit code 2 and one line that names the parts."""
        assert self.code == 2
        assert self.out == ""
        assert len(self.err.splitlines()) == 1
        for part in parts:
            assert part in self.err


@pytest.fixture
def scrapy(
    crawled: Crawled, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    """Runs a command in this process, over the crawled site's data unless DATA_DIR is given."""
    monkeypatch.chdir(PROJECT / "tests")

    def run(*arguments: object) -> Ran:
        settings = Settings()
        settings.setmodule("settings.base", priority="project")
        settings.set("DATA_DIR", str(crawled.data), priority="project")
        with pytest.raises(SystemExit) as ended:
            execute(["scrapy", *map(str, arguments)], settings)
        captured = capsys.readouterr()
        return Ran(int(ended.value.code or 0), captured.out, captured.err)

    return run
