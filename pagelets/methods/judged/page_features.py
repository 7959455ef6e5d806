"""Features of a page's blocks from its own tree: text, links, elements, names, place, repetition.

The families follow Kohlschütter, Fankhauser & Nejdl, "Boilerplate Detection using Shallow Text
Features", WSDM 2010 (words, link density, neighbours), and of Vogels, Ganea & Eickhoff, "Web2Text",
ECIR 2018 (the same of the elements above a block). All is counted for a whole page at once, as arrays. No
feature depends on the words of a language.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from pagelets import loops
from pagelets.loops.contexts import Counted, Ratio, Ratios
from pagelets.methods.judged.names import Vocabulary, page_words, places
from pagelets.methods.judged.table import Floats, Integers, Table, running
from pagelets.methods.judged.text import KINDS, count
from pagelets.page import PICTURE, Page, Runs

if TYPE_CHECKING:
    from pagelets.containers import Containers
    from pagelets.loops.plain import Inline
    from pagelets.tree import Ids

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_TAGS: Final = (
    "p", "li", "td", "th", "dt", "dd", "blockquote", "pre", "div", "section", "article", "figcaption",
    "label", "button", "option", "summary", "body", "address", "form", "caption",
)  # fmt: skip
_TAG_NUMBERS: Final = {name: number for number, name in enumerate(_TAGS, 1)}
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
_LONG_TITLE: Final = 200
_INNER: Final = 4
"""So many of a block's runs are asked for the names of their elements."""
_MORE_LINK_NAMES: Final = tuple(
    f"link_{part}" for part in ("fragment", "folder", "below", "query", "again", "nofollow")
)
COUNTS: Final = (
    "chars", "words", "link_chars", "links", "blocks", "stops", "commas", "digits", "headings", "long",
    "paragraphs", "pictures", "external", "short", "currency",
)  # fmt: skip
_SINGLE_NAMES: Final = (
    *(f"tag_{name}" for name in _TAGS),
    "ends_stop", "ends_colon", "ends_ellipsis", "begins_upper", "begins_digit",
    "index", "index_share", "from_end", "chars_before", "chars_after",
    "in_title", "of_title", "after_title", "after_title_share", "after_h1", "after_h1_share",
)  # fmt: skip
_RAW: Final = (*COUNTS, *KINDS, "letters", "lines", "heading", "depth", "slashes", "no_text", *_SINGLE_NAMES)
"""What is counted of each block by itself, as `pagelets.loops.blocks` does."""
_SINGLE: Final = len(_RAW) - len(_SINGLE_NAMES)
_OWN: Final = {
    "chars": Ratio("chars"), "words": Ratio("words"),
    **{f"{kind}_share": Ratio(kind, "chars") for kind in KINDS},
    "digits": Ratio("digit"), "stops": Ratio("stop"), "commas": Ratio("comma"), "uppers": Ratio("upper"),
    "word_length": Ratio("letters", "words"), "lines": Ratio("lines"), "links": Ratio("links"),
    "link_chars": Ratio("link_chars"),
    "link_share": Ratio("link_chars", "chars", 1e-9), "link_external": Ratio("external", "links"),
    "link_slashes": Ratio("slashes", "links"), "link_empty": Ratio("no_text", "links"),
    "heading": Ratio("heading"), "pictures": Ratio("pictures"), "depth": Ratio("depth"),
}  # fmt: skip
"""Features of a block by itself; the first two as logarithms."""
_OWN_NAMES: Final = tuple(_OWN)
_SHAPE: Final = {
    "chars": Ratio("chars"), "link_share": Ratio("link_chars", "chars", 1e-9),
    "stops": Ratio("stop", "words", 1e-9), "heading": Ratio("heading"),
    "upper": Ratio("upper", "chars", 1e-9), "digits": Ratio("digit", "chars", 1e-9),
    "pictures": Ratio("pictures"), "p": Ratio("tag_p"), "li": Ratio("tag_li"),
}  # fmt: skip
SHAPE: Final = tuple(_SHAPE)
_PLAN: Final = Ratios.of(_RAW, (*_OWN.values(), *_SHAPE.values()))
_LINK_CHARS: Final = COUNTS.index("link_chars")
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
_ROLES: Final = tuple(map(KINDS.index, ("stop", "comma", "digit", "upper", "currency", "colon")))
_TITLE_WEIGHTS: Final = np.array([1, 2, 1.5, 1, 1, 1, 1])
"""The advantage of a heading of each level over other blocks as the title."""


