"""The protocols of methods that judge blocks: they take a page and its evidence, and return a verdict.

A method is cited, has parameters in a frozen dataclass, and judges the blocks of one page (`Method`). One
that has to see more of the site before it can is a `SiteMethod`: what it learns of a host makes a `Method`.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Protocol, TypeVar, cast

import numpy as np

from pagelets.block_keys import tag_path_keys
from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.judging.taught import NOTHING_TAUGHT, Taught
from pagelets.methods.source.tokens import SourceTokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from pagelets.page import Page
    from pagelets.partition import Pagelet

T = TypeVar("T")

CONTENT: Final = "content"
TEMPLATE: Final = "template"
REPEATED: Final = "repeated"
TAUGHT: Final = "taught"
COUNTER: Final = "counter"
OTHER_PAGES: Final = "names other pages"
BESIDE: Final = "beside the article"
REVIEWS: Final = "reviews"
SPONSORED: Final = "sponsored"
CONTENTS: Final = "contents"
COMMENTS: Final = "comment"
AUTHORS: Final = "about an author"
HEADING: Final = "heading"
"""Kept, as it heads what is kept."""
PRICE: Final = "price"
"""Kept, as the price of what the page presents."""
PROPERTY: Final = "property"
"""Kept, as the name or value of a property among others that are kept."""
BYLINE: Final = "byline"
"""Kept, as the author or the date of what is kept."""
PICTURE: Final = "picture"
"""Kept, as a picture in what is kept."""
CONSENSUS: Final = "consensus"
"""The blocks at the same tag path of other pages speak most clearly against the block."""
NETWORK: Final = "network"
"""Evidence of words and of the blocks around, where little is known of the site; no reason by itself."""
LIKELIEST: Final = "likeliest here"
"""Why blocks are kept where none of a page is more likely content than not."""


class MethodError(Exception):
    """Raised where a method lacks what it needs, as a model or a package; the text names it and the mend.

    Examples:
        >>> import pagelets
        >>> try:
        ...     text = pagelets.extract("<p>Bread", method="trafilatura", format="text")
        ... except pagelets.MethodError:
        ...     text = pagelets.extract("<p>Bread", format="text")
        >>> text
        'Bread'

    """


class UnknownMethod(LookupError):
    """Raised for a ``name`` that no method has."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no method {name!r}")
        self.name = name


class Reason(NamedTuple):
    """The reason why a block is kept or removed.

    ``name`` is one of the reasons that docs/output.md lists. ``weights`` has, for a method that weighs
    evidence, the log odds of each kind for content, and for a vote the votes of each method, negative ones
    against content; it is empty for others.
    """

    name: str
    weights: dict[str, float] = {}  # noqa: RUF012


class Subject:
    """A page as a method sees it, of b blocks; each view of it is made once, when it is first asked for.

    ``page`` is the page, ``pagelets`` are the slices of its blocks, ``evidence`` is what the site knows of
    it, None where the site is not known. ``taught`` are the weights that people have taught. ``keys`` are the
    keys of its blocks, an array of `pagelets.block_keys.BLOCK_KEYS`, where they are known already. ``made``
    is what `once` has made; the same page with the same evidence may be given it when it is read again.
    """

    def __init__(
        self,
        page: Page,
        pagelets: Sequence[Pagelet],
        evidence: PageFacts | None = None,
        html: Callable[[], str] | None = None,
        taught: Taught = NOTHING_TAUGHT,
        keys: NDArray[np.void] | None = None,
    ) -> None:
        self.page = page
        self.pagelets = pagelets
        self.evidence = evidence
        self.taught = taught
        self._html = html
        self.made: dict[str, Any] = {}
        self.keys = keys

    def with_taught(self, taught: Taught) -> Subject:
        """Returns the page with other taught weights; both share what has been made of it, and what
        `once` makes.
        """
        other = copy(self)
        other.taught = taught
        return other

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Returns what ``make`` makes of the page and its evidence, which is made once for each ``name``.
        Taught weights and earlier verdicts have no part in it; it is small, and can be pickled.
        """
        if name not in self.made:
            self.made[name] = make()
        return cast("T", self.made[name])

    @cached_property
    def html(self) -> str:
        """The HTML as it was fetched, decoded. Raises MethodError where only the page is known."""
        if self._html is None:
            raise MethodError(f"{self.page.url}: its HTML is not known; give it, or judge by another method")
        return self._html()

    @cached_property
    def facts(self) -> PageFacts:
        """The evidence, of an unknown site that of one page."""
        return self.evidence or PageFacts.none(len(self.pagelets), len(self.page.blocks))

    @cached_property
    def containers(self) -> Containers:
        """The elements around the blocks."""
        return Containers.of(self.page)

    @cached_property
    def tag_paths(self) -> NDArray[np.uint32]:
        """The keys of the tag paths to the blocks: uint32[b]."""
        if self.keys is None:
            return tag_path_keys(self.page, self.containers)
        return self.keys["tag_path"]

    @cached_property
    def source(self) -> SourceTokens:
        """The HTML as it was fetched, as tokens. Raises MethodError where only the page is known."""
        return SourceTokens.of(self.html, self.page)


@dataclass(slots=True, frozen=True, eq=False)
class Verdict:
    """The verdict of a method on a page's b blocks: ``mask`` bool[b] is true for content, ``scores``
    float64[b] are from 0 to 1.

    ``reasons`` gives a reason for each block; it is computed when asked for.
    """

    mask: NDArray[np.bool_]
    scores: NDArray[np.float64]
    reasons: Callable[[], list[Reason]]

    @classmethod
    def certain(cls, names: Sequence[str]) -> Verdict:
        """The verdict of a method that knows no doubt: all is kept whose reason is `CONTENT`."""
        mask = np.array([name == CONTENT for name in names], bool)
        return cls(mask, mask.astype(np.float64), lambda: [Reason(name) for name in names])

    @classmethod
    def of(cls, mask: NDArray[np.bool_], scores: NDArray[np.float64], other: str) -> Verdict:
        """The verdict of ``mask`` and ``scores`` whose reason is ``other`` for all that is not kept."""
        return cls(mask, scores, lambda: [Reason(CONTENT if kept else other) for kept in mask.tolist()])


class Curve(NamedTuple):
    """The curve of a method that goes along a page: ``values`` float64[n], one for each unit of the page.

    ``along`` names the units, as "lines", and ``label`` the values, as "text to tag ratio". ``threshold`` is
    the value that content reaches, None where another rule decides. ``content`` bool[n] are the units that
    the method takes for content.
    """

    along: str
    label: str
    values: NDArray[np.float64]
    threshold: float | None
    content: NDArray[np.bool_]


class Training(NamedTuple):
    """The training of a method's model: the ``hosts`` of its pages, and its data card."""

    hosts: frozenset[str]
    card: str


