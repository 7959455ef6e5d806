"""``scrapy sites``: the site files."""

from __future__ import annotations

import os

import pytest

from settings.site import SITES
from settings.tables import SCHEMA
from tests import forked
from tests.served import page, served

URL = 'url = "https://example.org/"\n'


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "sites"
    folder.mkdir()
    return folder


@pytest.fixture
def sites(scrapy, folder):
    """Runs the command on the folder of site files."""
    return lambda *arguments: scrapy("sites", *arguments, "-s", f"SITES_DIR={folder}")


FIELDS = """url = "https://example.org/"
fields = ["url", "prise"]
[extract]
price = { css = ".price::txt" }
text = "p"
sku = { json_ld = "a.[" }
stock = { css = "p", type = "nmber" }
[[extract.pages]]
closes = { css = "time", default = 5 }
[[overrides]]
type = "begins"
pattern = "/x/"
extract = { a = { xpath = "//p[" } }
"""
WRONG_FIELDS = [
    "2: key 'fields[1]': value 'prise': unknown field; did you mean 'price'?",
    "4: key 'extract.price': value {css = '.price::txt'}: css '.price::txt' is no CSS selector: ::txt",
    "5: key 'extract.text': value 'text': 'text' is a field already; give yours another name",
    "6: key 'extract.sku': value {json_ld = 'a.['}: json_ld 'a.[' is no JMESPath expression",
    "7: key 'extract.stock': value {css = 'p', type = 'nmber'}: type 'nmber' does not exist",
    "8: key 'extract.pages[0].match': is missing; give it",
    "9: key 'extract.pages[0].closes': value {css = 'time', default = 5}: default 5 is no text; give a text",
    "13: key 'overrides[0].extract.a': value {xpath = '//p['}: xpath '//p[' is no XPath 1.0",
]


def test_all_that_is_wrong_with_fields_is_told(sites, folder):
    path = folder / "shop.toml"
    path.write_text(FIELDS)
    done = sites("--check")
    lines = (done.out + done.err).splitlines()
    assert done.code == 2
    for line, wanted in zip(lines, WRONG_FIELDS, strict=False):
        assert line.removeprefix(f"{path}:").startswith(wanted)
    assert len([line for line in lines if line.startswith(str(path))]) == len(WRONG_FIELDS)
    right = f'{URL}fields = ["url", "price"]\n[extract]\nprice = ".price"\n'
    path.write_text(right)
    assert sites("--check").code == 0
    path.write_text(f"{right}[[extract.pages]]\nmatch = '/x'\nprice = {{ css = 'p', many = true }}\n")
    said = "3: key 'extract': extract: 'price' has another type, or many, for other pages"
    assert said in str(sites("--check"))


def test_site_files_are_listed(sites, folder):
    (folder / "stones.toml").write_text('url = ["https://stones.example/", "https://rocks.example/"]\n')
    (folder / "new.toml").write_text(URL)
    (folder / "wrong.toml").write_text("k = 0\nj = 1\n")
    done = sites()
    assert (done.code, done.err) == (0, "")
    assert [line.split() for line in done.out.splitlines()] == [
        ["site", "url", "last", "outcome", "mistakes"],
        ["new", "https://example.org/", "-", "0"],
        ["stones", "https://stones.example/", "https://rocks.example/", "complete", "0"],
        ["wrong", "-", "-", "2"],
    ]
    assert sites("--json").rows[1] == {
        "name": "stones",
        "path": str(folder / "stones.toml"),
        "urls": ["https://stones.example/", "https://rocks.example/"],
        "outcome": "complete",
        "problems": 0,
    }


def test_no_site_files(sites):
    done = sites()
    assert (done.code, done.out) == (0, "")
    assert "scrapy sites --new URL" in done.err
    assert sites("--json").out == ""
    assert sites("--check").out == "0 site files, nothing wrong\n"


