from __future__ import annotations

import re
import signal
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from settings.errors import ConfigurationError
from store.site import Store
from tests.crawls import arguments_of, crawl
from tests.forked import Running
from tests.served import Answer, moved, served

if TYPE_CHECKING:
    from pathlib import Path

    from tests.served import Site

TOOLS = [f"/tool/{number}.html" for number in range(36)]
MAKERS = [f"/maker/{number}.html" for number in range(6)]
LETTERS = [f"/letter/{number}.html" for number in range(60)]


def links(kind: str, *paths: str) -> str:
    return f"<ul class={kind}>" + "".join(f"<li><a href={path}>{path}</a></li>" for path in paths) + "</ul>"


def page(path: str, *parts: str) -> str:
    menu = links("menu", "/", "/letters.html", "/about.html")
    return (
        f"<!doctype html><html lang=en><head><title>{path}</title></head><body>{menu}<h1>The page {path}</h1>"
        f"<p>What {path} says is said by no other page of this shop at all.</p>{''.join(parts)}"
        f"<p class=foot><a href=/terms.pdf>terms</a></p></body></html>"
    )


def shop(letters: int = len(LETTERS)) -> dict[str, Any]:
    """Tools that makers list, a list of makers, and letters that name a tool here and there: fewer of these
    where the whole site is crawled.
    """
    pages = {
        "/": page("/", links("makers", *MAKERS), "<div class=big><a href=/letters.html>letters</a></div>"),
        "/about.html": page("/about.html", "<div class=map><a href=/map>map</a></div>"),
        "/letters.html": page("/letters.html", links("letters", *LETTERS[:letters])),
    }
    pages["/map"] = page("/map", "<h2><a href=/about.html>us</a></h2>", "<i><a href=/>all</a></i>")
    for number, path in enumerate(MAKERS):
        pages[path] = page(path, links("tools", *TOOLS[number::6]), "<p class=top><a href=/>makers</a></p>")
    for number, path in enumerate(TOOLS):
        own = [
            f"<p class=maker><a href={MAKERS[number % 6]}>maker</a></p>",
            "<p class=ask><a href=/>ask</a></p>",
        ]
        pages[path] = page(path, *own, links("read", LETTERS[number % letters]))
    for number, path in enumerate(LETTERS[:letters]):
        named = (
            f"<p class=named><a href={TOOLS[number % 36]}>tool</a></p><i><a href=/letters.html>all</a></i>"
        )
        pages[path] = page(path, named, "<b><a href=/about.html>who we are</a></b>")
    return pages


SMALL = shop(letters=12)


def asked(site: Site) -> list[str]:
    return sorted(path for path in site.asked if path != "/robots.txt")


def test_the_pages_of_a_class_come_out_and_few_others_are_asked_for(tmp_path: Path) -> None:
    with served(shop()) as site:
        (tmp_path / "class.txt").write_text(
            "".join(f"{site.base}{path}\n" for path in [*TOOLS, "/tool/lost.html"]), encoding="utf-8-sig"
        )
        run = crawl(
            tmp_path, "similar", url=site.base + TOOLS[7], class_urls=tmp_path / "class.txt", measure="links"
        )
        assert (run.outcome, run.errors) == ("complete", [])
        assert run.paths(site.base) == sorted(TOOLS)
        assert max(site.asked.values()) == 1
        assert set(MAKERS) < set(asked(site))
        assert len(asked(site)) < 1.6 * len(TOOLS)
        assert len(set(asked(site)) & set(LETTERS)) < 15
        stats = {name: run.stats[f"class/{name}"] for name in ("pages", "expected", "recall", "precision")}
        assert stats == {
            "pages": 36,
            "expected": 37,
            "recall": pytest.approx(36 / 37, abs=1e-4),
            "precision": 1,
        }
        # What the search did not want is known, and no more.
        assert run.states(site.base)[LETTERS[50]] == "known"


def test_pages_that_are_shaped_like_the_sample_come_out(tmp_path: Path) -> None:
    with served(shop()) as site:
        run = crawl(tmp_path, "similar", url=site.base + TOOLS[7], measure="shapes", similarity=0.9)
        assert run.stats["class/similarity"] == 0.9
        assert (run.outcome, run.errors) == ("complete", [])
        assert run.paths(site.base) == sorted(TOOLS)
        assert max(site.asked.values()) == 1


