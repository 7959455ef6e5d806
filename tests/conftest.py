from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    # Here, not beside the gate: pytest reads the options of those conftests only that lie on the way to its
    # arguments, and without arguments that is this one.
    group = parser.getgroup("quality gate (tests/quality/test_gate.py)")
    group.addoption(
        "--pin-floors",
        action="store_true",
        help="raise the floors of figures that have risen, and pin floors of new figures",
    )
    group.addoption(
        "--lower-floors",
        action="store_true",
        help="as --pin-floors; and lower the floors that figures fell below, and drop those without a figure",
    )
