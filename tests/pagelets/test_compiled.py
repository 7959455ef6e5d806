"""Where a compiled module does not fit, plain code is used, and one line says so."""

from __future__ import annotations

from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from typing import TYPE_CHECKING

import pytest

from native.build import SOURCES
from pagelets import compiled
from tests.crawls import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

READING = "pagelets.reading.native"


def test_every_source_is_a_part_that_is_chosen() -> None:
    assert sorted(SOURCES) == sorted(f"{name.replace('.', '/')}.pyx" for name in compiled.PARTS)
    for source in SOURCES:
        assert (PROJECT / source).with_suffix(".pyi").is_file()


@pytest.mark.skipif(bool(compiled.why_plain(READING)), reason=compiled.why_plain(READING))
def test_a_module_that_was_built_of_this_source_for_this_lxml_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    native = import_module(READING)
    assert compiled.compiled(READING) is native
    for name, value, told in (
        ("LIBXML", "2.9.0", "is built for libxml2 2.9.0, lxml has 2."),
        ("SOURCE", "0" * 64, "is built of another source; make setup"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(native, name, value)
            assert told in compiled.why_plain(READING)


def test_a_module_that_cannot_be_imported_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    suffix = EXTENSION_SUFFIXES[0]
    for package, name, content, told in (
        ("never_built", "x", "", "never_built.native is not built (No module named"),
        ("torn", f"native{suffix}", "\x7fELF", "torn.native is not built ("),
        (
            "of_another",
            "native.py",
            "raise ValueError('size')",
            "does not fit (ValueError: size)",
        ),
    ):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
        (tmp_path / package / name).write_text(content)
        assert told in compiled.why_plain(f"{package}.native")
        assert compiled.compiled(f"{package}.native") is None
    monkeypatch.setattr(compiled, "PARTS", ("never_built.native", "torn.native"))
    assert len(compiled.plain_parts()) == 2
