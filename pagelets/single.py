"""The main text of a page whose site is not known."""

from __future__ import annotations

from pagelets.document import judge
from pagelets.evidence import Evidence
from pagelets.forced import forced
from pagelets.marks import read
from pagelets.render import Rendering


def extract(html: str, url: str) -> str:
    """The main text of one page by its looks alone, as `Document` has it.

    Takes decoded HTML and the page's address. A crawl of the site does better: see docs/benchmarks.md. Raises
    `pagelets.content.model.ModelError` where the model is of no use.
    """
    page = read(html, url)
    # Pagelets are what a site's evidence is about: without it there is nothing to ask them for.
    evidence = Evidence.none(0, len(page.blocks))
    judged = judge(page, [], evidence, "judged", forced(page, [], evidence, page.marks))
    return Rendering(page, judged.mask).text()
