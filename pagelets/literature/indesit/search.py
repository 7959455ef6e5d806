"""The search for the pages that are alike a sample (Blanco et al. 2005, Section 3.1 and Figure 5)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Final, TypeAlias

from pagelets.page_classes import jaccard

Schema: TypeAlias = frozenset[bytes]

SIMILARITY: Final = 0.85
"""T: how alike schemas of similar pages are at least (Section 2, footnote 2)."""
ENOUGH: Final = 3
"""n: of more links that lead to one cluster the rest is taken to lead there too (Section 3.1, footnote 3)."""


class LinkedPage:
    """A page as the search sees it: its address, which is any number, and the addresses of each of its link
    collections, without itself.

    Args:
        address: its address.
        collections: the addresses of its link collections, with the anchor texts where these are known.
        shape: the paths to its blocks.
        classes: the classes of its elements.

    """

    __slots__ = ("address", "anchors", "classes", "collections", "schema", "shape")

    def __init__(
        self,
        address: int,
        collections: Mapping[bytes, Iterable[int]],
        shape: Collection[bytes] = (),
        classes: Collection[str] = (),
    ) -> None:
        self.address = address
        self.shape = shape
        self.classes = classes
        self.collections = {
            path: [target for target in targets if target != address] for path, targets in collections.items()
        }
        self.anchors = {path: each for path, each in collections.items() if isinstance(each, Mapping)}
        self.schema: Schema = frozenset(collections)


Answers: TypeAlias = "Mapping[int, LinkedPage | None]"
Asking: TypeAlias = "Generator[list[int], Answers, None]"
"""Yields addresses whose pages are wanted, and is sent the page of each, None of those that gave none. Where
one leads to another, the page has the address of that."""


@dataclass(eq=False)
class _Index:
    """A cluster that serves as index, and the paths of its back class-links."""

    cluster: Schema
    paths: list[bytes] = field(default_factory=list)
    score: float = 0.0


@dataclass(eq=False)
class _Problem:
    """One instance of the problem: all pages of a kind are wanted, whose schemas are similar to one, and some
    are known.

    ``known`` are the addresses of those that count for no score. ``dead`` are the class-links of which one
    link leads to another kind.
    """

    kind: Schema
    known: set[int]
    neighbours: dict[Schema, None] = field(default_factory=dict)
    dead: set[tuple[Schema, bytes]] = field(default_factory=set)
    used: set[Schema] = field(default_factory=set)
    discovered: bool = False
    index: _Index | None = None


@dataclass(eq=False)
class _Trial:
    """A class-link whose links are followed, twice as many in each turn, until one leads elsewhere."""

    cluster: Schema
    path: bytes
    links: list[int]
    at: int = 0
    size: int = 1

    def turn(self) -> list[int]:
        return self.links[self.at : self.at + self.size]


class Search:
    """Finds the pages whose schemas are similar to that of a sample: the four steps of Figure 5.

    `run` asks for pages, in sets that depend only on the pages sent to it: sent the same again, it comes to
    the same point. ``pages`` are the pages sent so far, in the order in which it asked for them;
    ``similarity`` is the least similarity of pages of the class. A cluster are pages with schemas similar
    to that of the first of them, by which it is known.

    Three things differ from the paper, as schemas of real pages differ in a path or two: clusters are of
    similar schemas, not of identical ones; links of the neighbourhood are counted by class-link, not by link
    collection, if a problem begins with several pages; and the pages of the wanted kind may be each other's
    index. Every cluster is searched for once, and is an index of each kind once, so that the
    search ends. No step is a recursion.
    """

    def __init__(self, sample: int, similarity: float = SIMILARITY) -> None:
        self._sample = sample
        self.similarity = similarity
        self._has = cache(lambda kind, schema: jaccard(kind, schema) >= similarity)
        self._answers: dict[int, LinkedPage | None] = {}
        self._clusters: list[Schema] = []
        self._members: defaultdict[Schema, list[LinkedPage]] = defaultdict(list)
        self._with_path: defaultdict[bytes, list[int]] = defaultdict(list)
        self._cluster_of: dict[Schema, Schema] = {}
        self._searched: list[Schema] = []
        self.pages: list[LinkedPage] = []

    @property
    def sample(self) -> LinkedPage | None:
        """The sample, None before it was fetched, or if it has no page."""
        return self._answers.get(self._sample)

    def found(self) -> list[LinkedPage]:
        """The pages of the sample's class, the sample first; none where it has no links."""
        if not self._searched:
            return []
        return [page for page in self.pages if self._has(self._searched[0], page.schema)]

    def nearest(self) -> float:
        """The similarity of the sample and the page most like it; 0 without other pages."""
        sample = self.sample
        if sample is None:
            return 0.0
        others = (page for page in self.pages if page is not sample)
        return max((jaccard(sample.schema, page.schema) for page in others), default=0.0)

    def run(self) -> Asking:
        """The search, from the sample on."""
        yield from self._fetch([self._sample])
        sample = self.sample
        if sample is None or not sample.schema:
            return
        problems = [self._problem(sample.schema)]
        while problems:
            problem = problems[-1]
            if not problem.discovered:
                yield from self._discover(problem)
            elif problem.index is not None:
                yield from self._gather(problem.index)
                problem.known.update(self._of_kind(problem.kind))
            index = problem.index = yield from self._best(problem)
            if index is None:
                problems.pop()
                continue
            problem.used.add(index.cluster)
            if not any(self._has(kind, index.cluster) for kind in self._searched):
                problems.append(self._problem(index.cluster))

    def _problem(self, kind: Schema) -> _Problem:
        self._searched.append(kind)
        return _Problem(kind, set(self._of_kind(kind)))

    def _of_kind(self, kind: Schema) -> Iterable[int]:
        return (page.address for page in self.pages if self._has(kind, page.schema))

    def _fetch(self, addresses: Iterable[int]) -> Asking:
        unknown = [address for address in dict.fromkeys(addresses) if address not in self._answers]
        if not unknown:
            return
        answers = yield unknown
        for address in unknown:
            page = answers[address]
            if page is not None:
                # Two addresses may lead to one page.
                known = self._answers.get(page.address)
                if known is None:
                    self.pages.append(page)
                    self._members[self._cluster(page.schema)].append(page)
                page = self._answers[page.address] = known or page
            self._answers[address] = page

    def _cluster(self, schema: Schema) -> Schema:
        cluster = self._cluster_of.get(schema)
        if cluster is None:
            similar = (candidate for candidate in self._may_have(schema) if self._has(candidate, schema))
            cluster = self._cluster_of[schema] = next(similar, schema)
            if cluster is schema:
                for path in schema:
                    self._with_path[path].append(len(self._clusters))
                self._clusters.append(schema)
        return cluster

    def _may_have(self, schema: Schema) -> Iterable[Schema]:
        """Returns the clusters that a schema may be similar to, in their order. A similar one has all of its
        paths but a few, so it has one at least of any set that is a path larger: that of the rarest paths.
        """
        missed = int((1 - self.similarity) * len(schema) + 1e-9)
        having = sorted((self._with_path.get(path, ()) for path in schema), key=len)[: missed + 1]
        return map(self._clusters.__getitem__, sorted({*chain.from_iterable(having)}))

    def _discover(self, problem: _Problem) -> Asking:
        """Step 1, neighbourhood clusters discovery: a few links of each class-link are followed."""
        problem.discovered = True
        links: dict[bytes, dict[int, None]] = {}
        members = [page for page in self.pages if self._has(problem.kind, page.schema)]
        for member in members:
            for path, collection in member.collections.items():
                links.setdefault(path, {}).update(dict.fromkeys(collection))
        walks = [(list(targets), Counter[Schema]()) for targets in links.values()]
        while walks:
            # So many have to be followed until more than n of them may have come to one cluster.
            turns = [(walk, ENOUGH + 1 - max(walk[1].values(), default=0)) for walk in walks]
            yield from self._fetch(chain.from_iterable(targets[:size] for (targets, _), size in turns))
            for (targets, met), size in turns:
                for page in map(self._answers.get, targets[:size]):
                    if page is not None:
                        cluster = self._cluster(page.schema)
                        met[cluster] += 1
                        problem.neighbours[cluster] = None
                del targets[:size]
            walks = [walk for walk in walks if walk[0] and max(walk[1].values(), default=0) <= ENOUGH]

    def _best(self, problem: _Problem) -> Generator[list[int], Answers, _Index | None]:
        """Step 2, neighbourhood clusters evaluation: the cluster with the highest score, None where none
        leads to new pages of the kind.
        """
        trials = [
            _Trial(cluster, path, list(dict.fromkeys(chain.from_iterable(self._collections(cluster, path)))))
            for cluster in problem.neighbours
            if cluster not in problem.used
            for path in dict.fromkeys(path for page in self._members[cluster] for path in page.collections)
            if (cluster, path) not in problem.dead
        ]
        yield from self._try(problem, trials)
        indexes: dict[Schema, _Index] = {}
        for trial in trials:
            cluster, path = trial.cluster, trial.path
            score = 0.0 if (cluster, path) in problem.dead else self._score(problem, cluster, path)
            if score:
                index = indexes.setdefault(cluster, _Index(cluster))
                index.paths.append(path)
                index.score += score
        return max(
            indexes.values(),
            key=lambda index: (index.score, -len(self._members[index.cluster])),
            default=None,
        )

    def _try(self, problem: _Problem, trials: Sequence[_Trial]) -> Asking:
        """Follows the links of class-links, each until one leads to another kind, which makes it dead."""
        alive = [trial for trial in trials if self._lives(problem, trial, trial.links)]
        while alive:
            yield from self._fetch(chain.from_iterable(trial.turn() for trial in alive))
            going = []
            for trial in alive:
                if self._lives(problem, trial, trial.turn()):
                    trial.at += trial.size
                    trial.size *= 2
                    if trial.at < len(trial.links):
                        going.append(trial)
            alive = going

    def _lives(self, problem: _Problem, trial: _Trial, links: Iterable[int]) -> bool:
        pages = map(self._answers.get, links)
        lives = all(page is None or self._has(problem.kind, page.schema) for page in pages)
        if not lives:
            problem.dead.add((trial.cluster, trial.path))
        return lives

    def _score(self, problem: _Problem, cluster: Schema, path: bytes) -> float:
        """Returns the mean number of new pages of the kind behind a link collection of a class-link."""
        counts = [
            sum(
                page is not None and page.address not in problem.known
                for page in {id(answer): answer for answer in map(self._answers.get, targets)}.values()
            )
            for targets in self._collections(cluster, path)
        ]
        return sum(counts) / len(counts)

    def _gather(self, index: _Index) -> Asking:
        """Steps 3 and 4: the back class-links of all index pages are followed; what is an index page of those
        that are found by that, too.
        """
        done = 0
        while done < len(self.pages):
            pages, done = self.pages[done:], len(self.pages)
            links = (
                page.collections.get(path, ())
                for page in pages
                if self._has(index.cluster, page.schema)
                for path in index.paths
            )
            yield from self._fetch(chain.from_iterable(links))

    def _collections(self, cluster: Schema, path: bytes) -> list[list[int]]:
        return [page.collections[path] for page in self._members[cluster] if path in page.collections]
