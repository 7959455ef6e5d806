"""The methods that settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelets.methods.base import MethodError, UnknownMethod
from settings.errors import ConfigurationError, UnknownName

if TYPE_CHECKING:
    from pagelets.registry import Registry


def ready(method: str, registry: Registry) -> None:
    """Checks that the registry knows a method, and that it has what it needs. Raises ConfigurationError."""
    try:
        registry.factory(method)().check()
    except UnknownMethod as error:
        raise UnknownName("method", error.name, registry.known_methods()) from error
    except MethodError as error:
        raise ConfigurationError(f"method {method}: {error}") from error
