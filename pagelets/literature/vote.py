"""Several methods vote on each block of a page: what at least half of them take for content is content."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pagelets.methods import Factory, must_learn
from pagelets.methods.base import CONTENT, Parameters, Reason, Training, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagelets.methods.base import Method, SiteMethod, SiteView, Subject


def vote(names: Sequence[str], factories: Mapping[str, Factory]) -> VoteMethod | SiteVoteMethod:
    """The vote of the methods of these names, at least one, which ``factories`` make; it learns where one of
    them does.

    A name that stands n times has n votes.
    """
    counts = Counter(names)
    methods = {name: factories[name]() for name in counts}
    if any(map(must_learn, methods.values())):
        return SiteVoteMethod(methods, counts)
    return VoteMethod({name: method for name, method in methods.items() if not must_learn(method)}, counts)


@dataclass(frozen=True)
class _Votes(Parameters):
    """The base of votes: ``methods`` are the voters by their names, ``counts`` the votes that each has."""

    cite: ClassVar[str] = "none: the majority of other methods, each of which is cited"
    methods: dict[str, Method | SiteMethod]
    counts: Counter[str]

    @property
    def version(self) -> str:
        """The voters' versions, with the votes that each has."""
        versions = {name: f"{name} {method.version}".rstrip() for name, method in self.methods.items()}
        return "; ".join(f"{versions[name]} *{count}" for name, count in sorted(self.counts.items()))

    @property
    def training(self) -> Training | None:
        """The training of the voters' models; None if no voter has a model."""
        trained = [training for method in self.methods.values() if (training := method.training) is not None]
        if not trained:
            return None
        hosts = frozenset[str]().union(*(training.hosts for training in trained))
        return Training(hosts, ", ".join(dict.fromkeys(training.card for training in trained)))

    def check(self) -> None:
        """Raises MethodError where a voter lacks what it needs."""
        for method in self.methods.values():
            method.check()


@dataclass(frozen=True)
class VoteMethod(_Votes):
    """A block is content where at least half of the votes say so; its score is the mean of theirs.

    A tie keeps the block: what is lost is dearer than what is too much.
    """

    methods: dict[str, Method]  # type: ignore[assignment]

    def judge(self, subject: Subject) -> Verdict:
        """The verdict of the majority; a block's reason is what most of those name that remove it."""
        verdicts = {name: method.judge(subject) for name, method in self.methods.items()}
        weights = np.array([self.counts[name] for name in verdicts], np.float64)
        share = weights / weights.sum()
        masks = np.stack([verdict.mask for verdict in verdicts.values()])
        scores = share @ np.stack([verdict.scores for verdict in verdicts.values()])
        mask = 2 * (weights @ masks) >= weights.sum()

        def reasons() -> list[Reason]:
            voter_reasons = [verdict.reasons() for verdict in verdicts.values()]
            signed = np.where(masks, weights[:, None], -weights[:, None])
            return [
                _reason(kept, list(verdicts), [of[block] for of in voter_reasons], signed[:, block].tolist())
                for block, kept in enumerate(mask.tolist())
            ]

        return Verdict(mask, np.clip(scores, 0, 1), reasons)


def _reason(kept: bool, names: Sequence[str], reasons: Sequence[Reason], votes: Sequence[float]) -> Reason:
    """Returns the reason of the majority, with the votes of each method, negative for those against it."""
    removed: Counter[str] = Counter()
    for reason, weight in zip(reasons, votes, strict=True):
        if weight < 0:
            removed[reason.name] -= int(weight)
    name = CONTENT if kept else removed.most_common(1)[0][0]
    return Reason(name, dict(zip(names, votes, strict=True)))


@dataclass(frozen=True)
class SiteVoteMethod(_Votes):
    """A vote some of whose methods learn of a site, one after the other."""

    @property
    def sample(self) -> int:
        """The number of pages of a host that the voters which learn look at, counted for each of them."""
        return sum(method.sample for method in self.methods.values() if must_learn(method))

    def learn(self, site: SiteView) -> bytes:
        """Lets the voters learn that can, and joins their models, each with its length before it."""
        models = {name: method.learn(site) for name, method in self.methods.items() if must_learn(method)}
        head = json.dumps({name: len(model) for name, model in models.items()}).encode()
        return b"\n".join([head, b"".join(models.values())])

    def learned(self, model: bytes) -> VoteMethod:
        """The vote by what `learn` returned."""
        head, _, models = model.partition(b"\n")
        methods: dict[str, Method] = {}
        lengths = json.loads(head)
        start = 0
        for name, method in self.methods.items():
            if must_learn(method):
                methods[name] = method.learned(models[start : start + lengths[name]])
                start += lengths[name]
            else:
                methods[name] = method
        return VoteMethod(methods, self.counts)
