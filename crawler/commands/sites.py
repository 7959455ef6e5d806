"""``scrapy sites``: the site files."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crawler.commandline.base import StoreCommand, option, write_json
from crawler.commandline.output import printable
from crawler.configuration.checks import check_settings, schema_of
from crawler.configuration.plan import check_file, in_force, set_read, site_file
from crawler.survey import report, survey
from settings import site as site_files
from settings.errors import ConfigurationError, UnknownName, relative
from settings.files import written
from settings.places import as_typed, data_dir, site_path, sites_dir
from store.database import FILE
from store.errors import StoreError

_SHOWN = 60
_LONG = 100


class Command(StoreCommand):
    """Lists the site files: name, start URLs, how the last crawl ended, how much is wrong in the file.

    --check says all that is wrong in them, one line each with file, line and key, and ends with exit code 2
    where something is; it takes names, files and folders, and checks all site files where none are given.
    --show prints every key and setting that is in force for a site, and where each value comes from.
    --new looks at a site with some requests and writes a commented file for it.
    """

    usage = "[--check [NAME|FILE|FOLDER ...] | --show NAME | --new URL [-O FILE]]"
    summary = "List, check, show and write site files"
    examples = ("--new https://example.org/ -O settings/sites/example.toml", "--check")
    options = (
        option("-O --output FILE", "where --new writes (default: settings/sites/HOST.toml; - for stdout)"),
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds what to do instead of listing."""
        super().add_options(parser)
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--check", action="store_true", help="say all that is wrong in the site files")
        what.add_argument("--show", metavar="NAME", help="print what is in force for a site, and why")
        what.add_argument("--new", metavar="URL", help="look at a site and write a site file for it")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Lists, checks, shows or writes."""
        if args and not opts.check:
            raise ConfigurationError(f"unknown argument {args[0]!r}: {self.name} {self.usage}")
        if opts.output is not None and opts.new is None:
            raise ConfigurationError("-O is for --new: scrapy sites --new URL -O FILE")
        if opts.check:
            self._check_files(args, opts)
        elif opts.show is not None:
            self._show(opts)
        elif opts.new is not None:
            self._new(opts)
        else:
            self._list(opts)

    def _list(self, opts: argparse.Namespace) -> None:
        check_settings(self.project)
        rows = [self._row(path) for path in site_files.files(sites_dir(self.project))]
        if not rows and not opts.json:
            self.say(f"no site files in {sites_dir(self.project)}; scrapy sites --new URL writes one")
            return
        cells = [
            (row["name"], printable(" ".join(row["urls"]), _LONG) or None, row["outcome"], row["problems"])
            for row in rows
        ]
        self.answer(opts, ("site", "url", "last outcome", "mistakes"), cells, *rows)

    def _row(self, path: Path) -> dict[str, Any]:
        problems = check_file(path, self.project)
        return {
            "name": path.stem,
            "path": str(path),
            "urls": [] if problems else site_files.load(path, schema=schema_of(self.project)).urls,
            "outcome": self._outcome(path.stem),
            "problems": len(problems),
        }

    def _outcome(self, name: str) -> str | None:
        """Returns the outcome of the last crawl of a site, if there was one."""
        if not (data_dir(self.project) / name / FILE).exists():
            return None
        try:
            with self.snapshot(name) as store:
                run = store.runs.last()
        except (StoreError, sqlite3.Error) as error:
            self.say(f"{name}: {error}")
            return "unknown"
        return None if run is None else run.outcome or "none"

    def _check_files(self, args: list[str], opts: argparse.Namespace) -> None:
        check_settings(self.project)
        paths = self._paths(args)
        problems = [problem for path in paths for problem in check_file(path, self.project)]
        problems += site_files.check_all(paths, schema_of(self.project))
        if problems:
            self.exitcode = 2
        if opts.json:
            for path in paths:
                of_file = sorted(problem for problem in problems if problem.path == path)
                listed = [{"line": fault.line, "key": fault.key, "text": fault.text} for fault in of_file]
                write_json({"name": path.stem, "path": str(path), "problems": listed})
            return
        for problem in sorted(problems):
            print(as_typed(" ".join(str(problem).splitlines())))
        if not problems:
            print(f"{len(paths)} site {'file' if len(paths) == 1 else 'files'}, nothing wrong")

    def _paths(self, args: list[str]) -> list[Path]:
        """The files that arguments name: of a site, by their paths, or all of a folder."""
        folder = sites_dir(self.project)
        if not args:
            site_files.check_folder(folder)
            return site_files.files(folder)
        paths: list[Path] = []
        for arg in args:
            path, named = Path(arg), folder / f"{arg}.toml"
            if path.is_dir():
                paths += site_files.files(path.resolve())
            elif path.suffix == ".toml" and path.exists():
                paths.append(path.resolve())
            elif site_files.SITE_NAME.match(arg) and named.exists():
                paths.append(named)
            else:
                site_files.check_folder(folder)
                raise UnknownName("site", arg, site_files.names(folder))
        return list(dict.fromkeys(paths))

    def _show(self, opts: argparse.Namespace) -> None:
        site = site_file(opts.show, self.project, required=True, live=False)
        assert site is not None
        values = in_force(site, self.project)
        rows = [(row.key, row.setting, printable(row.text, _SHOWN), row.source) for row in values]
        columns = ("key", "setting", "value", "where from")
        self.answer(opts, columns, rows, *(value._asdict() for value in values))

    def _new(self, opts: argparse.Namespace) -> None:
        set_read(self.project, check_settings(self.project))
        findings = survey(opts.new, self.project)
        name = report.site_name_of(findings)
        today = datetime.now(UTC).date().isoformat()
        if opts.output == "-":
            sys.stdout.buffer.write(report.site_file(findings, name, today).encode())
            return
        path = Path(opts.output) if opts.output else site_path(name, self.project)
        if path.exists():
            raise ConfigurationError(f"{path}: exists already; give another place: -O FILE")
        if not path.parent.exists() and path.parent == sites_dir(self.project):
            path.parent.mkdir(parents=True)
        with written(path) as file:
            file.write(report.site_file(findings, path.stem, today).encode())
        lines = [*report.summary(findings), f"written: {relative(path.resolve())}"]
        if opts.json:
            write_json({"name": path.stem, "path": str(path.resolve()), "summary": lines[:-1]})
        else:
            print("\n".join(lines))
