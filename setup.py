"""Packs the library: a wheel with what can be compiled. An egg for Scrapyd has the whole project, plain."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

from setuptools import Distribution, find_namespace_packages, setup

PROJECT = "cluster crawler evaluation inspection pagelets pipelines release search settings store".split()


class Compiled(Distribution):
    """A wheel is of one platform where something was compiled."""

    def has_ext_modules(self) -> bool:
        """Whether there is a library."""
        return any(Path("pagelets").rglob("native*.so"))


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


if "bdist_wheel" in sys.argv:
    runpy.run_path("native/build.py")["main"]([])
    setup(distclass=Compiled)
else:
    setup(distclass=Egg if "bdist_egg" in sys.argv else Distribution)
