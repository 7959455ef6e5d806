"""What the annotated sites say, from the TOML files beside their templates."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

_FOLDER = Path(__file__).parent / "sites"


class Texts:
    """The texts of one site, which stand in ``sites/NAME.toml``."""

    def __init__(self, name: str) -> None:
        self._values = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))

    def read(self, key: str, kind: Any) -> Any:
        """The value of a key as ``kind``, a type whose fields the keys of its tables are named after.

        Raises KeyError where there is none, pydantic.ValidationError where it is of another kind.
        """
        return TypeAdapter(kind).validate_python(self._values[key])
