"""What a crawl is to do, and which of several settings counts."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from crawler.exceptions import ConfigurationError, UnknownName
from crawler.plan import plan_archive, plan_site
from settings import site as site_files

URL = "https://example.org/"


def settings(**command_line):
    project = Settings()
    project.setmodule("settings.base", priority="project")
    project.update(command_line, priority="cmdline")
    return project


def applied(project, **arguments):
    plan_site(arguments, project).apply(project)
    return project


@pytest.fixture
def site_file(tmp_path, monkeypatch):
    def write(text):
        (tmp_path / "example.toml").write_text(text)

    monkeypatch.setattr(site_files, "SITES", tmp_path)
    monkeypatch.setattr(site_files.load, "__defaults__", (tmp_path,))
    monkeypatch.setattr(site_files.names, "__defaults__", (tmp_path,))
    return write


def test_arguments_then_command_line_then_site_file_then_project(site_file):
    site_file(
        'url = "https://example.org/"\nk = 5\nmin_pages = 7\nmax_pages = 9\n[settings]\nDOWNLOAD_DELAY = 2\n'
    )
    project = applied(settings(PAGELET_K="6", TEMPLATE_MIN_PAGES="8"), site="example", k="4")
    assert project.getint("PAGELET_K") == 4
    assert project.getint("TEMPLATE_MIN_PAGES") == 8
    assert project.getint("MAX_PAGES") == 9
    assert project.getfloat("DOWNLOAD_DELAY") == 2
    assert project.getfloat("TEMPLATE_MIN_SHARE") == 0.1


def test_a_wrong_setting_is_told_whatever_else_is_set(site_file):
    site_file('url = "https://example.org/"\nk = 5\n')
    with pytest.raises(ConfigurationError, match="PAGELET_K=many"):
        plan_site({"site": "example"}, settings(PAGELET_K="many"))


def test_a_site_file_and_a_url(site_file):
    site_file('url = "https://example.org/"\nk = 5\n')
    plan = plan_site({"site": "example", "url": "https://example.org/docs/"}, settings())
    assert (plan.site, plan.urls, plan.site_settings) == (
        "example",
        ["https://example.org/docs/"],
        {"PAGELET_K": 5},
    )


@pytest.mark.parametrize(
    "text",
    ["k = 5", 'url = "example.org"', "url = [", 'urls = "https://example.org/"', "url = 5", "k = true"],
)
def test_wrong_site_files(site_file, text):
    site_file(text)
    with pytest.raises(ConfigurationError):
        plan_site({"site": "example"}, settings())


def test_the_nearest_site_is_named(site_file):
    site_file('url = "https://example.org/"')
    with pytest.raises(UnknownName, match="did you mean 'example'"):
        plan_site({"site": "exampel"}, settings())


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://Example.org/docs/", "example.org"),
        ("https://example.org:443/", "example.org"),
        ("http://127.0.0.1:8765/", "127.0.0.1:8765"),
        ("http://[::1]:8765/", "ip6-::1:8765"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://one.example/,https://two.example/", "one.example"),
    ],
)
def test_the_site_is_named_by_its_first_host(url, name):
    assert plan_site({"url": url}, settings()).site == name


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"url": ""},
        {"url": "example.org"},
        {"url": "ftp://example.org/"},
        {"url": "http://"},
        {"url": "http://example.org:port/"},
        {"url": "http://[::1/"},
        {"url": "http://user:secret@example.org/"},
        {"url": URL, "site": "../up"},
        {"url": URL, "k": "0"},
        {"url": URL, "k": "1.5"},
        {"url": URL, "min_pages": "1"},
        {"url": URL, "min_share": "1.1"},
        {"url": URL, "min_share": "nan"},
        {"url": URL, "max_pages": "-1"},
        {"url": URL, "detection": "lokal"},
        {"url": URL, "method": "magic"},
        {"url": URL, "fields": "url,txt"},
        {"url": URL, "fresh": "perhaps"},
        {"url": URL, "sample": "few"},
        {"url": URL, "path": "x.warc"},
        {"url": URL, "Url": URL},
    ],
)
def test_wrong_arguments(arguments):
    with pytest.raises(ConfigurationError) as caught:
        plan_site(arguments, settings())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PAGELET_K", "x"),
        ("METHOD", "x"),
        ("DOCUMENT_FIELDS", "url,x"),
        ("SITEMAPS_ENABLED", "perhaps"),
        ("ROBOTSTXT_OBEY", "perhaps"),
        ("DOWNLOAD_TIMEOUT", "soon"),
        ("AUTOTHROTTLE_START_DELAY", "soon"),
        ("REPEATED_BLOCK_SHARE", "2"),
    ],
)
def test_wrong_settings(name, value):
    with pytest.raises(ConfigurationError, match=f"{name}=|unknown") as caught:
        plan_site({"url": URL}, settings(**{name: value}))
    assert "\n" not in str(caught.value)


def test_the_method_paper_means_its_support_unless_another_is_given():
    assert applied(settings(), url=URL, method="paper").getint("TEMPLATE_MIN_PAGES") == 2
    assert applied(settings(), url=URL, method="paper", min_pages="5").getint("TEMPLATE_MIN_PAGES") == 5
    assert applied(settings(METHOD="paper"), url=URL).getfloat("TEMPLATE_MIN_SHARE") == 0


def test_a_sample_is_a_limit():
    assert applied(settings(MAX_PAGES="9"), url=URL, sample="3").getint("MAX_PAGES") == 3


def test_an_archive_is_named_by_its_file(tmp_path):
    for name in ("one.warc.gz", "two.warc"):
        (tmp_path / name).touch()
    plan = plan_archive({"path": f"{tmp_path}/one.warc.gz, {tmp_path}/two.warc"}, settings())
    assert (plan.site, len(plan.paths)) == ("one", 2)
    with pytest.raises(ConfigurationError, match="no such file"):
        plan_archive({"path": f"{tmp_path}/three.warc"}, settings())
    with pytest.raises(UnknownName, match="did you mean 'path'"):
        plan_archive({"paths": f"{tmp_path}/one.warc.gz"}, settings())
