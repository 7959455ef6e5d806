"""What a crawl is to do, and which of several settings counts."""

from __future__ import annotations

import json

import pytest
from scrapy.settings import Settings, default_settings

from crawler.configuration.checks import normal
from crawler.configuration.judgement import parameters_of, with_site_file
from crawler.configuration.plan import check_file, plan_archive, plan_site
from inspection.site_file import with_choices, with_decisions, with_field, with_selector, with_taught
from pagelets.judging.by_url import KINDS
from settings import base
from settings.errors import ConfigurationError, UnknownName, WrongSiteFile
from settings.secrets import secret_texts, without_secrets
from settings.tables import DEFAULTS, SCHEMA

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
def site_file(tmp_path):
    """Writes a site file, and returns the settings of a project that has it."""

    def write(text, **command_line):
        (tmp_path / "example.toml").write_text(text)
        return settings(SITES_DIR=str(tmp_path), **command_line)

    return write


def test_arguments_then_command_line_then_site_file_then_project(site_file):
    project = site_file(
        'url = "https://example.org/"\nk = 5\nmin_pages = 7\nmax_pages = 9\n[settings]\nDOWNLOAD_DELAY = 2\n',
        PAGELET_K="6",
        TEMPLATE_MIN_PAGES="8",
    )
    applied(project, site="example", k="4")
    assert project.getint("PAGELET_K") == 4
    assert project.getint("TEMPLATE_MIN_PAGES") == 8
    assert project.getint("MAX_PAGES") == 9
    assert project.getfloat("DOWNLOAD_DELAY") == 2
    assert project.getfloat("TEMPLATE_MIN_SHARE") == 0.1


def test_options_of_a_site_file_stand_beside_those_of_the_project(site_file):
    text = f'url = "{URL}"\n[postgresql]\nunits = "sections"\ntable = "pages"\n'
    project = site_file(text)
    project.set("POSTGRESQL", {"dsn": {"env": "DSN"}, "table": "units"}, priority="project")
    applied(project, site="example")
    assert project["POSTGRESQL"] == {"dsn": {"env": "DSN"}, "units": "sections", "table": "pages"}
    alone = site_file(text, POSTGRESQL='{"table": "others"}')
    assert applied(alone, site="example")["POSTGRESQL"] == {"table": "others"}
    with pytest.raises(ConfigurationError, match=r"POSTGRESQL=.*is no JSON"):
        with_site_file("example", site_file(text, POSTGRESQL="others"))


def test_what_of_a_table_is_secret():
    given = {"POSTGRESQL": {"dsn": "a secret", "table": "some_units"}, "OTHER": {"password": "another"}}
    assert secret_texts(given, {}) == {"a secret", "another"}
    assert secret_texts({name: json.dumps(value) for name, value in given.items()}, {}) == {
        "a secret",
        "another",
    }
    assert without_secrets("POSTGRESQL", given["POSTGRESQL"]) == {"dsn": "(hidden)", "table": "some_units"}


def test_a_wrong_setting_is_told_whatever_else_is_set(site_file):
    project = site_file('url = "https://example.org/"\nk = 5\n', PAGELET_K="many")
    with pytest.raises(ConfigurationError, match="PAGELET_K=many"):
        plan_site({"site": "example"}, project)


def test_a_site_file_and_a_url(site_file):
    project = site_file('url = "https://example.org/"\nk = 5\n')
    plan = plan_site({"site": "example", "url": "https://example.org/docs/"}, project)
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
    project = site_file(text)
    with pytest.raises(ConfigurationError):
        plan_site({"site": "example"}, project)


def test_the_nearest_site_is_named(site_file):
    project = site_file('url = "https://example.org/"')
    with pytest.raises(UnknownName, match="did you mean 'example'"):
        plan_site({"site": "exampel"}, project)
    with pytest.raises(UnknownName, match="did you mean 'example'"):
        plan_site({"site": "Example", "url": URL}, project)


def test_a_site_file_with_several_mistakes(site_file):
    project = site_file("url = 5\nk = 0\n[settings]\nRENDER_WAIT = -1\nDOWNLOAD_DELAI = 1\nDATA_DIR = '/'\n")
    with pytest.raises(WrongSiteFile) as caught:
        plan_site({"site": "example"}, project)
    assert [problem.line for problem in caught.value.problems] == [1, 2, 4, 5, 6]
    said = str(caught.value).splitlines()
    assert all(f"example.toml:{line}: key " in text for line, text in zip((1, 2, 4, 5, 6), said, strict=True))
    assert "did you mean 'DOWNLOAD_DELAY'?" in said[3]


