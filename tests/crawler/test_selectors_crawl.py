"""Crawls of a site whose owner, pages and readers have a say in what is content."""

from __future__ import annotations

import pytest

from crawler.configuration.judgement import stored_judge
from pagelets.judging.decisions import sketch_name
from store.meta import INNERMOST_DECIDES
from store.site import Store
from tests.crawls import crawl, scrapy
from tests.recrawls import project
from tests.served import page, served

MENU = "<nav><a href=/>Home</a> <a href=/a>A</a> <a href=/b>B</a></nav>"
NUMBERS = "first second third".split()


def html(number: int) -> str:
    return (
        f"<html><head><title>{NUMBERS[number]}</title></head><body>{MENU}<main>"
        f"<p>The {NUMBERS[number]} page says this<sup class=ref>[{number}]</sup>, and nothing else.</p>"
        f"<p data-nosnippet>A secret of the {NUMBERS[number]} page.</p></main>"
        "<footer>The people who made this site are three.</footer></body></html>"
    )


@pytest.fixture
def site():
    with served({"/": html(0), "/a": html(1), "/b": html(2)}) as server:
        yield server


def texts(crawled) -> list[str]:
    return [document["text"] for document in sorted(crawled.documents, key=lambda one: one["url"])]


def said(number: int, *, reference: bool = True, secret: bool = False, footer: bool = False) -> str:
    lines = [f"The {NUMBERS[number]} page says this{f'[{number}]' * reference}, and nothing else."]
    lines += [f"A secret of the {NUMBERS[number]} page."] * secret
    lines += ["The people who made this site are three."] * footer
    return "\n\n".join(lines)


def test_what_a_page_will_not_have_shown_is_left_out_unless_the_settings_say_otherwise(site, tmp_path):
    crawled = crawl(tmp_path, url=f"{site.base}/")
    assert texts(crawled) == [said(number) for number in range(3)]
    unheeded = crawl(tmp_path, settings={"NOSNIPPET_ENABLED": False}, url=f"{site.base}/")
    assert texts(unheeded) == [said(number, secret=True) for number in range(3)]


def test_selectors_win_over_what_is_found_and_a_sentence_stays_whole(site, tmp_path):
    selectors = {"KEEP_SELECTORS": ["footer"], "DROP_SELECTORS": ["sup.ref"]}
    crawled = crawl(tmp_path, settings=selectors, url=f"{site.base}/")
    assert texts(crawled) == [said(number, reference=False, footer=True) for number in range(3)]
    assert crawled.errors == []


def test_other_selectors_make_other_blocks_of_what_is_stored(site, tmp_path):
    first = crawl(tmp_path, url=f"{site.base}/")
    again = crawl(tmp_path, settings={"DROP_SELECTORS": [".ref"]}, url=f"{site.base}/")
    assert texts(again) == [said(number, reference=False) for number in range(3)]
    fresh = crawl(tmp_path / "fresh", settings={"DROP_SELECTORS": [".ref"]}, url=f"{site.base}/")
    assert texts(fresh) == texts(again)
    back = crawl(tmp_path, url=f"{site.base}/")
    assert texts(back) == texts(first)


def test_a_wrong_selector_ends_the_crawl_before_any_request(site, tmp_path):
    done = scrapy(tmp_path, "-a", f"url={site.base}/", "-s", "DROP_SELECTORS=p >")
    assert done.returncode == 2
    assert "'p >'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not site.asked


def told(folder, **kinds):
    """The texts of a store's documents, as commands make them with ``kinds`` on their command line."""
    settings = project()
    for kind, choice in kinds.items():
        settings.set(kind.upper(), choice, priority="cmdline")
    with Store.open(folder) as store:
        judge = stored_judge(store, settings)
        rows = store.connection.execute("SELECT page FROM pages WHERE state = 'delivered' ORDER BY url")
        return [judge.document(page, ("text",))["text"] for (page,) in rows.fetchall()]


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("bylines", "<p>By Ann Smith</p>", ""),
        ("comments", "", "<div id=comments><p>By Ann Smith on {0}</p></div>"),
    ],
)
def test_kinds_are_kept_or_dropped_as_each_crawl_asks(tmp_path, kind, before, after):
    body = f"<h1>The {{0}} page</h1>{before}<p>{'Text of {0}. ' * 20}</p>{after}"
    pages = {f"/{name}": body.format(name) for name in NUMBERS}
    with served({"/": page("Home", "/first", "/second", "/third"), **pages}) as site:
        own = [{"type": "ends", "pattern": "/third", kind: "keep"}]
        dropped = crawl(tmp_path, url=f"{site.base}/", settings={"OVERRIDES": own}, **{kind: "drop"})
        assert ["By Ann Smith" in text for text in texts(dropped)] == [False, False, False, True]
        assert told(dropped.folder) == texts(dropped)
        assert ["By Ann Smith" in text for text in told(dropped.folder, **{kind: "keep"})] == [
            False,
            True,
            True,
            True,
        ]
        kept = crawl(tmp_path, url=f"{site.base}/", settings={"OVERRIDES": own}, **{kind: "keep"})
        assert kept.paths(site.base) == ["/first", "/second"]
    refused = scrapy(tmp_path, "-a", f"url={site.base}/", "-a", f"{kind}=never")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert kind in refused.stderr


