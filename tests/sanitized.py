"""Feeds the compiled parts hostile and torn pages under AddressSanitizer and UBSan.

They are built anew in a folder of their own, and a second process, which the sanitizers' libraries are loaded
into first, reads, judges and renders pages for so many seconds. What they find ends it with their report.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT: Final = Path(__file__).parent.parent
_FLAGS: Final = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1"
_METHODS: Final = ("judged", "density", "cetr")
_URL: Final = "https://example.org/a/b?c=d"
_BYTES: Final = b"<>&;/\"'= \x00\xff\xc3\x80a"
_MOST: Final = 20_000
"""Characters of a page: a larger one takes seconds, and shows what its beginning shows."""


def main() -> int:
    """Builds, and feeds; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--feed", action="store_true", help="feed the parts that this process has imported")
    options = parser.parse_args()
    if options.feed:
        print(f"sanitizers found nothing in {feed(options.seconds)} pages")
        return 0
    compiler = os.environ.get("CC", "gcc")
    if shutil.which(compiler) is None:
        print(f"not run: there is no {compiler}")
        return 0
    libraries = [_library(compiler, name) for name in ("libasan.so", "libubsan.so")]
    if not all(path.is_file() for path in libraries):
        print(f"not run: {compiler} has no sanitizers")
        return 0
    with tempfile.TemporaryDirectory(prefix="sanitized-") as folder:
        for name in ("pagelets", "native", "tests", "demo"):
            shutil.copytree(
                PROJECT / name, Path(folder) / name, ignore=shutil.ignore_patterns("*.so", "*.stamp")
            )
        build = [sys.executable, "native/build.py", "--strict"]
        subprocess.run(build, cwd=folder, env={**os.environ, "CFLAGS": _FLAGS}, check=True)
        loaded = {
            "LD_PRELOAD": ":".join(map(str, libraries)), "PYTHONMALLOC": "malloc",
            "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        }  # fmt: skip
        command = [sys.executable, "-m", "tests.sanitized", "--feed", "--seconds", str(options.seconds)]
        return subprocess.run(command, cwd=folder, env={**os.environ, **loaded}, check=False).returncode


def _library(compiler: str, name: str) -> Path:
    command = [compiler, f"-print-file-name={name}"]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()).resolve()


def feed(seconds: float) -> int:
    """Reads, judges and renders pages for so many ``seconds``; returns how many."""
    from pagelets import extract
    from pagelets.compiled import plain_parts
    from pagelets.extraction import FORMATS
    from pagelets.page_bytes import BrokenPage, from_bytes, to_bytes
    from pagelets.record import RecordParameters, page_record

    assert not plain_parts(), plain_parts()
    until = time.monotonic() + seconds
    for number, html in enumerate(_pages()):
        if time.monotonic() > until:
            return number
        for method in _METHODS:
            try:
                extract(html, _URL, method=method, format=FORMATS[number % len(FORMATS)])
            except ValueError as error:
                # What begins as an image or an archive does is refused.
                assert "html is" in str(error), error
        text = html if isinstance(html, str) else html.decode("utf-8", "replace")
        packed = to_bytes(page_record(text, _URL, RecordParameters()).page)
        from_bytes(packed)
        with suppress(BrokenPage):
            from_bytes(_torn(packed, Random(number)))
    raise AssertionError("pages do not end")


def _pages() -> Iterator[str | bytes]:
    """Hostile pages, and those of the demo site, torn anew each time: cut, joined, with bytes changed."""
    from demo.site import pages
    from tests.pagelets.methods.source.test_tokens import HOSTILE as SOURCES
    from tests.pagelets.reading.test_reading import HOSTILE

    yield from (html[:_MOST] for html in (*HOSTILE, *SOURCES.values()))
    whole = [answer.body for answer in pages().values() if answer.is_html]
    for seed in count():
        draw = Random(seed)
        torn = _torn(draw.choice(whole), draw)
        start, stop = sorted(draw.randrange(len(torn) + 1) for _ in range(2))
        part = torn[start:stop]
        yield draw.choice((part, part * 3, part.decode("latin-1"), torn))


def _torn(content: bytes, draw: Random) -> bytes:
    """Bytes of which some are others."""
    torn = bytearray(content)
    for _ in range(draw.choice((0, 1, 10, 200))):
        torn[draw.randrange(len(torn))] = draw.choice(_BYTES)
    return bytes(torn)


if __name__ == "__main__":
    sys.exit(main())
