"""The base of commands that read a store: their arguments, errors and output."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import signal
import sqlite3
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final, TypeAlias

from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

from crawler.commandline.helptext import examples
from crawler.commandline.internals import HelpFormatter
from crawler.commandline.output import Progress, show
from crawler.configuration.checks import schema_of
from crawler.configuration.judgement import stored_judge, stored_partition
from crawler.configuration.plan import site_name
from crawler.run.outcome import EXIT_CODES
from pagelets.partitions import Partition
from settings.errors import ConfigurationError, UnknownName, WrongSiteFile
from settings.places import as_typed, data_dir, site_path
from store.database import FILE
from store.errors import SiteBusy, StoreError
from store.judging import StoredJudge
from store.lock import held
from store.site import Store, beside, name_of

_DIGITS: Final = 18
"""SQLite cannot store larger numbers."""
_MOST: Final = 10**_DIGITS - 1


Option: TypeAlias = tuple[Sequence[str], Mapping[str, Any]]
Options: TypeAlias = Sequence[Option]


def option(name: str, text: str, **how: Any) -> Option:
    """Describes an option of a command.

    Args:
        name: as users type it, such as ``-o --output FILE``; a switch is without a word for its value.
        text: of ``--help``.
        how: further arguments of `argparse.ArgumentParser.add_argument`.

    """
    flags = [word for word in name.split() if word.startswith("-")]
    values = [word for word in name.split() if not word.startswith("-")]
    given = {"metavar": values[0]} if values else {"action": "store_true"}
    return flags, {**given, "help": text, **how}


class StoreCommand(ScrapyCommand):
    """A command that runs no crawl. A subclass gives `act`, what it takes (``usage``), what it does
    in a line (``summary``), ``examples`` of what may follow its name, and ``options`` beside those of the
    classes that it extends.

    What a user gets wrong, and a store that cannot be used, is one line on standard error and exit code 2.
    """

    requires_project = True
    requires_crawler_process = False
    usage: ClassVar[str]
    summary: ClassVar[str]
    examples: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[Options] = (option("--json", "write JSON, for machines"),)
    of_samples: ClassVar[bool] = False
    """Whether the command can read the last sample of a site: with ``--sample``, or if it has no store."""
    _sample = False

    @property
    def project(self) -> Settings:
        """The project's settings, with those of the command line."""
        assert self.settings is not None
        return self.settings

    @property
    def name(self) -> str:
        """The command, as a user types it."""
        return f"scrapy {type(self).__module__.rpartition('.')[2]}"

    def syntax(self) -> str:
        """Returns the arguments of the command, for --help."""
        return self.usage

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return self.summary

    def long_desc(self) -> str:
        """Returns the text of --help: the command's docstring, and its examples."""
        text = " ".join((type(self).__doc__ or "").split())
        return f"{text}\n\n{examples(self.name, self.examples)}" if self.examples else text

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's options to Scrapy's own."""
        parser.formatter_class = HelpFormatter
        super().add_options(parser)
        sample = "look into the last sample of a site (crawl -a sample=N) in place of its store"
        for owner in reversed(type(self).__mro__):
            for flags, how in vars(owner).get("options", ()):
                parser.add_argument(*flags, **how)
        if self.of_samples:
            parser.add_argument("--sample", action="store_true", help=sample)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Does what the command is for; turns errors into one line and an exit code."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A terminal that cannot show a page's characters is no reason to show nothing.
            sys.stdout.reconfigure(errors="replace")
        try:
            self._check(args)
            self._sample = self.of_samples and opts.sample
            schema_of(self.project)
            with _terminated_as_interrupted():
                self.act(args, opts)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader, such as head, has had enough; Python flushes once more at its exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self.exitcode = 1
        except WrongSiteFile as error:
            for line in str(error).splitlines():
                self.fail(line)
        except SiteBusy as error:
            self.say(str(error))
            self.exitcode = EXIT_CODES["busy"]
        except (ConfigurationError, StoreError) as error:
            self.fail(str(error))
        except sqlite3.Error as error:
            self.fail(f"the store cannot be read: {error}; crawl the site anew (-a fresh=1)")
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            mend = "check the path, its permissions and the room that it has"
            self.fail(f"{place}{error.strerror or error}; {mend}")

    def _check(self, args: list[str]) -> None:
        for arg in args:
            if arg.startswith("-"):
                raise ConfigurationError(f"unknown option {arg!r}; {self.name} --help lists them")

    @abstractmethod
    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Does what the command is for. Raises ConfigurationError, StoreError or OSError."""

    def fail(self, message: str) -> None:
        """Says what is wrong in one line, and sets exit code 2."""
        self.say(message)
        self.exitcode = 2

    def say(self, message: str) -> None:
        """Writes one line to standard error."""
        line = as_typed(" ".join(message.splitlines()))
        # What strangers have named may steer a terminal.
        print(f"{self.name}: {''.join(filter(str.isprintable, line))}", file=sys.stderr)

    def progress(self, total: int, what: str) -> Progress:
        """Shows the progress of the command; ``total`` and ``what`` are as of `Progress`."""
        return Progress(total, what, self.say)

    def answer(
        self,
        opts: argparse.Namespace,
        columns: Sequence[str],
        rows: Sequence[Sequence[object]],
        *values: object,
    ) -> None:
        """Prints a table of ``rows`` below the names of ``columns``, or, if ``opts`` ask for JSON, a line for
        each of the ``values``.
        """
        if not opts.json:
            show(columns, rows)
        for value in values if opts.json else ():
            write_json(value)

    def one_argument(self, args: list[str]) -> str:
        """The one argument that the command takes. Raises ConfigurationError."""
        if len(args) != 1:
            raise ConfigurationError(f"give one argument: {self.name} {self.usage}")
        return args[0]

    def sites(self) -> list[str]:
        """The names of the sites that have a store, or a sample where the command looks into these."""
        folders = [path.parent for path in data_dir(self.project).glob(f"*/{FILE}")]
        # The others beside the sites' own are stores of a crawl that has not ended: -a fresh.
        samples = {name_of(folder) for folder in folders if folder.name.endswith(".sample")}
        stores = {folder.name for folder in folders if not folder.name.startswith(".")}
        return sorted(samples if self._sample else stores | samples if self.of_samples else stores)

    def open_store(self, site: str) -> Store:
        """A site's store, or its sample. Raises ConfigurationError or StoreError."""
        folder = self._folder(data_dir(self.project) / site_name(site))
        if not (folder / FILE).exists():
            has_file = site_path(site, self.project).exists()
            sites = self.sites()
            if sites and not has_file:
                raise UnknownName("sample of a site" if self._sample else "site", site, sites)
            raise ConfigurationError(
                f"unknown site {site!r}: there is no {'sample' if self._sample else 'store'} in "
                f"{folder.parent}; crawl it first, scrapy crawl site -a "
                f"{f'site={site}' if has_file else 'url=URL'}{' -a sample=20' if self._sample else ''}"
            )
        return Store.open(folder)

    def _folder(self, home: Path) -> Path:
        sample = beside(home, "sample")
        alone = self.of_samples and not (home / FILE).exists() and (sample / FILE).exists()
        return sample if self._sample or alone else home

    @contextlib.contextmanager
    def snapshot(self, site: str) -> Iterator[Store]:
        """A site's store, to be read as it is at this moment. Raises as `open_store`."""
        with self.open_store(site) as store, store.snapshot():
            yield store

    @contextlib.contextmanager
    def changing(self, site: str) -> Iterator[Store]:
        """A site's store, which nobody else changes meanwhile. Raises as `open_store`, and SiteBusy."""
        if self._folder(data_dir(self.project) / site_name(site)).name != site:
            raise ConfigurationError(f"{site}: a sample is thrown away; crawl the whole site to decide on it")
        with self.open_store(site) as store, held(store.folder):
            yield store

    def judge_of(self, store: Store) -> StoredJudge:
        """Returns what judges the pages of a store as its last crawl did. Raises as `stored_judge`."""
        return stored_judge(store, self.project)

    def partition_of(self, store: Store) -> Partition:
        """Returns the partition that a store's pagelets were made with."""
        return stored_partition(store, self.project)

    def agreed(self, question: str, refused: str, *, yes: bool) -> bool:
        """Asks the user a ``question``, unless ``yes`` answers it; what is ``refused`` is said, and sets exit
        code 1. Raises ConfigurationError if nobody can be asked.
        """
        if yes:
            return True
        # Without a standard input, as of some services, it is None.
        if sys.stdin is None or not sys.stdin.isatty():
            raise ConfigurationError(f"{question} Nobody is there to ask: give --yes")
        print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            if sys.stdin.readline().strip().lower() in ("y", "yes"):
                return True
        self.say(refused)
        self.exitcode = 1
        return False


