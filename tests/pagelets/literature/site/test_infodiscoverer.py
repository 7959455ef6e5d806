from __future__ import annotations

import numpy as np
import pytest

from pagelets.literature.site.infodiscoverer import (
    TABLES,
    EntropyMethod,
    InfoDiscovererMethod,
    entropies,
    means,
)
from pagelets.methods.base import CONTENT, REPEATED
from tests.hosts import Host, subject

MENU = "<div>home news contact</div>"
TOPICS = ("bread flour yeast", "stone granite slate", "river water boat", "cloud wind rain")
PAGES = [f"{MENU}<article><p>{topic} {topic.upper()}</article>" for topic in TOPICS]


def entropy_of(*counts: int, pages: int = 4) -> float:
    """The entropy of a term that stands so often on each of some pages."""
    return float(entropies(np.zeros(len(counts), np.int64), np.array(counts), pages)[0])


def test_the_entropy_of_a_term_is_that_of_its_shares_of_pages() -> None:
    assert entropy_of(5) == 0
    assert entropy_of(1, 1, 1, 1) == pytest.approx(1)
    assert entropy_of(3, 3, 3, 3) == pytest.approx(1)
    assert entropy_of(1, 1) == pytest.approx(0.5)
    # -(3/4 log_4 3/4 + 1/4 log_4 1/4)
    assert entropy_of(3, 1) == pytest.approx(0.4056, abs=1e-4)
    assert entropy_of(3, pages=1) == 0


def test_the_entropy_of_a_block_is_the_mean_of_its_terms() -> None:
    found = means(np.array([0, 0, 2]), np.array([0.2, 0.4, 0.9]), 4)
    assert found.tolist() == pytest.approx([0.3, 0, 0.9, 0])


def learned(*pages: str, **parameters: object) -> EntropyMethod:
    method = InfoDiscovererMethod(**parameters)  # type: ignore[arg-type]
    found = method.learned(method.learn(Host(*pages)))
    assert isinstance(found, EntropyMethod)
    return found


def test_what_all_pages_say_is_redundant() -> None:
    method = learned(*PAGES)
    # No step from 0.1 to 0.2 brings a further term: those of the topics have an entropy of 0.
    assert method.threshold == pytest.approx(0.1)
    verdict = method.judge(subject(f"{MENU}<article><p>bread is new</article>"))
    assert verdict.mask.tolist() == [False, True]
    assert verdict.scores.tolist() == pytest.approx([0, 1])
    assert [reason.name for reason in verdict.reasons()] == [REPEATED, CONTENT]


def test_the_threshold_rises_while_a_step_brings_further_features() -> None:
    # Half of an article's words have an entropy of 0.5, as two pages of four have them: its own is 0.25.
    more = ["alpha one", "alpha two", "beta three", "beta four"]
    pages = [f"{MENU}<article><p>{text}</article>" for text in more]
    assert learned(*pages).threshold == pytest.approx(0.1)
    lists = [f"<ul><li>{text.split()[0]} x{place} y{place} z{place}</ul>" for place, text in enumerate(more)]
    assert learned(*(a + b for a, b in zip(pages, lists, strict=True))).threshold == pytest.approx(0.3)
    assert learned(*pages, threshold=0.7).threshold == 0.7


def test_blocks_may_be_tables_alone_as_in_the_paper() -> None:
    page = f"<table><tr><td>{MENU}<td><table><tr><td>{{}}</table><td>{MENU}</table>"
    pages = [page.format(topic) for topic in TOPICS]
    method = learned(*pages, tags=TABLES)
    assert method.judge(subject(pages[0])).mask.tolist() == [False, True, False]


def test_equal_pages_give_equal_bytes_and_a_bounded_model() -> None:
    method = InfoDiscovererMethod(most=3)
    assert method.learn(Host(*PAGES)) == method.learn(Host(*PAGES))
    many = [f"<p>{' '.join(f'w{number}' for number in range(50))} {topic}" for topic in TOPICS]
    assert len(method.learn(Host(*many))) == 8 + 3 * 8


@pytest.mark.parametrize("pages", [(), ("",), (PAGES[0],), ("<p>one two", "<p>three four")])
def test_of_few_pages_or_such_as_share_nothing_all_is_content(pages: tuple[str, ...]) -> None:
    method = learned(*pages)
    assert method.judge(subject(PAGES[0])).mask.tolist() == [True, True]
    assert method.judge(subject("")).mask.tolist() == []
