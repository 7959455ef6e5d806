"""The model of `judged`, where it is of no use: an error at the start, before anything is requested."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pagelets.methods.judged.model import FACTS, NODES, load
from store.judging import Judge
from tests import crawls
from tests.crawls import PROJECT
from tests.served import Answer, page, served

if TYPE_CHECKING:
    from pathlib import Path

    from store.judging import JudgedPage

PARTS = (
    *("crawler", "evaluation", "inspection", "pagelets", "pipelines", "release", "search", "settings"),
    *("store", "scrapy.cfg"),
)


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
    return project / "pagelets/methods/judged/model"


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


def test_what_an_override_s_method_lacks_is_told_at_the_start_with_its_line(project: Path) -> None:
    (model(project) / NODES).unlink()
    file = project / "settings/sites/pages.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(
        'url = []\nmethod = "templates"\n\n[[overrides]]\n'
        'type = "begins"\npattern = "/a"\nmethod = "judged"\n'
    )
    done = crawl(project, "-a", "site=pages")
    assert done.returncode == 2
    assert "pages.toml:7: key 'overrides[0].method': judged is not ready: " in done.stderr
    assert f"{NODES}: no such file; install the project anew" in done.stderr
    assert not (project / "data").exists()


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The pages that are judged, in order."""
    found: list[int] = []
    judge = Judge.judge

    def note(self: Judge, page_id: int, method: str | None = None) -> JudgedPage:
        found.append(page_id)
        return judge(self, page_id, method)

    monkeypatch.setattr(Judge, "judge", note)
    return found


@pytest.mark.parametrize(
    "settings",
    [
        {"METHOD": "judged"},
        {"METHOD": "templates", "OVERRIDES": [{"type": "begins", "pattern": "/2", "method": "judged"}]},
    ],
)
def test_a_new_model_is_noticed_whichever_way_it_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged: list[int], settings: dict[str, object]
) -> None:
    texts = {f"/{number}": page(f"Number {number}") for number in range(4)}
    texts["/"] = page("home", *texts)
    with served({path: Answer(text, headers={"ETag": '"1"'}) for path, text in texts.items()}) as site:

        def night() -> list[int]:
            judged.clear()
            crawled = crawls.crawl(tmp_path, url=f"{site.base}/", site="s", settings=settings)
            assert crawled.outcome == "complete"
            return list(judged)

        assert len(night()) == 5
        assert night() == []
        monkeypatch.setattr(load(), "name", "0" * 32)
        assert night()
        assert night() == []
