"""The trained judgement of blocks: gradient-boosted trees, a network, and what they need to know of features.

Beside this module lie the model's files, made by ``python -m training``, and its data card, CARD.md.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from pagelets import loops
from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.features import VERSION, Vocabularies, features
from pagelets.methods.judged.model.ensemble import NODE, Ensemble
from pagelets.methods.judged.model.meanings import TABLE, WORDS, Meanings
from pagelets.methods.judged.model.network import Network
from pagelets.methods.judged.model.tokens import Numbers
from pagelets.methods.judged.names import Vocabulary
from pagelets.methods.judged.table import Columns
from pagelets.partition import partition
from pagelets.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray

    from pagelets.loops.trees import Trees
    from pagelets.methods.judged.model.tokens import Tokens

FOLDER: Final = files(__name__)
NODES: Final = "trees.nodes"
NETWORK: Final = "network.weights"
FILES: Final = (NODES, NETWORK, WORDS, TABLE)
FACTS: Final = "model.json"
GROUPS: Final = ("support", "looks", "neighbours")
"""Kinds of evidence: what the site repeats, the block itself, what is around it."""
SHARE: Final = 0.35
"""The network's part of the log odds of a block, if it is asked."""
DOUBT: Final = 0.1
UNSURE: Final = 2.0
"""Trees are unsure of a block whose log odds are nearer to zero."""
_MEND: Final = "install the project anew, or make a model by: python -m training --corpora FOLDER"

Floats: TypeAlias = "NDArray[np.float64]"


class ModelError(Exception):
    """The model's files are missing, damaged, or made for other features."""


class Model:
    """A model of the probability that blocks are content.

    ``name`` distinguishes it from other models, ``known`` are the words that its features tell apart,
    ``columns`` the features that it asks for, ``numbers`` those of words for its network; ``hosts``
    are the hosts of the pages it was trained on.
    """

    def __init__(self, contents: Mapping[str, bytes], facts: dict[str, Any]) -> None:
        packed, network = contents[NODES], contents[NETWORK]
        self.known = Vocabularies(_vocabulary(facts["parts"]), _vocabulary(facts["whole"]))
        self.hosts = frozenset(_strings(facts["hosts"]))
        self.features = _strings(facts["features"])
        self.columns = Columns(self.features)
        self.name = digest(packed + network)
        self._groups = np.array([GROUPS.index(name) for name in _strings(facts["groups"])])
        names = set(_all_names(self.known))
        missing = [name for name in self.features if name not in names]
        if missing:
            raise ModelError(f"unknown features: {', '.join(missing[:5])}")
        self._trees = Ensemble(np.frombuffer(packed, NODE), facts["roots"], len(self.features))
        meanings = Meanings.from_bytes(contents)
        self.numbers = Numbers(meanings.rows)
        self._network = Network.from_bytes(network, facts["network"], meanings.table)
        self._of_page = np.flatnonzero(self._groups != GROUPS.index("support"))
        self._first_trees = int(facts["first_trees"])
        self._sure = float(facts["sure"])

    def likely(
        self, matrix: NDArray[np.float32], words: Floats, tokens: Callable[[], Tokens] | None
    ) -> Floats:
        """Returns the probability that each of a page's n blocks is content: float64[n].

        Args:
            matrix: their features, float32[n, f].
            words: their numbers of words, float64[n].
            tokens: returns their tokens, if the network may be asked.

        """
        odds = self._odds(matrix)
        if tokens is not None and in_doubt(odds, words):
            odds = (1 - SHARE) * odds + SHARE * self._network.odds(matrix.take(self._of_page, 1), tokens())
        likely: Floats = 1 / (1 + np.exp(-odds))
        return likely

    def _odds(self, matrix: NDArray[np.float32]) -> Floats:
        """Returns the log odds that trees give.

        Where the first trees are sure already, the others are not asked (Cambazoglu et al., "Early Exit
        Optimizations for Additive Machine Learned Ranking Systems", WSDM 2010).
        """
        odds = self._trees.odds(matrix, 0, self._first_trees)
        unsure = np.abs(odds) <= self._sure
        if unsure.any():
            odds[unsure] += self._trees.odds(matrix[unsure], self._first_trees, len(self._trees.roots))
        return odds

    def weigh(
        self, matrix: NDArray[np.float32], words: Floats, tokens: Callable[[], Tokens] | None
    ) -> Floats:
        """Splits the log odds of each of n blocks by the kinds of evidence in `GROUPS`, and what the network
        says, if it is asked: float64[n, 3] or float64[n, 4].

        A tree's steps from mean to mean, each laid to the feature that the step asks for (Saabas,
        "Interpreting random forests", 2014; Palczewska et al., "Interpreting random forest classification
        models using a feature contribution method", 2013).

        Args:
            matrix: their features, float32[n, f].
            words: their numbers of words, float64[n].
            tokens: returns their tokens, if the network may be asked.

        """
        first, last = self._first_trees, len(self._trees.roots)
        unsure = np.abs(self._trees.odds(matrix, 0, first)) <= self._sure
        weights = np.empty((len(matrix), len(GROUPS)))
        for group, trees in enumerate(self._by_group):
            weights[:, group] = loops.fall(matrix, trees, 0, first)
            weights[unsure, group] += loops.fall(matrix[unsure], trees, first, last)
        if tokens is None or not in_doubt(self._odds(matrix), words):
            return weights
        of_network = self._network.odds(matrix.take(self._of_page, 1), tokens())
        return np.column_stack([(1 - SHARE) * weights, SHARE * of_network])

    @cached_property
    def _by_group(self) -> list[Trees]:
        """The trees with what each kind of evidence adds on the way to a leaf in the place of its value."""
        return self._trees.by_group(self._groups, len(GROUPS))


