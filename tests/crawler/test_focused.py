from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest

from settings.errors import ConfigurationError
from tests.crawls import arguments_of, crawl
from tests.forked import Running
from tests.processes import wait_until
from tests.served import page, served

if TYPE_CHECKING:
    from pathlib import Path

    from tests.served import Site

PAGES = [f"/page/{number}.html" for number in range(24)]
MENU = [f"/menu/{number}.html" for number in range(20)]
ONE_AT_A_TIME = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "CONCURRENT_REQUESTS": 1, "SITEMAPS_ENABLED": False}


def links(*paths: str) -> str:
    return "<ul>" + "".join(f"<li><a href={path}>the way to {path}</a></li>" for path in paths) + "</ul>"


def site_with_menu() -> dict[str, Any]:
    """A chain of pages, each with a menu of many others; one page of the menu is linked from a text, too."""
    pages: dict[str, Any] = {path: page(path, around=links(*MENU)) for path in MENU}
    for number, path in enumerate(PAGES):
        further = PAGES[3 * number + 1 : 3 * number + 4]
        pages[path] = page(path, *further, *([MENU[15]] if number == 20 else []), around=links(*MENU))
    pages["/"] = page("/", *PAGES[:1], around=links(*MENU))
    return pages


def order(site: Site) -> list[str]:
    return [path for path in site.asked if path not in ("/robots.txt", "/sitemap.xml")]


def test_links_of_templates_come_last_and_nothing_is_lost(tmp_path: Path) -> None:
    with served(site_with_menu()) as site:
        plain = crawl(tmp_path / "plain", url=f"{site.base}/", settings=ONE_AT_A_TIME)
        breadth_first = order(site)
        site.forget()
        last = crawl(tmp_path / "last", url=f"{site.base}/", template_links="last", settings=ONE_AT_A_TIME)
        assert (last.outcome, last.errors, last.urls) == ("complete", [], plain.urls)
        assert {path: count for path, count in site.asked.items() if count > 1} == {}
        asked = order(site)
        site.forget()
        later = crawl(tmp_path / "later", url=f"{site.base}/", template_links="later", settings=ONE_AT_A_TIME)
        assert (later.outcome, later.errors, later.urls) == ("complete", [], plain.urls)
        discounted = order(site)
    assert breadth_first[:6] == ["/", *MENU[:5]]
    # What comes before templates are known is as ever.
    assert asked[:3] == breadth_first[:3]
    # One that a content pagelet links to comes before the others of the menu.
    assert asked[-4:] == MENU[16:]
    assert asked.index(MENU[15]) < asked.index(MENU[14])
    assert last.stats["template_links/last"] > 0
    # Later than what is as near, and before what is two links further away.
    assert discounted.index(PAGES[0]) < discounted.index(MENU[10])
    assert discounted.index(MENU[19]) < discounted.index(PAGES[4])


def test_dropped_links_are_kept_for_a_crawl_that_takes_them(tmp_path: Path) -> None:
    settings = {**ONE_AT_A_TIME, "TEMPLATE_LINKS": "drop"}
    with served(site_with_menu()) as site:
        dropped = crawl(tmp_path, url=f"{site.base}/", settings=settings)
        asked = set(order(site))
        assert (dropped.outcome, dropped.errors) == ("complete", [])
        assert {"/", *PAGES, MENU[15]} <= asked
        left_out = set(MENU) - asked
        assert len(left_out) == dropped.stats["template_links/dropped"] > 10
        states = dropped.states(site.base)
        assert {states[path] for path in left_out} == {"refused template"}
        site.forget()
        again = crawl(tmp_path, url=f"{site.base}/", settings=settings)
        assert (again.outcome, set(order(site))) == ("complete", asked)
        site.forget()
        taken = crawl(tmp_path, url=f"{site.base}/")
        assert (taken.outcome, set(order(site))) == ("complete", set(site_with_menu()))
        assert left_out <= set(taken.paths(site.base))
        # What has been asked for is never dropped.
        site.forget()
        crawl(tmp_path, url=f"{site.base}/", settings=settings)
        assert set(order(site)) == set(site_with_menu())


def test_what_a_sitemap_lists_is_not_dropped(tmp_path: Path) -> None:
    with served(site_with_menu()) as site:
        listed = "".join(f"<url><loc>{site.base}{path}</loc></url>" for path in MENU[10:])
        site.pages["/sitemap.xml"] = (
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'
        )
        crawl(tmp_path, url=f"{site.base}/", template_links="drop")
        assert set(MENU[10:]) <= set(order(site))


def test_a_site_of_one_template_is_crawled_to_its_end(tmp_path: Path) -> None:
    same = page("all the same", *MENU)
    with served(dict.fromkeys(["/", *MENU], same)) as site:
        for mode in ("later", "last", "drop"):
            run = crawl(tmp_path / mode, url=f"{site.base}/", template_links=mode)
            assert (run.outcome, run.errors) == ("complete", [])
            assert run.documents
        run = crawl(tmp_path / "drop", url=f"{site.base}/")
        assert set(run.states(site.base).values()) == {"delivered"}


