"""The pictures of the docs are what the command that stands beside them makes of the demo site."""

from __future__ import annotations

import io
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scrapy.cmdline import execute
from scrapy.settings import Settings
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from demo.site import BASE, pages
from tests import forked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from demo.site import Response

PROJECT = Path(__file__).parent.parent
DOCS = "\n".join(path.read_text(encoding="utf-8") for path in sorted((PROJECT / "docs").glob("*.md")))
COMMANDS = re.findall(
    r"^scrapy (plot .* docs/pictures/\w+\.svg)$",
    DOCS,
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stores of a crawl of the demo site."""
    folder = tmp_path_factory.mktemp("demo")
    with (folder / "demo.warc.gz").open("wb") as file:
        writer = WARCWriter(file)
        served = pages()
        for path in [*served, *_with_queries(served.values())]:
            response = served[path.partition("?")[0]]
            # What robots.txt forbids is no page of a crawl.
            if (response.is_html or response.status != 200) and path != "/cart/":
                headers = [("Content-Type", response.content_type), *response.headers.items()]
                http = StatusAndHeaders(f"{response.status} Said", headers, "HTTP/1.1")
                body, length = io.BytesIO(response.body), len(response.body)
                record = writer.create_warc_record(BASE + path, "response", body, length, http_headers=http)
                writer.write_record(record)
    settings = (f"DATA_DIR={folder / 'data'}", "NOINDEX_ENABLED=1", "SINKS=", "LOG_LEVEL=ERROR")
    options = [part for setting in settings for part in ("-s", setting)]
    done = forked.run(["crawl", "archive", "-a", f"path={folder / 'demo.warc.gz'}", *options])
    assert done.returncode == 0, done.stderr
    return folder / "data"


def _with_queries(responses: Iterable[Response]) -> list[str]:
    """What pages link to besides their addresses; a query changes nothing about a response."""
    html = [response.body.decode() for response in responses if response.is_html]
    return sorted({link for text in html for link in re.findall(r'href="(/[^"]*\?[^"]*)"', text)})


def test_each_picture_is_shown_and_has_a_command() -> None:
    drawn = {command.rpartition("/")[2] for command in COMMANDS}
    assert drawn == {path.name for path in (PROJECT / "docs" / "pictures").iterdir()}
    shown = re.findall(r"\]\(pictures/(.*)\)", DOCS)
    assert sorted(shown) == sorted(drawn)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_picture_is_what_the_command_draws(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    arguments = shlex.split(command)
    kept = PROJECT / arguments[-1]
    settings = Settings()
    settings.setmodule("settings.base", priority="project")
    settings.set("DATA_DIR", str(demo), priority="project")
    monkeypatch.chdir(PROJECT)
    with pytest.raises(SystemExit) as ended:
        execute(["scrapy", *arguments[:-1], str(tmp_path / kept.name)], settings)
    assert not ended.value.code
    same = (tmp_path / kept.name).read_text(encoding="utf-8") == kept.read_text(encoding="utf-8")
    assert same, f"the method judges otherwise now: scrapy {command} --overwrite after `make crawl`"
