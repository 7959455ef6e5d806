from __future__ import annotations

import re
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from pagelets.judging.decisions import sketch_name
from settings.errors import ConfigurationError
from store.meta import TEMPLATE_VERSION
from store.site import Store
from store.templates import ETDM
from tests.crawls import Crawled, arguments_of, crawl, lines, scrapy
from tests.forked import Running
from tests.served import Answer, moved, served

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from store.templates import Template
    from tests.served import Site

SECTIONS = ("news", "sport", "weather", "arts", "money")
MENU = "".join(f"<li><a href=/{name}.html>{name} of the day</a></li>" for name in SECTIONS)
FOOT = "<p class=foot>Printed in the harbour street.</p><p><a href=javascript:alert(1)>not this</a></p>"


def page(name: str, *links: str) -> str:
    items = "".join(f"<li><a href={path}>All about {path}</a></li>" for path in links)
    return (
        f"<!doctype html><html lang=en><head><title>{name}</title><script>alert(1)</script></head><body>"
        f"<ul class=menu onclick=alert(1)>{MENU}</ul><main><h1>The page {name}</h1>"
        f"<p>What {name} has to say is said by no other page at all.</p></main>"
        f"<ul class=more>{items}</ul><footer>{FOOT}</footer></body></html>"
    )


def paper() -> dict[str, Any]:
    """Sections that a menu on all pages leads to, and articles that a section leads to. The home page names
    articles first.
    """
    articles = [f"/{name}/{number}.html" for name in SECTIONS for number in range(5)]
    pages = {path: page(path) for path in articles}
    for name in SECTIONS:
        own = [path for path in articles if path.startswith(f"/{name}/")]
        pages[f"/{name}.html"] = page(f"/{name}.html", *own)
    home = page("/").replace(
        "<body>", "<body><p>" + " ".join(f"<a href={one}>{one}</a>" for one in articles[:3])
    )
    return {**pages, "/": home}


def asked(site: Site) -> list[str]:
    return [path for path in site.asked if path != "/robots.txt"]


def templates(run: Crawled) -> list[Template]:
    with Store.open(run.folder) as store:
        return list(store.templates.all())


def version(run: Crawled) -> str | None:
    with Store.open(run.folder) as store:
        return store.meta(TEMPLATE_VERSION)


def of_key_page(found: Iterable[Template]) -> list[Template]:
    return [one for one in found if one.algorithm == ETDM]


def test_a_few_pages_tell_the_template(tmp_path: Path) -> None:
    with served(paper()) as site:
        run = crawl(tmp_path, "template", url=f"{site.base}/", output=tmp_path / "template.html")
        assert (run.outcome, run.errors, run.deletions) == ("complete", [], [])
        # An article, then those that most pages lead to: the menu.
        assert len(asked(site)) == 6
        assert max(site.asked.values()) == 1
        assert run.stats["templates/etdm_pages"] == 4
        assert len(run.paths(site.base)) == 6
        assert [document["text"] for document in run.documents if document["url"].endswith("/news.html")] == [
            "The page /news.html\n\nWhat /news.html has to say is said by no other page at all.\n\n"
            + "\n".join(f"All about /news/{number}.html" for number in range(5))
        ]
        written = (tmp_path / "template.html").read_text()
        assert "Printed in the harbour street" in written
        assert f'<li><a href="{site.base}/news.html">news of the day</a></li>' in written
        assert not re.search("The page|What / has|alert|onclick|script", written)
        found = templates(run)
        assert {one.algorithm for one in found} == {ETDM}
        assert [(one.pages, one.share) for one in found] == [(6, 1.0)] * len(found)
        assert {one.sample_page for one in found} == {1}


def test_a_crawl_of_the_site_goes_on_from_it(tmp_path: Path) -> None:
    with served(paper()) as site:
        known = templates(crawl(tmp_path, "template", url=f"{site.base}/"))
        # Of less than 30 pages detection knows too few: what the key page has shown stays.
        part = crawl(tmp_path, url=f"{site.base}/", max_pages=20)
        assert part.outcome == "limited"
        assert {one.template for one in of_key_page(templates(part))} == {one.template for one in known}
        whole = crawl(tmp_path, url=f"{site.base}/")
        assert whole.outcome == "complete"
        assert whole.current(site.base) == sorted(paper())
        found = templates(whole)
        assert not of_key_page(found)
        # Found by detection, they go on under the same ids.
        assert {one.template for one in found} >= {one.template for one in known}
        assert {one.first_run for one in found if one.template == known[0].template} == {1}


