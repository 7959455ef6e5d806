from __future__ import annotations

from typing import TYPE_CHECKING

from pagelets.judging.config import JudgeConfig
from pagelets.judging.other_titles import title_keys
from release.detection import Detector
from store.judging import StoredJudge
from store.meta import TITLE_KEYS
from tests.store.sites import Pagelet, begin, record

if TYPE_CHECKING:
    from store.site import Store


def test_a_title_reaches_the_pages_that_say_it(store: Store) -> None:
    def reached(*titles: str) -> list[int]:
        keys = title_keys(titles, frozenset()).astype("<i8").tobytes()
        with store.transaction():
            store.set_meta(TITLE_KEYS, keys)
        judge = StoredJudge(store, config)
        before, bases[:] = bases[:], [judge.basis(page) for page in pages]
        return [number for number, pair in enumerate(zip(before, bases, strict=True)) if pair[0] != pair[1]]

    run = begin(store)
    texts = [
        Pagelet("Read on: the story of rye, told anew", ("the story of rye", "the story of oats")),
        Pagelet("the story of oats"),
        Pagelet("Nothing of that is said here", ("a list of ovens",)),
    ]
    pages = [record(store, f"p{number}", [text], run) for number, text in enumerate(texts)]
    config = JudgeConfig(site="site.example")
    detector = Detector(config.detection)
    detector.save(store, detector.find(store), run)
    bases = [b""] * len(pages)
    assert reached() == [0, 1, 2]
    assert reached("the story of rye") == [0]
    assert reached("the story of rye", "something else") == []
    assert reached("the story of oats", "something else") == [0, 1]
    assert reached() == [0, 1]