def in_doubt(odds: Floats, words: Floats) -> bool:
    """Returns whether the network is asked of a page: trees are unsure of `DOUBT` of its words.

    Args:
        odds: the log odds that trees give its n blocks, float64[n].
        words: the number of words of each, float64[n].

    """
    weights = words + 1
    return bool(weights[np.abs(odds) < UNSURE].sum() >= DOUBT * weights.sum())


def digest(content: bytes) -> str:
    """The fingerprint that a model's facts know a file by."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@cache
def load(folder: Traversable = FOLDER) -> Model:
    """The model in a folder, by default the one that comes with the project. It is read once.

    Raises ModelError, whose text says how to mend it, where a file is missing or damaged, or was made for
    other features.
    """
    try:
        facts = json.loads((folder / FACTS).read_bytes())
        contents = {name: (folder / name).read_bytes() for name in FILES}
        _check(folder, facts, contents)
        return Model(contents, facts)
    except ModelError:
        raise
    except FileNotFoundError as error:
        raise ModelError(f"{error.filename}: no such file; {_MEND}") from error
    except Exception as error:
        # Whatever a damaged file makes of its reader: the reason stays, the mend is the same.
        raise ModelError(
            f"{folder}: the model cannot be read ({type(error).__name__}: {error}); {_MEND}"
        ) from error


def _check(folder: Traversable, facts: dict[str, Any], contents: Mapping[str, bytes]) -> None:
    made = facts["version"]
    if made != VERSION:
        raise ModelError(f"{folder / FACTS}: made for features of version {made}, not {VERSION}; {_MEND}")
    for name, content in contents.items():
        if digest(content) != facts["digests"][name]:
            raise ModelError(f"{folder / name}: damaged; {_MEND}")


def _strings(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ModelError(f"a list of names was expected, not {value!r:.100}")
    return value


def _vocabulary(value: object) -> Vocabulary:
    return Vocabulary(_strings(value))


def _all_names(known: Vocabularies) -> list[str]:
    page = read("<p>x</p>", "http://localhost/")
    pagelets = partition(page)
    evidence = PageFacts.none(len(pagelets), len(page.blocks))
    return features(page, pagelets, Containers.of(page), evidence, known).names