@pytest.mark.parametrize(
    ("name", "value", "mend"),
    [
        ("DOWNLOAD_TIMEOUT", "'soon'", "number"),
        ("COOKIES_ENABLED", "'perhaps'", "give 1 or 0"),
        ("ITEM_PIPELINES", "3", "give a table"),
        ("RETRY_HTTP_CODES", "3", "give a list"),
        ("REVISIT_MAX", "'soon'", "'7d'"),
        ("OVERRIDES", "[{ type = 'ends' }]", "[0].pattern: is missing"),
        ("METHOD", "'magic'", "there are"),
        ("PAGELET_K", "true", "whole number"),
        ("SINK_TIMEOUT", "-1", "range"),
        ("SINK_TIMEOUT", "0", "more than 0"),
        ("ITEM_PIPELINE", "{}", "'ITEM_PIPELINES'"),
    ],
)
def test_wrong_settings_of_a_site_file(site_file, name, value, mend):
    project = site_file(f"url = '{URL}'\n[settings]\n{name} = {value}\n")
    with pytest.raises(WrongSiteFile) as caught:
        plan_site({"site": "example"}, project)
    (problem,) = caught.value.problems
    assert (problem.line, problem.key) == (3, f"settings.{name}")
    assert mend in problem.text


def test_other_settings_of_a_site_file_are_passed_on(site_file):
    project = site_file(
        f"url = '{URL}'\n[settings]\nMYEXT_TOKEN = 'x'\nREVISIT_MAX = '7d'\nDNS_TIMEOUT = 1.5\n"
    )
    applied(project, site="example")
    assert (project["MYEXT_TOKEN"], project["REVISIT_MAX"]) == ("x", 7 * 86400)
    assert project["DNS_TIMEOUT"] == 1.5


def test_a_rule_that_denies_a_start_url(site_file):
    project = site_file(
        f"url = ['{URL}', '{URL}b/?x=1']\n\nrules = [\n"
        "{ policy = 'deny', type = 'begins', pattern = '/a' },\n"
        "{ policy = 'deny', type = 'ends', pattern = '/b/' },\n]\n"
        "ignore_parameters = ['x']\n"
    )
    with pytest.raises(
        WrongSiteFile, match=r"example\.toml:5: key 'rules\[1\]': deny ends '/b/' denies the start"
    ):
        plan_site({"site": "example"}, project)
    assert plan_site({"site": "example", "url": URL}, project).urls == [URL]
    with pytest.raises(WrongSiteFile, match=r"denies the start URL https://example\.org/a"):
        plan_site({"site": "example", "url": f"{URL}a"}, project)
    rules = '[{"policy": "deny", "type": "regex", "pattern": "."}]'
    with pytest.raises(ConfigurationError, match=r"SCOPE_RULES\[0\]: deny regex '\.' denies"):
        plan_site({"url": URL}, settings(SCOPE_RULES=rules))


def test_what_two_places_say_is_compared(site_file):
    project = site_file(f"url = '{URL}'\nrevisit.min = '2d'\n")
    with pytest.raises(WrongSiteFile, match=r":2: key 'revisit.min': min 172800 s says nothing without max"):
        plan_site({"site": "example"}, project)
    project = site_file(f"url = '{URL}'\nrevisit.min = '2d'\n", REVISIT_MAX="3d")
    assert applied(project, site="example").getfloat("REVISIT_MAX") == 3 * 86400
    project = site_file(f"url = '{URL}'\nrevisit.min = '2d'\n", REVISIT_MAX="1d")
    with pytest.raises(ConfigurationError, match="REVISIT_MAX: max 86400 s is less than min"):
        plan_site({"site": "example"}, project)


def test_variables_are_looked_for_where_requests_are_made(site_file, tmp_path, monkeypatch):
    monkeypatch.delenv("KEY_OF_THE_TEST", raising=False)
    project = site_file(
        f"url = '{URL}'\n[headers]\nX-Key = {{ env = 'KEY_OF_THE_TEST' }}\n[rate]\ndelay = 3\n"
    )
    with pytest.raises(WrongSiteFile, match=r":3: .*KEY_OF_THE_TEST is not set"):
        plan_site({"site": "example"}, project)
    (tmp_path / "example.warc").touch()
    assert plan_archive({"path": f"{tmp_path}/example.warc"}, project).site_settings == {}
    monkeypatch.setenv("KEY_OF_THE_TEST", "hush")
    plan = plan_site({"site": "example"}, project)
    assert plan.site_settings["REQUEST_HEADERS"] == {"X-Key": {"env": "KEY_OF_THE_TEST"}}
    assert "hush" not in repr(plan)


