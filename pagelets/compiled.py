"""The choice at import between a compiled module and the plain code that does the same.

A compiled module is used where it was built of the source at hand and fits this Python and lxml. Where it was
not, plain code does its work: results are the same, and take longer.
"""

from __future__ import annotations

import hashlib
import pkgutil
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

PARTS: Final = (
    "pagelets.loops.native",
    "pagelets.loops.native_features",
    "pagelets.loops.native_texts",
    "pagelets.native",
    "pagelets.native_pages",
    "pagelets.reading.native",
    "pagelets.reading.native_walk",
    "pagelets.render.native",
)
"""The modules that `native/build.py` compiles."""

_INCLUDED: Final = re.compile(rb'^include "(.+)"$', re.MULTILINE)
_BUILD: Final = "make setup builds it where it finds a compiler"


@cache
def compiled(name: str) -> ModuleType | None:
    """A compiled module, None where it cannot be used."""
    return None if why_plain(name) else import_module(name)


def chosen(name: str, plain: Function) -> Function:
    """Returns the function of a compiled module that is called as a plain one, or that one itself."""
    module = compiled(name)
    return cast("Function", getattr(module, plain.__name__)) if module else plain


def why_plain(name: str) -> str:
    """Returns the reason not to use a compiled module, with the mend; empty if it can be used."""
    try:
        module = import_module(name)
    except ImportError as error:
        return f"{name} is not built ({error}); {_BUILD}"
    except Exception as error:
        # Whatever a library of another lxml makes of its import: the mend is the same.
        return f"{name} does not fit ({type(error).__name__}: {error}); {_BUILD}"
    package, _, stem = name.rpartition(".")
    try:
        source = pkgutil.get_data(package, f"{stem}.pyx") or b""
        for included in _INCLUDED.findall(source):
            source += pkgutil.get_data(package, included.decode()) or b""
    except OSError:
        source = None
    # Of an installed package there may be the library alone.
    if source is not None and hashlib.sha256(source).hexdigest() != getattr(module, "SOURCE", ""):
        return f"{name} is built of another source; {_BUILD}"
    if (built := getattr(module, "LIBXML", None)) is not None:
        from lxml import etree

        version = ".".join(map(str, etree.LIBXML_COMPILED_VERSION))
        if built != version:
            return f"{name} is built for libxml2 {built}, lxml has {version}; {_BUILD}"
    return ""


def plain_parts() -> list[str]:
    """Returns the reason for each compiled module that cannot be used."""
    return [reason for name in PARTS if (reason := why_plain(name))]
