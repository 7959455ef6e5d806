"""Makes the table of what words mean from a model of sentences: `python -m training.meanings FOLDER`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from pagelets.methods.judged.model import FOLDER
from pagelets.methods.judged.model.meanings import TABLE, WORDS, Meanings

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"

WIDTH: Final = 64
"""Numbers that describe a word."""
_VECTORS: Final = "embeddings.word_embeddings.weight"
_FIRST_WORD: Final = "the"
"""The vocabulary has its words in the order of their frequency, after single characters."""
_RARE: Final = 1e-3
_MOST_FREQUENT: Final = 200


def main() -> None:
    """Writes the two files from those of the model, ``model.safetensors`` and ``vocab.txt``."""
    parser = argparse.ArgumentParser(prog="python -m training.meanings", description=__doc__)
    parser.add_argument("folder", type=Path, help="of the model, such as all-MiniLM-L6-v2")
    folder = parser.parse_args().folder
    # Of those who make the table alone.
    from safetensors.numpy import load_file

    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    first = vocabulary.index(_FIRST_WORD)
    rows = [row for row, word in enumerate(vocabulary) if row >= first and word.isalpha()]
    vectors = load_file(folder / "model.safetensors")[_VECTORS][rows]
    words = {vocabulary[row]: place for place, row in enumerate(rows, 1)}
    table = np.pad(reduced(vectors.astype(np.float64)).astype(np.float32), ((1, 0), (0, 0)))
    for name, content in Meanings(words, table).to_bytes().items():
        Path(str(FOLDER / name)).write_bytes(content)


def reduced(vectors: Floats) -> Floats:
    """Returns vectors by their main directions, those of frequent words shortened.

    A word of rank r has the frequency of Zipf's law, and the weight of Arora, Liang & Ma, "A Simple but
    Tough-to-Beat Baseline for Sentence Embeddings" (ICLR 2017), Section 3.

    Args:
        vectors: of v words from the most frequent to the rarest, float64[v, d].

    Returns:
        float64[v, `WIDTH`].

    """
    frequency = 1 / np.arange(3, len(vectors) + 3)
    frequency /= frequency.sum()
    centred = vectors - frequency @ vectors
    counted = np.sqrt(np.minimum(frequency, frequency[_MOST_FREQUENT]))
    directions = np.linalg.svd(centred * counted[:, None], full_matrices=False)[2][:WIDTH]
    found = centred @ directions.T
    weights = _RARE / (_RARE + frequency)
    shortened: Floats = found / found.std(0).mean() * weights[:, None]
    return shortened


def read() -> Meanings:
    """Returns the table as it is in the project."""
    return Meanings.from_bytes({name: (FOLDER / name).read_bytes() for name in (WORDS, TABLE)})


if __name__ == "__main__":
    main()
