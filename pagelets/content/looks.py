"""Features of a page's blocks that its own tree tells: text, links, elements, names, place, repetition.

The families are those of Kohlschütter, Fankhauser & Nejdl, "Boilerplate Detection using Shallow Text
Features", WSDM 2010 (words, link density, neighbours), and of Vogels, Ganea & Eickhoff, "Web2Text",
ECIR 2018 (the same of the elements above a block). All is counted for a whole page at once, as arrays. No
feature depends on the words of a language.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from pagelets import loops
from pagelets.content.names import NAMING, page_words
from pagelets.content.table import Floats, Integers, Table, running, share
from pagelets.content.text import KINDS, count
from pagelets.loops.plain import Ratio, Ratios
from pagelets.page import PICTURE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.content.names import Vocabulary
    from pagelets.content.text import Texts
    from pagelets.loops.plain import Inline
    from pagelets.page import Page, Runs
    from pagelets.tree import Ids

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_TAGS: Final = (
    "p", "li", "td", "th", "dt", "dd", "blockquote", "pre", "div", "section", "article", "figcaption",
    "label", "button", "option", "summary", "body", "address", "form", "caption",
)  # fmt: skip
_TAG_NAMES: Final = tuple(f"tag_{name}" for name in _TAGS)
_TAG_NUMBERS: Final = {name: number for number, name in enumerate(_TAGS, 1)}
_ONE_OF_TAGS: Final = np.eye(1 + len(_TAGS))[:, 1:]
_BODY: Final = {"body": 1}
_COUNTED: Final = ("article", "p", "li", "table")
_COUNTED_NUMBERS: Final = {name: number for number, name in enumerate(_COUNTED, 1)}
_DOC_NAMES: Final = tuple(
    f"doc_{name}"
    for name in (
        "chars", "link_share", "blocks", "headings", "long", "paragraphs", "h1", "h2", "h3", "longest",
        "longest5", "stops", "currency", "slashes", "url", "query", "url_digits", "home", "unhidden",
        *_COUNTED,
    )
)  # fmt: skip
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
_LINK_NAMES: Final = ("links", "link_chars", "link_share", *(f"link_{part}" for part in _LINK_PARTS))
_MORE_LINK_NAMES: Final = tuple(
    f"link_{part}" for part in ("fragment", "folder", "below", "query", "again", "nofollow")
)
_LINK_SUMS: Final = [0, 1, 2, 7, 9]
_KIND_SHARES: Final = tuple(f"{kind}_share" for kind in KINDS)
_GROUP_NAMES: Final = tuple(
    f"{name}_{part}"
    for name in ("kind", "deep")
    for part in ("count", "mean_chars", "link_share", "chars_share", "spread")
)
_GROUPS: Final = Ratios.of(
    ("members", "spread", "chars", "link_chars"),
    [
        Ratio("members"), Ratio("chars", "members"), Ratio("link_chars", "chars", 1e-9), Ratio("chars"),
        Ratio("spread"),
    ],
)  # fmt: skip
_ENDS: Final = ("ends_stop", "ends_colon", "ends_ellipsis", "begins_upper", "begins_digit")
_PLACE: Final = ("index", "index_share", "from_end", "chars_before", "chars_after")
_TITLE_NAMES: Final = (
    "in_title", "of_title", "after_title", "after_title_share", "after_h1", "after_h1_share",
)  # fmt: skip
_TITLE_WEIGHTS: Final = np.array([1, 2, 1.5, 1, 1, 1, 1])
"""How much sooner a heading of each level is taken for the title than what is none."""


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
    long: NDArray[np.bool_]
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
    of_block = containers.of_block
    heading = containers.numbered(_HEADINGS)[of_block]
    tags = _ONE_OF_TAGS[containers.numbered(_TAG_NUMBERS)[of_block]]
    table.add(_TAG_NAMES, tags)
    blocks, nodes = page.blocks, containers.nodes[of_block]
    runs = cast("Runs", blocks[0].source)
    inside = loops.inline(nodes, [block.span for block in blocks], runs.places, runs.holders, PICTURE, _INNER)
    depth = containers.depth[of_block]
    table.add(("heading", "pictures", "depth"), np.stack([heading, inside.pictures, depth], axis=1))
    named = _names(page, containers, inside, parts, table)
    said = whole.rows([whole.bits(page_words(page, whole.sources))])
    table.add(whole.names("page"), whole.columns(said))
    order = np.arange(size)
    before = np.cumsum(chars) - chars
    columns = [order, order / size, size - order, before / total, 1 - (before + chars) / total]
    table.add(_PLACE, np.stack(columns, axis=1))
    title, first = _title(page, texts, words, heading, table)
    kind, same = _repetition(texts, named, containers, chars, links[:, 1], total, table)
    stops = kinds[:, _STOP]
    long = (chars >= _LONG) & (link_share < 0.3)
    paragraph = tags[:, 0] * (chars > 40)
    counts = np.stack(
        [
            chars, words, links[:, 1], links[:, 0], np.ones(size), stops, kinds[:, _COMMA], kinds[:, _DIGIT],
            heading > 0, long, paragraph, inside.pictures, links[:, 2], (chars > 0) & (chars < _SHORT),
            kinds[:, _CURRENCY],
        ],
        axis=1,
    )  # fmt: skip
    shape = np.stack(
        [
            np.log1p(chars), link_share, share(stops, words), heading, share(kinds[:, _UPPER], chars),
            share(kinds[:, _DIGIT], chars), tags[:, 0], tags[:, 1], inside.pictures,
        ],
        axis=1,
    )  # fmt: skip
    _page(page, containers, counts, heading, chars, total, table)
    return Looks(counts, shape, kind, same, heading, long, title, first)


def _text(counted: Texts, chars: Floats, table: Table) -> None:
    kinds, words = counted.kinds, counted.words
    table.add(("chars", "words"), np.log1p(np.stack([chars, words], axis=1)))
    table.add(_KIND_SHARES, kinds / np.maximum(chars, 1)[:, None])
    table.add(("digits", "stops", "commas", "uppers"), kinds[:, [_DIGIT, _STOP, _COMMA, _UPPER]])
    table.add(("word_length",), kinds[:, 1:5].sum(axis=1) / np.maximum(words, 1))
    if table.wants(*_ENDS):
        ends = [
            counted.last == _STOP, counted.last == _COLON, counted.cut, counted.first == _UPPER,
            counted.first == _DIGIT,
        ]  # fmt: skip
        table.add(_ENDS, np.stack(ends, axis=1))
    table.add(("lines",), counted.lines)


def _links(page: Page, chars: Floats, table: Table) -> Floats:
    """Links, their characters, and those that lead to other hosts, of each block: float64[b, 3]."""
    host = "/".join(page.url.split("/", 3)[:3]) + "/"
    urls, spans = [link.url for link in page.links], [block.links for block in page.blocks]
    found = np.zeros((len(spans), 2 + len(_LINK_PARTS)))
    found[:, _LINK_SUMS] = loops.link_sums(urls, [link.text for link in page.links], spans, host)
    if table.wants(*_MORE_LINK_NAMES):
        folder = page.url.partition("?")[0].rpartition("/")[0] + "/"
        within, below = page.url + "#", page.url.rstrip("/") + "/"
        times = Counter(urls)
        rows = [
            (
                url.startswith(within), url.startswith(folder), url.startswith(below), "?" in url,
                times[url] > 1, link.nofollow,
            )
            for url, link in zip(urls, page.links, strict=True)
        ]  # fmt: skip
        sums = running(np.array(rows, np.float64).reshape(-1, 6))
        found[:, [3, 4, 5, 6, 8, 10]] = [sums[span.stop] - sums[span.start] for span in spans]
    found[:, 1] = np.minimum(found[:, 1], chars)
    shares = found[:, 2:] / np.maximum(found[:, :1], 1)
    columns = [found[:, :2], share(found[:, 1:2], chars[:, None]), shares]
    table.add(_LINK_NAMES, np.concatenate(columns, axis=1))
    return found[:, :3]


def _names(page: Page, containers: Containers, inside: Inline, parts: Vocabulary, table: Table) -> Ids:
    """Adds the words that name a block's element, the one around it and those in it, and all around.

    Returns what names each of n containers, as places of strings: int32[k, n].
    """
    tree, own = page.tree, len(containers.nodes)
    nodes = np.concatenate([containers.nodes, inside.elements])
    values = loops.named(nodes, tree.starts, tree.name, tree.value, tree.name_places(NAMING))
    masks = parts.masks(tree.strings, tree.tag[nodes], values)
    named = masks[:own]
    at = containers.of_block
    nearest = named[at] | named[containers.parent[at]]
    loops.add_bits(nearest, inside.blocks, masks[own:])
    table.add(parts.names("near"), parts.columns(nearest))
    # What the whole page is called says nothing of its parts.
    outer = containers.numbered(_BODY) > 0
    outer[0] = True
    table.add(parts.names("in"), parts.columns(loops.inherited(named, containers.parent, outer)), at)
    return values[:, :own]


def _title(page: Page, texts: list[str], words: Floats, heading: Integers, table: Table) -> tuple[int, int]:
    """The places of the block that gives the page's title, and of the first h1; -1 where there is none."""
    size = len(texts)
    title = set(page.title.casefold().split())
    overlap = loops.overlap(texts, title, _LONG_TITLE)
    scores = overlap[:, 0] * overlap[:, 1] * _TITLE_WEIGHTS[heading] * (words > 1)
    best = int(scores.argmax())
    best = best if scores[best] > 0.1 else -1
    level_one = heading == 1
    first = int(level_one.argmax())
    first = first if level_one[first] else -1
    order = np.arange(size)
    columns: list[NDArray[np.number[Any]]] = [overlap]
    for place in (best, first):
        distance = (order - place if place >= 0 else np.full(size, np.nan))[:, None]
        columns += [distance, distance / size]
    table.add(_TITLE_NAMES, np.concatenate(columns, axis=1))
    return best, first