def test_a_page_that_detection_has_too_few_of_is_judged_by_it(tmp_path: Path) -> None:
    """With a support that a few pages cannot have, nothing else tells what is template."""
    with served(paper()) as site:
        alone = crawl(tmp_path / "alone", url=f"{site.base}/", max_pages=5, min_pages=20)
        assert "Printed in the harbour street." in alone.documents[0]["text"]
        crawl(tmp_path / "known", "template", url=f"{site.base}/", min_pages=20)
        known = crawl(tmp_path / "known", url=f"{site.base}/news/1.html", max_pages=1, min_pages=20)
        (document,) = [one for one in known.documents if one["url"].endswith("/news/1.html")]
        assert "Printed in the harbour street." not in document["text"]
        assert "of the day" not in document["text"]


def test_run_again_nothing_goes_out(tmp_path: Path) -> None:
    pages = {path: Answer(text, headers={"ETag": f'"{path}"'}) for path, text in paper().items()}
    with served(pages) as site:
        first = crawl(tmp_path, "template", url=f"{site.base}/")
        before, made = asked(site), version(first)
        site.forget()
        again = crawl(tmp_path, "template", url=f"{site.base}/", output=tmp_path / "template.html")
        assert (again.outcome, again.documents, again.deletions) == ("complete", [], [])
        assert asked(site) == before
        assert templates(again) == templates(first)
        assert version(again) == made
        assert "harbour" in (tmp_path / "template.html").read_text()


def test_decisions_hold_whoever_finds_the_template(tmp_path: Path) -> None:
    with served(paper()) as site:
        run = crawl(tmp_path, "template", url=f"{site.base}/")
        with Store.open(run.folder) as store, store.transaction():
            (foot,) = [
                one
                for one in store.templates.all()
                if one.sample_position == max(other.sample_position for other in store.templates.all())
            ]
            store.decisions.apply([], [sketch_name(foot.sketch)])
        again = crawl(
            tmp_path,
            "template",
            url=f"{site.base}/",
            settings={"REJECTED_TEMPLATES": [sketch_name(foot.sketch)]},
        )
        (kept,) = [one for one in templates(again) if one.sketch == foot.sketch]
        assert (kept.template, kept.state, kept.algorithm) == (foot.template, "rejected", ETDM)
        assert len(again.documents) == 6
        assert all("Printed in the harbour street." in document["text"] for document in again.documents)
        whole = crawl(
            tmp_path, url=f"{site.base}/", settings={"REJECTED_TEMPLATES": [sketch_name(foot.sketch)]}
        )
        (kept,) = [one for one in templates(whole) if one.sketch == foot.sketch]
        assert (kept.template, kept.state, kept.algorithm) == (foot.template, "rejected", "local")


def test_another_key_page_adds_what_it_shows(tmp_path: Path) -> None:
    pages = paper()
    shop = {f"/shop/{n}": page(f"/shop/{n}").replace("harbour", "market") for n in range(3)}
    for path in shop:
        links = "".join(f"<li><a href={other}>{other} is sold</a>" for other in shop)
        pages[path] = shop[path].replace(MENU, links)
    with served(pages) as site:
        one = of_key_page(templates(crawl(tmp_path, "template", url=f"{site.base}/")))
        both = of_key_page(templates(crawl(tmp_path, "template", url=f"{site.base}/shop/0")))
        assert {t.sketch for t in one} < {t.sketch for t in both}
        # What a page shows no more, and no page has, is let go.
        for path, text in pages.items():
            pages[path] = text.replace("Printed in the harbour street", "Written by the old town's gate")
        site.pages = pages
        changed = of_key_page(templates(crawl(tmp_path, "template", url=f"{site.base}/")))
        assert len(changed) == len(both)
        assert {t.sketch for t in changed} != {t.sketch for t in both}