def test_what_a_store_has_is_confirmed_added_to_and_kept_by_other_crawls(tmp_path: Path) -> None:
    pages = {path: Answer(text, headers={"ETag": f'"{path}"'}) for path, text in SMALL.items()}
    with served(pages) as site:
        crawl(tmp_path, "similar", url=site.base + TOOLS[7])
        first = asked(site)
        site.forget()
        again = crawl(tmp_path, "similar", url=site.base + TOOLS[7])
        assert (again.outcome, again.documents, again.deletions) == ("complete", [], [])
        assert asked(site) == first
        assert not set(site.bodies) - {"/robots.txt"}
        assert again.stats["class/pages"] == 36
        # Another sample adds its class.
        other = crawl(tmp_path, "similar", url=site.base + MAKERS[0])
        assert other.paths(site.base) == sorted(MAKERS)
        assert other.current(site.base) == sorted([*MAKERS, *TOOLS])
        # A crawl of the whole site takes all pages in, and they keep their documents.
        whole = crawl(tmp_path, url=f"{site.base}/")
        assert (whole.outcome, whole.current(site.base)) == ("complete", sorted(SMALL))
        part = crawl(tmp_path, "similar", url=site.base + TOOLS[7])
        assert (part.outcome, part.deletions) == ("complete", [])
        assert part.current(site.base) == sorted(SMALL)


def test_pages_of_other_classes_wait_for_a_crawl_of_the_site_that_is_well(tmp_path: Path) -> None:
    with served(SMALL) as site:
        crawl(tmp_path, "similar", url=site.base + TOOLS[7])
        ill = dict.fromkeys(SMALL, Answer("", 503))
        well, site.pages = site.pages, ill
        night = crawl(tmp_path, url=f"{site.base}/")
        assert (night.outcome, night.current(site.base)) == ("empty", sorted(TOOLS))
        site.pages = well
        part = crawl(tmp_path, "similar", url=site.base + TOOLS[9])
        assert (part.documents, part.current(site.base)) == ([], sorted(TOOLS))
        whole = crawl(tmp_path, url=f"{site.base}/")
        assert whole.paths(site.base) == sorted(set(SMALL) - set(TOOLS))


def test_pages_of_a_site_that_have_no_document_yet_outlast_a_bad_night(tmp_path: Path) -> None:
    with served(SMALL) as site:
        folder = crawl(tmp_path, url=f"{site.base}/").folder
        with closing(Store.open(folder)) as store, store.transaction():
            store.connection.execute("DELETE FROM documents")
        site.pages = dict.fromkeys(SMALL, Answer("", 503))
        night = crawl(tmp_path, url=f"{site.base}/")
        assert (night.outcome, night.current(site.base)) == ("empty", sorted(SMALL))


def test_pages_that_are_gone_or_have_moved_keep_their_documents(tmp_path: Path) -> None:
    with served(SMALL) as site:
        crawl(tmp_path, url=f"{site.base}/")
        site.pages |= {TOOLS[13]: Answer("gone", 410), TOOLS[19]: moved(TOOLS[7])}
        part = crawl(tmp_path, "similar", url=site.base + TOOLS[7])
        assert {TOOLS[13], TOOLS[19]} < set(site.asked)
        assert (part.outcome, part.deletions) == ("complete", [])
        assert part.current(site.base) == sorted(SMALL)
        whole = crawl(tmp_path, url=f"{site.base}/")
        assert whole.deleted == {site.base + TOOLS[13]: "http 410", site.base + TOOLS[19]: "redirect"}
        assert whole.current(site.base) == sorted(set(SMALL) - {TOOLS[13], TOOLS[19]})


def test_a_limit_is_kept(tmp_path: Path) -> None:
    with served(shop()) as site:
        run = crawl(tmp_path, "similar", url=site.base + TOOLS[7], max_pages=10, similarity=0.9)
        assert run.outcome == "limited"
        assert len(asked(site)) == 10
        assert set(run.paths(site.base)) <= set(TOOLS)


def test_a_limit_that_is_met_between_two_steps_is_told(tmp_path: Path) -> None:
    with served(shop()) as site:
        assert crawl(tmp_path, "similar", url=site.base + TOOLS[7], max_pages=1).outcome == "limited"