def test_every_mistake_of_all_files_is_told(sites, folder):
    (folder / "a.toml").write_text(URL)
    (folder / "b.toml").write_text('# B\nk = 0\nurl = "https://b.example/"\nmax_page = 5\n')
    (folder / "c.toml").write_text('url = "https://EXAMPLE.org"\n[settings]\nDOWNLOAD_DELAI = 3\n')
    (folder / "d.toml").write_text("url = [\n")
    (folder / "e.toml").write_text(URL + 'rules = [{ policy = "deny", type = "begins", pattern = "/" }]\n')
    done = sites("--check")
    assert done.code == 2
    assert [line.removeprefix(f"{folder}/").split(": ")[:2] for line in done.out.splitlines()] == [
        ["b.toml:2", "key 'k'"],
        ["b.toml:4", "key 'max_page'"],
        ["c.toml:1", "key 'url'"],
        ["c.toml:3", "key 'settings.DOWNLOAD_DELAI'"],
        ["d.toml:1", "no TOML"],
        ["e.toml:1", "key 'url'"],
        ["e.toml:2", "key 'rules[0]'"],
    ]
    rows = sites("--check", "--json").rows
    assert [(row["name"], len(row["problems"])) for row in rows] == [
        ("a", 0),
        ("b", 2),
        ("c", 2),
        ("d", 1),
        ("e", 2),
    ]
    assert rows[2]["problems"][1:] == [
        {
            "line": 3,
            "key": "settings.DOWNLOAD_DELAI",
            "text": "value 3: unknown setting; did you mean 'DOWNLOAD_DELAY'?",
        }
    ]


def test_what_is_checked_may_be_named(sites, folder, tmp_path):
    (folder / "a.toml").write_text(URL)
    (folder / "b.toml").write_text("k = 0\n")
    other = tmp_path / "other"
    other.mkdir()
    (other / "c.toml").write_text("k = 0\n")
    assert sites("--check", "a").out == "1 site file, nothing wrong\n"
    assert sites("--check", "a", "b").code == 2
    assert sites("--check", other).code == 2
    assert f"{other}/c.toml:1: " in sites("--check", other / "c.toml").out
    sites("--check", "c").refused("unknown site 'c'", "a, b")
    sites("--check", "../other/c").refused("unknown site")


def test_examples_are_right(scrapy, monkeypatch):
    for name in ("WIKI_USER", "WIKI_PASSWORD", "GATE_KEY"):
        monkeypatch.setenv(name, "hush")
    done = scrapy("sites", "--check", SITES / "examples")
    assert (done.code, done.out) == (0, "4 site files, nothing wrong\n")


def test_what_is_in_force_and_where_it_comes_from(sites, folder, monkeypatch):
    monkeypatch.delenv("KEY_OF_THE_TEST", raising=False)
    (folder / "a.toml").write_text(
        f"{URL}\nk = 5\nmin_pages = 4\n[rate]\ndelay = 1.5\n[headers]\n"
        'X-Key = { env = "KEY_OF_THE_TEST" }\nX-Plain = "hush"\n'
        '[settings]\nCOOKIES_ENABLED = true\nMY_TOKEN = "hush"\nHTTPPROXY_URL = "http://me:hush@proxy.example/"\n'
    )
    done = sites("--show", "a", "-s", "TEMPLATE_MIN_PAGES=6", "-s", "MY_OWN=7")
    assert (done.code, done.err) == (0, "")
    assert "hush" not in done.out
    rows = sites("--show", "a", "--json", "-s", "TEMPLATE_MIN_PAGES=6", "-s", "MY_OWN=7").rows
    found = {row["key"] or row["setting"]: (row["value"], row["source"]) for row in rows}
    assert {"url", *SCHEMA.key_of.values()} <= set(found)
    assert found["url"] == (["https://example.org/"], "site file, line 1 (url)")
    assert found["k"] == (5, "site file, line 3 (k)")
    assert found["min_pages"] == (6, "command line")
    assert found["rate.delay"] == (1.5, "site file, line 6 (rate.delay)")
    assert found["min_share"] == (0.1, "project")
    assert found["rate.retries"] == (2, "default")
    assert found["headers"][0] == {
        "X-Key": "from environment variable KEY_OF_THE_TEST",
        "X-Plain": "(hidden)",
    }
    assert found["COOKIES_ENABLED"] == (True, "site file, line 11 (settings.COOKIES_ENABLED)")
    assert found["MY_TOKEN"][0] == "(hidden)"
    assert found["HTTPPROXY_URL"][0] == "http://***@proxy.example/"
    assert found["MY_OWN"] == ("7", "command line")
    assert found["TRAP_MAX_QUERIES"] == (5000, "project")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--show", "b"], "did you mean 'bb'"),
        (["--show", "../bb"], "letters, digits"),
        (["--show", "bb", "--check"], "not allowed with"),
        (["bb"], "unknown argument 'bb'"),
        (["-O", "x.toml"], "--new"),
        (["--new", "ftp://example.org/"], "no URL"),
        (["--new", "http://localhost/", "-s", "PRIVATE_HOSTS=[1]"], "PRIVATE_HOSTS"),
        (["--new", "http://localhost/", "-s", "DOWNLOAD_DELAY=fast"], "DOWNLOAD_DELAY"),
    ],
)
def test_wrong_usage(sites, folder, arguments, part):
    (folder / "bb.toml").write_text(URL)
    done = sites(*arguments)
    assert done.code == 2
    assert part in done.err


