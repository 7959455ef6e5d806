"""The methods that settings name."""

from __future__ import annotations

from pagelets.methods import METHODS, factory
from pagelets.methods.base import MethodError, UnknownMethod
from settings.errors import ConfigurationError, UnknownName


def ready(method: str) -> None:
    """Checks that there is a method, and that it has what it needs. Raises ConfigurationError."""
    try:
        factory(method)().check()
    except UnknownMethod as error:
        raise UnknownName("method", error.name, METHODS) from error
    except MethodError as error:
        raise ConfigurationError(f"method {method}: {error}") from error
