"""Runs the benchmarks: `python -m benchmarks [NAME] [ARGUMENTS]`; without a name those of `make bench`."""

from __future__ import annotations

import importlib
import sys

NAMES = "speed crawl detection growth loss recrawl methods similar million large_crawl".split()
DEFAULT = ("speed", "crawl")


def main(arguments: list[str]) -> None:
    """Runs one benchmark by name, or those of `make bench` one after the other."""
    if arguments and arguments[0] in NAMES:
        importlib.import_module(f"benchmarks.{arguments[0]}").main(arguments[1:])
        return
    if arguments and not arguments[0].startswith("-"):
        sys.exit(f"no benchmark {arguments[0]!r}; there are: {', '.join(NAMES)}")
    for name in DEFAULT:
        print(f"\n{name}\n")
        importlib.import_module(f"benchmarks.{name}").main(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
