"""Mutation tests: each mutant is a module with one small change, and is killed if a test fails. The command
``python -m benchmarks.mutants crawler/run/review.py`` lists those that live.

Changes are made to Python (comparisons, connectives, numbers, conditions, calls that are left out) and to the
SQL in its strings. A mutant is put into a fork of the collected tests; those are run that come to the
changed function: the files stay as they are.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parent.parent
EQUIVALENT: Final = Path(__file__).with_name("equivalent_mutants.txt")
"""Mutants that no test can kill: module, function, change and reason of each, parted by `` | ``."""
ENOUGH: Final = 0.95
TESTS: Final = {
    "crawler/run/review.py": ["crawler/run/test_review.py", "crawler/test_volatile.py"],
    "store/rounds.py": ["store/test_rounds.py"],
    "store/frontier/frontier.py": ["store/frontier/test_frontier.py"],
    "store/frontier/urls.py": ["store/frontier/test_frontier.py"],
    "store/frontier/outcomes.py": [
        "store/frontier/test_outcomes.py",
        "store/frontier/test_reach.py",
        "store/test_pages.py",
        "store/test_previous.py",
        "store/test_rounds.py",
    ],
    "store/deliveries.py": ["store/test_deliveries.py"],
    "store/documents.py": ["store/test_documents.py"],
    "crawler/run/outcome.py": ["crawler/run/test_outcome.py"],
    "crawler/scheduling/due.py": ["crawler/scheduling/test_due.py"],
}
"""The modules that decide what is sent and deleted, and the tests that hold them."""

_OPPOSITES: Final = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
    *((ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.Div)),
)
_OPPOSITE: Final[dict[type, type]] = {
    one: other for pair in _OPPOSITES for one, other in (pair, reversed(pair))
}
_SQL: Final = re.compile(r"\b(SELECT|UPDATE|DELETE|INSERT|WHERE|AND|OR|NOT|NULL|FROM)\b|\w+ = ")
_SQL_CHANGES: Final = [
    (re.compile(pattern), other)
    for pattern, other in (
        (r"\bAND\b", "OR"), (r"\bOR\b(?! REPLACE| IGNORE)", "AND"), (r"\bNOT (?!NULL)", ""), (r">=", ">"),
        (r"<=", "<"), (r"(?<![<>])>(?!=)", ">="), (r"<(?![=>])", "<="), (r"!=", "="),
        (r"\bIS NULL\b", "IS NOT NULL"), (r"\bIS NOT NULL\b", "IS NULL"), (r" \+ ", " - "),
        (r"\bmin\b", "max"), (r"(?<!SELECT )\b0\b", "1"), (r"(?<!SELECT )\b1\b", "0"),
    )
]  # fmt: skip


class Mutant(NamedTuple):
    """One change: the place of the node in the module's tree, and which of its changes it is."""

    node: int
    change: int
    line: int
    function: str
    text: str


