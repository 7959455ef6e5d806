"""The rules of the house: what never imports what, where files and statements are, how long a file may be."""

from __future__ import annotations

import ast
import re
import shutil
from functools import cache, partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pagelets.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

PROJECT = Path(__file__).parent.parent
SCIENCE = {"pagelets"}
BELOW = {*SCIENCE, "store", "settings"}
MAY_IMPORT = {
    "pagelets": set(),
    "store": SCIENCE,
    "settings": SCIENCE,
    "release": BELOW,
    "search": BELOW,
    "evaluation": {*BELOW, "release", "search"},
    "inspection": {*BELOW, "release", "search"},
    "inspector": {*BELOW, "release", "search", "inspection"},
    "cluster": {*BELOW, "release", "search"},
    "crawler": {*BELOW, "release", "search", "evaluation", "inspection", "inspector", "cluster"},
    "pipelines": {*BELOW, "release", "search", "evaluation", "inspection", "inspector", "cluster", "crawler"},
}
OURS = {*MAY_IMPORT, "demo", "benchmarks", "training", "tests"}
ROOMS = {
    *("spiders", "frontier", "fetching", "archives", "run", "feeds", "configuration", "monitoring"),
    *("scheduling", "survey", "commandline", "commands"),
}
CRAWLING = {"scrapy", "twisted", "itemadapter"}
COMMANDED = {*CRAWLING, "argparse"}
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
OPENS_FILES = (
    *("pagelets/archives/", "pagelets/__main__.py", "pagelets/site/spill.py", "pagelets/integrations/"),
    *("pagelets/processes.py", "pagelets/metadata/language_model.py"),
)
ONE_PAGE = (
    "page", "containers", "partition", "sketch", "block_keys", "metadata", "render", "document", "methods",
    "page_bytes", "reading", "record", "boxes", "fields", "overrides", "partitions", "passages",
    "selector", "text", "tree", "literature",
)  # fmt: skip
"""Modules and packages of `pagelets` that concern one page."""
MANY_PAGES = ("pagelets.detection", "pagelets.ranking", "pagelets.site", "pagelets.judging")
OF_ONE_PAGE = tuple(f"pagelets.judging.{name}" for name in ("page_facts", "title", "taught", "by_url"))
"""What a site knows of one page: arrays that are aligned with its blocks, the name in its title, what people
have taught of its places, and which overrides its URL meets."""
LITERATURE = "pagelets.literature"
REGISTRIES = ("pagelets/methods/__init__.py", "pagelets/partitions.py")
"""What knows by name what is in the literature, and imports it when it is asked for."""
USES_LITERATURE = (
    *("pagelets/literature/", "evaluation/"),
    *("crawler/spiders/similar.py", "crawler/spiders/template.py"),
)
KNOW_METHODS = ("pagelets/methods/", "pagelets/literature/")
A_STATEMENT = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE FROM|CREATE|DROP|ALTER|WITH|PRAGMA|ATTACH) [\w*(\"]"
)

WRITES_PAGES = re.compile(r"\b(UPDATE|UPDATE OR \w+|INTO|DELETE FROM) pages\b")
STATES = "known|held|released|delivered|redirected|refused|failed|gone"
TELLS_A_STATE = re.compile(rf"\bstate (=|!=|IN|NOT IN|IS|IS NOT) \(?'({STATES})'")

OF_A_RUN = {
    *("session", "job", "plan", "store", "state", "work", "release", "deliveries", "recorded", "settings"),
    *("rule_coverage", "revisit", "overrides", "directives", "focus", "settle", "writing", "stop", "partial"),
}
"""What a run owns, and what its settings say."""

LONGEST_FILE, LONGEST_FUNCTION = 400, 60


class Import(NamedTuple):
    module: str
    for_types: bool

    @property
    def top(self) -> str:
        return self.module.partition(".")[0]

    def within(self, name: str) -> bool:
        return self.module == name or self.module.startswith(f"{name}.")


@cache
def nodes(text: str) -> list[ast.AST]:
    """The nodes of a module that have a place in it, after the module: no operators and no contexts."""
    module = ast.parse(text)
    return [module, *(node for node in ast.walk(module) if hasattr(node, "lineno"))]


def nodes_of(path: Path) -> list[ast.AST]:
    return nodes(path.read_text(encoding="utf-8"))


def name(path: Path) -> str:
    """The module that a file is."""
    return ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__")


def defined_in(target: str, files: Collection[str]) -> str:
    """The file of ours that an imported name is in; empty where it is not ours."""
    return next((one for one in (target, target.rpartition(".")[0]) if one in files), "")


def is_private(part: str) -> bool:
    return part.startswith("_") and not part.startswith("__")


def modules(folder: str) -> list[Path]:
    return sorted((PROJECT / folder).rglob("*.py"))


def is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imports(path: Path) -> list[Import]:
    """Every module that a file names in an import, wherever that stands."""
    package = path.relative_to(PROJECT).with_suffix("").parts[:-1]
    return imported(package, path.read_text(encoding="utf-8"))


@cache
def imported(package: tuple[str, ...], text: str) -> list[Import]:
    """The imports of a module in a package."""

    def walk(node: ast.AST, for_types: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from (Import(alias.name, for_types) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = list(package[: len(package) - child.level + 1]) if child.level else []
                base += [child.module] if child.module else []
                yield from (Import(".".join([*base, alias.name]), for_types) for alias in child.names)
            elif not isinstance(child, ast.expr):
                yield from walk(child, for_types or (isinstance(child, ast.stmt) and is_for_types(child)))

    return list(walk(nodes(text)[0], False))


def of(folder: str) -> list[tuple[Path, Import]]:
    return [
        (where, found)
        for path in modules(folder)
        for where in (path.relative_to(PROJECT),)
        for found in imports(path)
    ]


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_a_layer_imports_those_below_it_only(layer: str) -> None:
    assert modules(layer)
    wrong = [
        f"{path} imports {found.module}"
        for path, found in of(layer)
        if found.top in OURS - MAY_IMPORT[layer] - {layer}
    ]
    assert not wrong


@pytest.mark.parametrize(
    "layer", ["store", "settings", "release", "evaluation", "inspection", "inspector", "cluster"]
)
def test_crawling_is_unknown_below_the_crawler(layer: str) -> None:
    wrong = [f"{path} imports {found.module}" for path, found in of(layer) if found.top in COMMANDED]
    assert not wrong


def test_pipelines_know_of_the_crawler_items_runs_and_configuration() -> None:
    wrong = [
        f"{path} imports {found.module}"
        for path, found in of("pipelines")
        if found.top == "crawler" and not found.for_types
        if not any(found.within(f"crawler.{room}") for room in ("items", "run", "configuration"))
    ]
    assert not wrong


def test_components_do_not_look_for_the_run_on_the_spider() -> None:
    # They are handed the session (`crawler.run.session.session_of`).
    wrong = [
        f"{where}:{node.lineno}: {ast.unparse(node)}"
        for layer in ("crawler", "pipelines")
        for path in modules(layer)
        if not (where := path.relative_to(PROJECT).as_posix()).startswith("crawler/spiders/")
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute) and node.attr in OF_A_RUN
        if ast.unparse(node.value).rpartition(".")[2] in ("spider", "_spider")
    ]
    assert not wrong


def test_the_crawler_is_rooms() -> None:
    places = {path.relative_to(PROJECT / "crawler").parts for path in modules("crawler")}
    assert {parts[0] for parts in places if len(parts) > 1} == ROOMS
    assert {parts[0] for parts in places if len(parts) == 1} == {"__init__.py", "addon.py", "items.py"}


def test_no_imports_go_in_a_circle() -> None:
    # An import for types counts too: what is typed by another file is made of it.
    files = {name(path): path for layer in MAY_IMPORT for path in modules(layer)}
    graph = {
        module: {defined_in(found.module, files) for found in imports(path)} for module, path in files.items()
    }
    TopologicalSorter({module: used - {module, ""} for module, used in graph.items()}).prepare()


def test_no_private_name_is_imported_from_another_file() -> None:
    wrong = [
        f"{path} imports {found.module}"
        for layer in OURS - {"tests"}
        for path, found in of(layer)
        if found.top in OURS and any(is_private(part) for part in found.module.split("."))
    ]
    assert not wrong


def test_tests_mirror_the_tree() -> None:
    wrong = [
        str(folder.relative_to(PROJECT))
        for layer in MAY_IMPORT
        for folder in {path.parent for path in (PROJECT / "tests" / layer).rglob("test_*.py")}
        if not (PROJECT / folder.relative_to(PROJECT / "tests")).is_dir()
    ]
    assert not wrong


def test_the_science_knows_no_crawler_and_no_file() -> None:
    wrong = [
        f"{path} imports {found.module}"
        for path, found in of("pagelets")
        if not path.as_posix().startswith(OPENS_FILES)
        if any(found.within(name) for name in NOT_IN_PAGELETS)
    ]
    assert not wrong


def test_integrations_are_imported_by_their_frameworks_alone() -> None:
    wrong = [
        f"{where} imports {found.module}"
        for layer in MAY_IMPORT
        for where, found in of(layer)
        if found.within("pagelets.integrations")
        if not where.as_posix().startswith("pagelets/integrations/")
    ]
    assert not wrong


def test_the_science_opens_nothing() -> None:
    calls = [
        (path, node.func)
        for path in modules("pagelets")
        if not path.relative_to(PROJECT).as_posix().startswith(OPENS_FILES)
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
    ]
    opened = [path for path, function in calls if isinstance(function, ast.Name) and function.id == "open"]
    assert not opened


def test_duckdb_is_handed_to_detection_and_asked_for_a_site_in_memory_and_nowhere_else() -> None:
    users = [(path, found) for path, found in of("pagelets") if found.top == "duckdb"]
    assert users
    assert all(found.for_types or path.parts[1] == "site" for path, found in users)
    assert {path.parts[1] for path, _ in users} == {"detection", "site"}


def test_what_concerns_one_page_knows_nothing_of_many() -> None:
    wrong = [
        f"{path} imports {found.module}"
        for path, found in of("pagelets")
        if path.with_suffix("").parts[1] in ONE_PAGE
        if any(found.within(many) for many in MANY_PAGES) and not any(map(found.within, OF_ONE_PAGE))
    ]
    assert not wrong


def test_the_literature_is_known_by_name_alone() -> None:
    wrong = [
        f"{where} imports {found.module}"
        for layer in MAY_IMPORT
        for where, found in of(layer)
        if found.within(LITERATURE) and not where.as_posix().startswith(USES_LITERATURE)
    ]
    wrong += [
        f"{where}:{node.lineno}: {node.value}"
        for layer in MAY_IMPORT
        for path in modules(layer)
        if (where := path.relative_to(PROJECT).as_posix()) not in REGISTRIES
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and str(node.value).startswith(LITERATURE)
    ]
    assert not wrong


def test_documents_are_made_by_one_engine() -> None:
    # What is judged beforehand, and the making of a Document, are asked for there alone.
    makers = ("pagelets.overrides.overrides_of", "pagelets.document.make")
    users = {where.as_posix() for layer in MAY_IMPORT for where, found in of(layer) if found.module in makers}
    assert users == {"pagelets/judging/engine.py"}


def test_settings_become_how_pages_are_judged_in_one_place() -> None:
    makers = {
        path.relative_to(PROJECT).as_posix()
        for layer in MAY_IMPORT.keys() - SCIENCE
        for path in modules(layer)
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "JudgeConfig"
    }
    assert makers == {"crawler/configuration/judge_config.py"}


def test_statements_are_executed_by_the_store_and_detection() -> None:
    # A sink's database is its own.
    own = ("pagelets/detection", "pagelets/site", "search/sinks")
    wrong = [
        f"{where}:{node.lineno}"
        for layer in MAY_IMPORT.keys() - {"store"}
        for path in modules(layer)
        if not (where := path.relative_to(PROJECT).as_posix()).startswith(own)
        for node in nodes_of(path)
        if (isinstance(node, ast.Attribute) and node.attr in ("execute", "executemany", "executescript"))
        or (isinstance(node, ast.Constant) and A_STATEMENT.match(str(node.value)))
    ]
    assert not wrong


def test_the_frontier_alone_writes_pages_and_knows_what_their_states_say() -> None:
    # Migrations never change.
    own = ("store/frontier/", "store/migrations.py", "store/states.py")
    wrong = [
        f"{where}:{node.lineno}"
        for layer in MAY_IMPORT
        for path in modules(layer)
        if not (where := path.relative_to(PROJECT).as_posix()).startswith(own)
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if WRITES_PAGES.search(node.value) or TELLS_A_STATE.search(node.value)
    ]
    assert not wrong


def test_no_method_is_asked_for_by_its_name() -> None:
    # One of the names is that of a table and of a stat, too; one that of an algorithm in that table.
    others = {"templates": ("crawler", "inspection", "inspector", "store"), "etdm": ("store",)}
    wrong = [
        f"{path.relative_to(PROJECT)}:{node.lineno}: {node.value!r}"
        for folder in (*MAY_IMPORT, "training", "benchmarks")
        for path in modules(folder)
        if not path.relative_to(PROJECT).as_posix().startswith(KNOW_METHODS)
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and node.value in METHODS
        if folder not in others.get(node.value, ()) and not METHODS[node.value].baseline
    ]
    assert not wrong


def test_imports_are_told_from_imports_for_types() -> None:
    found = {(found.module, found.for_types) for _, found in of("pagelets/detection")}
    assert ("duckdb", True) in found
    assert ("numpy", False) in found
    assert ("pagelets.detection.local.find_local", False) in found


def test_files_and_functions_are_short() -> None:
    # The reference of a compiled loop is one loop.
    as_compiled = {"pagelets/reading/plain.py"}
    long = []
    for layer in MAY_IMPORT:
        for path in modules(layer):
            text, where = path.read_text(encoding="utf-8"), path.relative_to(PROJECT).as_posix()
            long += [where] * (len(text.splitlines()) > LONGEST_FILE)
            long += [
                f"{where}: {node.name}"
                for node in nodes(text)
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and where not in as_compiled
                if (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
            ]
    assert not long


def public_functions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module that others can ask for: those in no function and no private class."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            if not child.name.startswith("_"):
                yield child
        elif not (
            isinstance(child, ast.expr) or (isinstance(child, ast.ClassDef) and is_private(child.name))
        ):
            yield from public_functions(child)


def test_public_functions_name_their_parameters() -> None:
    for layer in (*MAY_IMPORT, "training"):
        for path in modules(layer):
            for node in public_functions(nodes_of(path)[0]):
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                names = [one.arg for one in arguments if one.arg not in ("self", "cls")]
                typed_only = any(ast.unparse(one) == "overload" for one in node.decorator_list)
                if len(names) < 3 or typed_only:
                    continue
                told = ast.get_docstring(node) or ""
                missing = [name for name in names if not re.search(rf"\b{name}\b", told)]
                assert not missing, f"{path}:{node.lineno}: {node.name} does not say what {missing} are"


BREAKS: list[tuple[str, str, Callable[[], None]]] = [
    ("pagelets/wrong.py", "import store.site", partial(test_a_layer_imports_those_below_it_only, "pagelets")),
    ("release/wrong.py", "import scrapy", partial(test_crawling_is_unknown_below_the_crawler, "release")),
    (
        "pipelines/wrong.py",
        "import crawler.frontier.scope",
        test_pipelines_know_of_the_crawler_items_runs_and_configuration,
    ),
    (
        "pipelines/wrong.py",
        "def f(crawler):\n    return crawler.spider.session.store",
        test_components_do_not_look_for_the_run_on_the_spider,
    ),
    ("crawler/wrong.py", "", test_the_crawler_is_rooms),
    (
        "store/meta.py",
        "if TYPE_CHECKING:\n    from store.derivation import Derivation",
        test_no_imports_go_in_a_circle,
    ),
    ("search/wrong.py", "from search.sink import _x", test_no_private_name_is_imported_from_another_file),
    ("tests/crawler/nowhere/test_wrong.py", "", test_tests_mirror_the_tree),
    ("pagelets/wrong.py", "from pathlib import Path", test_the_science_knows_no_crawler_and_no_file),
    (
        "pagelets/site/site.py",
        "import pagelets.integrations.scrapy",
        test_integrations_are_imported_by_their_frameworks_alone,
    ),
    ("pagelets/wrong.py", "open('x')", test_the_science_opens_nothing),
    (
        "pagelets/methods/wrong.py",
        "import duckdb",
        test_duckdb_is_handed_to_detection_and_asked_for_a_site_in_memory_and_nowhere_else,
    ),
    (
        "inspection/wrong.py",
        "import argparse",
        partial(test_crawling_is_unknown_below_the_crawler, "inspection"),
    ),
    (
        "pagelets/literature/partitions/vips.py",
        "import pagelets.site.view",
        test_what_concerns_one_page_knows_nothing_of_many,
    ),
    ("pagelets/page.py", "import pagelets.literature.vote", test_the_literature_is_known_by_name_alone),
    ("pagelets/page.py", "x = 'pagelets.literature.vote:vote'", test_the_literature_is_known_by_name_alone),
    (
        "crawler/spiders/site.py",
        "from pagelets.literature import indesit",
        test_the_literature_is_known_by_name_alone,
    ),
    ("release/wrong.py", "x = 'SELECT 1 FROM t'", test_statements_are_executed_by_the_store_and_detection),
    ("pagelets/wrong.py", "x = 'judged'", test_no_method_is_asked_for_by_its_name),
    ("pagelets/page.py", "import pagelets.detection.base", test_what_concerns_one_page_knows_nothing_of_many),
    (
        "release/wrong.py",
        "from pagelets.document import make",
        test_documents_are_made_by_one_engine,
    ),
    ("release/wrong.py", "x = JudgeConfig()", test_settings_become_how_pages_are_judged_in_one_place),
    ("release/wrong.py", "c.execute('x')", test_statements_are_executed_by_the_store_and_detection),
    (
        "store/meta.py",
        "c.execute('UPDATE pages SET due = 0')",
        test_the_frontier_alone_writes_pages_and_knows_what_their_states_say,
    ),
    (
        "store/site.py",
        "x = f\"SELECT 1 FROM pages WHERE state = 'held' AND {1}\"",
        test_the_frontier_alone_writes_pages_and_knows_what_their_states_say,
    ),
    ("release/wrong.py", "x = 'judged'", test_no_method_is_asked_for_by_its_name),
    ("store/wrong.py", "def f(a, b, c):\n    'Adds a and b.'", test_public_functions_name_their_parameters),
    ("store/wrong.py", "\n" * LONGEST_FILE + "x", test_files_and_functions_are_short),
    ("store/wrong.py", "def f():\n" + "    x\n" * LONGEST_FUNCTION, test_files_and_functions_are_short),
]
"""What breaks a rule: text that is added to a file, and the rule."""


KEPT = (
    *("pagelets/judging/engine.py", "pagelets/detection/local.py", "crawler/configuration/judge_config.py"),
    *("crawler/addon.py", "crawler/items.py", "store/derivation.py", "pagelets/site/tables.py"),
)
"""Files that a rule wants to be there, beside those that are broken and those that make packages."""


def test_each_rule_fails_where_it_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied = {*KEPT, *(file for file, _, _ in BREAKS)}
    for layer in MAY_IMPORT:
        for path in modules(layer):
            where = path.relative_to(PROJECT)
            if path.name == "__init__.py" or where.as_posix() in copied:
                copy = tmp_path / where
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
    monkeypatch.setitem(globals(), "PROJECT", tmp_path)
    for rule in dict.fromkeys(rule for _, _, rule in BREAKS):
        rule()
    for file, text, rule in BREAKS:
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if path.exists() else None
        path.write_text(f"{before or ''}\n{text}\n", encoding="utf-8")
        with pytest.raises((AssertionError, CycleError)):
            rule()
        if before is None:
            path.unlink()
        else:
            path.write_text(before, encoding="utf-8")
