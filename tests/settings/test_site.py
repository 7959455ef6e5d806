"""Site files: what they set, and what is said of wrong ones."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scrapy.settings import Settings

from crawler.configuration.plan import site_file
from settings import base
from settings.errors import ConfigurationError, WrongSiteFile
from settings.site import check_all, files, load, names
from settings.tables import LIVE, SCHEMA, SiteTable

URL = 'url = "https://example.org/"\n'


@pytest.fixture
def loaded(tmp_path):
    def load_text(text, environ=None, check=None):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / "a.toml").write_bytes(data)
        return load(tmp_path / "a.toml", environ=environ, check=check)

    return load_text


@pytest.fixture
def told(loaded):
    """The mistakes of a text as line, key and what is said."""

    def tell(text, environ=None, check=None):
        with pytest.raises(WrongSiteFile) as caught:
            loaded(text, environ, check)
        for line in str(caught.value).splitlines():
            assert "a.toml:" in line
            assert "; " in line
        return [(problem.line, problem.key, problem.text) for problem in caught.value.problems]

    return tell


WHOLE = """
url = ["https://example.org/a/", "https://example.org/b/"]
schedule = "0 2 * * mon-fri"
timezone = "Europe/Berlin"
sitemaps = ["https://example.org/map.xml"]
max_pages = 10
k = 4
partition = "dom"
template_links = "last"
detection = "global"
min_pages = 5
min_share = 0
method = "templates"
bylines = "drop"
comments = "keep"
reviews = "auto"
related = "drop"
fields = ["url", "text", "pagelets"]
rules = [{ policy = "deny", type = "ends", pattern = "?print" }]
ignore_parameters = ["sort"]
private_hosts = ["wiki", "10.1.0.0/16"]
keep = [".warning"]
drop = ["nav.menu", "a, b"]
javascript = true
explain = true
depth = 5
robots = false
user_agent = "me/1.0"
sinks = ["operations", "tantivy"]
[rate]
delay = 1
concurrency = 2
timeout = 10.5
retries = 0
adaptive = false
[revisit]
min = "90s"
max = "1.5d"
[thresholds]
loss = 0.5
missed_runs = 2
block_share = 1
[directives]
noindex = false
nofollow = false
nosnippet = false
canonical = true
crawl_delay = false
[duplicates]
enabled = false
similarity = 0.75
leave_out = true
[headers]
X-Key = { env = "KEY" }
X-Plain = "value"
[auth]
user = "me"
password = { env = "PASSWORD" }
[extract]
price = { css = ".price::text", type = "number" }
sku = ".sku"
[[extract.pages]]
match = "/jobs/"
closes = "time"
[templates]
pinned = ["0123456789ABCDEF"]
rejected = ["fedcba9876543210"]

