"""Methods that learn of a site: in a crawl, over nights, for some pages, stopped and continued."""

from __future__ import annotations

import asyncio
from contextlib import closing
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from crawler.configuration.checks import registry_of
from crawler.configuration.judgement import config_for, stored_judge
from crawler.run.state import RunState
from crawler.run.work import Stopped, Work
from evaluation.corpora import choose, evaluate
from evaluation.gold import find_archives
from pagelets.registry import OURS, Registry
from settings.errors import ConfigurationError
from store.errors import NotLearned
from store.learning import learn
from store.site import Store
from tests.crawler.commands.conftest import write_archive, write_gold
from tests.crawls import crawl
from tests.learners import FrequentMethod
from tests.recrawls import project as of_the_project
from tests.served import Answer, page, served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from scrapy.settings import Settings

    from store.judging import StoredJudge
    from tests.served import Site

FRAME = "<div>What all pages of this host say, in the same words.</div>"


CLASSES = {"frequent": "tests.learners.FrequentMethod", "rare": "tests.learners.RareMethod"}
REGISTRY = OURS.with_methods(CLASSES)


def project() -> Settings:
    settings = of_the_project()
    settings.set("METHOD_CLASSES", CLASSES)
    return settings


def pages(*more: str) -> dict[str, Answer]:
    names = [f"/{number}" for number in range(4)]
    texts = {name: page(f"page {name}", around=FRAME) for name in (*names, *more)}
    texts["/"] = page("home", *texts, around=FRAME)
    return {path: Answer(text, headers={"ETag": f'"{len(text)}"'}) for path, text in texts.items()}


def framed(documents: list[dict[str, Any]], base: str) -> set[str]:
    return {d["url"].removeprefix(base) for d in documents if "in the same words" in d["text"]}


def run(folder: Path, site: Site, **settings: Any):
    # What the site repeats is left to the method under test.
    quiet = {"TEMPLATE_MIN_PAGES": 99, "REPEATED_BLOCK_SHARE": 0, "METHOD": "frequent", **settings}
    quiet = {"METHOD_CLASSES": CLASSES, **quiet}
    crawled = crawl(folder, url=f"{site.base}/", site="s", settings=quiet)
    assert (crawled.outcome, crawled.errors) == ("complete", [])
    return crawled


def learned(folder: Path) -> list[tuple[str, str, str]]:
    with closing(Store.open(folder / "s")) as store:
        return store.connection.execute(
            "SELECT method, name, version FROM learned JOIN hosts USING (host) ORDER BY 1, 2"
        ).fetchall()


def test_a_site_method_learns_at_the_detection_and_judges(tmp_path: Path) -> None:
    with served(pages()) as site:
        first = run(tmp_path, site)
        assert len(first.documents) == 5
        assert framed(first.documents, site.base) == set()
        host = site.base.removeprefix("http://")
        assert learned(tmp_path) == [("frequent", host, "frequent share=0.5 sample=20")]
        with closing(Store.open(tmp_path / "s")) as store:
            judge = stored_judge(store, project())
            exported = {d["url"]: d["text"] for d in map(judge.document, store.documents.current())}
            assert exported == {d["url"]: d["text"] for d in first.documents}
        # By another method all pages are judged again, and what nobody wants any more is forgotten.
        other = run(tmp_path, site, METHOD="all-text")
        assert framed(other.documents, site.base) == {"/", "/0", "/1", "/2", "/3"}
        assert learned(tmp_path) == []


def test_what_was_learned_holds_until_pages_or_parameters_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learning: list[int] = []
    original = FrequentMethod.learn

    def note(self: Any, view: Any) -> bytes:
        learning.append(self.sample)
        return original(self, view)

    monkeypatch.setattr(FrequentMethod, "learn", note)
    with served(pages()) as site:
        run(tmp_path, site)
        assert run(tmp_path, site).documents == []
        assert learning == [20]
        versions = []
        site.pages.update(pages("/more"))
        second = run(tmp_path, site)
        assert learning == [20, 20]
        versions.append(second.documents[0]["template_version"])
        assert "/more" in second.paths(site.base)
        third = run(tmp_path, site, METHOD_CLASSES={**CLASSES, "frequent": CLASSES["rare"]})
        versions.append(third.documents[0]["template_version"])
        assert framed(third.documents, site.base) == {"/", "/0", "/1", "/2", "/3", "/more"}
        assert len(set(versions)) == 2


def test_a_vote_learns_for_its_voters(tmp_path: Path) -> None:
    vote = "vote:frequent,rare,frequent"
    with served(pages()) as site:
        crawled = run(tmp_path, site, METHOD="rare", OVERRIDES=[
            {"type": "begins", "pattern": "/2", "method": vote}
        ])  # fmt: skip
        assert framed(crawled.documents, site.base) == {"/", "/0", "/1", "/3"}
        assert [method for method, *_ in learned(tmp_path)] == ["rare", vote]
        assert run(tmp_path, site, METHOD=vote).errors == []
        assert [method for method, *_ in learned(tmp_path)] == [vote]


