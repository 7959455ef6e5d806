"""Documents as tables, and tables as pages."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

import pagelets
from tests.crawls import PROJECT

MENU = "<ul><li><a href=/>Home</a><li><a href=/b>Blog</a><li><a href=/c>Contact</a></ul>"
ROWS = [
    {
        "url": f"https://example.org/{number}",
        "html": f"<title>Page {number}</title>{MENU}<p>All that stands on page {number}.",
        "id": number,
    }
    for number in range(3)
]
TEXTS = [f"All that stands on page {number}." for number in range(3)]


def documents() -> list[Any]:
    with pagelets.Site.from_pages(ROWS, method="templates") as site:
        return list(site.documents())


def example(package: str) -> str:
    """The code of docs/library.md that is for tables of a package."""
    page = (PROJECT / "docs" / "library.md").read_text(encoding="utf-8")
    (code,) = re.findall(
        rf"\nWith {package}:\n\n```python\n(.*?)```|{package}:\n\n```python\n(.*?)```", page, re.DOTALL
    )
    return "".join(code)


def ran(package: str, **given: Any) -> dict[str, Any]:
    exec(compile(example(package), "docs/library.md", "exec"), given)
    return given


def test_arrow_has_a_row_a_document_and_types_that_no_value_changes() -> None:
    pa = pytest.importorskip("pyarrow")
    made = documents()
    table = pagelets.to_arrow(made)
    assert table.column_names == list(made[0])
    assert table.drop_columns("links").to_pylist() == [
        {name: value for name, value in one.items() if name != "links"} for one in made
    ]
    assert [len(links) for links in table["links"].to_pylist()] == [3, 3, 3]
    assert table["author"].type == pa.string()
    assert pagelets.to_arrow([]).schema == table.schema
    assert pagelets.to_arrow([{"text": "half \ud800 of it"}])["text"].to_pylist() == ["half \ufffd of it"]
    asked = [{"text": "a", "pagelets": [{"kept": 1.0}], "words": 7}, {"text": "b"}]
    assert pagelets.to_arrow(asked)["words"].to_pylist() == [7, None]


def test_pandas_has_a_row_a_document() -> None:
    pytest.importorskip("pandas", reason="no pandas: pip install -r requirements-dev.txt")
    frame = pagelets.to_pandas(documents())
    assert frame["text"].tolist() == TEXTS
    assert frame["links"][0][0]["template"] is True
    assert list(pagelets.to_pandas([])) == list(frame)


@pytest.mark.parametrize(("name", "package"), [("to_arrow", "pyarrow"), ("to_pandas", "pandas")])
def test_a_package_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"pagelets.{name} needs the package {package}: pip install"):
        getattr(pagelets, name)([])


def test_a_table_of_pandas_gets_the_texts() -> None:
    pd = pytest.importorskip("pandas", reason="no pandas: pip install -r requirements-dev.txt")
    frame = ran("pandas", frame=pd.DataFrame(ROWS))["frame"]
    assert [*zip(frame["id"], frame["title"], frame["text"], strict=True)] == [
        (number, f"Page {number}", text) for number, text in enumerate(TEXTS)
    ]


def test_a_table_of_polars_gets_the_texts() -> None:
    pl = pytest.importorskip("polars", reason="no Polars: pip install -r requirements-dev.txt")
    frame = ran("Polars", frame=pl.DataFrame(ROWS))["frame"]
    assert frame.sort("id")["text"].to_list() == TEXTS


def test_a_data_set_of_hugging_face_gets_the_texts() -> None:
    datasets = pytest.importorskip("datasets", reason="no datasets: pip install datasets")
    made = ran("Hugging Face datasets", dataset=datasets.Dataset.from_list(ROWS))["documents"]
    assert made["text"][:] == TEXTS