def test_a_killed_crawl_is_continued(tmp_path: Path) -> None:
    with served(shop()) as site:
        whole = crawl(tmp_path / "whole", "similar", url=site.base + TOOLS[7])
        site.forget()
        site.delay = lambda path: 0.05
        running = Running(
            arguments_of(tmp_path / "killed", "-a", f"url={site.base}{TOOLS[7]}", spider="similar")
        )
        while len(site.asked) < 30:
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        running.wait()
        site.delay = lambda path: 0.0
        rest = crawl(tmp_path / "killed", "similar", url=site.base + TOOLS[7])
        assert rest.outcome == "complete"
        assert rest.paths(site.base) == whole.paths(site.base)
        # What was in the store was not asked for again, but what was under way is.
        assert len([path for path in asked(site) if site.asked[path] > 1]) <= 16


NO_LINKS = "<p>No links here, whatever one does.</p>"
TO_ITSELF = "<p>To <a href=/x>this page</a>, and <a href=/loop>round to it</a>.</p>"
ALONE = page(
    "/x", "<table><td><a href=/about.html>a</a></table><dl id=d><dt><a href=/>b</a><dd><div>c</div></dl>"
)


@pytest.mark.parametrize(
    ("measure", "sample", "said"),
    [
        ("links", NO_LINKS, "has no links"),
        ("shapes", NO_LINKS, "has no links"),
        ("links", Answer("%PDF-1.4", kind="application/pdf"), "refused (type)"),
        ("links", Answer("gone", 404), "gone (http 404)"),
        ("links", moved("http://example.invalid/"), "redirected"),
        ("links", ALONE, "is alone in its class"),
        ("shapes", ALONE, "is alone in its class"),
        ("shapes", TO_ITSELF, "is alone in its class: of 0 other pages"),
    ],
)
def test_a_sample_that_tells_of_no_class_ends_the_crawl(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, measure: str, sample: Any, said: str
) -> None:
    with served({**shop(), "/x": sample, "/loop": moved("/x")}) as site:
        run = crawl(tmp_path, "similar", url=f"{site.base}/x", measure=measure, similarity=0.85)
        assert (run.outcome, run.errors, run.documents) == ("empty", [], [])
        (line,) = [line for line in caplog.messages if "No page could be used" in line]
        assert said in line
        assert len(site.asked) < {"links": 40, "shapes": 90}[measure]


@pytest.mark.parametrize(("sample", "said"), [(Answer("gone", 404), "gone"), (Answer("", 503), "failed")])
def test_a_sample_that_cannot_be_had_of_a_stored_site_leaves_its_store(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, sample: Answer, said: str
) -> None:
    with served({**SMALL, "/x": sample}) as site:
        whole = crawl(tmp_path, url=f"{site.base}/")
        run = crawl(tmp_path, "similar", url=f"{site.base}/x")
        assert (run.outcome, run.documents, run.current()) == ("empty", [], whole.current())
        assert f"No page could be used: {site.base}/x {said}" in caplog.text


def test_a_sample_that_has_moved_is_the_page_that_it_leads_to(tmp_path: Path) -> None:
    with served({**shop(), "/x": moved(TOOLS[7])}) as site:
        run = crawl(tmp_path, "similar", url=f"{site.base}/x")
        assert run.paths(site.base) == sorted(TOOLS)


def test_a_class_of_which_a_line_is_no_url_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "class.txt"
    path.write_text("http://a.example/x\nhttp://[a\n")
    with pytest.raises(ConfigurationError, match=r"class\.txt: 'http://\[a': is no URL"):
        crawl(tmp_path / "stores", "similar", url="http://a.example/", class_urls=path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "no sample: give -a url="),
        ({"url": "http://a.example/,http://b.example/"}, "one sample"),
        ({"url": "http://a.example/", "similarity": "2"}, "similarity=2: give a number above 0, to 1"),
        ({"url": "http://a.example/", "measure": "words"}, "measure=words: give structure, shapes or links"),
        ({"url": "http://a.example/", "class_urls": "/nowhere"}, "class_urls /nowhere"),
        ({"url": "http://a.example/x.pdf"}, "no page of site a.example that is requested (type)"),
        ({"url": "http://a.example/", "similar": "1"}, "did you mean 'similarity'?"),
        ({"url": "http://a.example/", "template_links": "last"}, "template_links: for the spider site alone"),
    ],
)
def test_wrong_arguments_are_told_before_anything_is_requested(
    tmp_path: Path, arguments: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        crawl(tmp_path, "similar", **arguments)
    assert not list(tmp_path.iterdir())
