from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.judging.decisions import sketch_name, sketch_of, states_of
from pagelets.judging.parameters import Detection
from release.detection import Detector
from store.decisions import Decisions
from store.facts import facts_of, recorded
from store.meta import EVIDENCE_VERSION, TEMPLATE_VERSION
from store.occurrences import occurrences
from store.templates import DECIDED, Template
from tests.store.sites import Pagelet, begin, in_memory, record, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from store.site import Store

MENU, FOOTER, RARE = (
    Pagelet("the menu of the site"),
    Pagelet("the footer of it"),
    Pagelet("a rare notice here"),
)
DETECTOR = Detector(Detection(min_pages=3, min_share=0.5))


@pytest.fixture
def site(store: Store) -> Store:
    """Six pages: a menu on all of them, a footer on four, a notice on two; templates are found."""
    run = begin(store)
    for number in range(6):
        pagelets = [MENU, Pagelet(f"own words of page {number}")]
        pagelets += [FOOTER] * (number < 4) + [RARE] * (number < 2)
        record(store, f"p{number}", pagelets, run)
    detect(store, run)
    return store


def detect(store: Store, run: int) -> None:
    DETECTOR.save(store, DETECTOR.find(store), run)


def sketch(store: Store, pagelet: Pagelet) -> int:
    page, *_ = rows(store, "SELECT page FROM pages ORDER BY page LIMIT 1")[0]
    return store.pages.sketches(page)[[MENU, None, FOOTER, RARE].index(pagelet)]


def templates(store: Store) -> dict[int, Template]:
    return {template.sketch: template for template in store.templates.all()}


def pin(store: Store, *sketches: int) -> None:
    decide(store, "pinned", sketches)


def reject(store: Store, *sketches: int) -> None:
    decide(store, "rejected", sketches)


def decide(store: Store, state: str, sketches: Iterable[int]) -> None:
    with store.transaction():
        store.decisions.wait(dict.fromkeys(sketches, state), dict.fromkeys(sketches, "sample"))
        store.decisions.take()


def reset(store: Store, *sketches: int) -> int:
    with store.transaction():
        return store.decisions.reset(sketches or None)


def apply(store: Store, pinned: list[int], rejected: list[int]) -> None:
    with store.transaction():
        store.decisions.apply(map(sketch_name, pinned), map(sketch_name, rejected))


def version(store: Store) -> str | None:
    return store.meta(TEMPLATE_VERSION)


def evidence_of_first(store: Store) -> tuple[list[int], list[bool | None]]:
    """The templates of the first page's pagelets, and whether people rejected each."""
    known = facts_of(store, DETECTOR.detection).for_page(recorded(store, 1))
    return list(known.templates), [decided and decided.rejected for decided in known.decided]


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_a_sketch_has_a_name(number: int) -> None:
    name = sketch_name(number)
    assert len(name) == 16
    assert sketch_of(name) == sketch_of(name.upper()) == number


@pytest.mark.parametrize("name", ["", "1", "x" * 16, "0" * 17, "0" * 16 + "\n", "+" + "0" * 15, "٠" * 16])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="16 hexadecimal digits"):
        sketch_of(name)


def test_a_name_in_both_lists_is_refused() -> None:
    assert states_of(["0" * 16], ["1" * 16]) == {0: "pinned", 0x1111111111111111: "rejected"}
    with pytest.raises(ValueError, match="both"):
        states_of(["a" * 16], ["A" * 16])


def test_what_is_decided_takes_effect_at_once(site: Store) -> None:
    menu, rare, before = sketch(site, MENU), sketch(site, RARE), version(site)
    assert rare not in templates(site)
    pin(site, rare)
    reject(site, menu)
    found = templates(site)
    assert (found[menu].state, found[menu].pages, found[menu].algorithm) == ("rejected", 6, "local")
    assert (found[rare].state, found[rare].pages, found[rare].algorithm) == ("pinned", 2, DECIDED)
    assert found[rare].share == pytest.approx(2 / 6)
    assert version(site) != before
    ids, rejected = evidence_of_first(site)
    assert ids == [0, 0, found[sketch(site, FOOTER)].template, found[rare].template]
    assert rejected == [True, None, None, False]
    assert reset(site) == 2
    assert {template.state for template in site.templates.all()} == {"found"}
    assert rare not in templates(site)
    assert version(site) == before


