"""Builds the compiled parts in place, where a C compiler is found.

A library built from the same sources, for the same Python and lxml, is left as it is. If nothing can be
built, one line gives the reason, and plain code does the work: ``--strict`` makes that a failure.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = tuple(sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("pagelets/**/*.pyx")))
_INCLUDED = re.compile(rb'^include "(.+)"$', re.MULTILINE)
_LXML = re.compile(r"^(cimport|from) lxml\b", re.MULTILINE)


class NotBuilt(Exception):
    """There is no compiler, or it has failed; the text says which."""


def target(source: Path) -> Path:
    """The library that a source is built as, beside it."""
    return source.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))


def sources(source: Path) -> bytes:
    """A library's source, and after it the files that it includes."""
    code = source.read_bytes()
    included = [(source.parent / name.decode()).read_bytes() for name in _INCLUDED.findall(code)]
    return b"".join([code, *included])


def stamp(source: Path) -> str:
    """Fingerprints a library's source, compiler, options and target."""
    code = sources(source).decode()
    made_with = [
        Path(__file__).read_text(encoding="utf-8"), sys.version, version("cython"),
        sysconfig.get_config_var("EXT_SUFFIX"), version("lxml") if _LXML.search(code) else "",
    ]  # fmt: skip
    return hashlib.sha256("\0".join([code, *made_with]).encode()).hexdigest()


def build(source: Path) -> None:
    """Compiles one source and puts the library in place in one step. Raises NotBuilt."""
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC").split()[0]
    if shutil.which(compiler) is None and (compiler := shutil.which("cc") or "") == "":
        raise NotBuilt("no C compiler was found; install gcc or clang, or name one in CC")
    written = source.read_text(encoding="utf-8")
    headers = [sysconfig.get_path("include")]
    if _LXML.search(written):
        import lxml

        headers += lxml.get_include()  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory(prefix="native-") as folder:
        marked, code, library = (Path(folder) / f"native.{kind}" for kind in ("pyx", "c", "so"))
        # Each library names its source: `pagelets.compiled` ignores one whose source has changed.
        digest = hashlib.sha256(sources(source)).hexdigest()
        marked.write_text(f'{written}\nSOURCE = "{digest}"\n', encoding="utf-8")
        name = ".".join(source.relative_to(ROOT).with_suffix("").parts)
        cython: list[str | Path] = [sys.executable, "-m", "cython", "-3", "-I", source.parent]
        run([*cython, "--module-name", name, "--output-file", code, marked])
        options = [f"-I{header}" for header in headers]
        flags = ["-O3", "-DNDEBUG", "-fPIC", "-shared", "-w", *os.environ.get("CFLAGS", "").split()]
        # Sums are the same on every machine: none is joined with a product to one step that rounds once.
        flags.append("-ffp-contract=off")
        if sys.platform == "darwin":
            flags += ["-undefined", "dynamic_lookup"]
        else:
            # Of lxml's headers nothing is left that nobody calls, at -O0 either: it needs libxml2 itself.
            flags += ["-ffunction-sections", "-Wl,--gc-sections"]
        run([compiler, *flags, *options, code, "-o", library])
        # Beside its place first: a crawl that starts now never meets half of it.
        waiting = target(source).with_suffix(".new")
        shutil.copy(library, waiting)
        waiting.replace(target(source))


def run(command: list[str | Path]) -> None:
    """Runs a step of a build. Raises NotBuilt with the last line that it has printed."""
    done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        errors = [line for line in lines if "error" in line.lower()] or lines or ["no reason given"]
        raise NotBuilt(f"{Path(str(command[0])).name} failed: {errors[0]}")


def main(arguments: list[str] | None = None) -> int:
    """Builds what has changed; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strict", action="store_true", help="fail where nothing can be built")
    strict = parser.parse_args(arguments).strict
    for source in (ROOT / name for name in SOURCES):
        built = target(source).with_suffix(".stamp")
        wanted = stamp(source)
        if target(source).exists() and built.exists() and built.read_text(encoding="utf-8") == wanted:
            continue
        try:
            build(source)
        except NotBuilt as reason:
            print(f"{source.relative_to(ROOT)} is not compiled, plain code does its work: {reason}")
            if strict:
                return 1
        else:
            built.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
