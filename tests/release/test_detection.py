from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.block_keys import block_fingerprint
from pagelets.detection import small
from pagelets.judging.config import JudgeConfig
from pagelets.judging.parameters import Detection
from pagelets.partition import partition, tag_paths
from pagelets.reading import read
from release import detection as module
from release.detection import Detector
from store import evidence
from store.errors import NotEnoughMemory
from store.facts import facts_of
from store.judging import StoredJudge
from store.meta import TEMPLATE_VERSION
from store.site import Store
from tests.store.sites import Pagelet, begin, count, place, record, rows, url
from tests.store.test_support import repeated
from tests.store.test_templates import found

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagelets.detection.blocks import RepeatedBlocks


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "site.example", create=True) as opened:
        yield opened


MENU = Pagelet("home news about this site", ("home", "news", "about"), "html/body/nav")
FOOTER = Pagelet("imprint and contact of this site")


def site(store: Store, pages: int = 6) -> int:
    run = begin(store)
    for number in range(pages):
        record(store, f"p{number}", [MENU, Pagelet(f"words of number {number}"), FOOTER], run)
    return run


def counted(store: Store) -> dict[str, list[tuple]]:
    """What is known of blocks and their places."""
    tables = {
        name: rows(store, f"SELECT * FROM {name}") for name in ("blocks", "placed_blocks", "tag_path_support")
    }
    return {**tables, "hosts": rows(store, "SELECT name, pages FROM hosts ORDER BY name")}


def detect(store: Store, run: int, **parameters) -> Detector:
    detector = Detector(Detection(**parameters))
    detector.save(store, detector.find(store), run)
    return detector


def test_what_pages_share_is_found_and_stored(store: Store) -> None:
    run = site(store)
    detect(store, run)
    templates = list(store.templates.all())
    assert {template.sketch for template in templates} == {
        store.pages.sketches(1)[0],
        store.pages.sketches(1)[2],
    }
    assert {(t.pages, t.share, t.page_set, t.algorithm, t.last_run) for t in templates} == {
        (6, 1.0, None, "local", run)
    }
    fingerprints = [block_fingerprint(pagelet.text) for pagelet in (MENU, FOOTER)]
    assert counted(store)["blocks"] == [(fingerprint_, 6, 1.0) for fingerprint_ in sorted(fingerprints)]
    # The menu has a place of its own; the words of the pages share theirs with the footer.
    assert sorted(counted(store)["tag_path_support"]) == sorted(
        [(place(MENU), 6, 1.0, 0.0, 6.0), (place(FOOTER), 6, 1.0, 6 / 7, 12 / 7)]
    )
    assert store.support.host_pages()[store.pages.host(1)] == 6