def test_a_file_is_checked_with_all_that_is_around_it(site_file, tmp_path):
    project = site_file(f"revisit.min = 5\nurl = '{URL}'\n")
    (problem,) = check_file(tmp_path / "example.toml", project)
    assert (problem.line, problem.key) == (1, "revisit.min")
    assert check_file(tmp_path / "example.toml", settings(REVISIT_MAX="1d")) == []
    for name, value in (("ITEM_PIPELINES", "{'no.Pipeline' = 1}"), ("TWISTED_REACTOR", "'no.Reactor'")):
        project = site_file(f"url = '{URL}'\n[settings]\n{name} = {value}\n")
        (problem,) = check_file(tmp_path / "example.toml", project)
        assert (problem.line, problem.key) == (3, f"settings.{name}")


def test_a_file_says_what_is_to_be_crawled_or_that_it_is_for_an_archive(site_file, tmp_path):
    project = site_file("k = 5\n")
    (problem,) = check_file(tmp_path / "example.toml", project)
    assert (problem.line, problem.key, problem.text[:10]) == (1, "url", "is missing")
    with pytest.raises(WrongSiteFile, match=r"example\.toml:1: key 'url': is missing; give the start URLs"):
        plan_site({"site": "example"}, project)
    assert plan_site({"site": "example", "url": URL}, project).site_settings == {"PAGELET_K": 5}
    project = site_file("url = []\nk = 5\n")
    assert check_file(tmp_path / "example.toml", project) == []
    with pytest.raises(WrongSiteFile, match="'url': is empty, as for crawls of an archive alone"):
        plan_site({"site": "example"}, project)
    (tmp_path / "example.warc").touch()
    assert plan_archive({"path": f"{tmp_path}/example.warc"}, project).site_settings == {"PAGELET_K": 5}


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
        {"url": URL, "method": "vote:judged,magic"},
        {"url": URL, "method": "vote:"},
        {"url": URL, "fields": "url,txt"},
        {"url": URL, "fresh": "perhaps"},
        {"url": URL, "sample": "few"},
        {"url": URL, "accept": "maybe"},
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
        ("CONCURRENT_REQUESTS", "2.5"),
        ("CONCURRENT_REQUESTS", "0"),
        ("CLOSESPIDER_TIMEOUT", "-1"),
        ("DOWNLOAD_MAXSIZE", "-1"),
        ("AUTOTHROTTLE_START_DELAY", "soon"),
        ("REPEATED_BLOCK_SHARE", "2"),
        ("LOSS_MIN_SHARE", "7"),
        ("MISSED_RUNS", "0"),
        ("MISSED_RUNS", "1.5"),
        ("REVISIT_MAX", "soon"),
        ("DUPLICATES", '{"similarity": 0.1}'),
        ("CANONICAL_ENABLED", "perhaps"),
        ("PUBLISH_TABLES", "texts"),
        ("RENDER_JAVASCRIPT", "x"),
        ("KEEP_SELECTORS", "a["),
        ("DROP_SELECTORS", '["a["]'),
        ("PINNED_TEMPLATES", "x"),
        ("SITEMAPS", "sitemap.xml"),
        ("SCOPE_RULES", "x"),
        ("SCOPE_RULES", '[{"policy": "deny"'),
        ("SCOPE_RULES", '[{"policy": "deny", "type": "regex", "pattern": "("}]'),
        ("OVERRIDES", '[{"type": "ends", "pattern": "a", "k": 3}]'),
        ("OVERRIDES", "[" * 5000),
        ("REQUEST_HEADERS", "{"),
        ("REQUEST_HEADERS", "5"),
        ("REQUEST_HEADERS", '{"X": 5}'),
        ("REQUEST_AUTH", '{"user": "x"}'),
        ("USER_AGENT", "a\nb"),
    ],
)
def test_wrong_settings(name, value):
    with pytest.raises(ConfigurationError, match=f"{name}=|unknown") as caught:
        plan_site({"url": URL}, settings(**{name: value}))
    assert "\n" not in str(caught.value)


def test_a_setting_that_looks_misspelt_on_the_command_line_is_refused():
    with pytest.raises(ConfigurationError, match=r"^METRICS_DIRR: .* did you mean 'METRICS_DIR'\?"):
        plan_site({"url": URL}, settings(METRICS_DIRR="x"))
    # Scrapy passes over names in lower case.
    with pytest.raises(ConfigurationError, match=r"^max_pages: .* did you mean 'MAX_PAGES'\?"):
        plan_site({"url": URL}, settings(max_pages="3"))
    plan_site({"url": URL}, settings(SPIDERMON_MAX_ERRORS="3"))
    plan_site({"url": URL}, settings(DOWNLOAD_DELAY="0.5", TELNETCONSOLE_ENABLED="True"))


