"""The size of the library, installed by pip into an empty environment, and the time to its first page."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Final

from benchmarks.process import PROJECT

_TIMES: Final = 7
_NOT_OURS: Final = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
"""What an empty environment has."""
_PAGE: Final = """<html lang=en><title>Bread</title><body><nav><a href=/>Home</a> <a href=/b>Blog</a></nav>
<h1>Bread</h1><p>Flour, water, salt and time make a bread that keeps for days.<footer>Imprint</footer>"""
_CODE: Final = f"""import time, pagelets
imported = time.process_time()
assert "salt" in pagelets.extract({_PAGE!r}, "https://example.org/")
print(imported, time.process_time())
from pagelets.compiled import plain_parts
print(len(plain_parts()))"""


def main(arguments: list[str]) -> None:
    """Installs, and prints the figures: megabytes (of 10^6 bytes), CPU seconds, the best of some runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks install", description=__doc__)
    parser.add_argument(
        "requirement",
        nargs="*",
        default=[str(PROJECT), f"{PROJECT}[site]"],
        help="what is installed, into an environment each: a wheel, an sdist, a folder, a name, with extras "
        "in brackets (the project without and with its extra [site])",
    )
    for requirement in parser.parse_args(arguments).requirement:
        _measure(requirement)


def _measure(requirement: str) -> None:
    with tempfile.TemporaryDirectory(prefix="install-") as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", requirement], check=True)
        (packages,) = Path(folder).glob("lib/python*/site-packages")
        sizes = {path.name: _size(path) for path in packages.iterdir() if not path.name.startswith(_NOT_OURS)}
        runs = [_run(python) for _ in range(_TIMES)]
        bare = min(
            _seconds([python, "-c", "import time; print(time.process_time())"])[0] for _ in range(_TIMES)
        )
    print(f"\n{requirement}\n  {sum(sizes.values()) / 1e6:.1f} MB", end="")
    print(":", ", ".join(f"{name} {size / 1e6:.1f}" for name, size in _largest(sizes)))
    imported, extracted = (min(column) for column in list(zip(*runs, strict=True))[:2])
    print(f"  import pagelets {imported - bare:.3f} s")
    print(
        f"  first extract   {extracted:.3f} s after the start of the process, whose Python takes {bare:.3f}"
    )
    print(f"  parts that are not compiled: {runs[0][2]:.0f}")


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in [path, *path.rglob("*")] if file.is_file())


def _largest(sizes: dict[str, int], count: int = 5) -> list[tuple[str, int]]:
    return sorted(sizes.items(), key=lambda item: -item[1])[:count]


def _run(python: Path) -> list[float]:
    return _seconds([python, "-c", _CODE])


def _seconds(command: list[str | Path]) -> list[float]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return list(map(float, done.stdout.split()))