def test_each_override_s_method_learns(tmp_path: Path) -> None:
    overrides = [{"type": "begins", "pattern": "/2", "method": "rare"}]
    with served(pages()) as site:
        crawled = run(tmp_path, site, OVERRIDES=overrides)
        assert framed(crawled.documents, site.base) == {"/2"}
        assert [method for method, *_ in learned(tmp_path)] == ["frequent", "rare"]
        crawled = run(tmp_path, site, METHOD="all-text", OVERRIDES=[{**overrides[0], "method": "frequent"}])
        assert [method for method, *_ in learned(tmp_path)] == ["frequent"]


def test_who_asks_for_a_method_that_has_not_learned_is_told(tmp_path: Path) -> None:
    with served(pages()) as site:
        run(tmp_path, site, METHOD="all-text")
    settings = project()
    settings.set("METHOD", "frequent", priority="cmdline")
    with (
        closing(Store.open(tmp_path / "s")) as store,
        pytest.raises(NotLearned, match=r"frequent has not learned .* \(-a method=frequent\)"),
    ):
        stored_judge(store, settings)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two hosts of 4 and 30 pages."""
    other = {f"/{number}": page(f"other {number}", around=FRAME) for number in range(30)}
    with served(other) as second:
        host = second.base.replace("127.0.0.1", "localhost")
        with served({**pages(), "/": page("home", *(f"{host}{path}" for path in other), "/1", "/2")}) as site:
            url = f"{site.base}/,{host}/1"
            crawl(tmp_path, url=url, site="s", settings={"METHOD": "all-text"})
    with closing(Store.open(tmp_path / "s")) as store:
        assert len(store.learned.hosts()) == 2
        yield store


def reader(store: Store) -> StoredJudge:
    return stored_judge(store, project())


def test_a_method_sees_a_host_s_pages_and_links_and_no_others(store: Store) -> None:
    seen: dict[str, Any] = {}

    class Looking(FrequentMethod):
        def learn(self, site: Any) -> bytes:
            drawn = [subject.page.url for subject in site.sample(3)]
            (one,) = site.pages([drawn[0], "http://elsewhere.example/"])
            assert one.evidence.pages
            assert one.html.startswith("<!doctype html>")
            seen[drawn[0].split("/")[2]] = (drawn, list(site.links()))
            return b"[]"

    told: list[tuple[int, int]] = []
    looking: Any = Registry({"frequent": Looking})  # type: ignore[dict-item]
    tell = lambda *told_now: told.append(told_now)  # noqa: E731
    learn(store, reader(store).subject, ["frequent"], tell, registry=looking)
    assert len(seen) == 2
    for host, (drawn, links) in seen.items():
        assert len(set(drawn)) == 3
        assert all(url.split("/")[2] == host for url in [*drawn, *(end for link in links for end in link)])
        assert len(links) == len(set(links))
    assert any(links for _, links in seen.values())
    assert told[0] == (
        1,
        20 + len(store.connection.execute("SELECT 1 FROM pages WHERE host = 1 AND status = 200").fetchall()),
    )
    assert told == sorted(told)
    assert told[-1][0] <= told[-1][1]


def test_ctrl_c_is_heard_between_pages_and_learning_goes_on_where_it_was(store: Store) -> None:
    crawler = SimpleNamespace(crawling=True)
    state = RunState()
    work = Work(crawler, store, state)  # type: ignore[arg-type]
    reads: list[int] = []

    def reading(stop_at: int | None) -> Callable[[int], Any]:
        subject = reader(store).subject

        def read(page_id: int) -> Any:
            reads.append(page_id)
            if len(reads) == stop_at:
                crawler.crawling = False
                while not state.interrupted:
                    pass
            return subject(page_id)

        return read

    first = reading(10)
    with pytest.raises(Stopped):
        begun = partial(learn, store, first, ["frequent"], work.tell, registry=REGISTRY)
        asyncio.run(work.do("learning", begun))
    assert len(reads) == 10
    done = store.connection.execute("SELECT host FROM learned").fetchall()
    assert len(done) == 1
    reads.clear()
    learn(store, reading(None), ["frequent"], registry=REGISTRY)
    hosts = {store.pages.host(page_id) for page_id in reads}
    assert hosts == set(store.learned.hosts()) - {host for (host,) in done}
    assert store.learned.versions("frequent") == {REGISTRY.version_of("frequent")}


@pytest.mark.usefixtures("quick_evaluation")
def test_evaluate_lets_methods_learn_side_by_side(tmp_path: Path) -> None:
    write_archive(tmp_path / "stones.warc.gz", "https://stones.example", "stones")
    write_gold(tmp_path / "stones.gold.jsonl", "https://stones.example", "stones")
    # Other processes are told of methods that were added.
    names = ["all-text", "learner", "another"]
    settings = project()
    settings.set("METHOD_CLASSES", dict.fromkeys(names[1:], "tests.learners.FrequentMethod"))
    assert choose(names, registry_of(settings)).methods == names
    results = {
        result.method: sum(one.score.precision for one in result.pages)
        for result in evaluate(
            find_archives([tmp_path]), names, partial(config_for, settings=settings), processes=2
        )
    }
    assert results["learner"] == results["another"] > results["all-text"]


def test_a_method_that_is_unknown_is_told() -> None:
    with pytest.raises(ConfigurationError, match="frequnt"):
        choose(["frequnt"])
