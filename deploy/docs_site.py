"""Hooks of MkDocs (mkdocs.yml): pages that are not in docs/.

README.md is the first page and CHANGELOG.md another, the API comes from docstrings, and each file of the
repository that a page links to gets a page with its text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = {"index.md": "README.md", "changelog.md": "CHANGELOG.md"}
"""Pages that are files of the repository; links to those lead to these."""
API: Final = "api.md"
SOURCES: Final = "source"
"""The folder of the pages that show files."""
_LINK: Final = re.compile(r"(?<=\]\()(?!https?:|#)([^)#\s]+)")
_ITEM: Final = re.compile(r"(?:[-*]|\d+\.) +")
_SHOWN: Final = {".py": "python", ".toml": "toml", ".yml": "yaml"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages; mkdocs calls it with the files of docs/."""
    texts = {page: (ROOT / path).read_text(encoding="utf-8") for page, path in PAGES.items()}
    texts[API] = _api()
    pages = [("docs", file.content_string) for file in files.documentation_pages()]
    for folder, text in [*pages, ("", texts["index.md"])]:
        for path in filter(None, (_outside(link, folder) for link in _LINK.findall(text))):
            texts[_source(path)] = _shown(ROOT / path)
    for name, text in texts.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links that hold in the repository into links that hold on the site."""
    del config, files
    name = page.file.src_uri
    if name == API or name.startswith(f"{SOURCES}/"):
        return markdown
    folder = "" if name in PAGES else "docs"
    markdown = _indented(markdown)
    return _LINK.sub(lambda match: _on_site(match[1], folder), markdown)


def _outside(link: str, folder: str) -> str | None:
    """Returns the path of a file outside of docs/ that a page in a folder links to and that gets a page."""
    path = posixpath.normpath(posixpath.join(folder, link))
    return None if path.startswith("docs/") or path in PAGES.values() else path


def _on_site(link: str, folder: str) -> str:
    path = posixpath.normpath(posixpath.join(folder, link))
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return next((page for page, source in PAGES.items() if source == path), _source(path))


def _indented(markdown: str) -> str:
    """Indents what lies in items of lists by four spaces, as MkDocs wants it; others take two or three."""
    lines: list[str] = []
    more = 0
    fenced = False
    for line in markdown.splitlines():
        fenced ^= line.startswith("```")
        if not fenced and (item := _ITEM.match(line)):
            more = max(0, 4 - len(item[0]))
        elif line and not line.startswith(" "):
            more = 0
        lines.append(" " * more + line if line.startswith(" ") else line)
    return "\n".join(lines)


def _source(path: str) -> str:
    return f"{SOURCES}/{path}.md"


def _shown(path: Path) -> str:
    """Returns a page with the text of a file, or the names in a folder."""
    if path.is_dir():
        body = "\n".join(f"- `{one.name}`" for one in sorted(path.iterdir()))
    elif path.suffix == ".md":
        body = path.read_text(encoding="utf-8").replace("# ", "## ")
    else:
        body = f"````{_SHOWN.get(path.suffix, 'text')}\n{path.read_text(encoding='utf-8')}````"
    return f"---\nsearch:\n  exclude: true\n---\n# {path.relative_to(ROOT)}\n\n{body}\n"


def _api() -> str:
    """Returns the page of all that `pagelets` offers, by its table of names."""
    source = (ROOT / "pagelets" / "__init__.py").read_text(encoding="utf-8")
    places = re.findall(r'^    "(\w+)": "([\w.]+)",$', source, re.MULTILINE)
    told = (
        "The names of `import pagelets` by their docstrings; [the library](library.md) tells how to use them."
    )
    names = (f"::: {module}.{name}" for name, module in places)
    return "\n\n".join(["# The library's API", told, *names]) + "\n"
