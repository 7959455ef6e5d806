from collections.abc import Iterable, Sequence
from typing import Any, Final

from numpy.typing import NDArray

from pagelets.sketch import Hashes

SOURCE: Final[str]

def word_hashes(text: str, kinds: NDArray[Any]) -> Hashes: ...
def minima(shingles: Hashes, a: Hashes, b: Hashes) -> Hashes: ...
def sketched(
    contents: Iterable[tuple[Sequence[str], Sequence[str]]],
    kinds: NDArray[Any],
    places: Hashes,
    a: Hashes,
    b: Hashes,
) -> list[tuple[int, bytes, bytes]]: ...
def fingerprint(texts: Iterable[str], targets: Iterable[str] = ()) -> int: ...
def tag_path_sums(steps: list[str], parents: NDArray[Any]) -> NDArray[Any]: ...
def write_keys(
    texts: list[str], places: NDArray[Any], blocks: NDArray[Any], placed: NDArray[Any]
) -> None: ...
