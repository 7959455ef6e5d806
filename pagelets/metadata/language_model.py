"""The model of py3langid, unpacked once: a start maps its tables instead of decompressing 68 MB.

``python -m pagelets.metadata.language_model`` writes them beside this file, where `make setup` calls it.
Without them, or for another version of the package, py3langid unpacks its model itself: results are the same.
"""

from __future__ import annotations

import json
import mmap
import os
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

TABLES: Final = Path(__file__).with_name("language.tables")
_ARRAYS: Final = ("nb_ptc", "nb_pc", "tk_nextmove", "tk_row", "tk_output")
_ALIGNED: Final = 64


def identifier(tables: Path = TABLES) -> LanguageIdentifier:
    """Returns py3langid's identifier, which gives probabilities, over mapped tables if they are there."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    try:
        mapped = _mapped(tables)
    except (OSError, ValueError, KeyError):
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    return LanguageIdentifier(norm_probs=True, **mapped)


def write(tables: Path = TABLES) -> None:
    """Writes the tables of the installed py3langid to a file, unless it has them. Raises OSError."""
    try:
        _mapped(tables)
    except (OSError, ValueError, KeyError):
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        model = LanguageIdentifier.from_model_file(MODEL_FILE)
        arrays = {name: np.asarray(getattr(model, name)) for name in _ARRAYS}
        arrays["tk_output"] = arrays["tk_output"].astype(np.int32)
        head: dict[str, Any] = {"version": _version(), "classes": model.nb_classes, "arrays": {}}
        place = 0
        for name, array in arrays.items():
            head["arrays"][name] = [array.dtype.str, array.shape, place]
            place += -(-array.nbytes // _ALIGNED) * _ALIGNED
        head["bytes"] = place
        # A crawl that starts now never meets half of it.
        waiting = tables.with_suffix(f".{os.getpid()}.new")
        line = json.dumps(head).encode()
        with waiting.open("wb") as file:
            file.write(line.ljust(-(-(len(line) + 1) // _ALIGNED) * _ALIGNED - 1) + b"\n")
            for array in arrays.values():
                file.write(array.tobytes().ljust(-(-array.nbytes // _ALIGNED) * _ALIGNED, b"\0"))
        waiting.replace(tables)


def _mapped(tables: Path) -> dict[str, Any]:
    """Maps the arguments of py3langid's identifier. Raises OSError, ValueError or KeyError if it cannot."""
    with tables.open("rb") as file:
        line = file.readline(1 << 16)
        head = json.loads(line)
        begin = len(line)
        if head["version"] != _version() or tables.stat().st_size != begin + head["bytes"]:
            raise ValueError("tables of another version")
        view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    mapped: dict[str, Any] = {"nb_classes": head["classes"]}
    for name, (kind, shape, place) in head["arrays"].items():
        count = int(np.prod(shape))
        array = np.frombuffer(view, kind, count, begin + place).reshape(shape)
        # The walk over a text asks for single numbers, which a memoryview gives faster than an array.
        mapped[name] = memoryview(array) if name.startswith("tk_") else array
    return mapped


def _version() -> str:
    return version("py3langid")


if __name__ == "__main__":
    write()
