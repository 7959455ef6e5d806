from __future__ import annotations

import zipfile
from pathlib import Path

from settings.places import project_folder, unpacked


def test_a_project_that_is_a_folder_keeps_its_things_there(tmp_path):
    assert project_folder(tmp_path) == tmp_path
    assert unpacked(tmp_path, "settings/sites") is None


def test_an_egg_gives_the_files_of_a_folder_and_the_current_folder_takes_the_rest(tmp_path, monkeypatch):
    egg = tmp_path / "project.egg"
    with zipfile.ZipFile(egg, "w") as file:
        file.writestr("settings/sites/stones.toml", 'url = "https://stones.example/"')
        file.writestr("settings/sites/examples/news.toml", "")
        file.writestr("settings/site.py", "")
    monkeypatch.chdir(tmp_path)
    assert project_folder(egg) == Path.cwd()
    folder = unpacked(egg, "settings/sites")
    assert folder is not None
    assert [path.name for path in folder.iterdir()] == ["stones.toml"]
    assert unpacked(egg, "settings/sites") == folder
    assert unpacked(egg, "settings/other") is None
    assert unpacked(egg, "/etc/sites") is None