def _repetition(
    texts: list[str], named: Ids, containers: Containers, chars: Floats, link_chars: Floats,
    total: float, table: Table,
) -> tuple[Integers, Integers]:  # fmt: skip
    table.add(("text_again",), loops.repeated(texts))
    kind = loops.alike(containers.tag, *named)
    of_block, parent = containers.of_block, containers.parent
    pair = loops.alike(kind, kind[parent])
    deep = loops.alike(pair, pair[parent[parent]])
    # Groups of both ways to be alike, those of the second behind those of the first.
    at = np.stack([pair[of_block], deep[of_block] + len(pair)])
    groups = loops.grouped(at, np.stack([chars, link_chars], axis=1))
    columns = loops.ratios(groups, _GROUPS)
    columns[:, 1] = np.log1p(columns[:, 1])
    columns[:, 3] /= total
    columns[:, 4] /= len(texts)
    table.add(_GROUP_NAMES, columns, at)
    return kind, at[1]


def _page(
    page: Page, containers: Containers, counts: Floats, heading: Integers, chars: Floats, total: float,
    table: Table,
) -> None:  # fmt: skip
    size = len(chars)
    sums = dict(zip(COUNTS, counts.sum(axis=0).tolist(), strict=True))
    longest = np.sort(chars)[::-1]
    tags = np.bincount(containers.numbered(_COUNTED_NUMBERS), minlength=1 + len(_COUNTED)).tolist()
    row = {
        "chars": np.log1p(total), "link_share": sums["link_chars"] / total, "blocks": size,
        "headings": sums["headings"], "long": sums["long"], "paragraphs": sums["paragraphs"],
        "h1": (heading == 1).sum(), "h2": (heading == 2).sum(), "h3": (heading == 3).sum(),
        "longest": longest[0] / total, "longest5": longest[:5].sum() / total,
        "stops": sums["stops"] / max(sums["words"], 1), "currency": sums["currency"],
        "slashes": page.url.count("/"), "url": len(page.url), "query": "?" in page.url,
        "url_digits": sum(character.isdigit() for character in page.url[-60:]),
        "home": page.url.rstrip("/").count("/") <= 2, "unhidden": page.unhidden,
        **dict(zip(_COUNTED, tags[1:], strict=True)),
    }  # fmt: skip
    table.add(_DOC_NAMES, np.array([list(row.values())], np.float64))
