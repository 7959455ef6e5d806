"""``scrapy search``: what a site's search index finds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from crawler.commandline.base import StoreCommand, number, option, write_json
from crawler.commandline.indexing import searchable
from crawler.commandline.output import printable
from crawler.configuration.plan import site_name
from search.backends import SERVERS
from search.query import Filtered, Found, Piece, Query, asked_columns
from search.sink import PAGELETS, Sink
from search.where import parse_column, parse_sort, parse_where
from settings.errors import ConfigurationError

MAX_HITS: Final = 1000
_DAY: Final = "(published; else fetched), as 2024-05-31"
_COUNTED: Final = 20
"""Values of a field that are shown to people."""
_VALUE: Final = 200
_STYLES: Final = {"title": "bold", "url": "cyan", "hit": "bold yellow"}


class Command(StoreCommand):
    """Searches a site's index, best hits first: title, URL, and the place of the text that shows why, with
    what was found marked.

    Words may be there, and the more of them the better; a "phrase" in quotes and a +word must be there, a
    -word must not. Case and accents make no difference. --where 'price < 20 and not sold' leaves what its
    fields say, --sort orders by a field, --count counts the values of one; then the query may be left
    out. --expand looks for words of the best pagelets as
    well, where the index holds pagelets. Works while a crawl writes the index. Exit code 0
    where nothing is found, too.
    """

    usage = (
        "SITE [QUERY] [--where CONDITION] [--sort [-]FIELD] [--count FIELD] [--since DAY] [--until DAY] "
        "[--language TAG] [--path PATH] [--limit N] [--expand]"
    )
    summary = "Search the documents of a site"
    examples = ('example.org "waxed thread" --limit 5', "example.org --where 'price < 10' --sort price")
    options = (
        option("--sink NAME", "the index to ask (default: the site's first)"),
        option("--where CONDITION", "documents whose fields meet a condition"),
        option("--sort FIELD", "by a field, -FIELD descending; then by URL"),
        option("--count FIELD", "count the values of a field", action="append", default=[]),
        option("--since DAY", f"documents of that day and later {_DAY}"),
        option("--until DAY", f"documents of that day and earlier {_DAY}"),
        option("--language TAG", "documents in a language: en finds en-GB, too"),
        option("--path PATH", "documents whose URL's path begins with PATH"),
        option("--limit N", "how many hits (default: 10)", default="10"),
        option("--expand", "look for words of the best pagelets as well"),
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds the options; ``--sort`` takes -FIELD, too, which argparse would take for an option."""
        super().add_options(parser)
        setattr(parser, "parse_known_args", partial(_parsed, parser.parse_known_args))  # noqa: B010

    def _check(self, args: list[str]) -> None:
        # A query may begin with a word to exclude; what has a space is no option.
        super()._check([arg for arg in args if " " not in arg])

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Searches, and shows the hits."""
        by_fields = bool(opts.where or opts.sort or opts.count)
        if len(args) < (1 if by_fields else 2):
            raise ConfigurationError(f"give a site and a query: {self.name} {self.usage}")
        site, text = site_name(args[0]), " ".join(args[1:])
        query = Query.parse(
            text,
            since=_day("--since", opts.since),
            until=_day("--until", opts.until),
            language=opts.language,
            path=opts.path,
            limit=number("--limit", opts.limit, 1, MAX_HITS),
            expand=opts.expand,
        )
        self.open_store(site).close()
        with searchable(site, opts.sink, self.project) as (name, sink):
            if opts.expand and (sink.units != PAGELETS or name in SERVERS):
                why = "is on a server" if name in SERVERS else f"of {site} holds {sink.units}"
                raise ConfigurationError(
                    f"--expand takes words from pagelets in tantivy, and the index {name} {why}; "
                    f'write units = "{PAGELETS}" into [tantivy] of the site file'
                )
            if by_fields:
                query = _by_fields(query, name, sink, opts, empty=not text.strip())
            result = sink.search(query)
        if opts.json:
            summary = {"site": site, "sink": name, "query": text, "added": result.added}
            counts = {
                field: [{"value": value, "count": count} for value, count in rows]
                for field, rows in result.counts.items()
            }
            write_json({**summary, "total": result.total, "counts": counts, "hits": result.rows()})
        elif result.hits:
            _show(result, {column.name for column in asked_columns(query)})
        else:
            self.say(f"nothing in {site} is found by {printable(text or opts.where or '', 80)!r}")


def _by_fields(query: Query, name: str, sink: Sink, opts: argparse.Namespace, *, empty: bool) -> Query:
    """A query with what options say of fields. Raises ConfigurationError, NoIndex, SinkDown."""
    if not isinstance(sink, Filtered):
        raise ConfigurationError(f"the sink {name} does not search by fields; leave --where, --sort, --count")
    columns = sink.searched_columns()
    coming = {column.name for column in sink.place.columns}
    return replace(
        query,
        where=parse_where(opts.where, columns, coming) if opts.where else None,
        sort=parse_sort(opts.sort, columns, coming) if opts.sort else None,
        counts=tuple(parse_column("--count", count, columns, coming) for count in opts.count),
        everything=empty,
    )


def _parsed(
    parse: Callable[..., Any], args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
) -> Any:
    joined: list[str] = []
    for arg in sys.argv[1:] if args is None else args:
        if joined and joined[-1] == "--sort":
            joined[-1] = f"--sort={arg}"
        else:
            joined.append(arg)
    return parse(joined, namespace)


def _day(option: str, value: str | None) -> date | None:
    try:
        return None if value is None else date.fromisoformat(value)
    except ValueError:
        raise ConfigurationError(f"{option} {value!r} is no day; write it as 2024-05-31") from None


def _show(result: Found, asked: Collection[str]) -> None:
    """Prints the hits with the fields that were asked for, and counts: in colour on a terminal, else plain,
    with what was found between asterisks.
    """
    coloured = sys.stdout.isatty()
    lines: list[Text] = []
    for rank, hit in enumerate(result.hits, 1):
        heading = " › ".join(map(printable, (hit.title or hit.url, *hit.headings)))
        lines += [
            Text.assemble(f"{rank}. ", (heading, _STYLES["title"])),
            Text.assemble("   ", (printable(hit.url), _STYLES["url"])),
            Text.assemble("   ", *_marked(hit.snippet, coloured)),
            *(
                Text(f"   {name}: {_said(value)}")
                for name, value in hit.fields.items()
                if name in asked and value is not None
            ),
            Text(),
        ]
    for name, rows in result.counts.items():
        lines += [Text(f"{name}:"), *(Text(f"{count:>7} {_said(value)}") for value, count in rows[:_COUNTED])]
        lines += [Text(f"        and {len(rows) - _COUNTED} more values")] * (len(rows) > _COUNTED) + [Text()]
    if result.added:
        lines.append(Text(f"looked for as well: {', '.join(map(printable, result.added))}"))
    shown = len(result.hits)
    lines.append(Text(f"{shown} of {result.total}" if shown < result.total else f"{result.total} found"))
    if coloured:
        console = Console()
        for line in lines:
            console.print(line, soft_wrap=True)
    else:
        print("\n".join(line.plain.rstrip() for line in lines))


def _said(value: object) -> str:
    """The value of a field for people."""
    if isinstance(value, list):
        return ", ".join(map(_said, value))
    return str(value).lower() if isinstance(value, bool) else printable(str(value), _VALUE)


def _marked(snippet: Iterable[Piece], coloured: bool) -> Iterable[str | tuple[str, str]]:
    for text, hit in snippet:
        plain = "".join(character for character in text if character.isprintable())
        if hit and coloured:
            yield plain, _STYLES["hit"]
        else:
            yield f"**{plain}**" if hit else plain
