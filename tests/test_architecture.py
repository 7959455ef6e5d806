"""What never imports what: the layers that keep the science free of crawling and of files."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pagelets.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).parent.parent
OURS = {
    *("crawler", "pipelines", "release", "pagelets", "store", "settings"),
    *("demo", "benchmarks", "training", "tests"),
}
MAY_IMPORT = {
    "pagelets": set(),
    "store": {"pagelets"},
    "settings": {"pagelets"},
    "release": {"pagelets", "store", "settings"},
    "crawler": {"pagelets", "store", "settings", "release"},
    "pipelines": {"pagelets", "store", "settings", "release", "crawler"},
}
CRAWLING = {"scrapy", "twisted", "itemadapter"}
NOT_IN_PAGELETS = {
    *CRAWLING,
    "sqlite3",
    "os",
    "io",
    "pathlib",
    "tempfile",
    "shutil",
    "socket",
    "urllib.request",
    "subprocess",
}
ONE_PAGE = (
    "page", "containers", "partition", "sketch", "traces", "content", "metadata", "render", "document",
    "methods",
    "page_bytes", "single", "title",
)  # fmt: skip
"""Modules and packages of `pagelets` that concern one page."""


class Import(NamedTuple):
    module: str
    for_types: bool

    @property
    def top(self) -> str:
        return self.module.partition(".")[0]

    def within(self, name: str) -> bool:
        return self.module == name or self.module.startswith(f"{name}.")


def modules(folder: str) -> list[Path]:
    return sorted((PROJECT / folder).rglob("*.py"))


def is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imports(path: Path) -> Iterator[Import]:
    """Every module that a file names in an import, wherever that stands."""
    package = path.relative_to(PROJECT).with_suffix("").parts[:-1]

    def walk(node: ast.AST, for_types: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from (Import(alias.name, for_types) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = list(package[: len(package) - child.level + 1]) if child.level else []
                base += [child.module] if child.module else []
                yield from (Import(".".join([*base, alias.name]), for_types) for alias in child.names)
            else:
                yield from walk(child, for_types or (isinstance(child, ast.stmt) and is_for_types(child)))

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), False)


def of(folder: str) -> list[tuple[Path, Import]]:
    return [(path.relative_to(PROJECT), found) for path in modules(folder) for found in imports(path)]


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_a_layer_imports_those_below_it_only(layer: str) -> None:
    assert modules(layer)
    wrong = [
        f"{path} imports {found.module}"
        for path, found in of(layer)
        if found.top in OURS - MAY_IMPORT[layer] - {layer}
    ]
    assert not wrong


@pytest.mark.parametrize("layer", ["store", "settings", "release"])
def test_crawling_is_unknown_below_the_crawler(layer: str) -> None:
    wrong = [f"{path} imports {found.module}" for path, found in of(layer) if found.top in CRAWLING]
    assert not wrong


def test_pipelines_know_of_the_crawler_what_an_item_and_a_job_are() -> None:
    modules_of_the_crawler = {
        found.module.split(".")[1]
        for _, found in of("pipelines")
        if found.top == "crawler" and not found.for_types
    }
    assert modules_of_the_crawler <= {
        *(
            "detectors",
            "exceptions",
            "indexing",
            "items",
            "job",
            "places",
            "plan",
            "review",
            "selectors",
            "work",
        )
    }


def test_the_science_knows_no_crawler_and_no_file() -> None:
    wrong = [
        f"{path} imports {found.module}"
        for path, found in of("pagelets")
        if any(found.within(name) for name in NOT_IN_PAGELETS)
    ]
    assert not wrong


def test_the_science_opens_nothing() -> None:
    calls = [
        (path, node.func)
        for path in modules("pagelets")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    opened = [path for path, function in calls if isinstance(function, ast.Name) and function.id == "open"]
    assert not opened


def test_duckdb_is_handed_to_detection_and_nowhere_else_in_the_science() -> None:
    users = [(path, found) for path, found in of("pagelets") if found.top == "duckdb"]
    assert users
    assert all(path.parts[1] == "detection" and found.for_types for path, found in users)


def test_what_concerns_one_page_knows_nothing_of_many() -> None:
    wrong = [
        f"{path} imports {found.module}"
        for path, found in of("pagelets")
        if path.with_suffix("").parts[1] in ONE_PAGE and found.within("pagelets.detection")
    ]
    assert not wrong


def test_no_method_is_asked_for_by_its_name() -> None:
    # One of the names is that of a table and of a stat, too.
    others = {"templates": ("crawler", "store")}
    wrong = [
        f"{path.relative_to(PROJECT)}:{node.lineno}: {node.value!r}"
        for folder in ("crawler", "pipelines", "release", "store", "settings", "training", "benchmarks")
        for path in modules(folder)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in METHODS
        if folder not in others.get(node.value, ()) and not METHODS[node.value].baseline
    ]
    assert not wrong


def test_imports_are_told_from_imports_for_types() -> None:
    found = {(found.module, found.for_types) for _, found in of("pagelets/detection")}
    assert ("duckdb", True) in found
    assert ("numpy", False) in found
    assert ("pagelets.detection.local.find_local", False) in found
