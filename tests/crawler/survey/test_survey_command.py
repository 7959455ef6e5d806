"""``scrapy sites --new``, as a user types it."""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING

import pytest

from tests import forked
from tests.served import Answer, page, served

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path


def sites(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    options = ["-s", f"SITES_DIR={folder}", "-s", f"DATA_DIR={folder}", "-s", "DOWNLOAD_DELAY=0"]
    return forked.run(["sites", *arguments, *options], env={**os.environ, "PYTHONWARNINGS": "error"})


def test_a_file_is_written_once_and_passes_the_check(tmp_path: Path) -> None:
    hostile = "Home\u2028url = ['http://evil.example/']\x1b[2J\u202e"
    pages = {"/": page(hostile, "/a/1", "/a/2?sort=up&id=1"), "/a/1": page("A")}
    folder = tmp_path / "sites"
    with served(pages) as site:
        done = sites(folder, "--new", site.base)
        name = f"127.0.0.1-{site.server_port}"
        path = folder / f"{name}.toml"
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines()[-1] == f"written: {path}"
        text = path.read_text(encoding="utf-8")
        assert tomllib.loads(text) == {"url": [f"{site.base}/"], "ignore_parameters": ["sort"]}
        assert all(line.isprintable() for line in [*text.splitlines(), *done.stdout.splitlines()])
        assert f"-a site={name}" in text
        checked = sites(folder, "--check")
        assert (checked.returncode, checked.stdout) == (0, "1 site file, nothing wrong\n")
        again = sites(folder, "--new", site.base)
    assert again.returncode == 2
    assert "exists already" in again.stderr
    assert len(again.stderr.splitlines()) == 1
    assert path.read_text(encoding="utf-8") == text


def test_what_is_proposed_is_in_force_and_passes_the_check(tmp_path: Path) -> None:
    head = "<meta name=generator content='WordPress 6.7'><link rel=stylesheet href=/wp-content/a.css>"
    prose = "<p>The blade is forged by hand in the valley, and its handle turned of old pear wood.</p>" * 4
    knife = (
        '<script type=application/ld+json>{{"@type": "Product", "sku": "K-{0}"}}</script>'
        "<article><h1>Knife {0}</h1>{1}<p class=sharedaddy>Friends of the {2} told friends of it.</p>"
        "<p>All who come to the {2} stay longer than they thought.</p><p class=sku>K-{0}</p>"
        "<dl><dt>Weight<dd>{0} 10 g</dl></article>"
    )
    places = ("river", "harbour", "mountain", "orchard", "lighthouse", "garden")
    links = [f"/{n}" for n in range(1, 6)]
    pages = {
        f"/{n or ''}": page(
            f"Knife {n}",
            *links,
            "/1?replytocom=7 nofollow",
            head=head,
            around=knife.format(n, prose, places[n]),
        )
        for n in range(6)
    }
    with served(pages) as site:
        done = sites(tmp_path, "--new", site.base, "-O", str(tmp_path / "knives.toml"))
    assert (done.returncode, done.stderr) == (0, "")
    values = tomllib.loads((tmp_path / "knives.toml").read_text(encoding="utf-8"))
    assert values["extract"]["sku"] == ".sku::text"
    assert (
        values["extract"]["weight"]["xpath"] == "//dt[normalize-space() = 'Weight']/following-sibling::dd[1]"
    )
    assert values["drop"] == [".sharedaddy"]
    assert values["rules"] == [{"policy": "deny", "type": "contains", "pattern": "replytocom="}]
    assert "content system: WordPress; 1 selector to drop, 1 URL denied" in done.stdout
    assert "fields: sku, weight" in done.stdout
    checked = sites(tmp_path, "--check", str(tmp_path / "knives.toml"))
    assert (checked.returncode, checked.stdout) == (0, "1 site file, nothing wrong\n")


def test_a_dash_writes_to_standard_output(tmp_path: Path) -> None:
    with served({"/": page("Home")}) as site:
        done = sites(tmp_path / "sites", "--new", site.base, "-O", "-")
    assert tomllib.loads(done.stdout) == {"url": [f"{site.base}/"]}
    assert not (tmp_path / "sites").exists()


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        ({"/": page("Home"), "/robots.txt": Answer("down", 503)}, "not reachable (robots.txt: status 503)"),
        (None, "not reachable (robots.txt: DownloadConnectionRefusedError)"),
    ],
)
def test_a_site_that_cannot_be_seen_is_one_line_and_no_file(
    tmp_path: Path, pages: dict[str, object] | None, said: str
) -> None:
    if pages is None:
        done = sites(tmp_path / "sites", "--new", "http://127.0.0.1:1/")
    else:
        with served(pages) as site:
            done = sites(tmp_path / "sites", "--new", site.base)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "sites").exists()
