from __future__ import annotations

import tomllib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.survey.fields import ProposedField
from crawler.survey.findings import Findings, Proposals, SeenPage, SitemapFindings
from crawler.survey.report import comment_text, site_file, site_name_of, summary, toml_string
from crawler.survey.systems import ProposedDeny, ProposedDrop, Recognised
from settings.site import SITE_NAME

TEXTS = st.text(st.characters(exclude_categories=()), max_size=40)
COUNTS = st.dictionaries(TEXTS, st.integers(1, 9), max_size=9).map(Counter)
SEEN = st.builds(
    SeenPage,
    url=TEXTS,
    chars=st.integers(0, 1000),
    scripted=st.booleans(),
    language=st.none() | TEXTS,
    canonical=st.none() | TEXTS,
    robots=st.frozensets(st.sampled_from(["noindex", "nofollow"]), max_size=3),
    etag=st.none() | TEXTS,
    last_modified=st.none() | TEXTS,
)
SITEMAPS = st.builds(
    SitemapFindings,
    files=st.lists(TEXTS, max_size=2),
    from_robots=st.lists(TEXTS, max_size=2),
    unread=st.integers(0, 2),
    urls=st.integers(0, 99_999),
    dated=st.integers(0, 3),
    elsewhere=st.integers(0, 3),
    folders=COUNTS,
)
GIVEN = st.one_of(
    st.fixed_dictionaries({"css": TEXTS}),
    st.fixed_dictionaries({"xpath": TEXTS, "regex": TEXTS, "type": st.just("number"), "many": st.just(True)}),
)
PROPOSALS = st.builds(
    Proposals,
    pages=st.integers(0, 11),
    fields=st.lists(
        st.builds(
            ProposedField,
            name=st.from_regex(r"[a-z]{2,9}", fullmatch=True),
            given=GIVEN,
            pages=st.integers(1, 11),
            samples=st.lists(TEXTS, max_size=3).map(tuple),
            why=TEXTS,
        ),
        max_size=3,
        unique_by=lambda one: one.name,
    ),
    systems=st.builds(
        Recognised,
        systems=st.just(("WordPress", "WooCommerce")),
        drop=st.lists(st.builds(ProposedDrop, TEXTS, st.integers(1, 11), st.integers(1, 99)), max_size=2).map(
            tuple
        ),
        deny=st.lists(st.builds(ProposedDeny, st.just("ends"), TEXTS, st.integers(1, 99)), max_size=2).map(
            tuple
        ),
    ),
)
FINDINGS = st.builds(
    Findings,
    asked=TEXTS,
    start=TEXTS.map("https://www.example.org/".__add__),
    title=TEXTS,
    crawl_delay=st.none() | st.floats(0, 1e6),
    forbidden=st.integers(0, 2),
    failed=COUNTS,
    sitemaps=SITEMAPS,
    pages=st.lists(SEEN, max_size=4),
    folders=COUNTS,
    hosts=COUNTS,
    parameters=COUNTS | st.just(Counter({"sort": 2, "view": 1, "id": 1})),
    not_modified=st.none() | st.booleans(),
    proposals=PROPOSALS,
)
KEYS = {"url", "ignore_parameters", "javascript", "rules", "drop", "extract"}


def simple(**details: object) -> Findings:
    return Findings("https://example.org/", "https://example.org/", **details)  # type: ignore[arg-type]


def seen(chars: int = 1000, **details: object) -> SeenPage:
    page = {"url": "u", "scripted": True, "language": "en", "canonical": None, "robots": frozenset()}
    return SeenPage(chars=chars, **{**page, "etag": None, "last_modified": None, **details})  # type: ignore[arg-type]


@given(FINDINGS)
def test_whatever_a_site_says_the_file_says_nothing_else(findings: Findings) -> None:
    text = site_file(findings, "name", "2026-01-05")
    values = tomllib.loads(text.encode().decode())
    assert set(values) <= KEYS
    assert values.get("ignore_parameters", []) == findings.sorting
    assert values.get("javascript", False) == findings.needs_javascript
    assert len(values["url"]) == 1
    proposals = findings.proposals
    assert len(values.get("rules", [])) == len(proposals.systems.deny)
    assert len(values.get("drop", [])) == len(proposals.systems.drop)
    assert list(values.get("extract", {})) == [one.name for one in proposals.fields]
    assert all(line.isprintable() for line in text.splitlines())
    assert len(text.splitlines()) == text.count("\n")