def page_features(
    page: Page, containers: Containers, parts: Vocabulary, whole: Vocabulary, table: Table
) -> Counted:
    """Adds the features of a page's own blocks, of which there is at least one, to ``table``. The elements
    around them are ``containers``; ``parts`` are the words that name elements, ``whole`` describe the page.
    """
    texts = [block.text for block in page.blocks]
    size = len(texts)
    chars = np.fromiter(map(len, texts), np.float64, size)
    counted = count(texts)
    of_block = containers.of_block
    heading = containers.numbered(_HEADINGS)[of_block]
    blocks, nodes = page.blocks, containers.nodes[of_block]
    runs = cast("Runs", blocks[0].source)
    inside = loops.inline(nodes, [block.span for block in blocks], runs.places, runs.holders, PICTURE, _INNER)
    overlap = loops.overlap(texts, set(page.title.casefold().split()), _LONG_TITLE)
    raw, title, first = loops.blocks(
        counted, chars, heading, containers.numbered(_TAG_NUMBERS)[of_block], containers.depth[of_block],
        inside.pictures, _links(page, table), overlap, _TITLE_WEIGHTS, _ROLES, len(_TAGS),
    )  # fmt: skip
    ratios = loops.ratios(raw, _PLAN)
    ratios[:, :2] = np.log1p(ratios[:, :2])
    ratios[:, len(_OWN)] = ratios[:, 0]
    table.add(_OWN_NAMES, ratios)
    table.add(_SINGLE_NAMES, raw[:, _SINGLE:])
    named = _names(page, containers, inside, parts, table)
    page_bits = whole.rows([whole.bits(page_words(page, whole.sources))])
    table.mark(whole.names("page"), page_bits)
    counts = raw[:, : len(COUNTS)]
    total = max(float(chars.sum()), 1.0)
    kind, same = _repetition(texts, named, containers, counts[:, [0, _LINK_CHARS]], total, table)
    _page(page, containers, counts, heading, chars, total, table)
    long = counts[:, COUNTS.index("long")] > 0
    return Counted(counts, ratios[:, len(_OWN) :], kind, same, heading, long, title, first)


def _links(page: Page, table: Table) -> Floats:
    """Sums the links of each block, as `pagelets.loops.link_sums` does."""
    host = "/".join(page.url.split("/", 3)[:3]) + "/"
    urls, spans = [link.url for link in page.links], [block.links for block in page.blocks]
    totals = loops.link_sums(urls, [link.text for link in page.links], spans, host)
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
        sums = running(np.array(rows, np.float64).reshape(-1, len(_MORE_LINK_NAMES)))
        bounds = np.array([(span.start, span.stop) for span in spans])
        more = sums[bounds[:, 1]] - sums[bounds[:, 0]]
        table.add(_MORE_LINK_NAMES, more / np.maximum(totals[:, :1], 1))
    return totals


def _names(page: Page, containers: Containers, inside: Inline, parts: Vocabulary, table: Table) -> Ids:
    """Adds the words that name a block's element, the one around it and those in it, and all around.

    Returns the places of the strings that name each of n containers: int32[k, n].
    """
    tree, size = page.tree, len(containers.nodes)
    nodes = np.concatenate([containers.nodes, inside.elements])
    strings = places(tree, nodes)
    masks = parts.masks(tree.strings, strings[0], strings[1:])
    named = masks[:size]
    at = containers.of_block
    nearest = named[at] | named[containers.parent[at]]
    np.bitwise_or.at(nearest, inside.blocks, masks[size:])
    table.mark(parts.names("near"), nearest)
    # What the whole page is called says nothing of its parts.
    outer = containers.numbered(_BODY) > 0
    outer[0] = True
    table.mark(parts.names("inside"), loops.inherited(named, containers.parent, outer), at)
    return strings[:, :size]


def _repetition(
    texts: list[str], named: Ids, containers: Containers, chars: Floats, total: float, table: Table
) -> tuple[Integers, Integers]:  # fmt: skip
    """Adds how often texts and containers repeat.

    Takes the characters of each block and of its links, ``chars`` float64[b, 2]. Returns a number for each
    container (int64[n]), the same for those named alike, and one for each block (int64[b]), the same for
    those whose containers and the three above are named alike.
    """
    times = Counter(texts)
    table.add(("text_again",), np.array([times[text] for text in texts], np.float64))
    kind = loops.alike(*named)
    of_block, parent = containers.of_block, containers.parent
    pair = loops.alike(kind, kind[parent])
    deep = loops.alike(pair, pair[parent[parent]])
    # Groups of both ways to be alike, those of the second behind those of the first.
    at = np.array([pair[of_block], deep[of_block] + len(pair)])
    groups = loops.grouped(at, chars)
    columns = loops.ratios(groups, _GROUPS)
    columns[:, 1] = np.log1p(columns[:, 1])
    columns[:, 3:] /= total, len(texts)
    table.add(_GROUP_NAMES, columns, at)
    return kind, at[1]


def _page(
    page: Page, containers: Containers, counts: Floats, heading: Integers, chars: Floats, total: float,
    table: Table,
) -> None:  # fmt: skip
    size = len(chars)
    sums = dict(zip(COUNTS, counts.sum(axis=0).tolist(), strict=True))
    longest = np.sort(chars)[::-1]
    levels = np.bincount(heading, minlength=4).tolist()
    tags = np.bincount(containers.numbered(_COUNTED_NUMBERS), minlength=1 + len(_COUNTED)).tolist()
    row = {
        "chars": np.log1p(total), "link_share": sums["link_chars"] / total, "blocks": size,
        "headings": sums["headings"], "long": sums["long"], "paragraphs": sums["paragraphs"],
        "h1": levels[1], "h2": levels[2], "h3": levels[3],
        "longest": longest[0] / total, "longest5": longest[:5].sum() / total,
        "stops": sums["stops"] / max(sums["words"], 1), "currency": sums["currency"],
        "slashes": page.url.count("/"), "url": len(page.url), "query": "?" in page.url,
        "url_digits": sum(map(str.isdigit, page.url[-60:])),
        "home": page.url.rstrip("/").count("/") <= 2, "unhidden": page.unhidden,
        **dict(zip(_COUNTED, tags[1:], strict=True)),
    }  # fmt: skip
    table.add(_DOC_NAMES, np.array([list(row.values())], np.float64))