def test_near_duplicates_count_once_where_that_is_asked_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Step 1 of Figure 4, with pages compared by their shingles."""
    run, article = begin(store), Pagelet(" ".join(f"word{number}" for number in range(99)))
    for number in range(3):
        record(store, f"p{number}", [article, Pagelet(f"seen {number}")], run)
    record(store, "tiny", [Pagelet("other")], run)
    detect(store, run, min_pages=2, min_share=0)
    assert store.templates.count() == 1
    # In memory, and from files.
    for rows_in_memory in (evidence.MOST_ROWS, 0):
        monkeypatch.setattr(evidence, "MOST_ROWS", rows_in_memory)
        detect(store, run, min_pages=2, min_share=0, near_duplicates=True)
        assert store.templates.count() == 0
        assert store.support.host_pages() == {store.pages.host(1): 2}


def test_the_version_names_all_that_is_known_and_what_is_made_of_it(store: Store) -> None:
    run = begin(store)
    for number in range(1, 5):
        record(store, f"p{number}", [MENU], run)

    def version(*templates: tuple[int, set[int] | None], counts: RepeatedBlocks | None = None, **parameters):
        fingerprint = parameters.pop("judge_fingerprint", "")
        detector = Detector(Detection(**parameters), fingerprint)
        detector.save(store, (found(*templates), counts or repeated()), run)
        assert facts_of(store, detector.detection).version == store.meta(TEMPLATE_VERSION)
        return store.meta(TEMPLATE_VERSION)

    versions = [
        version(),
        version((5, None)),
        version((5, {1, 2})),
        version((5, None), counts=repeated(blocks=[(1, 9, 0.8)])),
        version((5, None), counts=repeated(blocks=[(2, 9, 0.8)])),
        version((5, None), counts=repeated(placed=[(1, 9, 0.8)])),
        version((5, None), counts=repeated(places=[(1, 9, 0.8, 0, 1)])),
        version((5, None), counts=repeated(hosts=[(store.pages.host(1), 9)])),
        version((5, None), min_pages=4),
        version((5, None), block_share=0.4),
        version((5, None), block_share=0),
        version((5, None), judge_fingerprint="another method"),
    ]
    assert len(set(versions)) == len(versions)
    assert version((5, None)) == versions[1]


def test_support_decides(store: Store) -> None:
    run = site(store, 4)
    detect(store, run, min_pages=5)
    assert store.templates.count() == 0
    detect(store, run, min_pages=4, min_share=1)
    assert store.templates.count() == 2


def test_global_templates_keep_to_their_component(store: Store) -> None:
    run = begin(store)
    for group in "ab":
        for number in range(3):
            link = (f"{group}{(number + 1) % 3}",)
            record(store, f"{group}{number}", [FOOTER, Pagelet(f"words of {group} {number}", link)], run)
    detector = detect(store, run, algorithm="global")
    assert store.templates.count() == 2
    sets = {tuple(store.templates.page_set(t.page_set).tolist()) for t in store.templates.all()}
    of_group = {
        group: tuple(
            sorted(page for (page,) in rows(store, "SELECT page FROM pages WHERE url LIKE ?", f"%/{group}_"))
        )
        for group in "ab"
    }
    assert sets == set(of_group.values())
    assert facts_of(store, detector.detection).version == store.meta(TEMPLATE_VERSION)


def test_a_second_detection_keeps_ids_and_version(store: Store) -> None:
    run = site(store)
    detect(store, run)
    before = [(t.template, t.sketch) for t in store.templates.all()], store.meta(TEMPLATE_VERSION)
    detect(store, begin(store))
    assert ([(t.template, t.sketch) for t in store.templates.all()], store.meta(TEMPLATE_VERSION)) == before
    assert {t.first_run for t in store.templates.all()} == {run}


@pytest.mark.parametrize("algorithm", ["local", "global"])
def test_a_site_without_pages_has_no_templates(store: Store, algorithm: str) -> None:
    detect(store, begin(store), algorithm=algorithm)
    assert store.templates.count() == count(store, "blocks") == 0
    assert store.meta(TEMPLATE_VERSION)


HTML = """<html><head><title>Page {0}</title></head><body><div><a href=/p{1}>Zero</a> <a href=/p{2}>One</a>
<a href=/p{3}>Two</a></div><p>Words of page {0} that no other page has.</p>
<p>A line of group {4}.</p><div class={5}><p>Words at places of their own.</p></div></body></html>"""


def crawl(store: Store, numbers: Iterable[int]) -> int:
    """Records pages as parser and partition give them, in this order: even ones link to each other."""
    run = begin(store)
    for number in numbers:
        group = number % 2
        html = HTML.format(number, group, group + 2, group + 4, group, "even odd".split()[group])
        page = read(html, url(f"p{number}"))
        pagelets = []
        parts = partition(page, 3)
        for part, path in zip(parts, tag_paths(page.tree, parts), strict=True):
            blocks = page.blocks[part.start : part.stop]
            links = page.links[blocks[0].links.start : blocks[-1].links.stop]
            text = " ".join(block.text for block in blocks)
            pagelets.append(Pagelet(text, tuple(link.url for link in links), path))
        record(store, f"p{number}", pagelets, run, body=html.encode())
    return run


def judge_of(store: Store, run: int, **parameters) -> StoredJudge:
    detection = detect(store, run, **parameters).detection
    return StoredJudge(store, JudgeConfig(method="paper", detection=detection, site="site.example"))


def test_a_stored_page_is_judged_with_the_site_s_evidence(store: Store) -> None:
    judge = judge_of(store, crawl(store, range(4)), min_pages=2)
    judged = judge.judge(1)
    document = judged.document()
    assert document["text"] == "Words of page 0 that no other page has."
    assert document["template_version"] == store.meta(TEMPLATE_VERSION)
    assert document["site"] == "site.example"
    assert document["status"] == 200
    assert judged.counts()["kept_whole"] == 0
    assert judged.counts()["pagelets_template"] == 3
    assert judged.content_hash == document["content_hash"]


def test_only_the_fields_that_are_asked_for_are_made(store: Store) -> None:
    assert set(judge_of(store, crawl(store, range(3))).judge(2).document(["url", "text"])) == {"url", "text"}


def test_a_page_without_a_body_cannot_be_judged(store: Store) -> None:
    judge = judge_of(store, crawl(store, range(3)))
    for page in (99, rows(store, "SELECT count(*) FROM pages")[0][0] + 1):
        with pytest.raises(KeyError):
            judge.judge(page)


def outcome(arrivals: list[int], algorithm: str) -> tuple[object, ...]:
    """What a store says of its site after its pages came in this order; nothing of it is an id."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder), create=True) as store:
        run = crawl(store, arrivals)
        with store.transaction():
            store.pages.fragments.clear_unused()
        judge = judge_of(store, run, algorithm=algorithm, min_pages=2)
        templates = {
            (
                template.sketch,
                template.pages,
                template.share,
                store.frontier.url(template.sample_page),
                None
                if template.page_set is None
                else frozenset(map(store.frontier.url, store.templates.page_set(template.page_set).tolist())),
            )
            for template in store.templates.all()
        }
        documents = []
        for page in store.documents.to_release(run):
            document = judge.judge(page).document()
            documents.append({name: value for name, value in document.items() if name != "pagelets"})
        return templates, store.meta(TEMPLATE_VERSION), documents, counted(store)


