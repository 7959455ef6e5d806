"""Features of a page's blocks that its own tree tells: text, links, elements, names, place, repetition.

The families are those of Kohlschütter, Fankhauser & Nejdl, "Boilerplate Detection using Shallow Text
Features", WSDM 2010 (words, link density, neighbours), and of Vogels, Ganea & Eickhoff, "Web2Text",
ECIR 2018 (the same of the elements above a block). All is counted for a whole page at once, as arrays. No
feature depends on the words of a language.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.content.names import Key, keys, page_words
from pagelets.content.table import Floats, Integers, Table, running, share
from pagelets.content.text import KINDS, count

if TYPE_CHECKING:
    from pagelets.containers import Containers
    from pagelets.content.names import Vocabulary
    from pagelets.content.text import Texts
    from pagelets.page import Page

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_TAGS: Final = (
    "p", "li", "td", "th", "dt", "dd", "blockquote", "pre", "div", "section", "article", "figcaption",
    "label", "button", "option", "summary", "body", "address", "form", "caption",
)  # fmt: skip
_TAG_NAMES: Final = [f"tag_{name}" for name in _TAGS]
_COUNTED: Final = ("article", "p", "li", "table")
_LONG: Final = 100
"""Characters. A longer block with few links is running text."""
_SHORT: Final = 25
_LONG_TITLE: Final = 200
_INNER: Final = 4
"""So many of a block's runs are asked for the names of their elements."""
_STOP, _COMMA, _COLON, _DIGIT, _UPPER, _CURRENCY = map(
    KINDS.index, ("stop", "comma", "colon", "digit", "upper", "currency")
)
_LINK_PARTS: Final = (
    "external", "fragment", "folder", "below", "query", "slashes", "again", "empty", "nofollow",
)  # fmt: skip
_LINK_NAMES: Final = [f"link_{part}" for part in _LINK_PARTS]
_KIND_SHARES: Final = [f"{kind}_share" for kind in KINDS]
_KIND_PARTS: Final = ("count", "mean_chars", "link_share", "chars_share", "spread")


@dataclass(slots=True, eq=False)
class Looks:
    """What was counted of a page's b blocks and their n containers, for the features of their surroundings.

    ``counts`` float64[b, len(COUNTS)]; ``shape`` float64[b, len(SHAPE)], what neighbours show of themselves;
    ``kind`` int64[n] numbers what names a container; ``same`` int64[b] numbers the blocks whose containers
    and the three above are named alike; ``heading`` int64[b] is the heading's level, 0 for none; ``title``
    and ``first`` are the blocks of the page's title and of its first h1, -1 where there is none.
    """

    counts: Floats
    shape: Floats
    kind: Integers
    same: Integers
    heading: Integers
    long: Floats
    title: int
    first: int


COUNTS: Final = (
    "chars", "words", "link_chars", "links", "blocks", "stops", "commas", "digits", "headings", "long",
    "paragraphs", "pictures", "external", "short", "currency",
)  # fmt: skip
SHAPE: Final = (
    "chars", "link_share", "stops", "heading", "upper", "digits", "p", "li", "pictures",
)  # fmt: skip


def looks(page: Page, containers: Containers, parts: Vocabulary, whole: Vocabulary, table: Table) -> Looks:
    """Adds the features of a page's own blocks to ``table``; there is at least one block.

    ``parts`` are the words that name elements, ``whole`` those that the page says of itself.
    """
    texts = [block.text for block in page.blocks]
    size = len(texts)
    chars = np.fromiter(map(len, texts), np.float64, size)
    total = max(float(chars.sum()), 1.0)
    counted = count(texts)
    kinds, words = counted.kinds, counted.words
    _text(counted, chars, table)
    links = _links(page, chars, table)
    link_share = share(links[:, 1], chars)
    named, inner, pictures = _elements(page, containers, parts)
    tags = [own[0] or "" for own in named]
    of_block = containers.of_block
    heading = np.array([_HEADINGS.get(tag, 0) for tag in tags])[of_block]
    numbers = {name: place for place, name in enumerate(_TAGS)}
    of_container = np.zeros((len(tags), len(_TAGS)))
    for place, tag in enumerate(tags):
        if tag in numbers:
            of_container[place, numbers[tag]] = 1
    tag_columns = of_container[of_block]
    table.add(_TAG_NAMES, tag_columns)
    table.add(["heading", "pictures", "depth"], heading, pictures, containers.depth[of_block])
    _names(named, inner, containers, parts, table)
    said = whole.columns([whole.bits(page_words(page, whole.sources))])
    table.add(whole.names("page"), np.repeat(said, size, axis=0))
    order = np.arange(size)
    before = np.cumsum(chars) - chars
    table.add(
        ["index", "index_share", "from_end", "chars_before", "chars_after"],
        order, order / size, size - order, before / total, 1 - (before + chars) / total,
    )  # fmt: skip
    title, first = _title(page, texts, words, heading, table)
    kind, same = _repetition(texts, named, containers, chars, links[:, 1], total, table)
    stops = kinds[:, _STOP]
    long = (chars >= _LONG) & (link_share < 0.3)
    paragraph = tag_columns[:, 0] * (chars > 40)
    counts = np.stack(
        [
            chars, words, links[:, 1], links[:, 0], np.ones(size), stops, kinds[:, _COMMA], kinds[:, _DIGIT],
            heading > 0, long, paragraph, pictures, links[:, 2], (chars > 0) & (chars < _SHORT),
            kinds[:, _CURRENCY],
        ],
        axis=1,
    )  # fmt: skip
    shape = np.stack(
        [
            np.log1p(chars), link_share, share(stops, words), heading, share(kinds[:, _UPPER], chars),
            share(kinds[:, _DIGIT], chars), tag_columns[:, 0], tag_columns[:, 1], pictures,
        ],
        axis=1,
    )  # fmt: skip
    _page(page, tags, counts, heading, chars, total, table)
    return Looks(counts, shape, kind, same, heading, long.astype(np.float64), title, first)