class Module:
    """A module and its mutants."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.source = (ROOT / path).read_text(encoding="utf-8")
        self.name = path.removesuffix(".py").replace("/", ".")

    def mutants(self) -> list[Mutant]:
        tree = ast.parse(self.source)
        functions = _functions(tree)
        passed = _passed_over(tree)
        return [
            Mutant(number, change, getattr(node, "lineno", 0), functions.get(node, ""), _text(node, other))
            for number, node in enumerate(ast.walk(tree))
            if node not in passed
            for change, other in enumerate(_changes(node))
        ]

    def change(self, mutant: Mutant) -> None:
        """Puts a mutant into this process, in place of the module."""
        tree = ast.parse(self.source)
        node = list(ast.walk(tree))[mutant.node]
        other = list(_changes(node))[mutant.change]
        ast.fix_missing_locations(_Replacing(node, other).visit(tree))
        module = ModuleType(self.name)
        module.__file__ = str(ROOT / self.path)
        before = sys.modules[self.name]
        sys.modules[self.name] = module
        exec(compile(tree, module.__file__, "exec"), module.__dict__)
        sys.modules[self.name] = before
        _take_over(before, module)


class _Replacing(ast.NodeTransformer):
    def __init__(self, node: ast.AST, other: ast.AST) -> None:
        self._node, self._other = node, other

    def visit(self, node: ast.AST) -> Any:
        return ast.copy_location(self._other, node) if node is self._node else self.generic_visit(node)


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield ast.Compare(node.left, [_OPPOSITE[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(_OPPOSITE[type(node.op)](), node.values)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPPOSITE:
        yield ast.BinOp(node.left, _OPPOSITE[type(node.op)](), node.right)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.If | ast.IfExp) and isinstance(node.test, ast.Name | ast.Attribute | ast.Call):
        fields = {name: value for name, value in ast.iter_fields(node) if name != "test"}
        yield type(node)(test=ast.UnaryOp(ast.Not(), node.test), **fields)
    elif isinstance(node, ast.AugAssign) or isinstance(getattr(node, "value", None), ast.Call | ast.Await):
        if isinstance(node, ast.AugAssign | ast.Expr):
            yield ast.Pass()
    elif isinstance(node, ast.Constant):
        yield from map(ast.Constant, _other_values(node.value))


def _other_values(value: object) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
    elif isinstance(value, str) and _SQL.search(value):
        for pattern, other in _SQL_CHANGES:
            for match in pattern.finditer(value):
                yield value[: match.start()] + other + value[match.end() :]


def _functions(tree: ast.Module) -> dict[ast.AST, str]:
    """The qualified name of the function that each node is in."""
    functions: dict[ast.AST, str] = {}

    def walk(node: ast.AST, names: tuple[str, ...], within: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                inner = (*names, child.name)
                walk(child, inner, within or ("" if isinstance(child, ast.ClassDef) else ".".join(inner)))
            else:
                functions[child] = within
                walk(child, names, within)

    walk(tree, (), "")
    return functions


def _passed_over(tree: ast.Module) -> set[ast.AST]:
    """Annotations, descriptions, what is for types alone, and what is only told."""
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        roots += [getattr(node, "annotation", None), getattr(node, "returns", None)]
        match node:
            case ast.Assert() | ast.Raise() | ast.Expr(value=ast.Constant()):
                roots.append(node)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                roots.append(node)
            case ast.Expr() if ast.unparse(node).startswith(("logger.", "self.logger.")):
                roots.append(node)
            case ast.Call():
                roots += [word.value for word in node.keywords if word.arg in ("slots", "frozen", "exc_info")]
    return {node for root in roots if root is not None for node in ast.walk(root)}


def _text(node: ast.AST, other: ast.AST) -> str:
    def short(part: ast.AST) -> str:
        if isinstance(part, ast.If):
            return f"if {ast.unparse(part.test)}"
        return " ".join(ast.unparse(part).split())

    before, after = short(node), short(other)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        assert isinstance(other, ast.Constant)
        start = next(i for i, (a, b) in enumerate(zip(before, f"{after} ", strict=False)) if a != b)
        start = max(0, start - 25)
        return f"…{before[start : start + 50]}… -> …{after[start : start + 50]}…"
    return f"{before} -> {after}"


def _take_over(before: Any, after: Any) -> None:
    """Gives functions the code, and names the values, of another version of their module or class."""
    for name, new in list(vars(after).items()):
        old = vars(before).get(name)
        if isinstance(new, FunctionType) and isinstance(old, FunctionType):
            inner, other = getattr(old, "__wrapped__", old), getattr(new, "__wrapped__", new)
            inner.__code__, inner.__defaults__ = other.__code__, other.__defaults__
            inner.__kwdefaults__ = other.__kwdefaults__
        elif isinstance(new, property | cached_property | classmethod | staticmethod):
            for part in ("fget", "func", "__func__"):
                if hasattr(new, part):
                    getattr(old, part).__code__ = getattr(new, part).__code__
        elif (
            isinstance(new, type)
            and isinstance(old, type)
            and new.__module__ == after.__dict__.get("__name__", getattr(after, "__module__", ""))
        ):
            _take_over(old, new)
        elif isinstance(new, str | int | float | frozenset | tuple | dict) and old != new:
            if isinstance(before, ModuleType):
                for module in list(sys.modules.values()):
                    if vars(module).get(name) is old and not name.startswith("__"):
                        setattr(module, name, new)
            elif not name.startswith("__"):
                setattr(before, name, new)


class Mutants:
    """A plugin of pytest: in place of the tests it runs those of each mutant."""

    def __init__(self, module: Module, mutants: list[Mutant], seconds: float) -> None:
        self.module, self.mutants = module, mutants
        self.seconds = seconds
        self.tried: dict[Mutant, bool] = {}
        self.sound = True

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        importlib.import_module(self.module.name)
        took, reached = self._measure(session)
        if not took:
            self.sound = False
            return True
        until = time.monotonic() + self.seconds
        items = sorted(session.items, key=lambda item: took[item.nodeid])
        for mutant in self.mutants:
            if time.monotonic() > until:
                break
            tests = [item for item in items if not mutant.function or mutant.function in reached[item.nodeid]]
            limit = 5 + 5 * sum(took[item.nodeid] for item in tests)
            self.tried[mutant] = bool(tests) and _fork(session, tests, limit, self.module, mutant)
        return True

    def _measure(self, session: pytest.Session) -> tuple[dict[str, float], dict[str, set[str]]]:
        """Returns the seconds of each test, and the functions of the module that it calls."""
        took, reached = {}, defaultdict(set)
        file = str(ROOT / self.module.path)
        now = ""

        def note(frame: Any, event: str, _: object) -> None:
            if event == "call" and frame.f_code.co_filename == file:
                reached[now].add(frame.f_code.co_qualname.partition(".<")[0])

        sys.setprofile(note)
        threading.setprofile(note)
        try:
            for item in session.items:
                now, started = item.nodeid, time.monotonic()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                took[now] = time.monotonic() - started
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        return ({} if session.testsfailed else took), reached


def _fork(session: pytest.Session, items: list[Any], limit: float, module: Module, mutant: Mutant) -> bool:
    """Returns True if a test fails or runs on without end, with a mutant in the place of its module."""
    child = os.fork()
    if child == 0:
        signal.alarm(int(limit) + 1)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            module.change(mutant)
            for item in items:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                if session.testsfailed:
                    os._exit(1)
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def equivalents() -> set[tuple[str, ...]]:
    """The mutants that are known to change nothing: module, function and change."""
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return {tuple(line.split(" | ")[:3]) for line in lines if line and not line.startswith("#")}


def try_out(path: str, most: int, seconds: float) -> bool:
    """Tries the mutants of the module at a ``path``, at ``most`` so many, for so many ``seconds``; prints
    their fates, and returns True if enough were killed.
    """
    module, known = Module(path), equivalents()
    every = module.mutants()
    some = [mutant for mutant in every if (path, mutant.function, mutant.text) not in known]
    chosen = random.Random(path).sample(some, min(most, len(some)) if most else len(some))
    plugin = Mutants(module, sorted(chosen) if not most else chosen, seconds)
    test_file = str(Path(path).with_name(f"test_{Path(path).name}"))
    tests = [str(ROOT / "tests" / name) for name in TESTS.get(path, [test_file])]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        base = ["-q", "-x", "-s", "-p", "no:xdist", "-p", "no:cacheprovider", "--no-header", "--no-summary"]
        pytest.main([*base, f"--basetemp={folder}/t", *tests], plugins=[plugin])
    if not plugin.sound:
        print(f"{path}: a test fails without any mutant")
        return False
    killed, tried = sum(plugin.tried.values()), len(plugin.tried)
    for mutant, dead in plugin.tried.items():
        if not dead:
            print(f"  lives: {path}:{mutant.line} | {mutant.function} | {mutant.text}")
    share = killed / tried if tried else 0.0
    print(
        f"{path}: {killed} of {tried} killed ({share:.0%}); {len(every)} mutants, "
        f"{len(every) - len(some)} of them equivalent, {len(some) - tried} not tried"
    )
    return share >= ENOUGH


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.mutants")
    parser.add_argument("modules", nargs="*", default=[*TESTS], help="files, such as crawler/run/review.py")
    parser.add_argument("--most", type=int, default=0, help="try so many of each, the same each time")
    parser.add_argument("--minutes", type=float, default=10, help="stop after so long, for each module")
    options = parser.parse_args()
    enough = [try_out(path, options.most, options.minutes * 60) for path in options.modules]
    return 0 if all(enough) else 1


if __name__ == "__main__":
    sys.exit(main())
