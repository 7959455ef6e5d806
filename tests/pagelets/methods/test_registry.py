from __future__ import annotations

import subprocess
import sys

import pytest

from pagelets.methods import DEFAULT, DETECTION, EVERYTHING, METHODS
from pagelets.methods.base import MethodError
from pagelets.registry import OURS


@pytest.mark.parametrize("name", METHODS)
def test_every_method_says_what_it_is(name: str) -> None:
    method = METHODS[name]()
    method.check()
    assert method.cite
    assert method.version == METHODS[name]().version
    assert type(method).__name__.endswith("Method")
    assert OURS.version_of(name).split()[0] == name


def test_versions_are_made_of_parameters_and_model() -> None:
    assert OURS.version_of(EVERYTHING) == EVERYTHING
    assert [OURS.version_of(name) for name in (DETECTION, "paper")] == [
        "templates blocks=True", "paper blocks=False"
    ]  # fmt: skip
    model, _, steps = OURS.version_of(DEFAULT).split()[1].partition("-")
    assert (len(model), steps.isdigit()) == (32, True)
    assert len({OURS.version_of(name) for name in METHODS}) == len(METHODS)


def test_a_preset_is_another_method_with_settings() -> None:
    presets = {name: factory for name, factory in METHODS.items() if factory.of}
    assert {name for name, factory in METHODS.items() if factory.settings} == set(presets)
    for factory in presets.values():
        assert type(factory()) is type(METHODS[factory.of]())


def test_only_one_method_has_a_model() -> None:
    trained = [name for name, factory in METHODS.items() if factory().training is not None]
    assert trained == [DEFAULT]


def test_a_method_that_has_to_learn_judges_nothing_alone() -> None:
    with pytest.raises(MethodError, match="sst has to learn of a site first"):
        OURS.page_method("sst")


def test_what_nobody_asks_for_is_not_imported() -> None:
    code = (
        "import sys, pagelets.methods, pagelets.document, store.judging\n"
        "names = {'boilerpy3', 'goose3', 'justext', 'newspaper'}\n"
        "names |= {'readability', 'resiliparse', 'trafilatura'}\n"
        "print(names & set(sys.modules))\n"
        "print([name for name in sys.modules if name.startswith('pagelets.methods.')])"
    )
    packages, modules = lines_of(code)
    assert packages == "set()"
    assert "pagelets.methods.base" in modules
    assert not any(name in modules for name in ("judged", "templates"))


def test_the_literature_is_imported_when_somebody_asks_for_it() -> None:
    code = """
import sys
import pagelets
from pagelets.compiled import plain_parts
from pagelets.registry import OURS
from pagelets.partitions import Partition
from pagelets.record import RecordParameters, page_record

def told():
    print(*{name.split(".")[2] for name in sys.modules if name.startswith("pagelets.literature.")})

html = "<body><h1>Bread</h1><p>Flour, water, salt and time.</p>"
plain_parts()
pagelets.extract(html)
page = page_record(html, "https://example.org/", RecordParameters()).page
with pagelets.Site(min_pages=2) as site:
    for name in "abc":
        site.add(f"https://example.org/{name}", html)
    assert len(list(site.documents())) == 3
told()
Partition("dom")(page)
told()
OURS.factory("vote:lqf,judged")()
told()
"""
    crawl, cut, voted = (set(line.split()) for line in lines_of(code))
    assert crawl == set()
    assert cut == {"partitions"}
    assert voted == {"partitions", "tree", "vote"}


def lines_of(code: str) -> list[str]:
    """What code prints in a process of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()