def _text(counted: Texts, chars: Floats, table: Table) -> None:
    kinds, words = counted.kinds, counted.words
    table.add(["chars", "words"], np.log1p(chars), np.log1p(words))
    table.add(_KIND_SHARES, kinds / np.maximum(chars, 1)[:, None])
    table.add(["digits", "stops", "commas", "uppers"], kinds[:, [_DIGIT, _STOP, _COMMA, _UPPER]])
    table.add(["word_length"], kinds[:, 1:5].sum(axis=1) / np.maximum(words, 1))
    table.add(
        ["ends_stop", "ends_colon", "ends_ellipsis", "begins_upper", "begins_digit", "lines"],
        counted.last == _STOP, counted.last == _COLON, counted.cut, counted.first == _UPPER,
        counted.first == _DIGIT, counted.lines,
    )  # fmt: skip


def _links(page: Page, chars: Floats, table: Table) -> Floats:
    """Links, their characters, and those that lead to other hosts, of each block: float64[b, 3]."""
    host = "/".join(page.url.split("/", 3)[:3]) + "/"
    folder = page.url.partition("?")[0].rpartition("/")[0] + "/"
    within, below = page.url + "#", page.url.rstrip("/") + "/"
    times: dict[str, int] = {}
    for link in page.links:
        times[link.url] = times.get(link.url, 0) + 1
    rows = [
        (
            1, len(text), not url.startswith(host), url.startswith(within), url.startswith(folder),
            url.startswith(below), "?" in url, url.count("/"), times[url] > 1, not text, nofollow,
        )
        for url, text, nofollow, _ in page.links
    ]  # fmt: skip
    sums = running(np.array(rows, np.float64).reshape(len(rows), 2 + len(_LINK_PARTS)))
    bounds = np.array([(block.links.start, block.links.stop) for block in page.blocks])
    found: Floats = sums[bounds[:, 1]] - sums[bounds[:, 0]]
    found[:, 1] = np.minimum(found[:, 1], chars)
    table.add(["links", "link_chars", "link_share"], found[:, 0], found[:, 1], share(found[:, 1], chars))
    table.add(_LINK_NAMES, found[:, 2:] / np.maximum(found[:, :1], 1))
    first: Floats = found[:, :3]
    return first


def _elements(page: Page, containers: Containers, parts: Vocabulary) -> tuple[list[Key], list[int], Floats]:
    """Names of the containers; of each block the words of its inline elements, and its pictures."""
    pictures = np.zeros(len(page.blocks))
    holders: list[list[int]] = []
    for position, block in enumerate(page.blocks):
        inside: list[int] = []
        for text, holder in block.runs:
            if not text:
                pictures[position] += 1
            elif holder != block.node and len(inside) < _INNER:
                inside.append(holder)
        holders.append(inside)
    masks = map(parts.mask, keys(page.tree, chain.from_iterable(holders)))
    inner = []
    for inside in holders:
        mask = 0
        for own in islice(masks, len(inside)):
            mask |= own
        inner.append(mask)
    return keys(page.tree, containers.nodes.tolist()), inner, pictures