[taught]
".related" = -3
"div > p.note @rare" = 1.5
[tantivy]
units = "sections"
language = "english"
[postgresql]
dsn = { env = "PASSWORD" }
table = "search.units"
units = "sections"
language = "simple"
[opensearch]
hosts = ["https://search.example.org:9200"]
prefix = "docs-"
user = "me"
password = { env = "PASSWORD" }
ca_certs = "/etc/ca.pem"
units = "sections"
[elasticsearch]
hosts = ["https://search.example.org:9200"]
prefix = "docs-"
user = "me"
password = "secret"
api_key = { env = "KEY" }
ca_certs = ""
units = "documents"
[operations]
path = "out/{site}.jsonl"
[notify]
outcomes = ["complete", "empty"]
command = ["/bin/tell", "a, b"]
webhook = "https://example.org/hook"
[[overrides]]
type = "regex"
pattern = "^/a/"
priority = 2
method = "templates"
fields = ["url"]
keep = ["p.note"]
drop = []
revisit = { min = 60, max = "2m" }
javascript = false
[settings]
COOKIES_ENABLED = true
"""


def test_every_key_sets_its_setting(loaded):
    site = loaded(WHOLE)
    assert site.urls == ["https://example.org/a/", "https://example.org/b/"]
    assert site.settings == {
        "SCHEDULE": "0 2 * * mon-fri",
        "SCHEDULE_TIMEZONE": "Europe/Berlin",
        "SITEMAPS": ["https://example.org/map.xml"],
        "MAX_PAGES": 10,
        "PAGELET_K": 4,
        "PARTITION": "dom",
        "TEMPLATE_LINKS": "last",
        "BYLINES": "drop",
        "COMMENTS": "keep",
        "REVIEWS": "auto",
        "RELATED": "drop",
        "DETECTION": "global",
        "TEMPLATE_MIN_PAGES": 5,
        "TEMPLATE_MIN_SHARE": 0,
        "METHOD": "templates",
        "DOCUMENT_FIELDS": ["url", "text", "pagelets"],
        "SCOPE_RULES": [{"policy": "deny", "type": "ends", "pattern": "?print"}],
        "IGNORED_PARAMETERS": ["sort"],
        "PRIVATE_HOSTS": ["wiki", "10.1.0.0/16"],
        "KEEP_SELECTORS": [".warning"],
        "DROP_SELECTORS": ["nav.menu", "a, b"],
        "RENDER_JAVASCRIPT": True,
        "EXPLAIN_ENABLED": True,
        "DEPTH_LIMIT": 5,
        "ROBOTSTXT_OBEY": False,
        "USER_AGENT": "me/1.0",
        "DOWNLOAD_DELAY": 1,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
        "DOWNLOAD_TIMEOUT": 10.5,
        "RETRY_TIMES": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "REVISIT_MIN": 90,
        "REVISIT_MAX": 1.5 * 86400,
        "LOSS_MIN_SHARE": 0.5,
        "MISSED_RUNS": 2,
        "REPEATED_BLOCK_SHARE": 1,
        "NOINDEX_ENABLED": False,
        "NOFOLLOW_ENABLED": False,
        "NOSNIPPET_ENABLED": False,
        "CANONICAL_ENABLED": True,
        "CRAWL_DELAY_ENABLED": False,
        "DUPLICATES": {"enabled": False, "similarity": 0.75, "leave_out": True},
        "REQUEST_HEADERS": {"X-Key": {"env": "KEY"}, "X-Plain": "value"},
        "REQUEST_AUTH": {"user": "me", "password": {"env": "PASSWORD"}},
        "EXTRACT": {
            "price": {"css": ".price::text", "type": "number"},
            "sku": {"css": ".sku"},
            "pages": [{"match": "/jobs/", "closes": {"css": "time"}}],
        },
        "PINNED_TEMPLATES": ["0123456789abcdef"],
        "REJECTED_TEMPLATES": ["fedcba9876543210"],
        "TAUGHT": {".related": -3.0, "div > p.note @rare": 1.5},
        "SINKS": ["operations", "tantivy"],
        "TANTIVY": {"units": "sections", "language": "english"},
        "POSTGRESQL": {
            "units": "sections",
            "dsn": {"env": "PASSWORD"},
            "table": "search.units",
            "language": "simple",
        },
        "OPENSEARCH": {
            "units": "sections",
            "hosts": ["https://search.example.org:9200"],
            "prefix": "docs-",
            "user": "me",
            "password": {"env": "PASSWORD"},
            "ca_certs": "/etc/ca.pem",
        },
        "ELASTICSEARCH": {
            "units": "documents",
            "hosts": ["https://search.example.org:9200"],
            "prefix": "docs-",
            "user": "me",
            "password": "secret",
            "ca_certs": "",
            "api_key": {"env": "KEY"},
        },
        "OPERATIONS": {"path": "out/{site}.jsonl"},
        "NOTIFY_OUTCOMES": ["complete", "empty"],
        "NOTIFY_COMMAND": ["/bin/tell", "a, b"],
        "NOTIFY_WEBHOOK": "https://example.org/hook",
        "OVERRIDES": [
            {
                "type": "regex",
                "pattern": "^/a/",
                "priority": 2,
                "method": "templates",
                "fields": ["url"],
                "keep": ["p.note"],
                "drop": [],
                "javascript": False,
                "revisit_min": 60,
                "revisit_max": 120,
            }
        ],
        "COOKIES_ENABLED": True,
    }
    assert set(site.settings) == {*SCHEMA.key_of, "COOKIES_ENABLED"}
    assert site.locations.line(site.places["PINNED_TEMPLATES"]) == 66


def test_only_what_is_given_is_set(loaded):
    site = loaded(URL + "[rate]\n[[overrides]]\ntype = 'ends'\npattern = 'a'\n")
    assert site.settings == {"OVERRIDES": [{"type": "ends", "pattern": "a"}]}


def test_each_key_has_a_setting_of_the_project_or_of_scrapy():
    from scrapy.settings import default_settings

    assert all(hasattr(base, setting) or hasattr(default_settings, setting) for setting in SCHEMA.key_of)
    assert len(SCHEMA.key_of) == len(SCHEMA.setters)
    assert {"DOWNLOAD_DELAY", "REQUEST_AUTH"} <= LIVE
    assert {"rules.policy", "overrides.revisit.min", "auth.user"} <= set(SCHEMA.keys)


def test_all_mistakes_are_told_at_once(told):
    assert told(
        """url = "example.org"
