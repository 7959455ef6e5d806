from typing import Final

SOURCE: Final[str]

def all_joined(references: list[str], base: str, origin: str, folders: list[str]) -> list[str | None]: ...
