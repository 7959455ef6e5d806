"""Every setting, command, argument, stat and field that users meet is documented."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import settings.base
from crawler.configuration.checks import ARGUMENTS, setting_problem
from crawler.run.outcome import EXIT_CODES
from crawler.run.state import RECORDED
from crawler.spiders.similar import SimilarSpider
from crawler.spiders.site import SiteSpider
from crawler.spiders.template import TemplateSpider
from pagelets.document import FIELDS
from pagelets.methods import METHODS
from search.backends import BACKENDS
from settings.errors import REMOVED
from settings.site import load
from settings.tables import DEFAULTS, SCHEMA
from store.publish import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parent.parent
DOCS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
ALL = "\n".join([*DOCS.values(), (ROOT / "README.md").read_text(encoding="utf-8")])


def scrapy_settings() -> set[str]:
    from scrapy.settings import default_settings

    return {name for name in dir(default_settings) if name.isupper()}


OWN_SETTINGS = sorted(filter(str.isupper, set(vars(settings.base)) - scrapy_settings()))
SINKS_AND_NOTICES = {*BACKENDS, "notify"}
"""Tables whose keys are explained without their settings, which are named alike."""


def missing(names: Iterable[str], page: str) -> list[str]:
    """The names that a page of the docs does not have as code."""
    return [name for name in names if f"`{name}`" not in DOCS[page]]


def test_settings_are_documented() -> None:
    alike = {name for name, key in SCHEMA.key_of.items() if key.partition(".")[0] in SINKS_AND_NOTICES}
    names = set(OWN_SETTINGS) - alike
    assert set(missing(names, "configuration.md")) & set(missing(names, "site-files.md")) == set()


def test_defaults_are_as_documented() -> None:
    said = dict(re.findall(r"`([A-Z_]+)` \(`?([^|)`]+)`?\)", DOCS["site-files.md"]))
    said |= dict(re.findall(r"^\| `([A-Z_]+)` \| (\w+) \|", DOCS["configuration.md"], re.MULTILINE))
    wrong = {
        name: text
        for name, text in said.items()
        if (default := DEFAULTS.get(name))
        and name != "SCHEDULE_TIMEZONE"
        and text not in (str(default).lower(), f"{default:g}" if isinstance(default, float) else default)
    }
    assert wrong == {}
    assert len(said) > 25


def test_spider_arguments_are_documented() -> None:
    arguments = [*ARGUMENTS, "url", "site", "path", "base", "fresh", "sample", "accept"]
    for spider in (SiteSpider, SimilarSpider, TemplateSpider):
        arguments += spider.own_arguments
    assert missing(arguments, "configuration.md") == []


def test_keys_of_a_site_file_are_documented() -> None:
    tables = set(re.findall(r"^\[{1,2}([a-z]+)\]{1,2}$", DOCS["site-files.md"], re.MULTILINE))
    assert missing(set(SCHEMA.keys) - tables, "site-files.md") == []


EXAMPLES = [
    (page, text)
    # Those of extending.md need what the other examples there add.
    for page in sorted(DOCS.keys() - {"extending.md"})
    for text in re.findall(r"^```toml\n(.*?)^```$", DOCS[page], re.DOTALL | re.MULTILINE)
]


def test_examples_of_site_files_are_right(tmp_path: Path) -> None:
    for page, text in EXAMPLES:
        (tmp_path / "example.toml").write_text(text, encoding="utf-8")
        assert load(tmp_path / "example.toml", check=setting_problem).path.exists(), page


def test_what_was_removed_is_in_the_changelog() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert [name for _, name in REMOVED if f"`{name}`" not in changes] == []


def test_methods_are_documented() -> None:
    assert missing(METHODS, "methods.md") == []


def test_fields_are_documented() -> None:
    assert missing(FIELDS, "output.md") == []


def test_commands_are_documented() -> None:
    commands = [path.stem for path in (ROOT / "crawler" / "commands").glob("[a-z]*.py")]
    assert [name for name in commands if f"scrapy {name}" not in ALL] == []


def test_tables_are_documented() -> None:
    assert [name for name in TABLES if name not in DOCS["store.md"].lower()] == []


@pytest.mark.parametrize("outcome", sorted({"complete", "limited", "usage", "empty", "interrupted", "busy"}))
def test_outcome_is_documented(outcome: str) -> None:
    assert re.search(rf"\| {EXIT_CODES[outcome]} \| `{outcome}` \|", DOCS["output.md"])


def stats_of_the_code() -> set[str]:
    """Names of stats that our components set; of one made at run time what it begins with."""
    names = set()
    for folder in ("crawler", "pipelines", "search", "release"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr in ("set_value", "inc_value", "max_value")
                ):
                    parts = [arg.values[0] if isinstance(arg, ast.JoinedStr) else arg for arg in node.args]
                    names |= {part.value for part in parts if isinstance(part, ast.Constant)}
    return {name for name in names if isinstance(name, str) and "/" in name}


def test_stats_are_documented() -> None:
    names = [name for name in sorted(stats_of_the_code()) if not name.endswith("/")]
    assert missing(names, "output.md") == []


def test_settings_and_stats_of_the_add_on_are_documented() -> None:
    code = [path.read_text("utf-8") for path in (ROOT / "pagelets" / "integrations").rglob("*.py")]
    names = {name for text in code for name in re.findall(r"\bPAGELETS_[A-Z]+\b|\bpagelets/[a-z_]+\b", text)}
    assert missing(names - {"pagelets/items_"}, "scrapy.md") == []
    assert len(names) > 10


def test_stats_reach_the_run_file() -> None:
    assert [name for name in sorted(stats_of_the_code()) if not name.startswith(RECORDED)] == []


def test_summaries_are_as_crawls_print_them() -> None:
    found = re.findall(rf"^\S+: (?:{'|'.join(EXIT_CODES)})\n((?:  .+\n)+)", ALL, re.MULTILINE)
    order = "moved pages failed gone skipped excluded faults retries class".split()
    order += ["left out", *"topic etdm fields time templates documents changes index sample store".split()]
    assert found
    for lines in found:
        labels = [line[2:13].rstrip() for line in lines.splitlines() if line[2] != " "]
        assert {"pages", "time", "templates", "documents"} <= set(labels), lines
        assert [label for label in order if label in labels] == labels, lines


def test_links_between_documents_lead_somewhere() -> None:
    for page in [*sorted(DOCS), "README.md"]:
        folder = ROOT if page == "README.md" else ROOT / "docs"
        text = (folder / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", text):
            assert (folder / target).exists(), f"{page}: {target}"


def defined(path: Path) -> set[str]:
    """The functions and classes of a file, and the methods of these."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found |= {node.name, *(f"{node.name}.{getattr(one, 'name', '')}" for one in node.body)}
    return found


def test_each_step_of_a_page_s_way_is_a_function() -> None:
    steps = re.findall(r"\[`([\w.]+)`\]\(\.\./([\w/]+\.py)\)", DOCS["architecture.md"])
    assert len(steps) > 30
    assert [f"{path}: {name}" for name, path in steps if name not in defined(ROOT / path)] == []
