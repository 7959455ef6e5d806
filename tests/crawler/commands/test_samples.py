"""The last sample of a site can be asked as its store can."""

from __future__ import annotations

import importlib
import re
import shlex

import pytest
from scrapy.settings import Settings

from settings.errors import ConfigurationError
from tests.crawls import crawl

from .conftest import BASE


@pytest.fixture
def sampled(crawled, tmp_path):
    """A site of which there is a sample alone."""
    crawl(tmp_path, "archive", path=crawled.archive, sample=4)
    return tmp_path


def test_the_command_at_the_end_of_a_sample_works_as_typed(crawled, tmp_path, scrapy, capsys):
    crawl(tmp_path, "archive", {"PROGRESS_ENABLED": True}, path=crawled.archive, sample=4)
    summary = capsys.readouterr().err
    (hint,) = re.findall(r"sample     kept until the next crawl or sample: \S*scrapy (.*)", summary)
    assert "export" not in summary
    done = scrapy(*shlex.split(hint), "-s", f"DATA_DIR={tmp_path}")
    assert (done.code, done.err) == (0, "")
    assert "site stones: delivered" in done.out


def test_a_site_without_a_store_is_asked_by_its_sample(sampled, scrapy):
    data = ["-s", f"DATA_DIR={sampled}"]
    assert "site stones" in scrapy("explain", f"{BASE}/", *data).out
    assert "of 4 documents would change" in scrapy("try", "stones", "-a", "method=all-text", *data).out
    assert scrapy("templates", "stones", *data).code == 0
    assert scrapy("export", "stones", *data).rows[0]["site"] == "stones"
    scrapy("templates", "stones", "--reset", *data).refused("stones: a sample is thrown away")
    scrapy("runs", "stones", *data).refused("unknown site 'stones'")


def test_the_inspector_shows_it_and_changes_nothing_of_it(sampled):
    stores = importlib.import_module("crawler.commands.inspect").Command()
    stores.settings = Settings({"DATA_DIR": str(sampled)})
    assert stores.sites() == ["stones"]
    with stores.open_store("stones") as store:
        assert store.documents.count() == 4
    with pytest.raises(ConfigurationError, match="a sample is thrown away"), stores.changing("stones"):
        pass


def test_a_site_with_both_is_asked_by_its_sample_where_that_is_wanted(crawled, tmp_path, scrapy):
    data = ["-s", f"DATA_DIR={tmp_path}"]
    crawl(tmp_path, "archive", path=crawled.archive)
    scrapy("explain", f"{BASE}/", "--sample", *data).refused("there is no store", "crawl its site first")
    crawl(tmp_path, "archive", path=crawled.archive, sample=4)
    assert len(scrapy("export", "stones", *data).rows) == 8
    assert len(scrapy("export", "stones", "--sample", *data).rows) == 4
    scrapy("templates", "stones", "--sample", "--reset", *data).refused("a sample is thrown away")
