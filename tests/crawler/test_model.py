"""The model of `judged`, where it is of no use: an error at the start, before anything is requested."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pagelets.content.model import FACTS, NODES
from tests.crawls import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

PARTS = ("crawler", "pipelines", "pagelets", "store", "settings", "scrapy.cfg")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project, whose model may be damaged."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name in PARTS:
        part = PROJECT / name
        if part.is_dir():
            shutil.copytree(part, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(part, folder / name)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "page.html").write_text("<p>text</p>")
    return folder


def model(project: Path) -> Path:
    return project / "pagelets/content/model"


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *arguments],
        cwd=project,
        env={**os.environ, "PYTHONWARNINGS": "error", "PYTHONPATH": ""},
        text=True,
        capture_output=True,
        timeout=60,
        check=False,
    )


def crawl(project: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return run(
        project, "crawl", "archive", "-a", "path=../pages", "-a", "base=http://a.example/", *more
    )  # fmt: skip


@pytest.mark.parametrize("name", [NODES, FACTS])
def test_a_crawl_without_the_model_ends_at_its_start(project: Path, name: str) -> None:
    (model(project) / name).unlink()
    done = crawl(project)
    assert done.returncode == 2
    assert f"{name}: no such file; install the project anew" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project / "data").exists()


def test_a_damaged_model(project: Path) -> None:
    file = model(project) / NODES
    file.write_bytes(file.read_bytes()[:-100])
    for arguments in (
        ["evaluate", "../nothing", "--method", "judged"],
        ["crawl", "archive", "-a", "path=../pages"],
    ):
        done = run(project, *arguments)
        assert done.returncode == 2, done.stderr
        assert f"{NODES}: damaged; " in done.stderr


def test_other_methods_do_without_it(project: Path) -> None:
    (model(project) / NODES).unlink()
    assert crawl(project, "-a", "method=templates").returncode == 0