def test_a_wrong_file_is_not_shown(sites, folder):
    (folder / "a.toml").write_text("k = 0\nj = 1\n")
    done = sites("--show", "a")
    assert (done.code, done.out) == (2, "")
    assert [line.split(": ")[2] for line in done.err.splitlines()] == ["key 'k'", "key 'j'"]


def command(*arguments):
    return forked.run(arguments, env={**os.environ, "PYTHONWARNINGS": "error"})


def test_a_new_file_is_written_checked_and_never_overwritten(sites, folder):
    text = "The harbour office opens at seven, when the first boats have come in. " * 8
    with served({"/": page("Harbour", "/a", text=text)}, lambda path: page(path, text=text)) as site:
        asked = ["sites", "--new", f"{site.base}/", "-s", f"SITES_DIR={folder}", "-s", "DOWNLOAD_DELAY=0"]
        asked += ["-s", 'PRIVATE_HOSTS=["10.1.0.0/16"]']
        done = command(*asked)
        assert (done.returncode, done.stderr) == (0, "")
        (path,) = folder.iterdir()
        assert f"written: {path}" in done.stdout
        written = path.read_text(encoding="utf-8")
        assert f'url = ["{site.base}/"]' in written
        again = command(*asked)
        assert (again.returncode, again.stdout) == (2, "")
        assert "exists already" in again.stderr
        assert path.read_text(encoding="utf-8") == written
        assert command(*asked, "-O", "-").stdout.count("url = ") == 1
    assert sites("--check").code == 0


def test_a_crawl_tells_every_mistake_and_requests_nothing(folder, tmp_path):
    with served({"/": page("Harbour")}) as site:
        (folder / "a.toml").write_text(f'url = "{site.base}/"\nk = 0\nmax_page = 3\nretries = 1\n')
        done = command(
            *("crawl", "site", "-a", "site=a", "-s", f"SITES_DIR={folder}", "-s", f"DATA_DIR={tmp_path}/data")
        )
        assert not site.asked
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"scrapy crawl: {folder}/a.toml:2: key 'k': value 0: is too small; give at least 1",
        f"scrapy crawl: {folder}/a.toml:3: key 'max_page': unknown key; did you mean 'max_pages'?",
        f"scrapy crawl: {folder}/a.toml:4: key 'retries': unknown key; did you mean 'rate.retries'?",
    ]
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "asked", [["sites", "--check"], ["sites", "--show", "a"], ["crawl", "site", "-a", "site=a"]]
)
def test_a_folder_of_site_files_that_is_not_there_is_named(scrapy, asked):
    scrapy(*asked, "-s", "SITES_DIR=/not/there").refused("/not/there: no folder of site files", "SITES_DIR")