def test_what_people_decide_holds_from_crawl_to_crawl(site, tmp_path):
    first = crawl(tmp_path, url=f"{site.base}/")
    assert texts(first) == [said(number) for number in range(3)]
    with Store.open(first.folder) as store:
        (footer,) = [one.sketch for one in store.templates.all() if one.sample_position][-1:]
        with store.transaction():
            store.decisions.wait({footer: "rejected"}, {footer: "The people"})
            store.decisions.take()
        assert sketch_name(footer)
    second = crawl(tmp_path, url=f"{site.base}/")
    assert texts(second) == [said(number, footer=True) for number in range(3)]
    site.pages["/c"] = page("fourth", "/")
    site.pages["/a"] = html(1).replace(">Home<", ">Homes<")
    third = crawl(tmp_path, url=f"{site.base}/")
    with Store.open(third.folder) as store:
        assert store.decisions.states() == {footer: "rejected"}
        assert all(row["template_version"] for row in third.documents)


@pytest.mark.parametrize("more", [{}, {"fresh": 1}])
def test_what_is_decided_while_a_crawl_fetches_holds_in_its_documents(site, tmp_path, more):
    first = crawl(tmp_path, url=f"{site.base}/")
    with Store.open(first.folder) as store:
        (footer,) = [one.sketch for one in store.templates.all() if one.sample_position][-1:]

    def deciding(path: str) -> str:
        with Store.open(first.folder) as other, other.transaction():
            other.decisions.wait({footer: "rejected"}, {footer: "The people"})
        return html(2)

    site.pages["/b"] = deciding
    second = crawl(tmp_path, url=f"{site.base}/", **more)
    assert texts(second) == [said(number, footer=True) for number in range(3)]
    with Store.open(second.folder) as store:
        assert (store.decisions.states(), store.decisions.waiting()) == ({footer: "rejected"}, [])


def test_settings_decide_before_anything_was_ever_found(site, tmp_path):
    first = crawl(tmp_path, url=f"{site.base}/")
    with Store.open(first.folder) as store:
        footer = store.pages.sketches(1)[-1]
    rejected = {"REJECTED_TEMPLATES": [sketch_name(footer)]}
    fresh = crawl(tmp_path / "fresh", settings=rejected, url=f"{site.base}/")
    assert texts(fresh) == [said(number, footer=True) for number in range(3)]


def test_what_the_innermost_changes_in_a_store_is_counted_once(site, tmp_path, caplog):
    site.pages["/b"] = html(2).replace("class=ref", "class=other")
    start = f"{site.base}/"
    settings = {"KEEP_SELECTORS": ["main"], "DROP_SELECTORS": [".ref", "nav"]}

    def night(*, upgraded: bool) -> tuple[list[str], str]:
        caplog.clear()
        crawled = crawl(tmp_path, settings=settings, url=start)
        if upgraded:
            with Store.open(crawled.folder) as store, store.transaction():
                store.forget_meta(INNERMOST_DECIDES)
                # As of a program by which keep won.
                store.connection.execute(
                    "UPDATE documents SET content_hash = 'x' FROM pages "
                    "WHERE pages.page = documents.page AND url NOT LIKE '%/b'"
                )
        return sorted(one["url"] for one in crawled.documents), caplog.text

    assert len(night(upgraded=True)[0]) == 3
    sent, said = night(upgraded=False)
    assert sent == [start, f"{start}a"]
    assert "on 2 pages an element that drop matches lies in one that keep matches" in said
    sent, said = night(upgraded=True)
    assert (sent, "dropped from now on" in said) == ([], False)
    settings["DROP_SELECTORS"] = ["nav"]
    assert "dropped from now on" not in night(upgraded=False)[1]
