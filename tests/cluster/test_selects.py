"""No SELECT of detection has a second copy for Spark."""

from __future__ import annotations

import ast
from pathlib import Path

import sqlglot
from sqlglot import exp

PROJECT = Path(__file__).parent.parent.parent


def test_a_select_of_the_cluster_s_own_takes_columns_of_a_view_and_no_more() -> None:
    selects = [
        node.value
        for path in (PROJECT / "cluster").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "SELECT " in node.value
        if " FROM " in node.value and "{" not in node.value and "\n" not in node.value
    ]
    assert selects
    for select in selects:
        parsed = (
            sqlglot.parse_one(select.removesuffix("(") if select.endswith("(") else select, dialect="spark")
            if not select.endswith("(")
            else None
        )
        if parsed is not None:
            kinds = (exp.Join, exp.Group, exp.Where, exp.Having, exp.Window, exp.Distinct)
            assert not [part for part in parsed.walk() if isinstance(part, kinds)], select
