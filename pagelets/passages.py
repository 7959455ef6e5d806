"""Passages: texts of pagelets, to be found and ranked one by one.

Cai, Yu, Wen & Ma, "Block-based Web Search", SIGIR 2004, ranks a page by its blocks as well as by the whole.
No text of that paper was at hand; what is said of it is from memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagelets.text.words import counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.page import Page
    from pagelets.partition import Pagelet

WORDS: Final = 100
"""Of a passage, at least, where its page has as many: shorter ones are titles, captions and lists of three
links, which outrank what they are about (docs/benchmarks.md). The paper, it seems, takes blocks as they are.
"""


def passages(page: Page, pagelets: Sequence[Pagelet], mask: Sequence[bool], least: int = WORDS) -> list[str]:
    """The texts of the pagelets of which something is kept, in document order, one block a line.

    Args:
        page: the page.
        pagelets: those of the page.
        mask: a truth value for each block, true where content.
        least: a pagelet that has fewer words left, as `pagelets.text.words` counts them, goes together with
            those after it until they have as many; what remains at the end of the page goes with the last
            passage.

    Returns:
        each kept block with text in one passage.
    """
    blocks = page.blocks
    sizes = counts([block.text for block in blocks]).tolist()
    grouped: list[list[str]] = []
    lines: list[str] = []
    words = 0.0
    for pagelet in pagelets:
        kept = [n for n in range(pagelet.start, pagelet.stop) if mask[n] and blocks[n].text]
        lines += [blocks[n].text for n in kept]
        words += sum(sizes[n] for n in kept)
        if lines and words >= least:
            grouped.append(lines)
            lines, words = [], 0.0
    if lines and grouped:
        grouped[-1] += lines
    elif lines:
        grouped.append(lines)
    return ["\n".join(passage) for passage in grouped]