def _names(
    keys: list[Key], inner: list[int], containers: Containers, parts: Vocabulary, table: Table
) -> None:
    parents = containers.parent.tolist()
    own = [parts.mask(named) for named in keys]
    around: list[int] = []
    for named, mask, parent in zip(keys, own, parents, strict=True):
        # What the whole page is called says nothing of its parts.
        outer = not around or named[0] == "body"
        around.append(0 if outer else mask | around[parent])
    at = containers.of_block.tolist()
    nearest = [own[place] | own[parents[place]] | mask for place, mask in zip(at, inner, strict=True)]
    table.add(parts.names("near"), parts.columns(nearest))
    table.add(parts.names("in"), parts.columns([around[place] for place in at]))


def _title(page: Page, texts: list[str], words: Floats, heading: Integers, table: Table) -> tuple[int, int]:
    """The places of the block that gives the page's title, and of the first h1; -1 where there is none."""
    size = len(texts)
    title = set(page.title.casefold().split())
    overlap = np.zeros((size, 2))
    if title:
        for position, text in enumerate(texts):
            if 0 < len(text) < _LONG_TITLE:
                own = text.casefold().split()
                shared = len(title.intersection(own))
                if shared:
                    overlap[position] = shared / len(own), shared / len(title)
    table.add(["in_title", "of_title"], overlap)
    scores = overlap[:, 0] * overlap[:, 1] * (1 + (heading == 1) + 0.5 * (heading == 2)) * (words > 1)
    best = int(scores.argmax()) if scores.max() > 0.1 else -1
    level_one = heading == 1
    first = int(level_one.argmax()) if level_one.any() else -1
    order = np.arange(size)
    for name, place in (("title", best), ("h1", first)):
        distance = order - place if place >= 0 else np.full(size, np.nan)
        table.add([f"after_{name}", f"after_{name}_share"], distance, distance / size)
    return best, first


def _repetition(
    texts: list[str], keys: list[Key], containers: Containers, chars: Floats, link_chars: Floats,
    total: float, table: Table,
) -> tuple[Integers, Integers]:  # fmt: skip
    times: dict[str, int] = {}
    for text in texts:
        times[text] = times.get(text, 0) + 1
    table.add(["text_again"], np.array([times[text] for text in texts], np.float64))
    numbers: dict[Key, int] = {}
    kind = np.array([numbers.setdefault(named, len(numbers)) for named in keys])
    of_block, parent = containers.of_block, containers.parent
    _, pair = np.unique(kind * (len(numbers) + 1) + kind[parent], return_inverse=True)
    _, deep = np.unique(pair * (int(pair.max()) + 1) + pair[parent[parent]], return_inverse=True)
    order = np.arange(len(texts))
    for name, numbered in (("kind", pair), ("deep", deep)):
        groups = numbered[of_block]
        members = np.bincount(groups)
        sums = np.bincount(groups, chars)
        first, last = np.zeros(len(members)), np.zeros(len(members))
        first[groups[::-1]] = order[::-1]
        last[groups] = order
        columns = np.stack(
            [
                members, np.log1p(sums / np.maximum(members, 1)),
                share(np.bincount(groups, link_chars), sums),
                sums / total, (last - first) / len(texts),
            ],
            axis=1,
        )  # fmt: skip
        table.add([f"{name}_{part}" for part in _KIND_PARTS], columns[groups])
    return kind, deep[of_block]


def _page(
    page: Page, tags: list[str], counts: Floats, heading: Integers, chars: Floats, total: float, table: Table
) -> None:
    size = len(chars)
    sums = dict(zip(COUNTS, counts.sum(axis=0).tolist(), strict=True))
    longest = np.sort(chars)[::-1]
    row = {
        "chars": np.log1p(total), "link_share": sums["link_chars"] / total, "blocks": size,
        "headings": sums["headings"], "long": sums["long"], "paragraphs": sums["paragraphs"],
        "h1": (heading == 1).sum(), "h2": (heading == 2).sum(), "h3": (heading == 3).sum(),
        "longest": longest[0] / total, "longest5": longest[:5].sum() / total,
        "stops": sums["stops"] / max(sums["words"], 1), "currency": sums["currency"],
        "slashes": page.url.count("/"), "url": len(page.url), "query": "?" in page.url,
        "url_digits": sum(character.isdigit() for character in page.url[-60:]),
        "home": page.url.rstrip("/").count("/") <= 2, "unhidden": page.unhidden,
        **{tag: tags.count(tag) for tag in _COUNTED},
    }  # fmt: skip
    table.add(
        [f"doc_{name}" for name in row], np.repeat(np.array([list(row.values())], np.float64), size, axis=0)
    )
