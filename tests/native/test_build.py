"""Building the compiled parts: what is said where it cannot be done, and what is not done twice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

from native import build
from tests.crawls import PROJECT

if TYPE_CHECKING:
    from pathlib import Path


SOURCE = "pagelets/reading/native.pyx"
INCLUDED = "pagelets/reading/ints.pxi"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """One of the sources alone, with nothing built."""
    for name in ("native/build.py", SOURCE, INCLUDED):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, tmp_path / name)
    return tmp_path


def run(project: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "native/build.py", *arguments],
        cwd=project,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_without_a_compiler_one_line_says_so_and_nothing_is_left(project: Path) -> None:
    done = run(project, CC="no-such-compiler", PATH="")
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert "plain code does its work: no C compiler was found; install gcc" in done.stdout
    assert run(project, "--strict", CC="no-such-compiler", PATH="").returncode == 1
    assert sorted(path.name for path in (project / "pagelets/reading").iterdir()) == [
        "ints.pxi",
        "native.pyx",
    ]


def test_a_source_that_cannot_be_compiled_is_told_in_one_line(project: Path) -> None:
    (project / SOURCE).write_text("def broken(:\n")
    done = run(project)
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert "failed" in done.stdout


def test_what_is_built_loads_whatever_the_compiler_is_asked_for(project: Path) -> None:
    (project / SOURCE).write_text(
        "cimport lxml.includes.etreepublic as etree\n"
        "from lxml.includes cimport tree\n"
        "etree.import_lxml__etree()\n"
    )
    assert run(project, "--strict", CFLAGS="-O0").returncode == 0
    loads = [sys.executable, "-c", "import pagelets.reading.native"]
    assert subprocess.run(loads, cwd=project, timeout=60, check=False).returncode == 0


def test_what_is_built_is_left_as_it_is(project: Path) -> None:
    source = project / SOURCE
    library = build.target(source)
    library.write_bytes(b"built before")
    library.with_suffix(".stamp").write_text(build.stamp(source))
    done = run(project, "--strict", CC="no-such-compiler", PATH="")
    assert (done.returncode, done.stdout) == (0, "")
    assert library.read_bytes() == b"built before"


def test_the_library_is_built_and_installed_with_what_the_project_is_tested_with() -> None:
    described = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    wanted = list(
        map(Requirement, described["build-system"]["requires"] + described["project"]["dependencies"])
    )
    assert not [one.name for one in wanted if any(part.operator == "==" for part in one.specifier)]
    assert [one.name for one in wanted if version(one.name) not in one.specifier] == []