def test_spidermon_is_refused_where_it_is_switched_on_and_not_there():
    watched = {**base.EXTENSIONS, "spidermon.contrib.scrapy.extensions.Spidermon": 500}
    for given in ({"EXTENSIONS": watched, "SPIDERMON_ENABLED": "1"}, {"SPIDERMON_ENABLED": "0"}):
        plan_site({"url": URL}, settings(**given))
    with pytest.raises(ConfigurationError, match=r"^SPIDERMON_ENABLED: needs .*docs/monitoring\.md"):
        plan_site({"url": URL}, settings(SPIDERMON_ENABLED="1"))


def test_every_setting_of_ours_is_checked():
    own = {name for name in vars(base) if name.isupper() and not hasattr(default_settings, name)}
    places = {"DATA_DIR", "SITES_DIR"}
    assert own - set(SCHEMA.fields) == places
    # Those that have their default are not read.
    assert all(normal(name, value) == value for name, value in DEFAULTS.items())


def test_the_command_line_wins_over_overrides_of_the_site_file(site_file):
    text = """
        url = "https://example.org/"
        [[overrides]]
        type = "ends"
        pattern = "a"
        fields = ["text"]
        revisit = { min = "1d", max = "9d" }
        drop = ["nav"]
        [[overrides]]
        type = "ends"
        pattern = "b"
        fields = ["html"]
    """
    project = applied(site_file(text, REVISIT_MAX="0"), site="example", fields="url")
    assert project["OVERRIDES"] == [{"type": "ends", "pattern": "a", "drop": ["nav"]}]
    of_job = parameters_of("example", site_file(text, DOCUMENT_FIELDS="url"), "file", 10)
    assert ["fields" in override for override in of_job.config.overrides] == [False]
    given = [{"type": "ends", "pattern": "a", "fields": ["text"]}]
    assert applied(settings(OVERRIDES=given), url=URL, fields="url")["OVERRIDES"] == given


def test_settings_of_the_command_line_are_read():
    project = settings(
        REVISIT_MIN="90s",
        REVISIT_MAX="7d",
        KEEP_SELECTORS="nav, .menu",
        DROP_SELECTORS='["a", "b"]',
        IGNORED_PARAMETERS="sort,view",
        SITEMAPS="",
        MISSED_RUNS="2",
        OVERRIDES='[{"type": "ends", "pattern": "a", "revisit": {"max": "1h"}}]',
        SCOPE_RULES='[{"policy": "deny", "type": "ends", "pattern": "b"}]',
        REQUEST_HEADERS='{"X-Key": {"env": "NAME"}}',
    )
    priority = project.getpriority("OVERRIDES")
    applied(project, url=URL)
    assert (project["REVISIT_MIN"], project["REVISIT_MAX"]) == (90, 7 * 86400)
    assert project["KEEP_SELECTORS"] == ["nav, .menu"]
    assert project["DROP_SELECTORS"] == ["a", "b"]
    assert project["IGNORED_PARAMETERS"] == ["sort", "view"]
    assert project["SITEMAPS"] == []
    assert project["OVERRIDES"] == [{"type": "ends", "pattern": "a", "revisit_max": 3600}]
    assert project["SCOPE_RULES"] == [{"policy": "deny", "type": "ends", "pattern": "b"}]
    assert project["REQUEST_HEADERS"] == {"X-Key": {"env": "NAME"}}
    assert project.getpriority("OVERRIDES") == priority
    before = project.copy_to_dict()
    applied(project, url=URL)
    assert project.copy_to_dict() == before


def test_headers_are_not_told():
    with pytest.raises(ConfigurationError) as caught:
        plan_site({"url": URL}, settings(REQUEST_HEADERS='{"X": {"secret": "hush"}}'))
    assert "hush" not in str(caught.value)
    assert "hush" not in repr(caught.value.__cause__)


def test_accept():
    assert plan_site({"url": URL, "accept": "1"}, settings()).accept
    assert not plan_site({"url": URL}, settings()).accept
    for given, however, hosts in (
        ("new.example", False, ("new.example",)),
        ("1, WWW.New.Example", True, ("www.new.example",)),
        ("bücher.example,0,[::1],127.0.0.1", False, ("xn--bcher-kva.example", "[::1]", "127.0.0.1")),
        ("intranet.", False, ("intranet.",)),
    ):
        plan = plan_site({"url": URL, "accept": given}, settings())
        assert (plan.accept, plan.hosts) == (however, hosts)
    for wrong in ("", "intranet", "https://new.example/", "new.example:8080", "new.example/a", "a@b.example"):
        with pytest.raises(ConfigurationError, match="give 1, or a host such as"):
            plan_site({"url": URL, "accept": wrong}, settings())


