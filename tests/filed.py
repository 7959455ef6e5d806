"""The files that a crawl keeps of a site's documents, as others read them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crawler.run.documents_file import CHANGES, FILE
from tests.crawls import lines

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    Filed = dict[str, dict[str, Any]]


def filed(folder: Path) -> Filed:
    """The documents of a site's file by URL: each URL once, in order."""
    path = folder / FILE
    found = lines(path.read_text(encoding="utf-8")) if path.exists() else []
    urls = [document["url"] for document in found]
    assert urls == sorted(set(urls), key=str.encode)
    return dict(zip(urls, found, strict=True))


def changed(folder: Path, run: int) -> list[dict[str, Any]]:
    """The changes of a run."""
    return lines((folder / CHANGES / f"{run}.jsonl").read_text(encoding="utf-8"))


def last_run(folder: Path) -> int:
    """The last run that has a file of changes, 0 for none."""
    return max((int(path.stem) for path in (folder / CHANGES).glob("[0-9]*.jsonl")), default=0)


def replayed(before: Filed, changes: list[dict[str, Any]]) -> Filed:
    """Documents after changes, in order of their URLs."""
    after = dict(before)
    for change in changes:
        url = change["url"]
        if change["_op"] == "delete":
            assert set(change) == {"_op", "url", "reason"}
            after.pop(url, None)
        else:
            assert change["_op"] == "put"
            after[url] = {name: value for name, value in change.items() if name != "_op"}
    return {url: after[url] for url in sorted(after, key=str.encode)}


def check_replay(before: Filed, folder: Path) -> None:
    """Checks that the last changes make the file of the one before."""
    after = replayed(before, changed(folder, last_run(folder)))
    assert json.dumps(after) == json.dumps(filed(folder))
    assert not list(folder.glob(".*.jsonl")), "a partial file is left"
