"""`python -m demo [scrapy arguments...]`: serves the demo site and crawls it."""

from __future__ import annotations

import errno
import json
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

from demo.server import serve

PROJECT = Path(__file__).parent.parent

PORT = 8765
"""The store knows a page by its URL, so the port has to be the same at every start."""
EXTRACT = {"price": {"json_ld": "offers.price", "type": "number"}}
"""The fields of the site (docs/fields.md): the prices of its shop."""
PORTS = 20
"""As many ports are tried where those before are taken."""


def command(base: str, arguments: list[str]) -> list[str]:
    """Returns the command line that crawls the site at `base`; later arguments win over ours.

    Each port has a store of its own: to the crawl another port is another host.
    """
    port = urlsplit(base).port
    name = "demo" if port == PORT else f"demo-{port}"
    return [
        *[sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"url={base}/", "-a", f"site={name}"],
        *["-s", "AUTOTHROTTLE_ENABLED=0", "-s", "DOWNLOAD_DELAY=0", "-s", f"EXTRACT={json.dumps(EXTRACT)}"],
        *arguments,
    ]


def open_site(stack: ExitStack, port: int = PORT) -> str:
    """Serves the site on `port`, or on the next one that is not taken; returns the base URL."""
    for number in range(port, port + PORTS):
        try:
            base = stack.enter_context(serve(port=number))
        except OSError as error:
            if error.errno != errno.EADDRINUSE or number == port + PORTS - 1:
                raise
        else:
            if number != port:
                message = f"port {port} is taken: the demo site is at {base}/, and its store is another one"
                print(message, file=sys.stderr)
            break
    return base


def run(arguments: list[str]) -> int:
    """Runs the command in the project's folder and returns its exit code; Ctrl-C lets it finish.

    The terminal sends Ctrl-C to both processes. Scrapy then waits for its open requests and closes its
    files and stores, so the site has to stay up; a second Ctrl-C makes Scrapy stop at once.
    """
    process = subprocess.Popen(arguments, cwd=PROJECT)  # noqa: S603 - the interpreter and Scrapy, no shell
    previous = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    code = None
    try:
        while code is None:
            with suppress(KeyboardInterrupt):
                code = process.wait()
    finally:
        signal.signal(signal.SIGTERM, previous)
    return code if code >= 0 else 128 - code  # as a shell reports a process that a signal ended


def main(arguments: list[str]) -> int:
    """Serves, crawls and returns the crawl's exit code."""
    with ExitStack() as stack:
        return run(command(open_site(stack), arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