def number(option: str, text: str, least: int = 0, most: int = _MOST) -> int:
    """Reads the whole number in the ``text`` of an ``option``, from ``least`` to ``most``. Raises
    ConfigurationError.
    """
    if not text.isdecimal() or len(text) > _DIGITS or not least <= int(text) <= most:
        bounds = f" from {least} to {most}" if most < _MOST else f", {least} or more"
        raise ConfigurationError(f"{option} {text[:_DIGITS]}: give a whole number{bounds}")
    return int(text)


def real(option: str, text: str, what: str, fits: Callable[[float], bool]) -> float:
    """Reads the number in the ``text`` of an ``option``, one that ``fits``. Raises ConfigurationError, whose
    text says ``what`` to give.
    """
    with contextlib.suppress(ValueError):
        if fits(value := float(text)):
            return value
    raise ConfigurationError(f"{option} {text}: give {what}")


def write_json(value: Any, file: BinaryIO | None = None) -> None:
    """Writes a value, dataclasses in it too, as one line of JSON in UTF-8, to standard output unless a file
    is given.
    """
    line = json.dumps(value, ensure_ascii=False, default=asdict) + "\n"
    (file or sys.stdout.buffer).write(line.encode("utf-8", "replace"))


@contextlib.contextmanager
def inspector_imported() -> Iterator[None]:
    """Raises ConfigurationError with the mend where an import inside needs the packages of the inspector."""
    try:
        yield
    except ImportError as error:
        raise ConfigurationError(
            f"{error.name} is missing: pip install -r requirements-inspect.txt, or make setup"
        ) from error


@contextlib.contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM is as Ctrl-C inside: what is half written goes, also where a time limit ends the command."""
    before = signal.getsignal(signal.SIGTERM)
    if before is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
