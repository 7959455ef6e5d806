"""Packs the library: a wheel with what can be compiled. An egg for Scrapyd has the whole project, plain."""

from __future__ import annotations

import os
import re
import runpy
import sys
import tomllib
from compileall import compile_dir
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

from setuptools import Distribution, find_namespace_packages, setup

PROJECT = "cluster crawler evaluation inspection pagelets pipelines release search settings store".split()
PURE = "PAGELETS_PURE" in os.environ
"""Nothing is compiled: the wheel is of every platform."""


class Library(Distribution):
    """A wheel is of one platform where something was compiled."""

    def has_ext_modules(self) -> bool:
        """Whether there is a library."""
        return not PURE and any(Path("pagelets").rglob("native*.so"))


class Egg(Distribution):
    """What Scrapyd runs (docs/nightly.md): no library is loaded from a file that is zipped."""

    def parse_config_files(self, *arguments: Any, **options: Any) -> None:
        """Takes pyproject.toml, which describes the library, for the whole project."""
        super().parse_config_files(*arguments, **options)
        self.packages = find_namespace_packages(
            include=[part for name in PROJECT for part in (name, f"{name}.*")]
        )
        self.entry_points = {"scrapy": ["settings = settings.base"]}
        self.install_requires = []
        self.exclude_package_data = {"": ["*.so"]}
        self.get_option_dict("install_lib")["compile"] = ("setup.py", "0")


def commands() -> dict[str, type]:
    """Returns the command that packs an egg, with bytecode beside its source, where modules of a zip file are
    looked for; Python of another version reads the source.
    """
    if "bdist_egg" not in sys.argv:
        return {}
    # A setuptools that knows no eggs any more still makes wheels.
    from setuptools.command.bdist_egg import bdist_egg

    class CompiledEgg(bdist_egg):
        def copy_metadata_to(self, target_dir: str) -> None:
            super().copy_metadata_to(target_dir)
            unchecked = PycInvalidationMode.UNCHECKED_HASH
            compile_dir(self.bdist_dir, quiet=1, legacy=True, invalidation_mode=unchecked)

    return {"bdist_egg": CompiledEgg}


def described() -> str:
    """Returns docs/library.md with the addresses of other pages in full, as the package index shows it."""
    page = Path("docs/library.md")
    if not page.exists():
        return ""
    docs = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["urls"]["Documentation"]
    return re.sub(r"\]\(([\w-]+)\.md", rf"]({docs}\1/", page.read_text("utf-8"))


if "bdist_wheel" in sys.argv and not PURE:
    runpy.run_path("native/build.py")["main"]([])
setup(
    distclass=Egg if "bdist_egg" in sys.argv else Library,
    cmdclass=commands(),
    long_description=described(),
    long_description_content_type="text/markdown",
    exclude_package_data={"": ["*.so"]} if PURE else {},
)
