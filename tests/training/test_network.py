from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from pagelets.methods.judged.model.tokens import NONE
from tests.networks import network, random_tokens
from tests.training.test_fit import sample
from training.corpus import Corpus, Sample
from training.network import empty, fit_network, odds, put

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def compiled_quickly() -> Iterator[None]:
    """Compiling the few steps well takes longer than to run them."""
    config = pytest.importorskip("jax").config
    config.update("jax_disable_most_optimizations", True)
    yield
    config.update("jax_disable_most_optimizations", False)


def samples(sizes: list[int]) -> list[Sample]:
    """Pages whose blocks are content where the first feature says so."""
    draw, made = np.random.default_rng(5), []
    for number, size in enumerate(sizes):
        content = draw.random(size) < 0.5
        texts = tuple(f"text {place} {'yes' if yes else 'no'}" for place, yes in enumerate(content.tolist()))
        page = sample("wcxb", f"a{number}", texts, "\n".join(text for text in texts if text.endswith("yes")))
        page.own = draw.normal(size=(size, 3)).astype(np.float32)
        page.own[:, 1] = 4 * content
        page.labels.content[:] = content
        page.tokens = random_tokens(size, number)
        made.append(page)
    return made


def test_it_is_asked_as_it_is_fitted() -> None:
    pages, made = samples([40, 1, 25]), network(3)
    scale = {name: made.arrays[name] for name in ("mean", "deviation")}
    batch, row, rows = empty(3), 0, []
    for number, page in enumerate(pages):
        put(batch, page, np.arange(3), scale, row, number)
        rows.append(slice(row, row + len(page.texts)))
        row = rows[-1].stop + 16
    fitted = np.asarray(odds(made.arrays, batch))
    for page, at in zip(pages, rows, strict=True):
        assert np.allclose(fitted[at], made.odds(page.own, page.tokens), atol=1e-3)


def test_it_learns_what_tells_content_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("training.network.ROWS", 512)
    # Two layers, of which one reaches far: each more takes half a second to compile.
    for module in ("training.network", "pagelets.methods.judged.model.network"):
        monkeypatch.setattr(f"{module}.DILATIONS", (1, 16))
    pages = samples([20] * 60)
    corpus = Corpus(pages, ["a", "b", "c"], [], [], [])
    chosen = np.arange(len(pages)) < 50
    fitted = fit_network(corpus, chosen, ["a", "b"])
    assert not any(fitted.arrays[table][NONE].any() for table in ("words", "names"))
    for page in pages[50:]:
        right = (fitted.odds(page.own[:, :2], page.tokens) > 0) == page.labels.content
        assert right.mean() > 0.9
