"""The methods that settings name."""

from __future__ import annotations

from pagelets.methods import METHODS
from pagelets.methods.base import MethodError
from settings.errors import ConfigurationError, UnknownName


def ready(method: str) -> None:
    """Checks that there is a method, and that it has what it needs. Raises ConfigurationError."""
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    try:
        METHODS[method]().check()
    except MethodError as error:
        raise ConfigurationError(f"method {method}: {error}") from error