def test_a_site_that_is_stored_stays_whole(tmp_path: Path) -> None:
    with served(paper()) as site:
        whole = crawl(tmp_path, url=f"{site.base}/")
        before, made = templates(whole), version(whole)
        run = crawl(tmp_path, "template", url=f"{site.base}/sport/1.html")
        assert (run.outcome, run.documents, run.deletions) == ("complete", [], [])
        assert run.current(site.base) == sorted(paper())
        assert [one.sketch for one in templates(run)] == [one.sketch for one in before]
        assert version(run) == made


def test_a_limit_is_kept(tmp_path: Path) -> None:
    with served(paper()) as site:
        run = crawl(tmp_path, "template", url=f"{site.base}/news.html", max_pages=3)
        assert (run.outcome, run.stats["templates/etdm_pages"]) == ("limited", 2)
        assert len(asked(site)) == 3
        run = crawl(tmp_path / "one", "template", url=f"{site.base}/news.html", max_pages=1)
        assert (run.outcome, "templates/etdm_pages" in run.stats) == ("limited", False)


def test_a_killed_crawl_is_continued(tmp_path: Path) -> None:
    with served(paper()) as site:
        whole = crawl(tmp_path / "whole", "template", url=f"{site.base}/", output=tmp_path / "a.html")
        first = asked(site)
        site.forget()
        site.delay = lambda path: 0.15
        where = ["-a", f"url={site.base}/", "-a", f"output={tmp_path / 'b.html'}"]
        running = Running(arguments_of(tmp_path / "killed", *where, spider="template"))
        while len(asked(site)) < 4:
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        running.wait()
        assert not (tmp_path / "b.html").exists()
        site.delay = lambda path: 0.0
        rest = crawl(tmp_path / "killed", "template", url=f"{site.base}/", output=tmp_path / "b.html")
        assert rest.paths(site.base) == whole.paths(site.base)
        assert (tmp_path / "b.html").read_text() == (tmp_path / "a.html").read_text()
        # What was under way alone was asked for again.
        assert asked(site) == first
        assert [path for path in first if site.asked[path] > 1] in ([], [first[3]])


def test_an_archive_answers_as_well(tmp_path: Path) -> None:
    for path, text in paper().items():
        file = tmp_path / "paper" / (path.lstrip("/") or "index.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    archive = {"path": tmp_path / "paper", "base": "http://paper.example/"}
    data = tmp_path / "data"
    run = crawl(data, "template", url="http://paper.example/index.html", **archive)
    assert (run.outcome, run.stats["templates/etdm_pages"], len(run.documents)) == ("complete", 4, 6)
    assert run.folder.name == "paper"
    assert len(of_key_page(templates(run))) == len(templates(run))
    whole = crawl(data, "archive", **archive)
    assert (whole.outcome, len(whole.current())) == ("complete", 31)
    with pytest.raises(ConfigurationError, match="not in the archive"):
        crawl(tmp_path / "none", "template", url="http://paper.example/no.html", **archive)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("<p>No links here, whatever one does.</p>", "has no links to other pages"),
        (
            "<p><a href=/lost.html>lost</a> <a href=http://other.example/>away</a></p>",
            "no page that could be had",
        ),
        ("<div><a href=/news.html>unlike all other pages</a></div>", "has no menu"),
        (Answer("%PDF-1.4", kind="application/pdf"), "refused (type)"),
        (Answer("gone", 404), "gone (http 404)"),
        (moved("http://example.invalid/"), "redirected"),
    ],
)
def test_a_key_page_that_shows_no_template_ends_the_crawl(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, key: Any, said: str
) -> None:
    (tmp_path / "before.html").write_text("as it was")
    with served({**paper(), "/x": key}) as site:
        run = crawl(tmp_path, "template", url=f"{site.base}/x", output=tmp_path / "before.html")
    assert (run.outcome, run.documents, run.stats["templates/count"]) == ("empty", [], 0)
    (line,) = [line for line in caplog.messages if "No page could be used" in line]
    assert said in line
    assert (tmp_path / "before.html").read_text() == "as it was"


def test_a_key_page_that_cannot_be_had_of_a_stored_site_ends_the_crawl(tmp_path: Path) -> None:
    with served(paper()) as site:
        crawl(tmp_path, url=f"{site.base}/")
        run = crawl(tmp_path, "template", url=f"{site.base}/x", output=tmp_path / "none.html")
    assert (run.outcome, run.answers) == ("empty", [f"{site.base}/x gone (http 404)"])
    assert not (tmp_path / "none.html").exists()