def test_pages_early_taken_for_templates_are_asked_for_in_the_end(tmp_path: Path) -> None:
    # Five pages have a list in common: of forty that is no template any more.
    few = [f"/few/{number}.html" for number in range(5)]
    many = [f"/many/{number}.html" for number in range(50)]
    common = links("/common/1.html", "/common/2.html", "/common/3.html")
    pages = {
        path: page(path, *many[10 * place : 10 * place + 10], around=common) for place, path in enumerate(few)
    }
    pages |= {path: page(path) for path in (*many, *(f"/common/{one}.html" for one in (1, 2, 3)))}
    pages["/"] = page("/", *few)
    with served(pages) as site:
        run = crawl(tmp_path, url=f"{site.base}/", template_links="drop", settings=ONE_AT_A_TIME)
        assert (run.outcome, sorted(run.paths(site.base))) == ("complete", sorted(pages))


TOPICS = ("falcon", "granite")


def topical_site() -> dict[str, Any]:
    """Chains of pages on two topics, beside many pages on neither."""
    pages: dict[str, Any] = {"/": page("/", "/falcon/0.html", "/granite/0.html", *PAGES[:10])}
    for number, path in enumerate(PAGES):
        pages[path] = page(path, *PAGES[number + 1 : number + 4])
    for topic in TOPICS:
        for number in range(12):
            text = f"The {topic} is what page {number} is about, and the {topic} alone."
            further = [f"/{topic}/{number + 1}.html"] if number < 11 else []
            pages[f"/{topic}/{number}.html"] = page(
                f"{topic} {number}", *further, PAGES[number + 10], text=text
            )
    return pages


def test_pages_that_fit_a_query_lead_to_what_is_next(tmp_path: Path) -> None:
    with served(topical_site()) as site:
        run = crawl(tmp_path / "query", url=f"{site.base}/", query="Falcon", settings={**ONE_AT_A_TIME})
        assert (run.outcome, run.errors, run.paths(site.base)) == ("complete", [], sorted(topical_site()))
        asked = order(site)
        assert sum("falcon" in path for path in asked[:24]) >= 10
        assert sum("granite" in path for path in asked[:24]) <= 4
        assert run.stats["topic/relevant_pages"] == 13


def test_seeds_are_the_words_of_a_topic(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("granite\nrocks made of granite")
    with served(topical_site()) as site:
        settings = {**ONE_AT_A_TIME}
        run = crawl(tmp_path, url=f"{site.base}/", seeds=str(tmp_path / "seeds.txt"), settings=settings)
        assert run.stats["topic/relevant_pages"] == 13
        assert sum("granite" in path for path in order(site)[:24]) >= 10


def test_a_query_that_nothing_matches_is_told(tmp_path: Path) -> None:
    with served(topical_site()) as site:
        run = crawl(tmp_path, url=f"{site.base}/", query="kettledrum")
        assert (run.outcome, len(run.urls), run.stats["topic/relevant_pages"]) == (
            "complete",
            len(topical_site()),
            0,
        )


def test_a_killed_run_is_continued_in_the_order_that_it_had(tmp_path: Path) -> None:
    with served(topical_site()) as site:
        site.delay = lambda path: 0.05
        given = ["-a", f"url={site.base}/", "-a", "query=falcon", "-a", "template_links=last"]
        running = Running(arguments_of(tmp_path, *given, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1"))
        wait_until(lambda: len(order(site)) >= 8)
        running.send_signal(signal.SIGKILL)
        running.wait()
        site.delay = lambda path: 0.0
        before = order(site)
        run = crawl(
            tmp_path, url=f"{site.base}/", query="falcon", template_links="last", settings=ONE_AT_A_TIME
        )
        assert (run.outcome, run.errors, run.paths(site.base)) == ("complete", [], sorted(topical_site()))
        assert run.stats["topic/relevant_pages"] == 13
        asked = order(site)
        assert sum("falcon" in path for path in [*before, *asked[len(before) :]][:26]) >= 10
        assert len([path for path in asked if site.asked[path] > 1]) <= 1


@pytest.mark.parametrize("given", ["query", "seeds"])
def test_a_topic_without_a_word_is_refused(tmp_path: Path, given: str) -> None:
    with pytest.raises(ConfigurationError, match=r"query, seeds: .* without a word"):
        crawl(tmp_path, url="http://a.example/", **{given: ""})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"", "it has no word"),
        (b" \n ...", "it has no word"),
        (b"\x00\x01\x02", "is no text"),
        (b"\xff\xfe\x80", "give a file of texts"),
        (b"word " * (1 << 20), "has more than 4194304 bytes"),
    ],
)
def test_wrong_seeds_are_refused(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "seeds.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=said):
        crawl(tmp_path, url="http://127.0.0.1:9/", seeds=str(path))


@pytest.mark.parametrize("query", ["...", "word " * 3000])
def test_a_wrong_query_is_refused(tmp_path: Path, query: str) -> None:
    with pytest.raises(ConfigurationError, match="query"):
        crawl(tmp_path, url="http://127.0.0.1:9/", query=query)
