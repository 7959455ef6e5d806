"""The command ``pagelets``: a page, or the pages of archives, without what their site repeats."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import ENOENT
from pathlib import Path
from typing import IO, Final, NoReturn

import pagelets
from pagelets.archives.records import ArchiveError
from pagelets.methods import DEFAULT
from pagelets.reading.source import file_type

_DONE, _WRONG, _INTERRUPTED = 0, 2, 130
_FORMATS: Final = ("text", "markdown", "html", "document")
_ARCHIVES: Final = (".warc", ".warc.gz")
_EXAMPLES: Final = """\
examples:
  pagelets page.html --format text
  curl -s https://example.org/page | pagelets - --url https://example.org/page
  pagelets crawl.warc.gz -o documents.jsonl
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(_WRONG, f"pagelets: {message}; pagelets --help tells more\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code: 0, 2 where something is wrong, 130 after a signal."""
    given = _parser().parse_args(arguments)
    if given.output == "-":
        given.output = None
    # What is half written goes, also where a time limit or a shutdown ends the command.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _check_files(given.paths)
        (_site if any(map(_is_archive, given.paths)) else _page)(given)
        if given.output is None:
            sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has enough. Nothing is written any more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        _tell("interrupted")
        return _INTERRUPTED
    except OSError as error:
        named = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return _wrong(named)
    except (ValueError, pagelets.MethodError, ArchiveError) as error:
        return _wrong(str(error))
    except ModuleNotFoundError as error:
        return _wrong(f"archives need {error.name}: pip install 'site-pagelets[site]'")
    finally:
        signal.signal(signal.SIGTERM, before)
    return _DONE


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="pagelets",
        description="Prints a page, or the pages of archives, without menus, banners and what else a site "
        "repeats.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="an HTML file, - for standard input; or WARC files and folders of HTML files, whose pages tell "
        "of each other what is template",
    )
    parser.add_argument("--url", default="", help="the address of the page, or of a folder of pages")
    parser.add_argument(
        "--format", choices=_FORMATS, help="what is printed of a page (markdown); archives give documents"
    )
    parser.add_argument("--method", default=DEFAULT, help=f"how blocks are judged ({DEFAULT})")
    parser.add_argument("-o", "--output", metavar="FILE", help="where it goes (standard output)")
    return parser


def _check_files(paths: Sequence[str]) -> None:
    for path in paths:
        if path.lower().startswith(("http://", "https://")):
            raise ValueError(f"{path} is no file; fetch it: curl -sL URL | pagelets - --url URL")


def _is_archive(path: str) -> bool:
    # An empty path is not the current folder.
    return path.lower().endswith(_ARCHIVES) or (path not in ("-", "") and Path(path).is_dir())


def _page(given: argparse.Namespace) -> None:
    if len(given.paths) > 1:
        raise ValueError(f"{len(given.paths)} pages: give one, or a folder of them")
    (path,) = given.paths
    if not path:
        raise ValueError("PATH is empty; give a file or a folder")
    if path == "-" and sys.stdin is None:
        raise ValueError("the standard input is closed; give a file")
    html = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    if kind := file_type(html):
        raise ValueError(f"{path} is {kind}; give the HTML of a page, or files named .warc or .warc.gz")
    result = pagelets.extract(html, given.url, format=given.format or "markdown", method=given.method)
    with _output(given.output) as file:
        file.write(f"{result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)}\n")


def _site(given: argparse.Namespace) -> None:
    from pagelets.archives.archive import Archive
    from pagelets.archives.html import html_pages

    single = [path for path in given.paths if not _is_archive(path)]
    if single:
        raise ValueError(f"{single[0]}: no archive; give archives alone, or one page")
    if given.format not in (None, "document"):
        raise ValueError(f"--format {given.format} goes with one page; archives give documents")
    paths = [Path(path) for path in given.paths]
    name = paths[0].resolve().name.removesuffix(".gz").removesuffix(".warc")
    with (
        Archive.open(paths, given.url or None) as archive,
        tempfile.TemporaryDirectory(prefix="pagelets-") as folder,
        pagelets.Site(name, folder=folder, method=given.method) as site,
        _output(given.output) as file,
    ):
        for record in archive.skipped:
            _tell(f"{record.path} at byte {record.offset}: {record.reason}; skipped")
        torn = set()
        for page in html_pages(archive, lambda why: _tell(f"{why}; skipped")):
            if page.torn:
                torn.add(page.url)
            try:
                site.add(page.url, page.body, status=page.status, content_type=page.content_type)
            except ValueError as error:
                # An archive may have a record of any address.
                _tell(f"{error}; skipped")
        for document in site.documents():
            if document["url"] in torn:
                document["stats"]["flags"] = sorted({*document["stats"]["flags"], "truncated"})
            file.write(f"{json.dumps(document, ensure_ascii=False)}\n")


@contextmanager
def _output(path: str | None) -> Iterator[IO[str]]:
    """Opens the output: a file appears once all of it is written."""
    if path is None:
        if sys.stdout is None:
            raise ValueError("the standard output is closed; give -o FILE")
        # Whatever the locale is: lone surrogates of a page have to go somewhere, too.
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        yield sys.stdout
        return
    whole = Path(path)
    if whole.exists() and not whole.is_file():
        # A pipe or a device is no file that could be replaced. Opening a folder raises.
        with whole.open("w", encoding="utf-8", errors="replace") as file:
            yield file
        return
    whole = whole.resolve()
    if not whole.parent.is_dir():
        raise FileNotFoundError(ENOENT, "no such folder", str(whole.parent))
    partial = whole.with_name(f".{whole.name}.{os.getpid()}")
    try:
        with partial.open("w", encoding="utf-8", errors="replace") as file:
            yield file
        partial.replace(whole)
    finally:
        partial.unlink(missing_ok=True)


def _tell(message: str) -> None:
    print(f"pagelets: {message}", file=sys.stderr)


def _wrong(message: str) -> int:
    _tell(message)
    return _WRONG


if __name__ == "__main__":
    sys.exit(main())
