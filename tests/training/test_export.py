from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.features import Vocabularies, features
from pagelets.methods.judged.model import FACTS, FILES, GROUPS, SHARE, UNSURE, ModelError, load
from pagelets.methods.judged.model.meanings import Meanings
from pagelets.methods.judged.names import Vocabulary
from pagelets.partition import partition
from pagelets.reading import read
from tests.networks import network, random_tokens
from training.export import group_of, write
from training.fit import FIRST_TREES, SURE, Fitted

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("lightgbm")

NAMES = [
    "chars",
    "link_share",
    "site_block_share",
    "near_menu",
    "inside_menu",
    "page_og:article",
    "chars_+1",
    "up1_long",
]

WORDS = np.full(200, 5.0)
MEANINGS = Meanings({f"w{row}": row for row in range(1, 30)}, network(len(NAMES) - 1).arrays["meanings"])


def fitted(seed: int = 1) -> Fitted:
    """Trees on random features; the site's are missing in half of the rows."""
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(600, len(NAMES))).astype(np.float32)
    matrix[:300, 2] = np.nan
    content = np.nan_to_num(matrix).sum(axis=1) > 0
    parameters = {
        "objective": "binary",
        "num_leaves": 7,
        "verbose": -1,
        "num_threads": 1,
        "deterministic": True,
    }
    import lightgbm as lgb

    trees = lgb.train(parameters, lgb.Dataset(matrix, content), FIRST_TREES + 20)
    return Fitted(trees, list(NAMES), network(len(NAMES) - 1, seed))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(fitted(), MEANINGS, ["hive.example"], tmp_path)
    return tmp_path


def matrix() -> np.ndarray:
    found = np.random.default_rng(2).normal(size=(200, len(NAMES))).astype(np.float32)
    found[::3, 2] = np.nan
    # Missing where training met none.
    found[::7, 6] = np.nan
    return found


def test_what_is_written_judges_as_what_was_fitted(folder: Path) -> None:
    model = load(folder)
    assert model.features == NAMES
    assert model.hosts == {"hive.example"}
    first = fitted().booster.predict(matrix(), raw_score=True, num_iteration=FIRST_TREES)
    every = fitted().booster.predict(matrix(), raw_score=True)
    odds = np.where(np.abs(first) > SURE, first, every)
    assert (np.abs(first) > SURE).any()
    assert (np.abs(first) <= SURE).any()
    assert np.allclose(model.likely(matrix(), WORDS, None), 1 / (1 + np.exp(-odds)), atol=1e-5)


def test_the_weights_of_evidence_add_up_to_the_judgement(folder: Path) -> None:
    model = load(folder)
    likely = model.likely(matrix(), WORDS, None)
    weights = model.weigh(matrix(), WORDS, None).sum(axis=1)
    odds = np.log(likely / (1 - likely))
    # What is left is what is said of every block alike: the means that trees begin with.
    unsure = np.abs(fitted().booster.predict(matrix(), raw_score=True, num_iteration=FIRST_TREES)) <= SURE
    for part in (unsure, ~unsure):
        assert np.ptp((odds - weights)[part]) < 1e-3


def test_the_network_is_asked_where_trees_are_in_doubt(folder: Path) -> None:
    model = load(folder)
    odds = np.log(1 / (1 / model.likely(matrix(), WORDS, None) - 1))
    sure = np.abs(odds) > UNSURE
    assert 0 < sure.sum() < len(sure)
    mostly_sure = np.where(sure, 1_000.0, 1.0)
    for words, asked in ((mostly_sure, 0), (1_001 - mostly_sure, 1)):
        found: list[int] = []
        model.likely(matrix(), words, lambda found=found: (found.append(1), random_tokens(200))[1])
        assert len(found) == asked


def test_the_same_model_makes_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    write(fitted(), MEANINGS, ["hive.example"], again)
    for name in (*FILES, FACTS):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("site_block_share", "support"),
        ("site_up1_fresh", "support"),
        ("chars", "looks"),
        ("near_site_menu", "looks"),
        ("kind_count", "looks"),
        ("link_again", "looks"),
        ("link_share", "looks"),
        ("uppers", "looks"),
        ("after_title", "looks"),
        ("list_links", "neighbours"),
        ("after12_long", "neighbours"),
        ("link_share_+2", "neighbours"),
        ("chars_-1", "neighbours"),
        ("up3_long", "neighbours"),
        ("trunk50_chars", "neighbours"),
        ("own_blocks", "neighbours"),
        ("since_heading", "neighbours"),
    ],
)
def test_every_feature_is_of_one_kind_of_evidence(name: str, group: str) -> None:
    assert group_of(name) == group


def test_support_is_what_the_site_s_features_are() -> None:
    page = read("<p>text</p>", "https://hive.example/")
    known = Vocabularies(Vocabulary(["menu"]), Vocabulary(["og:article"]))
    pagelets = partition(page)
    table = features(page, pagelets, Containers.of(page), PageFacts.none(1, 1), known)
    assert {group_of(name) for name in table.names} == set(GROUPS)
    support = [name for name in table.names if group_of(name) == "support"]
    assert support == [name for name in table.names if name.startswith("site_")]


def change(folder: Path, **facts: object) -> None:
    found = json.loads((folder / FACTS).read_text())
    (folder / FACTS).write_text(json.dumps({**found, **facts}))


def test_the_network_is_asked_with_words(folder: Path) -> None:
    model, words = load(folder), random_tokens(200)
    trees = model.likely(matrix(), WORDS, None)
    own = np.delete(matrix(), NAMES.index("site_block_share"), axis=1)
    of_network = network(len(NAMES) - 1).odds(own, words)
    odds = (1 - SHARE) * np.log(trees / (1 - trees)) + SHARE * of_network
    assert np.allclose(model.likely(matrix(), WORDS, lambda: words), 1 / (1 + np.exp(-odds)))
    weights = model.weigh(matrix(), WORDS, lambda: words)
    assert np.allclose(weights[:, 3], SHARE * of_network)
    assert np.allclose(weights[:, :3], (1 - SHARE) * model.weigh(matrix(), WORDS, None))


@pytest.mark.parametrize("name", [*FILES, FACTS])
def test_a_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"{name}: no such file; install the project anew"):
        load(folder)


@pytest.mark.parametrize("name", FILES)
def test_damaged_files(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(ModelError, match=rf"{name}: damaged; "):
        load(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"version": 1}', "null"])
def test_damaged_facts(folder: Path, content: str) -> None:
    (folder / FACTS).write_text(content)
    with pytest.raises(ModelError, match="python -m training"):
        load(folder)


def test_another_version_of_the_features(folder: Path) -> None:
    change(folder, version=0)
    with pytest.raises(ModelError, match="made for features of version 0, not"):
        load(folder)


def test_features_that_are_not_known(folder: Path) -> None:
    change(folder, features=["chars", "smell"])
    with pytest.raises(ModelError, match="unknown features: smell"):
        load(folder)
