"""Fitting the network over a page's blocks (`pagelets.methods.judged.model.network`) by gradient descent."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from pagelets.methods.judged.model.network import (
    DILATIONS,
    EPSILON,
    LOOKED_UP,
    MEANINGS,
    MOST,
    Network,
    squeezed,
)
from pagelets.methods.judged.model.tokens import BUCKETS, NONE, Tokens
from training.corpus import ARTICLES, SINGLE, Corpus, Sample
from training.fit import COPY, weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


Arrays: TypeAlias = dict[str, Any]
"""Weights by name; see `Network`."""

WIDTH: Final = 64
WORDS: Final = 32
NAMES: Final = 24
EPOCHS: Final = 3
"""After more the network knows the words of the pages that it is fitted to, and judges others worse."""
SITES: Final = 0.5
"""The part of the pages of sites, which are alike, that an epoch shows; it shows all single pages."""
ALONE: Final = (SINGLE, ARTICLES)
ARTICLE: Final = 0.5
"""Weight of a page of other makers, whose gold texts have other conventions."""
RATE: Final = 2e-3
DECAY: Final = 1e-3
FEATURES_HIDDEN: Final = 0.3
WORDS_HIDDEN: Final = 0.5
LAYERS_HIDDEN: Final = 0.1
UNNAMED: Final = 0.25
"""The part of the pages that an epoch shows without names of elements: some sites hash theirs."""
ROWS: Final = 4096
"""Blocks of a batch, of pages one after the other; of a page with more a part is shown."""
_GAP: Final = max(DILATIONS)
_PAGES: Final = 256
_SEED: Final = 1
_EVERY: Final = 7
"""Of every so many pages the means and deviations of features are taken."""


class Batch(NamedTuple):
    """Blocks of pages in rows, with gaps between pages.

    ``features`` float32[r, f], ``words``, ``meanings``, ``near``, ``far`` int32[r, …] as `Tokens` has them;
    ``there`` float32[r, 1] is 0 in gaps, ``page`` int32[r] the number of the row's page; ``content`` and
    ``weight`` float32[r].
    """

    features: Any
    words: Any
    meanings: Any
    near: Any
    far: Any
    there: Any
    page: Any
    content: Any
    weight: Any


def fit_network(corpus: Corpus, chosen: NDArray[np.bool_], features: Sequence[str]) -> Network:
    """Fits a network to pages as if each were alone.

    Args:
        corpus: the pages.
        chosen: which of them train, bool[samples]; articles do.
        features: the names of features of the page itself that the network is given.

    """
    # With it comes a compiler: whoever asks for figures alone needs neither.
    import jax
    import optax

    columns = np.array([corpus.own.index(name) for name in features])
    samples = [sample for sample, taken in zip(corpus.samples, chosen.tolist(), strict=True) if taken]
    some = squeezed(np.concatenate([sample.own[:, columns] for sample in samples[::_EVERY]]))
    samples += corpus.articles
    fixed = {"mean": some.mean(0), "deviation": some.std(0) + 1e-3, MEANINGS: corpus.meanings.table}
    draw = np.random.default_rng(_SEED)
    epochs = [_batches(_shown(samples, draw), columns, fixed, draw) for _ in range(EPOCHS)]
    parts = [1.0 if sample.corpus in ALONE else SITES for sample in samples]
    rows = sum(part * (len(sample.texts) + _GAP) for part, sample in zip(parts, samples, strict=True))
    steps = int(EPOCHS * rows / ROWS) + 1
    rates = optax.cosine_onecycle_schedule(steps, RATE, 0.1, 10, 1000)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rates, weight_decay=DECAY))

    @partial(jax.jit, donate_argnums=(0, 1))
    def step(arrays: Arrays, state: Any, table: Any, batch: Batch, key: Any) -> tuple[Arrays, Any]:
        gradients = jax.grad(_loss)(arrays, table, batch, key)
        changes, state = optimizer.update(gradients, state, arrays)
        return optax.apply_updates(arrays, changes), state

    table = jax.device_put(corpus.meanings.table)
    arrays = _beginning(len(columns), table.shape[1], draw)
    state, key = optimizer.init(arrays), jax.random.key(_SEED)
    for epoch in epochs:
        for batch in epoch:
            key, used = jax.random.split(key)
            arrays, state = step(arrays, state, table, batch, used)
    return Network({**fixed, **{name: np.asarray(values) for name, values in arrays.items()}})


def odds(arrays: Arrays, batch: Batch, key: Any = None) -> Any:
    """Returns the log odds of a batch's rows, float32[r], as `Network.odds` does of a page's.

    Args:
        arrays: the weights of the network.
        batch: the pages.
        key: of JAX's random numbers, if a part of the input is to be hidden.

    """
    import jax
    import jax.numpy as jnp

    keys = iter(() if key is None else jax.random.split(key, 5 + len(DILATIONS)))

    def hidden(values: Any, part: float) -> Any:
        if key is None:
            return values
        return values * jax.random.bernoulli(next(keys), 1 - part, values.shape) / (1 - part)

    def means(table: str, numbers: Any) -> Any:
        known = (numbers > 0).astype(jnp.float32)
        if table != MEANINGS:
            known = (hidden(known, WORDS_HIDDEN) > 0).astype(jnp.float32)
        total = (arrays[table][numbers] * known[..., None]).sum(1)
        mean = 2 * total / jnp.maximum(known.sum(1, keepdims=True), 1)
        return hidden(mean, FEATURES_HIDDEN) if table == MEANINGS else mean

    looked_up = [means(table, getattr(batch, numbers)) for table, numbers in LOOKED_UP]
    given = jnp.concatenate([hidden(batch.features, FEATURES_HIDDEN), *looked_up], 1)
    state = jax.nn.relu(given @ arrays["in"] + arrays["in_bias"]) * batch.there
    of_page = partial(jax.ops.segment_sum, segment_ids=batch.page, num_segments=_PAGES)
    blocks = jnp.maximum(of_page(batch.there), 1)
    for place, reach in enumerate(DILATIONS):
        centred = state - state.mean(1, keepdims=True)
        level = centred / jnp.sqrt((centred * centred).mean(1, keepdims=True) + EPSILON)
        level = (level * arrays[f"scale_{place}"] + arrays[f"shift_{place}"]) * batch.there
        highest = jax.ops.segment_max(jnp.where(batch.there > 0, level, -jnp.inf), batch.page, _PAGES)
        highest = jnp.where(jnp.isfinite(highest), highest, 0)
        page = jnp.concatenate([of_page(level) / blocks, highest], 1) @ arrays[f"page_{place}"]
        wide = jnp.pad(level, ((reach, reach), (0, 0)))
        before, itself, after = arrays[f"taps_{place}"]
        found = wide[: -2 * reach] @ before + level @ itself + wide[2 * reach :] @ after
        found = found + arrays[f"bias_{place}"] + page[batch.page]
        state = (state + hidden(jax.nn.relu(found), LAYERS_HIDDEN)) * batch.there
    last = jax.nn.relu(state @ arrays["out"] + arrays["out_bias"])
    return (last @ arrays["last"] + arrays["last_bias"])[:, 0]


def _loss(arrays: Arrays, table: Any, batch: Batch, key: Any) -> Any:
    import optax

    given = odds({**arrays, MEANINGS: table}, batch, key)
    losses = optax.sigmoid_binary_cross_entropy(given, batch.content) * batch.weight
    return losses.sum() / batch.weight.sum()


def _beginning(features: int, meanings: int, draw: np.random.Generator) -> Arrays:
    """Draws the weights that the descent begins with."""

    def drawn(*shape: int, deviation: float = 0.0) -> NDArray[np.float32]:
        deviation = deviation or float(np.prod(shape[:-1])) ** -0.5
        return draw.normal(scale=deviation, size=shape).astype(np.float32)

    zeros = partial(np.zeros, dtype=np.float32)
    arrays: Arrays = {
        "words": drawn(BUCKETS, WORDS, deviation=0.1), "names": drawn(BUCKETS, NAMES, deviation=0.1),
        "in": drawn(features + WORDS + meanings + 2 * NAMES, WIDTH), "in_bias": zeros(WIDTH),
        "out": drawn(WIDTH, WIDTH), "out_bias": zeros(WIDTH), "last": drawn(WIDTH, 1), "last_bias": zeros(1),
    }  # fmt: skip
    arrays["words"][NONE] = arrays["names"][NONE] = 0
    for place in range(len(DILATIONS)):
        arrays[f"scale_{place}"] = np.ones(WIDTH, np.float32)
        arrays[f"shift_{place}"], arrays[f"bias_{place}"] = zeros(WIDTH), zeros(WIDTH)
        arrays[f"taps_{place}"] = drawn(3, WIDTH, WIDTH)
        arrays[f"page_{place}"] = 0.3 * drawn(2 * WIDTH, WIDTH)
    return arrays


def _shown(samples: Sequence[Sample], draw: np.random.Generator) -> list[Sample]:
    """Draws the pages of an epoch, in the order in which they are shown."""
    shown = [sample for sample in samples if sample.corpus in ALONE or draw.random() < SITES]
    return [shown[place] for place in draw.permutation(len(shown)).tolist()]


def _batches(
    pages: Sequence[Sample], columns: NDArray[np.int64], scale: Arrays, draw: np.random.Generator
) -> Iterator[Batch]:
    """Fills batches with pages, one after the other."""
    batch, count, row = empty(len(columns)), 0, 0
    for sample in pages:
        size = min(len(sample.texts), ROWS)
        if count == _PAGES or row + size > ROWS:
            yield batch
            batch, count, row = empty(len(columns)), 0, 0
        put(batch, sample, columns, scale, row, count, int(draw.integers(0, len(sample.texts) - size + 1)))
        if draw.random() < UNNAMED:
            batch.near[row : row + size] = batch.far[row : row + size] = NONE
        count, row = count + 1, row + size + _GAP
    if count:
        yield batch


def empty(features: int) -> Batch:
    """Returns a batch without a page."""
    numbers = Tokens.none(ROWS)
    rows = partial(np.zeros, dtype=np.float32)
    return Batch(
        rows((ROWS, features)), numbers.words, numbers.meanings, numbers.near, numbers.far, rows((ROWS, 1)),
        np.zeros(ROWS, np.int32), rows(ROWS), rows(ROWS),
    )  # fmt: skip


def put(
    batch: Batch, sample: Sample, columns: NDArray[np.int64], scale: Arrays, row: int, number: int,
    first: int = 0,
) -> None:  # fmt: skip
    """Writes a page into a batch.

    Args:
        batch: the batch.
        sample: the page.
        columns: its features that the network is given, int64[f].
        scale: their ``mean`` and ``deviation``, float32[f].
        row: where it begins in the batch; it ends where the batch does.
        number: its number in the batch.
        first: its first block that is shown.

    """
    into = slice(row, row + len(sample.texts) - first)
    size = len(batch.page[into])
    shown = slice(first, first + size)
    known = (squeezed(sample.own[shown, columns]) - scale["mean"]) / scale["deviation"]
    batch.features[into] = np.clip(known, -MOST, MOST)
    for _, name in LOOKED_UP:
        getattr(batch, name)[into] = getattr(sample.tokens, name)[shown]
    batch.there[into], batch.page[into] = 1, number
    batch.content[into] = sample.labels.content[shown]
    part = ARTICLE if sample.corpus == ARTICLES else 1.0 if sample.inserted is None else COPY
    batch.weight[into] = part * weights(sample)[shown]