def test_what_waits_is_in_force_when_it_is_taken(site: Store) -> None:
    menu, rare, before = sketch(site, MENU), sketch(site, RARE), version(site)
    pin(site, rare)
    made = version(site)
    with site.transaction():
        site.decisions.wait({rare: None, menu: "pinned"}, {})
        site.decisions.wait({menu: "rejected"}, {menu: "sample"})
    assert (site.decisions.states(), version(site)) == ({rare: "pinned"}, made)
    with site.transaction():
        site.decisions.take()
    assert (site.decisions.states(), site.decisions.waiting()) == ({menu: "rejected"}, [])
    reset(site)
    assert version(site) == before


def test_decisions_survive_detection_and_ids_survive_with_them(site: Store) -> None:
    menu, rare = sketch(site, MENU), sketch(site, RARE)
    pin(site, rare)
    reject(site, menu)
    ids = {one: template.template for one, template in templates(site).items()}
    made = version(site)
    detect(site, begin(site))
    assert {one: template.template for one, template in templates(site).items()} == ids
    assert [templates(site)[one].state for one in (menu, rare)] == ["rejected", "pinned"]
    assert templates(site)[menu].last_run == 2
    assert version(site) == made


def test_a_decided_template_stays_where_it_occurs_less_or_no_more(site: Store) -> None:
    menu, footer = sketch(site, MENU), sketch(site, FOOTER)
    pin(site, footer)
    reject(site, menu)
    ids = {one: template.template for one, template in templates(site).items()}
    run = begin(site)
    for number in range(6):
        record(site, f"p{number}", [Pagelet(f"a new page {number}"), *[FOOTER] * (number == 5)], run)
    detect(site, run)
    found = templates(site)
    assert {one: template.template for one, template in found.items()} == ids
    assert (found[footer].pages, found[footer].state, found[footer].last_run) == (1, "pinned", 1)
    assert site.frontier.url(found[footer].sample_page).endswith("p5")
    assert (found[menu].pages, found[menu].share, found[menu].state) == (0, 0, "rejected")
    # Found again, it goes on under the same id.
    run = begin(site)
    for number in range(6):
        record(site, f"p{number}", [MENU, Pagelet(f"a newer page {number}")], run)
    detect(site, run)
    assert templates(site)[menu].template == ids[menu]
    assert (templates(site)[menu].pages, templates(site)[menu].algorithm) == (6, "local")
    assert reset(site, footer) == 1
    assert footer not in templates(site)


def test_a_decision_on_what_never_occurred_has_a_template_without_a_sample(site: Store) -> None:
    pin(site, 77)
    found = templates(site)[77]
    assert (found.pages, found.sample_page, found.first_run, found.last_run) == (0, 0, 0, 0)
    record(site, "p5", [Pagelet("something"), MENU], begin(site))
    detect(site, 2)
    assert templates(site)[77].template == found.template


def test_decisions_of_a_file_win_for_what_they_name(site: Store) -> None:
    menu, footer, rare = (sketch(site, one) for one in (MENU, FOOTER, RARE))
    pin(site, menu, rare)
    apply(site, [footer], [menu])
    assert site.decisions.states() == {menu: "rejected", footer: "pinned", rare: "pinned"}
    # Taken out of the file, they are left to detection; what was decided in the store stays.
    apply(site, [], [])
    assert site.decisions.states() == {rare: "pinned"}


def test_what_was_decided_since_a_file_was_followed_outlives_its_entry(site: Store) -> None:
    menu = sketch(site, MENU)
    apply(site, [menu], [])
    reject(site, menu)
    apply(site, [], [])
    assert site.decisions.states() == {menu: "rejected"}


def test_following_the_same_file_again_changes_nothing(site: Store) -> None:
    menu = sketch(site, MENU)
    apply(site, [menu], [])
    made, decisions = version(site), site.decisions.all()
    apply(site, [menu], [])
    assert (version(site), site.decisions.all()) == (made, decisions)