def test_the_command_tells_it_in_one_line_and_an_exit_code(tmp_path: Path) -> None:
    with served({"/": "<p>No links here, whatever one does.</p>"}) as site:
        run = scrapy(tmp_path, "-a", f"url={site.base}/", "-O", "-:jsonlines", spider="template")
    assert (run.returncode, lines(run.stdout)) == (3, [])
    assert "has no links to other pages of the site; give another page as key page" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_menu_without_end_is_followed_for_a_while_only(tmp_path: Path) -> None:
    def endless(path: str) -> str:
        links = [f"{path}{number}/" for number in range(50)]
        return page(path, *links).replace(MENU, "")

    with served({}, endless) as site:
        run = crawl(tmp_path, "template", url=f"{site.base}/")
        assert len(asked(site)) == 13
        # No two of them link to each other: what the key page shares with one is all there is.
        assert (run.outcome, run.stats["templates/etdm_pages"]) == ("complete", 1)


def test_a_key_page_that_has_moved_is_the_page_that_it_leads_to(tmp_path: Path) -> None:
    with served({**paper(), "/x": moved("/news.html"), "/sport.html": moved("/s"), "/s": page("/s")}) as site:
        run = crawl(tmp_path, "template", url=f"{site.base}/x")
        assert run.stats["templates/etdm_pages"] == 4
        assert {f"{site.base}/news.html", f"{site.base}/s"} <= set(run.urls)


def test_a_page_under_two_addresses_is_one_page(tmp_path: Path) -> None:
    home = page("/").replace(
        MENU, "<li><a href=/>home</a><li><a href=/index>home</a><li><a href=/other>more</a>"
    )
    pages = {
        "/": home,
        "/index": home,
        "/other": home.replace("The page", "Another page").replace("What", "All"),
    }
    with served(pages) as site:
        run = crawl(tmp_path, "template", url=f"{site.base}/", output=tmp_path / "a.html")
        assert run.stats["templates/etdm_pages"] == 1
        assert "The page" not in (tmp_path / "a.html").read_text()
        assert "harbour" in (tmp_path / "a.html").read_text()


def test_a_disk_that_is_full_in_the_end_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "a.html").write_text("as it was")

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    with served(paper()) as site:
        monkeypatch.setattr("crawler.commandline.base.os.fsync", full)
        # The file of documents would fail first.
        alone = {"DOCUMENTS_FILE": False}
        run = crawl(tmp_path, "template", alone, url=f"{site.base}/", output=tmp_path / "a.html")
        assert (run.outcome, run.documents) == ("interrupted", [])
        assert (tmp_path / "a.html").read_text() == "as it was"
        assert not [path for path in tmp_path.iterdir() if path.name.startswith(".a.html")]
        monkeypatch.undo()
        site.forget()
        run = crawl(tmp_path, "template", url=f"{site.base}/", output=tmp_path / "a.html")
        assert (run.outcome, len(run.documents), asked(site)) == ("complete", 6, [])
        assert "harbour" in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "no key page: give -a url="),
        ({"path": "/"}, "no key page: give -a url="),
        ({"url": "http://a.example/,http://b.example/"}, "one key page"),
        ({"url": "http://a.example/x.pdf"}, "no page of site a.example that is requested (type)"),
        ({"url": "http://a.example/", "output": "/nowhere/a.html"}, "output /nowhere/a.html: No such file"),
        ({"url": "http://a.example/", "output": "/tmp"}, "output /tmp: is a folder"),
        ({"url": "http://a.example/", "output": "a" * 300}, "File name too long"),
        ({"url": "http://a.example/", "fresh": "1"}, "fresh=1"),
        ({"url": "http://a.example/", "ouptut": "a.html"}, "did you mean 'output'?"),
        ({"url": "http://a.example/", "path": "/nowhere"}, "/nowhere: no such file"),
    ],
)
def test_wrong_arguments_are_told_before_anything_is_requested(
    tmp_path: Path, arguments: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        crawl(tmp_path, "template", **arguments)
    assert not list(tmp_path.iterdir())
