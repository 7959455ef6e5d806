"""Packs the project: a wheel with what can be compiled, an egg for Scrapyd without."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from setuptools import Distribution, setup


class Compiled(Distribution):
    """A wheel is of one platform where something was compiled."""

    def has_ext_modules(self) -> bool:
        """Whether there is a library."""
        return any(Path("pagelets").rglob("native*.so"))


if "bdist_wheel" in sys.argv:
    runpy.run_path("native/build.py")["main"]([])
    setup(distclass=Compiled)
else:
    # No library is loaded from a file that is zipped.
    setup(exclude_package_data={"": ["*.so"]})
