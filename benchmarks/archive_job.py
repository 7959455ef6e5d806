"""What a job over archives costs, and whether its documents are those of crawls of the same archives.

The archives of a corpus may stand under several names each: as many sites more.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.process import PROJECT, SCRAPY, archive_command, cpu_seconds, descendants, pss, run

if TYPE_CHECKING:
    from collections.abc import Iterable

_LOOK: Final = 1.0
_NAMED: Final = 20


@dataclass
class Cost:
    """CPU seconds of each process by its kind, ``python`` and ``java``, the highest memory in MB of a worker
    of Python's and of all processes together, and the most MB that stages had on the disk.
    """

    cpu: dict[str, dict[int, float]] = field(default_factory=lambda: {"python": {}, "java": {}})
    worker_mb: float = 0.0
    tree_mb: float = 0.0
    disk_mb: float = 0.0

    def look(self, command: int, *folders: Path) -> None:
        """Reads what the processes below a command have used so far, and what is in its folders."""
        self.disk_mb = max(self.disk_mb, sum(map(_size_mb, folders)))
        total = pss(command)
        for process in descendants(command):
            kind, used, held = _kind(process), cpu_seconds(process), pss(process)
            total += held
            if kind in self.cpu:
                self.cpu[kind][process] = max(used, self.cpu[kind].get(process, 0.0))
            if kind == "python":
                self.worker_mb = max(self.worker_mb, held)
        self.tree_mb = max(self.tree_mb, total)

    def ms_a_page(self, kind: str, pages: int) -> float:
        """CPU milliseconds a page of a kind of processes."""
        return sum(self.cpu[kind].values()) / pages * 1000


def _kind(process: int) -> str:
    try:
        name = Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""
    return "python" if name.startswith("python") else name


def _size_mb(folder: Path) -> float:
    # Files come and go while they are looked at; du goes on.
    said = subprocess.run(["du", "-sk", str(folder)], capture_output=True, text=True, check=False).stdout
    return int(said.split()[0]) / 1024 if said else 0.0


def _job(master: str, archives: Path, out: Path, more: list[str]) -> tuple[dict[str, Any], Cost]:
    command = [*SCRAPY, "archive-job", "--master", master, "--site-by", "file", "--json", *more]
    cost, local = Cost(), out.with_name("local")
    local.mkdir()
    with subprocess.Popen(
        [*command, str(archives), str(out)],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        env={**os.environ, "SPARK_LOCAL_DIRS": str(local)},
    ) as running:
        while running.poll() is None:
            cost.look(running.pid, out, local)
            time.sleep(_LOOK)
        assert running.stdout is not None
        said = running.stdout.read()
    if running.returncode:
        sys.exit(f"archive-job: exit {running.returncode}")
    summary: dict[str, Any] = json.loads(said)
    return summary, cost


def _documents(lines: list[bytes]) -> dict[tuple[str, str], dict[str, Any]]:
    found = {}
    for line in lines:
        document = json.loads(line)
        document.pop("fetched_at", None)
        # An override may give a page other fields.
        found[document.get("site", ""), document["url"]] = document
    return found


def _differing(archives: Path, out: Path, scratch: Path, more: list[str]) -> tuple[int, list[str]]:
    """How many documents crawls make, and of each that differs its address and the fields that do."""
    crawled: list[bytes] = []
    for archive in sorted(archives.glob("*.warc.gz")):
        name = archive.name.removesuffix(".warc.gz")
        feed = scratch / f"{name}.jsonl"
        run(archive_command(archive, scratch / "data", name, "-O", str(feed), *more), quiet=True)
        crawled += feed.read_bytes().splitlines()
    parts = sorted((out / "documents").glob("part-*"))
    made = [line for part in parts for line in gzip.decompress(part.read_bytes()).splitlines()]
    one, other = _documents(crawled), _documents(made)
    return len(one), [
        f"{key[1]}: {_fields(one.get(key, {}), other.get(key, {}))}"
        for key in {**one, **other}
        if one.get(key) != other.get(key)
    ]


def _fields(one: dict[str, Any], other: dict[str, Any]) -> str:
    return ", ".join(name for name in {**one, **other} if one.get(name) != other.get(name))


def main(arguments: list[str]) -> None:
    """Runs the job; other arguments (-s NAME=VALUE) go to it, and to the crawls that it is compared with."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks archive_job", description=__doc__)
    parser.add_argument("corpora", type=Path, nargs="+", help="folders of *.warc.gz")
    parser.add_argument("--united", action="store_true", help="all archives as one")
    parser.add_argument("--times", type=int, default=1, help="under so many names each")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--compare", action="store_true", help="crawl the archives, and compare documents")
    args, more = parser.parse_known_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        archives = laid_out(args.corpora, Path(folder, "archives"), times=args.times, united=args.united)
        summary, cost = _job(args.master, archives, Path(folder, "out"), more)
        pages = summary["counts"]["pages"]
        print(f"{pages} pages, {summary['counts']['documents']} documents, {summary['seconds']} s")
        python, java = (cost.ms_a_page(kind, pages) for kind in ("python", "java"))
        print(f"Python {python:.1f}, Java {java:.1f} CPU ms a page")
        print(f"a worker {cost.worker_mb:.0f} MB, all processes {cost.tree_mb:.0f} MB")
        print(f"stages on the disk {cost.disk_mb:.0f} MB")
        if args.compare:
            every, differ = _differing(archives, Path(folder, "out"), Path(folder), more)
            print(f"{every} documents of crawls, {len(differ)} differ", *differ[:_NAMED], sep="\n")


def laid_out(corpora: Iterable[Path], folder: Path, *, times: int = 1, united: bool = False) -> Path:
    """A folder with the archives of corpora, each under so many names, or with one archive of all of them;
    each archive is a site.
    """
    folder.mkdir()
    found = sorted(archive for corpus in corpora for archive in corpus.glob("*.warc.gz"))
    for number in range(times):
        more = f"{number}-" if number else ""
        if united:
            with (folder / f"{more}united.warc.gz").open("wb") as whole:
                for archive in found:
                    whole.write(archive.read_bytes())
        else:
            for archive in found:
                _named(archive, folder / f"{more}{archive.name}")
    return folder


def _named(archive: Path, name: Path) -> None:
    try:
        os.link(archive, name)
    except OSError:
        shutil.copy(archive, name)
