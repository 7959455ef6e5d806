"""The layout of ``--help``, and the spiders and their arguments, as ``scrapy crawl --help`` lists them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Final

from settings.tables import SCHEMA

_COLUMN: Final = 24
"""Where the second column begins, as argparse has it for options."""
SPIDERS: Final = {
    "site": "crawls a site",
    "archive": "takes the pages from WARC files or folders of HTML files",
    "similar": "finds the pages that are structured like a sample",
    "template": "finds a site's template from a key page and a few others",
}

ARGUMENTS: Final = {
    "url": "start URLs, parted by commas; of similar the sample, of template the key page",
    "site": "a site file in settings/sites; with url or path, the store's folder",
    "path": "archive, template: WARC files or folders, parted by commas",
    "base": "archive, template: the address of a folder's files",
    "partial": "archive: 1 where it is a part of the site; nothing is deleted",
    **{key: sets.argument for key, sets in SCHEMA.setters.items() if sets.argument},
    "sample": "crawl so many pages into a store of their own; explain, try, export and others read it",
    "fresh": "1: build a new store, and replace the old one if all goes well",
    "accept": "1: take the site as it is; a host: the site has moved there",
    "query": "site: words of a topic, what fits it is requested first",
    "seeds": "site: a file of such words or texts",
    "measure": "similar: by what pages are alike: structure, shapes or links",
    "similarity": "similar: how alike they are at least, up to 1",
    "class_urls": "similar: a file of the URLs that are expected",
    "output": "template: the file to write it to",
}

EXAMPLES: Final = (
    "site -a url=https://example.org/ -a max_pages=500",
    "archive -a path=site.warc.gz -O documents.jsonl",
)


def section(title: str, lines: Iterable[str]) -> str:
    """Returns a part of --help: its title, underlined, and its lines."""
    return "\n".join([title, "=" * len(title), *(f"  {line}" for line in lines)])


def examples(command: str, given: Iterable[str]) -> str:
    """Returns the section of a command's examples; ``given`` is what follows its name in each."""
    return section("Examples", [f"{command} {one}" for one in given])


def columns(rows: Mapping[str, str]) -> list[str]:
    """Returns the lines of a table of names and what they mean."""
    lines = []
    for name, text in rows.items():
        first, *others = textwrap.wrap(text, 78 - _COLUMN)
        lines += [f"{name:<{_COLUMN - 2}}{first}", *(f"{'':<{_COLUMN - 2}}{line}" for line in others)]
    return lines
