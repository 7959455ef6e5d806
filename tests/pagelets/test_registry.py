from __future__ import annotations

import pickle

import pytest

from pagelets.judging.config import JudgeConfig
from pagelets.methods import METHODS
from pagelets.methods.base import UnknownMethod
from pagelets.registry import OURS, Registry

METHODS_ADDED = {"frequent": "tests.learners.FrequentMethod"}
FIELDS_ADDED = {"links_of": f"{__name__}.links_of"}


def links_of(page: object, document: dict[str, list[object]]) -> int:
    """A field for tests."""
    del page
    return len(document["links"])


def added() -> Registry:
    return OURS.with_methods(METHODS_ADDED).with_fields(FIELDS_ADDED)


def test_a_registry_is_a_value() -> None:
    registry = added()
    assert registry == added() == pickle.loads(pickle.dumps(registry)) != OURS
    assert "frequent" in registry.methods
    assert registry.field_names[-1] == "links_of"
    assert registry.ordered(["passages", "links_of", "url"]) == ["url", "links_of", "passages"]
    with pytest.raises(UnknownMethod):
        OURS.factory("frequent")
    assert not OURS.has_field("links_of")


def test_what_is_added_changes_no_name_of_how_pages_are_judged() -> None:
    assert JudgeConfig(registry=added()).fingerprint == JudgeConfig().fingerprint


def test_ours_cannot_be_replaced() -> None:
    with pytest.raises(TypeError):
        METHODS["mine"] = METHODS["judged"]  # type: ignore[index]
    for wrong in ({"judged": "tests.stuck.RaisingMethod"}, {"vote:a": "tests.stuck.RaisingMethod"}):
        with pytest.raises(ValueError, match="give yours another name"):
            OURS.with_methods(wrong)
    for name in ("text", "passages", "not a name"):
        with pytest.raises(ValueError, match="give yours another one"):
            OURS.with_fields({name: FIELDS_ADDED["links_of"]})


def test_installed_packages_are_not_looked_at_for_a_name_that_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def looked(group: str) -> None:
        raise AssertionError(group)

    monkeypatch.setattr("pagelets.registry.installed", looked)
    registry = added()
    registry.factory("vote:frequent,judged")
    registry.check_fields(["url", "passages", "links_of"])
    with pytest.raises(AssertionError, match=r"pagelets\.methods"):
        registry.factory("unknown")
