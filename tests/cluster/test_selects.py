"""No SELECT of `pagelets` or `store` has a second copy for Spark, in SQL or in calls of DataFrames."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

CLUSTER: Final = Path(__file__).parent.parent.parent / "cluster"
TREES: Final = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in CLUSTER.rglob("*.py")}
SQL_OF: Final = {"rows": 0, "keep": 1, "extend": 1}
"""The methods of `SparkTables` that take SQL, and which of their arguments it is."""
OWN: Final = {
    "components": {
        "_turned": "edges once: what links.py does on arrays",
        "_large_star": "a step of components.py's own",
        "_small_star": "a step of components.py's own",
    },
    "detection": {
        "global_templates": "puts rows of SELECTs beside each other, as global_.assemble does on arrays",
        "_links_within": "links of a set: what links.ComponentFinder does on arrays",
        "repeated_blocks": "puts rows of two SELECTs beside each other, as find_repeated_blocks does",
    },
    "relations": {
        "latest": "which record counts: what Archive does with an index",
        "show_relations": "fragments once: what a store does where it writes them",
        "_resolved": "where links lead: what Archive.find does with an index",
        "links_between_pages": "of all hosts, without addresses; a store's is of one, in its order",
        "known_rows": "gives rows the site of their host",
        "_occurrences": "of all sites; a store's begins with fragments, and finds the first page as well",
    },
    "tables": {"number": "numbers rows without one task for all, which DuckDB needs not"},
    "job": {"_check": "pages of sites", "_summary": "the job's own counts"},
    "sisters": {
        "shared_templates": "pages of groups by site: what sites.py does on arrays",
        "_show": "gives rows the number of their file",
        "_collected": "puts rows of SELECTs beside each other, as sites.shared does",
    },
}
"""The functions that join or group rows by calls, and why no SELECT does it for them."""


def asked(tree: ast.Module) -> Iterator[ast.expr]:
    """The SQL that a module hands to Spark."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            holder, method = ast.unparse(node.func.value), node.func.attr
            assert method not in ("expr", "selectExpr"), ast.unparse(node)
            if method == "sql":
                yield node.args[0]
            elif method in SQL_OF and (holder == "tables" or holder.endswith("_tables")):
                yield node.args[SQL_OF[method]]


def written(tree: ast.Module) -> Iterator[str]:
    """Every SELECT among the strings of a module, however it is written; a name stands for what an f-string
    puts in.
    """
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = None
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "shared" for part in node.values)
            text = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and id(node) not in inside | docstrings:
            text = node.value if isinstance(node.value, str) else None
        if text is not None and re.search(r"\bselect\s|\bwith\s+\w+\s+as\b", text, re.IGNORECASE):
            yield text


def shared(tree: ast.Module) -> set[str]:
    """The names that a module has from `pagelets` and `store`, and those that run through them."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    names = {
        alias.asname or alias.name
        for node in imports
        if (node.module or "").startswith(("pagelets.", "store."))
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and ast.unparse(node.iter).removesuffix(".items()") in names:
            names |= {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
    return names


def test_no_select_is_written_for_spark() -> None:
    assert [text for tree in TREES.values() for text in written(tree)] == []


def test_sql_comes_from_pagelets_and_store() -> None:
    found = 0
    for name, tree in TREES.items():
        known = shared(tree)
        for sql in asked(tree):
            found += 1
            if isinstance(sql, ast.Call) and isinstance(sql.func, ast.Attribute):
                assert sql.func.attr == "format", ast.unparse(sql)
                sql = sql.func.value
            # A method of SparkTables hands on what it is given.
            given = known | ({"select"} if name == "tables" else set())
            assert ast.unparse(sql) in given, f"{name}: {ast.unparse(sql)}"
    assert found > 10


def test_rows_are_joined_and_grouped_by_calls_where_no_select_can_do_it() -> None:
    found: dict[str, set[str]] = {}
    for name, tree in TREES.items():
        if "from pyspark.sql import functions" not in ast.unparse(tree):
            continue
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and any(map(_puts_together, ast.walk(function))):
                found.setdefault(name, set()).add(function.name)
    assert found == {name: set(functions) for name, functions in OWN.items()}


def _puts_together(node: ast.AST) -> bool:
    calls = ("join", "groupBy", "distinct", "dropDuplicates", "over")
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in calls
        and not isinstance(node.func.value, ast.Constant)
    )


@pytest.mark.parametrize(
    "copy",
    [
        'X = """\nSELECT a\nFROM b\nJOIN c ON c.a = b.a\n"""',
        'X = f"SELECT a, COUNT(*) AS n FROM {Y} GROUP BY a"',
        'X = "SELECT a " "FROM b WHERE a > 1"',
        'X = "WITH b AS (SELECT a FROM c) SELECT DISTINCT a FROM b"',
        'X = "select max(a) from {name}"',
        'X = "SELECT ROW_NUMBER() OVER (ORDER BY a) AS n FROM b"',
    ],
)
def test_a_select_would_be_found(copy: str) -> None:
    assert [*written(ast.parse(copy))]