class Judging(Protocol):
    """The common part of `Method` and `SiteMethod`. ``cite`` names the publication."""

    cite: ClassVar[str]

    @property
    def version(self) -> str:
        """Names the parameters and the model: with another version it may judge otherwise."""

    @property
    def training(self) -> Training | None:
        """The training of its model, before it learns of any host; None where nothing was trained."""

    def check(self) -> None:
        """Raises MethodError where something is missing that learning or judging needs."""


class Method(Judging, Protocol):
    """Judges the blocks of one page."""

    def judge(self, subject: Subject) -> Verdict:
        """Returns a verdict on the page's blocks. Whatever the page is, it raises nothing."""


class Extractor(Method, Protocol):
    """A method that gives a text of its own; its verdict says where on the page that stands."""

    def extract(self, html: str, url: str) -> str:
        """The main text of a page, given its decoded HTML and its address; empty where it finds none.

        Raises MethodError, and whatever its package raises on a page that it cannot read.
        """


class CurveMethod(Method, Protocol):
    """A method that judges by a curve along the page."""

    def curve(self, subject: Subject) -> Curve:
        """The curve of a page. Whatever the page is, it raises nothing."""


class SiteView(Protocol):
    """The view of a site method on one host, page after page: only the pages asked for are in memory."""

    def links(self) -> Iterator[tuple[str, str]]:
        """The links between pages of the host: the addresses that they lead from and to, in order."""

    def pages(self, urls: Iterable[str]) -> Iterator[Subject]:
        """The pages at these addresses, without those that the host does not have."""

    def sample(self, size: int) -> Iterator[Subject]:
        """Yields ``size`` pages of the host, or all if it has fewer: the same in any order of arrival."""


class SiteMethod(Judging, Protocol):
    """Learns from pages of a host how to judge each of them.

    ``sample`` is about the number of pages of a host that it looks at, for its progress. Two attributes may
    be missing: ``fewest`` is the least number of pages of a host that it learns of, and a method with
    ``judges_unlearned`` is a `Method` besides, which judges pages of hosts that it has not learned of.
    What such a method has learned may matter to some pages alone: its ``learned_part`` says to which.
    """

    @property
    def sample(self) -> int:
        """The number of pages of a host that it looks at."""

    def learn(self, site: SiteView) -> bytes:
        """Returns what is to be known of a host, which may have no page that can be read.

        Equal pages give equal bytes: what differs is judged again.
        """

    def learned(self, model: bytes) -> Method:
        """Returns the method that judges the pages of the host that ``model`` was learned of."""


class Parameters:
    """The base of most methods: a version made of the fields of a frozen dataclass, no model, no package."""

    @property
    def version(self) -> str:
        """The parameters, each with its value."""
        parameters = fields(cast("Any", self))
        return " ".join(f"{field.name}={getattr(self, field.name)!r}" for field in parameters)

    @property
    def training(self) -> Training | None:
        """Nothing: there is no model."""
        return None

    def check(self) -> None:
        """Nothing can be missing."""
