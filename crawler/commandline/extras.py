"""The error of commands that need an extra which is not installed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from settings.errors import ConfigurationError


@contextlib.contextmanager
def inspector_imported() -> Iterator[None]:
    """Raises ConfigurationError with the mend where an import inside needs the packages of the inspector."""
    try:
        yield
    except ImportError as error:
        raise ConfigurationError(
            f"{error.name} is missing: pip install -r requirements-inspect.txt, or make setup"
        ) from error
