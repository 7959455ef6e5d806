"""``scrapy templates --over``: what sister sites share, and deciding on it in all of them."""

from __future__ import annotations

import io
import json
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from crawler.commands import templates
from store.lock import held
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass
class Network:
    """Three stores with the same templates: two of the same pages at other addresses, one without its own."""

    data: Path
    scrapy: Callable

    def __call__(self, *arguments: str):
        return self.scrapy("templates", "--over", self.data / "*" / "tables", *arguments, *self.options)

    @property
    def options(self) -> list[str]:
        return ["-s", f"DATA_DIR={self.data}"]

    def keep(self) -> None:
        """Makes the tables newer than the stores, as if these had changed only after they were read."""
        for table in self.data.glob("*/tables/*"):
            table.touch()

    def states(self, site: str) -> dict[str, str]:
        return {
            row["name"]: row["state"] for row in self.scrapy("templates", site, "--json", *self.options).rows
        }


@pytest.fixture
def network(crawled, scrapy, tmp_path):
    data = tmp_path / "data"
    for name in ("stones", "pebbles"):
        shutil.copytree(crawled.data / "stones", data / name)
    with Store.open(data / "pebbles") as store:
        with store.transaction():
            store.connection.execute("UPDATE hosts SET name = 'https://pebbles.example'")
            store.connection.execute(
                "UPDATE pages SET url = replace(url, 'stones.example', 'pebbles.example')"
            )
        store.publish()
    with Store.open(data / "stones") as store:
        store.publish()
    # A crawl that has not ended is no site.
    shutil.copytree(data / "stones", data / ".new")
    return Network(data, scrapy)


def test_templates_are_listed_with_the_sites_they_stand_on(network, tmp_path):
    done = network()
    header, *rows = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert header.split() == ["name", "sites", "pages", "share", "stands", "on", "sample"]
    assert any("  2     16  1.000  pebbles 8, stones 8  Home First Second" in row for row in rows)
    path = tmp_path / "found.jsonl"
    assert network("--export", path, "-s", "DETECTION=global").out == ""
    # No page of one links to the other: there are no components of both.
    assert path.read_text() == ""
    found = network("--json").rows
    assert len(found) == len(rows)
    assert {"name", "pages", "share", "sites", "text", "sample_url", "algorithm"} == set(found[0])
    assert all(row["sites"] == {"pebbles": 8, "stones": 8} for row in found)
    shutil.rmtree(network.data / ".new")
    (network.data / "pebbles" / "store.sqlite").unlink()
    assert {row["text"] is None for row in network("--json").rows} == {True}


def test_tables_that_are_missing_or_older_than_their_store_are_published(network):
    found = network("--json").rows
    shutil.rmtree(network.data / "stones" / "tables")
    with Store.open(network.data / "pebbles") as store, store.transaction():
        store.connection.execute("UPDATE pages SET url = replace(url, 'pebbles.', 'gravel.')")
    done = network("--json")
    assert (done.code, done.err) == (0, "")
    assert [row["sites"] for row in done.rows] == [row["sites"] for row in found]
    urls = pq.read_table(network.data / "pebbles" / "tables" / "pages.parquet")["url"].to_pylist()
    assert all("gravel" in url for url in urls)
    assert (network.data / "stones" / "tables" / "pagelets.parquet").exists()


def test_tables_without_a_store_that_can_be_opened_are_taken_as_they_are(network):
    found = network("--json").rows
    (network.data / "stones" / "store.sqlite").write_bytes(b"no store")
    done = network("--json")
    assert done.code == 0
    assert [row["sites"] for row in done.rows] == [row["sites"] for row in found]


def test_a_template_of_a_network_is_pinned_in_all_of_its_sites(network, monkeypatch):
    name = network("--json").rows[0]["name"]
    planned = network("--pin", name, "--dry-run", "--json").rows
    assert planned == [
        {"name": name, "state": "pinned", "site": site, "pages": 8} for site in ("pebbles", "stones")
    ]
    network("--pin", name).refused(
        "2 sites, templates: pinned 2. Decide so? Nobody is there to ask: give --yes"
    )

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    done = network("--pin", name)
    assert (done.code, done.out) == (1, "")
    assert "nothing was decided" in done.err
    assert network.states("stones")[name] == network.states("pebbles")[name] == "found"

    with held(network.data / "stones"):
        done = network("--pin", name, "--yes")
    assert done.code == 0
    assert "a crawl of site 'stones' runs, and takes this" in done.err
    assert network.states("pebbles")[name] == "pinned"
    with Store.open(network.data / "stones") as store:
        assert [one.name for one in store.decisions.waiting()] == [name]

    done = network("--reset", name, "--yes", "--json")
    assert [(row["site"], row["state"]) for row in done.rows] == [("pebbles", "found"), ("stones", "found")]
    assert network.states("stones")[name] == network.states("pebbles")[name] == "found"