def test_the_method_paper_means_its_support_unless_another_is_given():
    assert applied(settings(), url=URL, method="paper").getint("TEMPLATE_MIN_PAGES") == 2
    assert applied(settings(), url=URL, method="paper", min_pages="5").getint("TEMPLATE_MIN_PAGES") == 5
    assert applied(settings(METHOD="paper"), url=URL).getfloat("TEMPLATE_MIN_SHARE") == 0
    assert applied(settings(), url=URL, method="paper").getbool("TEMPLATE_NEAR_DUPLICATES")
    assert not applied(settings(), url=URL).getbool("TEMPLATE_NEAR_DUPLICATES")


def test_a_sample_never_takes_the_place_of_the_store():
    assert plan_site({"url": URL, "fresh": "1"}, settings()).fresh
    assert not plan_site({"url": URL, "fresh": "1", "sample": "3"}, settings()).fresh


def test_a_sample_is_a_limit():
    assert applied(settings(MAX_PAGES="9"), url=URL, sample="3").getint("MAX_PAGES") == 3


@pytest.mark.parametrize(("priority", "left"), [("project", []), ("cmdline", ["a.csv"])])
def test_a_sample_goes_to_the_feeds_of_the_command_line_alone(priority: str, left: list[str]) -> None:
    given = settings()
    given.set("FEEDS", {"a.csv": {"format": "csv"}}, priority)
    assert [*applied(given, url=URL, sample="3").getdict("FEEDS")] == left


def test_an_archive_is_named_by_its_file(tmp_path):
    for name in ("one.warc.gz", "two.warc"):
        (tmp_path / name).touch()
    plan = plan_archive({"path": f"{tmp_path}/one.warc.gz, {tmp_path}/two.warc"}, settings())
    assert (plan.site, len(plan.paths)) == ("one", 2)
    with pytest.raises(ConfigurationError, match="no such file"):
        plan_archive({"path": f"{tmp_path}/three.warc"}, settings())
    (tmp_path / "über uns.warc.gz").touch()
    with pytest.raises(ConfigurationError, match="-a site=NAME"):
        plan_archive({"path": f"{tmp_path}/über uns.warc.gz"}, settings())
    with pytest.raises(UnknownName, match="did you mean 'path'"):
        plan_archive({"paths": f"{tmp_path}/one.warc.gz"}, settings())
    (tmp_path / "Höhe und Weg").mkdir()
    with pytest.raises(ConfigurationError, match=r"Höhe und Weg: .* -a site=NAME"):
        plan_archive({"path": f"{tmp_path}/Höhe und Weg"}, settings())


@pytest.mark.parametrize("sample", ["0", "-1", "many"])
def test_a_sample_has_a_page(sample: str) -> None:
    with pytest.raises(ConfigurationError, match=f"sample={sample}: is "):
        plan_site({"url": URL, "sample": sample}, settings())


def test_a_file_of_corrections_alone_counts_for_its_host(tmp_path):
    path, project = tmp_path / "example.org.toml", settings(SITES_DIR=str(tmp_path))
    # As teach, templates --write and the inspector make it of a site that has none.
    text = with_taught("", {".related": -3.0})
    for edited, setting in (
        (with_selector(text, "drop", ".share"), "DROP_SELECTORS"),
        (with_selector(text, "keep", ".byline"), "KEEP_SELECTORS"),
        (with_field(text, "price", {"css": ".price"}), "EXTRACT"),
        (with_field(text, "price", {"css": ".price"}, "/shop/"), "EXTRACT"),
        (with_decisions(text, {"0f3a52c1d4e5b697": "pinned"}, {}), "PINNED_TEMPLATES"),
        (with_decisions(text, {"0f3a52c1d4e5b697": "rejected"}, {}), "REJECTED_TEMPLATES"),
        *((with_choices(text, {kind: "drop"}), kind.upper()) for kind in KINDS),
        (text, "TAUGHT"),
    ):
        path.write_text(edited)
        assert check_file(path, project) == []
        assert plan_site({"url": URL}, project).site_settings.keys() == {"TAUGHT", setting}
    path.write_text('k = 5\n[taught]\n".related" = -3.0\n')
    assert plan_site({"url": URL}, project).site_settings == {}
    with pytest.raises(ConfigurationError, match="url"):
        plan_site({"site": "example.org"}, project)