def test_a_store_and_a_file_come_together(site: Store) -> None:
    menu, footer, rare = (sketch(site, one) for one in (MENU, FOOTER, RARE))
    apply(site, [menu, footer], [])
    pin(site, rare)
    reset(site, menu)
    names = [sketch_name(menu), sketch_name(footer)]
    # The store has given up the menu; the file has rejected the number 7 since.
    merged = site.decisions.merged(names, [sketch_name(7)])
    assert merged == {footer: "pinned", rare: "pinned", 7: "rejected"}
    with site.transaction():
        site.decisions.written(merged)
    assert site.decisions.states() == merged
    pinned = [one for one, state in merged.items() if state == "pinned"]
    assert site.decisions.merged(map(sketch_name, pinned), [sketch_name(7)]) == merged
    apply(site, pinned, [7])
    assert site.decisions.states() == merged


def test_another_store_takes_decisions_over(site: Store) -> None:
    pin(site, sketch(site, MENU))
    other = in_memory()
    with other.transaction():
        other.decisions.take(site.decisions.all())
    assert other.decisions.all() == site.decisions.all()
    assert other.decisions.digest() == site.decisions.digest()
    assert other.meta(TEMPLATE_VERSION) is None


def test_a_decision_keeps_its_sample_text(site: Store) -> None:
    pin(site, sketch(site, MENU))
    apply(site, [], [sketch(site, MENU)])
    (decision,) = site.decisions.all()
    assert (decision.state, decision.text) == ("rejected", "sample")
    assert decision.name == sketch_name(sketch(site, MENU))


STEPS = st.lists(
    st.tuples(st.sampled_from(["pin", "reject", "reset", "detect"]), st.sampled_from([MENU, FOOTER, RARE])),
    max_size=6,
)


def fresh_sites() -> Iterator[Store]:
    store = in_memory()
    run = begin(store)
    for number in range(3):
        record(store, f"p{number}", [MENU, Pagelet(f"own words {number}"), FOOTER, RARE], run)
    with store.transaction():
        store.set_meta(EVIDENCE_VERSION, "1")
    yield store


@given(STEPS)
def test_the_version_names_the_decisions_whatever_led_to_them(steps: list[tuple[str, Pagelet]]) -> None:
    (one,), (other,) = fresh_sites(), fresh_sites()
    for step, pagelet in steps:
        act = {"pin": pin, "reject": reject, "reset": reset}.get(step)
        if act is not None:
            act(one, sketch(one, pagelet))
    for known, state in one.decisions.states().items():
        {"pinned": pin, "rejected": reject}[state](other, known)
    assert one.decisions.states() == other.decisions.states()
    if one.decisions.states():
        assert version(one) == version(other)
    assert {template.sketch: template.state for template in one.templates.all()} == one.decisions.states()


def test_support_is_counted_as_detection_counts_it(site: Store) -> None:
    run = begin(site)
    # A copy of a page counts once, a page that is gone not at all.
    record(site, "copy", [MENU, Pagelet("own words of page 0"), FOOTER, RARE], run)
    record(site, "http://other.example/x", [FOOTER, Pagelet("elsewhere")], run)
    gone = record(site, "gone", [MENU, Pagelet("what was here")], run)
    with site.transaction():
        site.outcomes.settle(gone, "gone", run)
    detect(site, run)
    found = templates(site)
    places = occurrences(site.connection, [MENU_ := sketch(site, MENU), sketch(site, FOOTER), 12345])
    assert set(places) == {MENU_, sketch(site, FOOTER)}
    for one, place in places.items():
        template = found[one]
        assert (place.pages, place.page, place.position) == (
            template.pages,
            template.sample_page,
            template.sample_position,
        )
        assert place.share == pytest.approx(template.share)


def test_decisions_are_read_in_the_order_in_which_they_were_made(site: Store) -> None:
    decisions = Decisions(site.connection, site.templates)
    assert decisions.all() == []
    pin(site, 2, 1)
    assert [decision.sketch for decision in decisions.all()] == [1, 2]