@given(FINDINGS)
def test_a_summary_is_lines_that_control_no_terminal(findings: Findings) -> None:
    assert all(line.isprintable() for line in summary(findings))


@given(TEXTS)
def test_strings_are_read_back(text: str) -> None:
    read = tomllib.loads(f"key = {toml_string(text)}")["key"]
    assert read == "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nurl = 'http://evil.example/'", "a url = 'http://evil.example/'"),
        ("\x1b[31mred\x00", "\\u001b[31mred\\u0000"),
        ("right\u202eleft", "right\\u202eleft"),
        ("a\u2028b\x85c", "a b c"),
        ("x" * 200, "x" * 99 + "…"),
    ],
)
def test_comments_hold_text_in_one_line(text: str, shown: str) -> None:
    assert comment_text(text) == shown


@given(st.from_regex(r"[a-zA-Z0-9._:@\[\]%-]{1,50}", fullmatch=True))
def test_names_are_names_of_sites(host: str) -> None:
    name = site_name_of(simple())
    assert name == "example.org"
    findings = simple()
    findings.start = f"https://{host.replace('[', '').replace(']', '')}/"
    name = site_name_of(findings)
    assert SITE_NAME.match(name)


@pytest.mark.parametrize(
    ("start", "name"),
    [
        ("https://www.example.org/docs/", "example.org"),
        ("http://127.0.0.1:8000/", "127.0.0.1-8000"),
        ("http://[::1]:80/", "1-80"),
        ("https://user:secret@example.org/", "example.org"),
        ("http://0../", "0."),
        ("http://../", "site"),
    ],
)
def test_a_file_is_named_after_the_host(start: str, name: str) -> None:
    findings = simple()
    findings.start = start
    assert site_name_of(findings) == name


def test_all_keys_of_the_examples_are_toml_when_the_signs_are_taken_away() -> None:
    text = site_file(simple(folders=Counter({"/tag/": 3})), "example.org", "2026-01-05")
    keys = [line[2:] for line in text.splitlines() if line.startswith("# ") and _is_key(line[2:])]
    values = tomllib.loads("\n".join(keys))
    assert values["rules"] == [{"policy": "deny", "type": "begins", "pattern": "/tag/"}]
    assert values["overrides"][0]["revisit"] == {"min": "30d", "max": "90d"}


def _is_key(line: str) -> bool:
    return line.startswith("[") or " = " in line.split(":")[0]


@pytest.mark.parametrize(
    ("findings", "words"),
    [
        (simple(), "pages are found by links alone"),
        (
            simple(crawl_delay=30.0, sitemaps=SitemapFindings(["s"], urls=1200)),
            "1200 pages take about 10.0 hours",
        ),
        (simple(crawl_delay=90.0), "A crawl waits 60 s at most"),
        (simple(), "asks for no delay"),
        (simple(sitemaps=SitemapFindings(["s"], urls=20_000, dated=10_000)), "50% have a lastmod"),
        (simple(sitemaps=SitemapFindings(["s"], urls=20_000)), "20000 URLs are many"),
        (simple(not_modified=True), "answered 304"),
        (simple(not_modified=False), "answered with the whole page"),
        (simple(pages=[seen(10)]), "javascript = true"),
        (simple(pages=[seen(robots=frozenset({"nofollow"}))]), "1 of 1 page say nofollow"),
        (simple(pages=[seen(canonical="v")]), "1 of 1 page name another URL as canonical"),
        (simple(parameters=Counter(["id"])), "taken to name a page: id"),
        (simple(forbidden=2), "2 of the pages chosen are forbidden"),
        (simple(failed=Counter({"status 500": 2})), "status 500 (2)"),
        (simple(hosts=Counter(["docs.example.org"])), "docs.example.org"),
    ],
)
def test_every_finding_has_its_consequence(findings: Findings, words: str) -> None:
    assert words in site_file(findings, "example.org", "2026-01-05")
