"""The signatures of pages of many stores, in a file."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Final, Self

import numpy as np
import pyarrow as pa

from pagelets.duplicates import VALUES
from store.evidence import limited, within_budgets
from store.near_duplicates import AT_ONCE, Ids, Places, Values

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import duckdb
    import numpy.typing as npt


_BYTES: Final = 4 * VALUES
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
_MOST: Final = 0.99
"""The threshold beyond which a single band would be enough, which datasketch has not."""
_WEIGHTS: Final = (0.01, 0.99)
"""What a pair too many costs beside a pair too few: each that shares a band is compared."""
_SHARING: Final = """
WITH shared AS (
    SELECT key, ROW_NUMBER() OVER () - 1 AS number FROM bands GROUP BY key HAVING COUNT(*) > 1
)
SELECT (shared.number << 32) | bands.place AS pair FROM bands JOIN shared ON shared.key = bands.key
"""


def banding(threshold: float) -> tuple[int, int]:
    """Returns how many bands of how many values bring signatures of a similarity together: at least 97 of 100
    pairs of that similarity, and more of those above it. Takes the similarity, 0.5 to 1.
    """
    # With SciPy's integrals it takes longer to import than most sites take to compare.
    from datasketch import MinHashLSH

    chosen = MinHashLSH(threshold=min(threshold, _MOST), num_perm=VALUES, weights=_WEIGHTS)
    return chosen.b, chosen.r


class FiledSignatures:
    """Signatures in a file, each of which is named by its place in it, as `store.near_duplicates.Signatures`.

    A context manager, which closes the file.
    """

    def __init__(self, folder: Path, threshold: float, budgets: Sequence[int]) -> None:
        """Makes the file.

        Args:
            folder: where the file is, and whatever does not fit into the memory.
            threshold: the smallest similarity that counts, 0.5 to 1.
            budgets: the MB of memory that DuckDB may take, one try after the other.

        """
        self._folder = folder
        self._threshold = threshold
        self._budgets = budgets
        # It has no name, and so is gone with the process.
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._values: Values = np.empty((0, VALUES), np.uint32)
        self._count = 0

    def add(self, packed: bytes) -> None:
        """Adds signatures, one after the other: `VALUES` numbers of 32 bits each, little-endian."""
        self._file.write(packed)
        self._count += len(packed) // _BYTES

    def __len__(self) -> int:
        return self._count

    def of(self, places: Places) -> Values:
        """As `store.near_duplicates.Signatures.of`."""
        return self._mapped()[places]

    def sharing(self) -> Ids:
        """As `store.near_duplicates.Signatures.sharing`. Raises NotEnoughMemory, and
        StoreUnusable and OSError where the folder has no room.
        """

        def ask(memory: int) -> Ids:
            with limited(self._folder, memory=memory, threads=1) as con:
                return self._shared(con)

        return within_budgets(self._budgets, ask, self._folder, f"{self._count} pages take")

    def _shared(self, con: duckdb.DuckDBPyConnection) -> Ids:
        bands, rows = banding(self._threshold)
        con.execute("CREATE TABLE bands (key UBIGINT, place INTEGER)")
        self._file.seek(0)
        for start in range(0, self._count, AT_ONCE):
            values = np.fromfile(self._file, "<u4", AT_ONCE * VALUES).reshape(-1, VALUES)
            keys = _keys(values[:, : bands * rows].reshape(-1, bands, rows))
            places = np.arange(start, start + len(keys), dtype=np.int32).repeat(bands)
            con.register("part", pa.table({"key": keys.ravel(), "place": places}))
            con.execute("INSERT INTO bands SELECT key, place FROM part")
        pairs: Ids = con.execute(_SHARING).fetchnumpy()["pair"]
        pairs.sort()
        return pairs

    def _mapped(self) -> Values:
        if len(self._values) != self._count:
            self._file.flush()
            self._values = np.memmap(self._file, "<u4", "r", shape=(self._count, VALUES))
        return self._values

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _keys(rows: Values) -> npt.NDArray[np.uint64]:
    """The keys of bands: uint64[n, bands] of uint32[n, bands, rows]."""
    keys: npt.NDArray[np.uint64] = np.empty(rows.shape[:2], np.uint64)
    keys[:] = np.arange(rows.shape[1])
    for place in range(rows.shape[2]):
        keys ^= rows[:, :, place]
        keys *= _MULTIPLIER
        keys ^= keys >> np.uint64(29)
    return keys
