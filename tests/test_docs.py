"""Every setting, command, argument, stat and field that users meet is documented."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import settings.base
from crawler.checks import ARGUMENTS, setting_problem
from crawler.extensions.outcome import EXIT_CODES
from pagelets.document import FIELDS
from pagelets.methods import METHODS
from settings.removed import REMOVED
from settings.schema import keys
from settings.site import load
from store.publish import TABLES

ROOT = Path(__file__).parent.parent
DOCS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
ALL = "\n".join([*DOCS.values(), (ROOT / "README.md").read_text(encoding="utf-8")])


def scrapy_settings() -> set[str]:
    from scrapy.settings import default_settings

    return {name for name in dir(default_settings) if name.isupper()}


OWN_SETTINGS = sorted(filter(str.isupper, set(vars(settings.base)) - scrapy_settings()))


@pytest.mark.parametrize("name", OWN_SETTINGS)
def test_setting_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCS["configuration.md"]


@pytest.mark.parametrize("name", [*ARGUMENTS, "url", "site", "path", "base", "fresh", "sample", "accept"])
def test_spider_argument_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCS["configuration.md"]


@pytest.mark.parametrize("name", [*keys()])
def test_key_of_a_site_file_is_documented(name: str) -> None:
    tables = set(re.findall(r"^\[{1,2}([a-z]+)\]{1,2}$", DOCS["site-files.md"], re.MULTILINE))
    assert f"`{name}`" in DOCS["site-files.md"] or name in tables


EXAMPLES = [
    (page, text)
    for page in sorted(DOCS)
    for text in re.findall(r"^```toml\n(.*?)^```$", DOCS[page], re.DOTALL | re.MULTILINE)
]


@pytest.mark.parametrize(("page", "text"), EXAMPLES)
def test_example_of_a_site_file_is_right(page: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "example.toml").write_text(text, encoding="utf-8")
    assert load("example", tmp_path, check=setting_problem).path.exists()


def test_what_was_removed_is_in_the_changelog() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert [name for _, name in REMOVED if f"`{name}`" not in changes] == []


@pytest.mark.parametrize("name", METHODS)
def test_method_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCS["configuration.md"]


@pytest.mark.parametrize("name", FIELDS)
def test_field_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCS["output.md"]


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in (ROOT / "crawler" / "commands").glob("[a-z]*.py"))
)
def test_command_is_documented(name: str) -> None:
    assert f"scrapy {name}" in ALL


@pytest.mark.parametrize("name", TABLES)
def test_table_is_documented(name: str) -> None:
    assert name in DOCS["store.md"].lower()


@pytest.mark.parametrize("outcome", sorted({"complete", "limited", "usage", "empty", "interrupted", "busy"}))
def test_outcome_is_documented(outcome: str) -> None:
    assert re.search(rf"\| {EXIT_CODES[outcome]} \| `{outcome}` \|", DOCS["output.md"])


def stats_of_the_code() -> set[str]:
    """Names given to ``set_value`` and ``inc_value`` in our components, without those made at run time."""
    names = set()
    for folder in ("crawler", "pipelines"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr in ("set_value", "inc_value")
                    and node.args
                    and isinstance(node.args[0], ast.Constant)
                ):
                    names.add(node.args[0].value)
    return names


@pytest.mark.parametrize("name", sorted(stats_of_the_code()))
def test_stat_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCS["output.md"]


@pytest.mark.parametrize("page", [*sorted(DOCS), "README.md"])
def test_links_between_documents_lead_somewhere(page: str) -> None:
    folder = ROOT if page == "README.md" else ROOT / "docs"
    text = (folder / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", text):
        assert (folder / target).exists(), f"{page}: {target}"