k = 0
max_page = 5

fields = [
    "url",
    "txt",
]
rules = [
    { policy = "allow", type = "begins", pattern = "/a" },
    { policy = "denny", type = "regex", pattern = "(?=x)" },
]
k = 5
[rate]
delay = true
max_pages = 3
[templates]
pinned = ["0123456789abcdef"]
rejected = ["fedcba9876543210", "0123456789abcdef"]
[revisit]
min = "7d"
max = "1h"
[[overrides]]
type = "begins"
pattern = "/a/"
method = "all-text"
[[overrides]]
type = "begins"
pattern = "/a/"

method = "templates"
[[overrides]]
pattern = "/a/"
"""
    ) == [
        (1, "url", "value 'example.org': is no URL; give a whole address, such as https://example.org/"),
        (2, "k", "value 0: is too small; give at least 1"),
        (3, "max_page", "unknown key; did you mean 'max_pages'?"),
        (7, "fields[1]", "value 'txt': unknown field; did you mean 'text'?"),
        (
            11,
            "rules[1].pattern",
            "value '(?=x)': is no regex of RE2 (invalid perl operator: (?=); RE2 has no lookaround and no "
            "backreferences",
        ),
        (11, "rules[1].policy", "value 'denny': is none of allow, deny; did you mean 'deny'?"),
        (13, "k", "is given twice, first on line 2; keep one"),
        (15, "rate.delay", "value true: is no number; give one such as 0.5, without quotes"),
        (16, "rate.max_pages", "unknown key; did you mean 'max_pages' before the first [table]?"),
        (
            19,
            "templates.rejected[1]",
            "value '0123456789abcdef': is pinned as well; take it from one of the lists",
        ),
        (22, "revisit.max", "max 3600 s is less than min 604800 s; give two that fit"),
        (
            31,
            "overrides[1].method",
            "conflicts with overrides[0], which has the same pattern and priority; give one of them a higher "
            "priority",
        ),
        (32, "overrides[2].type", "is missing; give it"),
    ]


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("url = 5", "url", "list"),
        ("url = ' ,'", "url", "empty"),
        ('url = ["https://a.example/", 5]', "url[1]", "text"),
        ('url = "https://me:secret@a.example/"', "url", "***@"),
        ('url = "ftp://a.example/"', "url", "no URL"),
        ("max_pages = -1", "max_pages", "at least 0"),
        ("k = true", "k", "whole number"),
        ("k = 2.0", "k", "whole number"),
        ('k = "3"', "k", "whole number"),
        ("k = 1001", "k", "at most 1000"),
        ("min_share = 1.1", "min_share", "at most 1"),
        ("min_share = nan", "min_share", "finite"),
        ("max_pages = inf", "max_pages", "whole number"),
        ("min_share = 1979-05-27", "min_share", "number"),
        ('method = "magic"', "method", "there are"),
        ('method = "judgd"', "method", "'judged'"),
        ('method = "vote:judgd,all-text"', "method", "unknown method 'judgd'; did you mean 'judged'"),
        ('method = "vote:judged,"', "method", "vote:NAME,NAME"),
        ('method = "vote:judged,paper"', "method", "'templates'"),
        ('keep = ["a["]', "keep[0]", "CSS"),
        ('drop = ["a::before"]', "drop[0]", "CSS"),
        ("drop = [5]", "drop[0]", "text"),
        ('ignore_parameters = [""]', "ignore_parameters[0]", "empty"),
        ('private_hosts = ["http://a/"]', "private_hosts[0]", "is no host"),
        ("robots = 1", "robots", "true or false"),
        ('user_agent = "a\\r\\nX: b"', "user_agent", "line breaks"),
        ('user_agent = " "', "user_agent", "empty"),
        ("rate = 3", "rate", "table"),
        ("rate.dely = 3", "rate.dely", "'delay'"),
        ("delay = 3", "delay", "'rate.delay'"),
        ("retries = 3", "retries", "'rate.retries'"),
        ("min = 3", "min", "'revisit.min'"),
        ("zzz = 3", "zzz", "there are"),
        ("rate.delay = -1", "rate.delay", "at least 0"),
        ("rate.timeout = 0", "rate.timeout", "more than 0"),
        ('revisit.max = "1 week"', "revisit.max", "'7d'"),
        ("revisit.max = true", "revisit.max", "duration"),
        ("revisit.max = -5", "revisit.max", "range"),
        ("revisit.max = nan", "revisit.max", "range"),
        ('revisit.max = "99999d"', "revisit.max", "range"),
        ("thresholds.missed_runs = 0", "thresholds.missed_runs", "at least 1"),
        ("duplicates.similarity = 0.4", "duplicates.similarity", "at least 0.5"),
        ('templates.pinned = ["12"]', "templates.pinned[0]", "hexadecimal"),
        ('rules = [{ policy = "deny", type = "begins", pattern = "a" }]', "rules[0].pattern", "'/a'"),
        ("rules = [5]", "rules[0]", "table"),
        ("rules = { a = 1 }", "rules", "list"),
        ("overrides = 5", "overrides", "list"),
        ('overrides = [{ type = "ends", pattern = "a", k = 3 }]', "overrides[0].k", "unknown key"),
        (
            'overrides = [{ type = "ends", pattern = "a", revisit = { mni = 3 } }]',
            "overrides[0].revisit.mni",
            "'min'",
        ),
        ("settings.delay = 1", "settings.delay", "upper case"),
        ("k = 3\nsettings.PAGELET_K = 4", "settings.PAGELET_K", "key 'k'"),
    ],
)
def test_one_mistake(told, text, key, said):
    text = text if text.startswith("url") else URL + text
    ((line, found, what),) = told(text)
    assert (line, found) == (text.count("\n") + 1, key)
    assert said in what


SECRETS = """
[headers]
X-One = { env = "NOT_THERE" }
X-Two = "hush\\r\\nX: y"
"x three" = "hush"
X-Four = { evn = "hush" }
X-Five = ["hush"]
X-Six = { env = "BROKEN" }
x-seven = "a"
[auth]
user = "hush:hush"
pasword = "hush"
"""


def test_secrets_are_never_told(told):
    found = told(URL + SECRETS, {"BROKEN": "hush\n"})
    assert [key for _, key, _ in found] == [
        "headers.X-One",
        "headers.X-Two",
        'headers."x three"',
        "headers.X-Four",
        "headers.X-Five",
        "headers.X-Six",
        "auth.password",
        "auth.user",
        "auth.pasword",
    ]
    assert not any("hush" in text for *_, text in found)
    assert "NOT_THERE is not set" in found[0][2]


def test_a_password_in_an_address_belongs_into_keys(told):
    text = f'{URL}[opensearch]\nhosts = ["https://me:hush@search.example.org:9200"]\n'
    ((_, key, said),) = told(text)
    assert key == "opensearch.hosts[0]"
    assert said.endswith("leave it out of the URL, and see the keys user and password")


def test_variables_have_to_be_set_only_where_requests_are_made(loaded, told):
    text = f'{URL}[auth]\nuser = {{ env = "ME" }}\npassword = {{ env = "MINE" }}\n'
    assert loaded(text).settings["REQUEST_AUTH"] == {"user": {"env": "ME"}, "password": {"env": "MINE"}}
    assert loaded(text, {"ME": "a", "MINE": ""}).settings["REQUEST_AUTH"]["user"] == {"env": "ME"}
    assert [line for line, *_ in told(text, {"ME": "a"})] == [4]
    assert [key for _, key, _ in told(text, {"ME": "a:b", "MINE": "c"})] == ["auth.user"]


def test_two_ways_to_say_one_thing(told):
    text = f'{URL}[headers]\nauthorization = "x"\nA = "b"\na = "c"\n[auth]\nuser = "a"\npassword = "b"\n'
    assert [(line, key) for line, key, _ in told(text)] == [
        (3, "headers.authorization"),
        (5, "headers.a"),
    ]


def test_a_wrong_selector_of_an_override_is_told_with_its_line(told):
    ((line, key, text),) = told(f'{URL}[[overrides]]\ntype = "ends"\npattern = "a"\ndrop = ["p", "p >"]\n')
    assert (line, key) == (5, "overrides[0].drop[1]")
    assert "'p >' is no CSS selector" in text


def test_bounds_of_an_override_fit_those_of_the_site(loaded, told):
    override = '[[overrides]]\ntype = "ends"\npattern = "a"\n'
    revisit = '[revisit]\nmin = "1d"\nmax = "2d"\n'
    assert told(f'{URL}{revisit}{override}revisit = {{ min = "3d" }}')[0][1] == "overrides[0].revisit.min"
    assert told(f'{URL}{revisit}{override}revisit.max = "3h"')[0][:2] == (8, "overrides[0].revisit.max")
    assert loaded(f"{URL}{revisit}{override}revisit.max = 0").settings["OVERRIDES"][0]["revisit_max"] == 0


def test_settings_are_checked_by_the_caller(loaded, told):
    found = told(
        f"{URL}[settings]\nA = 1\nB = 2\nHTTPAUTH_USER = 'x'\nREQUEST_HEADERS = {{ A = 'hush' }}\n",
        check=lambda name, value: None if name == "B" else f"is no {name}; mend it",
    )
    assert [(line, text) for line, _, text in found] == [
        (3, "value 1: is no A; mend it"),
        (5, "value (hidden): is no HTTPAUTH_USER; mend it"),
        (6, "value (hidden): is no REQUEST_HEADERS; mend it"),
    ]


VALUES = st.recursive(
    st.sampled_from(
        [
            *("1", "-1", "1e400", "-inf", "nan", "1" + "0" * 400, "true", "07:32:00", "1979-05-27T07:32:00Z"),
            *('""', '"7d"', '"/"', '"("', '"https://["', '"\\u0000"', f'"{"a" * 3000}"', '"begins"', '"env"'),
        ]
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda values: f"[{', '.join(values)}]")
        | st.dictionaries(
            st.sampled_from(["env", "type", "pattern", "policy", "min", "revisit", "user", "x"]), inner
        ).map(lambda values: "{" + ", ".join(f"{key} = {value}" for key, value in values.items()) + "}")
    ),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from([*SiteTable.model_fields, *SCHEMA.setters, "zzz"]), VALUES, max_size=4)
)
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_values_are_right_or_told(loaded, values):
    text = "".join(f"{key} = {value}\n" for key, value in values.items())
    try:
        loaded(text, {})
    except WrongSiteFile as error:
        for problem in error.problems:
            assert 1 <= problem.line <= max(1, len(values))
            assert len(str(problem).splitlines()) == 1
            assert problem.text


def test_paper_is_the_method_of_a_whole_site(loaded, told):
    assert loaded(f"{URL}method = 'paper'\n").settings["METHOD"] == "paper"
    ((line, key, text),) = told(f"{URL}[[overrides]]\ntype = 'begins'\npattern = '/'\nmethod = 'paper'\n")
    assert (line, key) == (5, "overrides[0].method")
    assert "write 'templates', which judges alike with those of the site" in text


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbf" + f"{URL}k = 5\r\n".encode())
    assert load(tmp_path / "a.toml").settings == {"PAGELET_K": 5}


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n"])
def test_an_empty_file(told, text):
    assert [(line, key) for line, key, _ in told(text)] == [(1, "")]


def test_not_utf_8_and_more(told):
    assert [(line, key) for line, key, _ in told("k = 0\n# \u00e4\n".encode("latin-1"))] == [
        (1, "k"),
        (2, ""),
    ]


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/b", "..", "", ".a", "a..b", "a\0", "\u00e4"])
def test_path_tricks(name):
    with pytest.raises(ConfigurationError, match="letters, digits"):
        site_file(name, Settings(), required=False)


def test_a_file_that_cannot_be_read(tmp_path):
    (tmp_path / "a.toml").mkdir()
    with pytest.raises(WrongSiteFile, match="cannot be read"):
        load(tmp_path / "a.toml")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "b.toml")


def test_names_that_differ_in_case_only(tmp_path):
    for name in ("docs.toml", "Docs.toml", "b.toml", ".hidden.toml"):
        (tmp_path / name).write_text(URL)
    assert names(tmp_path) == ["Docs", "b", "docs"]
    (alike, *_) = check_all(files(tmp_path))
    assert (alike.path.name, alike.text) == (
        "docs.toml",
        "and Docs.toml differ only in case; rename one of them",
    )
    with pytest.raises(WrongSiteFile, match="letters, digits"):
        (tmp_path / "my site.toml").write_text(URL)
        load(tmp_path / "my site.toml")


def test_two_files_of_one_site(tmp_path):
    for name, text in {
        "a": URL,
        "b": 'k = 3\nurl = ["https://EXAMPLE.org"]',
        "c": 'url = "https://example.org/c/"',
        "wrong": "k = 0",
    }.items():
        (tmp_path / f"{name}.toml").write_text(text)
    (problem,) = check_all([*files(tmp_path), tmp_path / "gone.toml"])
    assert (problem.path.name, problem.line, problem.key) == ("b.toml", 2, "url")
    assert "a.toml" in problem.text
