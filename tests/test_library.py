"""The library as `pip install .` installs it: alone, and beside nothing of the project."""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaging.requirements import Requirement

import pagelets
from tests.crawls import PROJECT

if TYPE_CHECKING:
    from importlib.metadata import Distribution

PAGE = "<body><h1>Bread</h1><p>Flour, water, salt and time.</p>"
PAGE_WORDS = ["Bread", "Flour,", "water,", "salt", "and", "time."]


def pip(*arguments: str | Path) -> None:
    if find_spec("pip") is None or find_spec("setuptools") is None:
        pytest.skip("no pip, or no setuptools, to build a wheel with")
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *map(str, arguments)]
    # What is compiled need not be fast, and is so in a fraction of the time.
    env = {**os.environ, "CFLAGS": "-O0"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the wheel is installed, without what it needs."""
    place = tmp_path_factory.mktemp("library")
    source, unneeded = place / "source", shutil.ignore_patterns("__pycache__", "*.tables")
    for name in ("pagelets", "native"):
        shutil.copytree(PROJECT / name, source / name, ignore=unneeded)
    (source / "docs").mkdir()
    for name in ("setup.py", "pyproject.toml", "LICENSE", "MANIFEST.in", "docs/library.md"):
        shutil.copy(PROJECT / name, source / name)
    # One part is compiled anew and the others are packed as they were built: all take half a minute.
    for built in (source / "pagelets" / "render").glob("native*.s[ot]*"):
        built.unlink()
    # With what is installed here: nothing is fetched.
    offline = ("--no-deps", "--no-index", "--no-build-isolation")
    pip("install", *offline, "--no-compile", "--target", place / "installed", source)
    return place / "installed"


def run(installed: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=installed.parent, env=env, capture_output=True, text=True, timeout=60, check=False, **options,
    )  # fmt: skip


def test_the_library_is_installed_alone_with_its_command_and_what_is_compiled(installed: Path) -> None:
    names = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert names == {"pagelets", "bin"}
    assert (installed / "pagelets" / "py.typed").exists()
    (about,) = installed.glob("*.dist-info")
    assert "Apache License" in (about / "licenses" / "LICENSE").read_text(encoding="utf-8")
    told = email.message_from_string((about / "METADATA").read_text(encoding="utf-8"))
    assert (told["Name"], told["Version"], told["License-Expression"]) == (
        "site-pagelets", pagelets.__version__, "Apache-2.0",
    )  # fmt: skip
    assert (told["Author"], told["Description-Content-Type"]) == (
        "The site-pagelets authors",
        "text/markdown",
    )
    assert "/en/latest/methods/)" in str(told.get_payload())
    assert not re.search(r"\]\([\w-]+\.md", str(told.get_payload()))
    page = ("-", "--format", "text", "--method", "all-text")
    done = run(installed, str(installed / "bin" / "pagelets"), *page, input=PAGE)
    assert (done.returncode, done.stdout) == (0, "Bread\n\nFlour, water, salt and time.\n"), done.stderr
    code = (
        "import sys, pagelets; print({'lxml', 'numpy'}.isdisjoint(sys.modules)); "
        "from pagelets.compiled import PARTS, plain_parts; print(len(PARTS) - len(plain_parts()))"
    )
    light, compiled = run(installed, "-c", code).stdout.split()
    assert light == "True"
    assert int(compiled) == len(list((PROJECT / "pagelets").rglob("native*.so")))


def test_what_one_page_needs_is_all_that_it_loads(installed: Path) -> None:
    blocked = ("duckdb", "warcio", "pyarrow", "pandas", "scipy", "onnxruntime", "py3langid", "langcodes")
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked})); import pagelets; "
        f"print(pagelets.extract({PAGE!r}, 'https://example.org/', format='text').split())"
    )
    done = run(installed, "-c", code)
    assert done.stdout == f"{PAGE_WORDS}\n", done.stderr


def wanted(package: str) -> Requirement:
    """The versions of a package that the library takes."""
    described = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return next(one for one in map(Requirement, described["dependencies"]) if one.name == package)


def needed(extra: str) -> dict[str, Distribution]:
    """The packages that the library takes with it, with an extra."""
    described = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting = [*described["dependencies"], *described["optional-dependencies"].get(extra, ())]
    found: dict[str, Distribution] = {}
    while waiting:
        wanted = Requirement(waiting.pop())
        if wanted.name not in found and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            found[wanted.name] = distribution(wanted.name)
            waiting += found[wanted.name].requires or ()
    return found


@pytest.mark.parametrize(("package", "too_old"), [("nh3", "0.3.5"), ("py3langid", "0.3.0")])
def test_a_package_that_lacks_what_is_called_is_replaced(package: str, too_old: str) -> None:
    # pip leaves alone what it finds, if its version will do: these fail when they are imported or called.
    assert not wanted(package).specifier.contains(too_old)
    assert wanted(package).specifier.contains(distribution(package).version)


def test_the_library_weighs_little() -> None:
    unpacked = (".stamp", ".pyc", ".tables")
    built = [path for path in (PROJECT / "pagelets").rglob("*") if path.suffix not in unpacked]
    for extra, most in (("", 105), ("site", 175)):
        files = [
            Path(str(one.locate_file(file))) for one in needed(extra).values() for file in one.files or ()
        ]
        megabytes = sum(path.stat().st_size for path in [*files, *built] if path.is_file()) / 1e6
        assert megabytes < most, f"{megabytes:.0f} MB: {', '.join(needed(extra))}"
