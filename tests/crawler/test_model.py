"""The model of `judged`, where it is of no use: an error at the start, before anything is requested."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pagelets.methods.judged import method
from pagelets.methods.judged.model import FACTS, FILES, FOLDER, NODES, load
from store.judging import StoredJudge
from tests import crawls, forked
from tests.served import Answer, page, served

if TYPE_CHECKING:
    import subprocess

    from store.judging import JudgedPage


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A copy of the model, which may be damaged, beside a folder of pages."""
    folder = tmp_path / "model"
    folder.mkdir()
    for name in (*FILES, FACTS):
        shutil.copy(Path(str(FOLDER)) / name, folder)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "page.html").write_text("<p>text</p>")
    return folder


def read_model_of(folder: Path) -> None:
    """Lets the project's model be the one in a folder."""
    method.load = partial(load, folder)


def run(model: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return forked.run(
        [*map(str, arguments), "-s", f"DATA_DIR={model.parent / 'data'}"],
        env={**os.environ, "PYTHONWARNINGS": "error"},
        prepare=partial(read_model_of, model),
    )


def crawl(model: Path, *more: object) -> subprocess.CompletedProcess[str]:
    pages = model.parent / "pages"
    return run(model, "crawl", "archive", "-a", f"path={pages}", "-a", "base=http://a.example/", *more)


@pytest.mark.parametrize("name", [*FILES, FACTS])
def test_a_crawl_without_the_model_ends_at_its_start(model: Path, name: str) -> None:
    (model / name).unlink()
    done = crawl(model)
    assert done.returncode == 2
    assert f"{name}: no such file; install the project anew" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (model.parent / "data").exists()


def test_a_damaged_model(model: Path) -> None:
    file = model / NODES
    file.write_bytes(file.read_bytes()[:-100])
    for arguments in (
        ["evaluate", model.parent / "nothing", "--method", "judged"],
        ["crawl", "archive", "-a", f"path={model.parent / 'pages'}"],
    ):
        done = run(model, *arguments)
        assert done.returncode == 2, done.stderr
        assert f"{NODES}: damaged; " in done.stderr


def test_other_methods_do_without_it(model: Path) -> None:
    (model / NODES).unlink()
    assert crawl(model, "-a", "method=templates").returncode == 0


def test_what_an_override_s_method_lacks_is_told_at_the_start_with_its_line(
    model: Path, tmp_path: Path
) -> None:
    (model / NODES).unlink()
    file = tmp_path / "sites" / "pages.toml"
    file.parent.mkdir()
    file.write_text(
        'url = []\nmethod = "templates"\n\n[[overrides]]\n'
        'type = "begins"\npattern = "/a"\nmethod = "judged"\n'
    )
    done = crawl(model, "-a", "site=pages", "-s", f"SITES_DIR={file.parent}")
    assert done.returncode == 2
    assert "pages.toml:7: key 'overrides[0].method': judged is not ready: " in done.stderr
    assert f"{NODES}: no such file; install the project anew" in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The pages that are judged, in order."""
    found: list[int] = []
    judge = StoredJudge.judge

    def note(self: StoredJudge, page_id: int, method: str | None = None) -> JudgedPage:
        found.append(page_id)
        return judge(self, page_id, method)

    monkeypatch.setattr(StoredJudge, "judge", note)
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