@pytest.mark.parametrize("algorithm", ["local", "global"])
def test_pages_may_come_in_any_order_and_more_than_once(algorithm: str) -> None:
    first = outcome(list(range(6)), algorithm)
    assert first[0]
    assert len(first[2]) == 6
    assert all(first[3].values())

    @settings(deadline=None, max_examples=8)
    @given(
        st.permutations(range(6)).flatmap(
            lambda order: st.lists(st.sampled_from(order), max_size=3).map(lambda again: [*order, *again])
        )
    )
    def same(arrivals: list[int]) -> None:
        assert outcome(arrivals, algorithm) == first

    same()


def test_what_does_not_fit_is_tried_once_more_with_more_memory(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run = site(store)
    detect(store, run)
    before = counted(store), list(store.templates.all())
    monkeypatch.setattr(small, "MOST_ROWS", -1)
    monkeypatch.setattr(module, "budgets", lambda asked: [1, 64])
    with caplog.at_level("INFO", logger=module.__name__):
        detect(store, run)
    assert (counted(store), list(store.templates.all())) == before
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "Detecting templates takes more than 1 MB of memory"
    ]


def test_too_little_memory_is_said_with_the_mend(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    site(store)
    monkeypatch.setattr(small, "MOST_ROWS", -1)
    with pytest.raises(NotEnoughMemory, match=r"more than 1 MB of memory; .*DETECTION_MEMORY=2"):
        Detector(memory=1).find(store)


def test_the_memory_makes_no_other_detection() -> None:
    assert Detector(memory=1) == Detector()
    assert repr(Detector(memory=1)) == repr(Detector())