def test_a_site_in_which_it_cannot_be_decided_keeps_no_other_from_it(network):
    name = network("--json").rows[0]["name"]
    with Store.open(network.data / "pebbles") as store, store.transaction():
        # Its pages have changed since its tables were published.
        store.connection.execute("UPDATE fragments SET sketch = 0")
        store.connection.execute("UPDATE templates SET sketch = 0")
    network.keep()
    done = network("--reject", name, "--yes", "--json")
    assert done.code == 2
    assert "site pebbles: unknown template" in done.err
    assert "decided in 1 of 2 sites: say it again for the others" in done.err
    assert [row["site"] for row in done.rows] == ["stones"]
    assert network.states("stones")[name] == "rejected"


def test_one_that_is_told_to_end_says_which_sites_have_it(network, monkeypatch, capsys):
    name = network("--json").rows[0]["name"]
    first = templates.decide_in

    def then_ctrl_c(site, *more):
        if site.site == "stones":
            raise KeyboardInterrupt
        return first(site, *more)

    with monkeypatch.context() as patched:
        patched.setattr(templates, "decide_in", then_ctrl_c)
        with pytest.raises(KeyboardInterrupt):
            network("--pin", name, "--yes", "--json")
    done = capsys.readouterr()
    assert [json.loads(line)["site"] for line in done.out.splitlines()] == ["pebbles"]
    assert done.err == "scrapy templates: decided in 1 of 2 sites: say it again for the others\n"
    done = network("--pin", name, "--yes", "--json")
    assert (done.code, [row["site"] for row in done.rows]) == (0, ["pebbles", "stones"])


def test_what_is_named_by_strangers_steers_no_terminal(network):
    (network.data / "stones").rename(network.data / "\x1b]0;stones\x07")
    (network.data / "\x1b]0;stones\x07" / "tables" / "pages.parquet").write_bytes(b"")
    network.keep()
    done = network()
    done.refused("]0;stones/tables/pages.parquet: cannot be read")
    assert "\x1b" not in done.err and "\x07" not in done.err


@pytest.mark.parametrize("command", ["templates", "archive-job"])
def test_where_spark_is_missing_it_is_said_how_to_have_it(network, monkeypatch, tmp_path, command):
    monkeypatch.setitem(sys.modules, "cluster.running", None)
    if command == "templates":
        done = network("--master", "local[2]")
    else:
        (tmp_path / "one.warc.gz").write_bytes(b"")
        done = network.scrapy(
            command, "--master", "local[2]", tmp_path / "one.warc.gz", tmp_path / "out", *network.options
        )
    done.refused(f"scrapy {command}: ", "is missing: ", "install -r requirements-spark.txt")


def test_wrong_usage_is_told_in_a_line(network, crawled):
    name = network("--json").rows[0]["name"]
    network("--pin", "7").refused("'7' is no name of a template", "ids are of one site")
    network("--pin", "0" * 15 + "1").refused("unknown template", "none of 2 sites has it")
    network("--pin", name, "--reject", name).refused("is to be pinned and rejected: choose")
    network("--reset").refused("name what is to be left to detection")
    network("--write").refused("--write is for one site")
    network("--pin", name, "-s", "TEMPLATE_MIN_PAGES=1").refused("TEMPLATE_MIN_PAGES")
    scrapy, options = network.scrapy, network.options
    scrapy("templates", "stones", "--yes").refused("--yes, --dry-run, --master and --conf are for --over")
    scrapy("templates", "--over", network.data / "*", *options).refused(
        "has no published tables; name folders"
    )
    network("--master", "nonsense").refused("--master nonsense: give local[2], spark://HOST:PORT")
    network("--conf", "spark.a=b").refused("give --master local[2]")
    network("--master", "local[2]", "--conf", "a=b").refused("--conf a=b: give spark.NAME=VALUE")
    scrapy("templates", "stones", "--over", network.data, *options).refused("stones: with --over no site")
    scrapy("templates", "--over", network.data / "no*", *options).refused("no*: no such folder; name folders")
    both = [network.data / "stones" / "tables", crawled.data / "stones" / "tables"]
    scrapy("templates", "--over", *both, *options).refused("are both of site 'stones'; name one")
    (network.data / "stones" / "store.sqlite").unlink()
    network("--pin", name, "--yes").refused("site 'stones' has tables here and no store")
    assert "pinned" not in network.states("pebbles").values()
    (network.data / "stones" / "tables" / "pagelets.parquet").write_bytes(json.dumps([]).encode())
    network.keep()
    network().refused(
        "stones/tables/pagelets.parquet: cannot be read", "scrapy publish stones writes it anew"
    )
