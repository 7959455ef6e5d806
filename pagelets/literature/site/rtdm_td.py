"""RTDM-TD: identical parts of a few dozen pages, in a mapping of their trees, are template.

Vieira, da Silva, Pinto, de Moura, Cavalcanti & Freire, A Fast and Robust Method for Web Page Template
Detection and Removal, CIKM 2006: the trees of two pages are mapped, the identical part of them is mapped to
the next page, and so on; the rest is found again on each page of the site, and removed there.

Written from the abstract and from memory. Nodes are identical that have the same tag, or the same text:
attributes do not count, as the class of a body that names its page would leave nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

from pagelets.literature.site.restricted_mapping import identical_nodes
from pagelets.literature.site.trees import BlockTree
from pagelets.methods.base import CONTENT, TEMPLATE, Parameters, SiteView, Subject, Verdict


@dataclass(frozen=True)
class RtdmTdMethod(Parameters):
    """Removes the blocks that are identical on each of ``sample`` pages of a host: two dozen, for the paper's
    few dozen.
    """

    cite: ClassVar[str] = (
        "Vieira et al., A Fast and Robust Method for Web Page Template Detection and Removal, CIKM 2006"
    )
    sample: int = 24

    def learn(self, site: SiteView) -> bytes:
        """The template of a host, as JSON; empty where the host has fewer than two pages."""
        template: BlockTree | None = None
        pages = 0
        for subject in site.sample(self.sample):
            page = BlockTree.of(subject)
            pages += 1
            if template is None:
                template = page
            else:
                template = template.kept([place for place, _ in identical_nodes(template, page)] or [0])
        if template is None or pages < 2:
            return b""
        # Of what page a node was is of no more use.
        leaves = [int(block >= 0) for block in template.blocks]
        return json.dumps([template.parents, template.labels, leaves], separators=(",", ":")).encode()

    def learned(self, model: bytes) -> RtdmTdOfHost:
        """The method that judges by a template."""
        if not model:
            return RtdmTdOfHost(None)
        parents, labels, leaves = json.loads(model)
        return RtdmTdOfHost(BlockTree(parents, labels, [leaf - 1 for leaf in leaves], leaves))


@dataclass(frozen=True, eq=False)
class RtdmTdOfHost(Parameters):
    """Removes the blocks that the template of a host has, if it has one."""

    cite: ClassVar[str] = RtdmTdMethod.cite
    template: BlockTree | None

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is false on the blocks that are identical in the template."""
        reasons = [CONTENT] * len(subject.page.blocks)
        if self.template is not None:
            page = BlockTree.of(subject)
            for _, place in identical_nodes(self.template, page):
                if page.blocks[place] >= 0:
                    reasons[page.blocks[place]] = TEMPLATE
        return Verdict.certain(reasons)
