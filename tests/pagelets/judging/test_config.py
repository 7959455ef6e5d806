"""How pages are judged is a value with names, which stores hold."""

from __future__ import annotations

import json
import pickle

from pagelets.judging.config import JudgeConfig
from pagelets.judging.decisions import PINNED, REJECTED
from pagelets.judging.parameters import Detection, Duplicates
from pagelets.overrides import Selectors
from pagelets.record import SCHEME


def test_what_pagelets_are_made_with_is_named_alike_before_and_after_they_are_made() -> None:
    before = JudgeConfig().derivation
    SCHEME.sketches([(["some words of a pagelet"], [])])
    assert JudgeConfig().derivation == before
    assert set(json.loads(before)) == {"drop", "k", "keep", "walk", *SCHEME.__dataclass_fields__}


def test_the_fingerprint_is_the_text_that_stores_hold() -> None:
    override = {"type": "ends", "pattern": "/b", "method": "templates"}
    config = JudgeConfig(method="all-text", overrides=(override,))
    said = (
        f"{{'method': 'all-text', 'derivation': {config.derivation!r}, 'nosnippet': True, "
        f"'duplicates': [True, 0.9, False], 'overrides': [{override!r}]"
    )
    assert config.fingerprint == f"{said}, 'methods': ['templates blocks=True']}}"
    assert config.fingerprint_before == f"{said}}}"
    assert JudgeConfig().judged_with("x") == (
        "Detector(algorithm='local', min_pages=3, min_share=0.1, block_share=0.5, judgement='x')"
    )


def test_the_fingerprint_names_what_decides_on_documents_and_nothing_else() -> None:
    one = JudgeConfig(method="templates")
    others = [
        JudgeConfig(method="all-text"),
        JudgeConfig(method="templates", nosnippet=False),
        JudgeConfig(method="templates", selectors=Selectors(drop=("p",))),
        JudgeConfig(method="templates", duplicates=Duplicates(left_out=True)),
        JudgeConfig(method="templates", overrides=[{"type": "ends", "pattern": "/b", "fields": ["url"]}]),
    ]
    assert len({config.fingerprint for config in (one, *others)}) == 6
    # What detection finds, what is decided and which fields there are is not said by the name.
    same = JudgeConfig(
        site="s", method="templates", detection=Detection(min_pages=9), decisions={5: PINNED}, fields=("url",)
    )
    assert same.fingerprint == one.fingerprint


def test_near_duplicates_are_named_where_they_count_alone() -> None:
    assert "near_duplicates" not in JudgeConfig().judged_with("x")
    near = JudgeConfig(detection=Detection(near_duplicates=True))
    assert "near_duplicates=True" in near.judged_with("x")


def test_the_name_of_an_earlier_program_stays_where_it_names_the_same() -> None:
    config = JudgeConfig(
        method="all-text", overrides=[{"type": "ends", "pattern": "/b", "method": "templates"}]
    )
    assert config.as_known(config.fingerprint_before).fingerprint == config.fingerprint_before
    assert config.as_known("another").fingerprint == config.as_known(None).fingerprint == config.fingerprint


def test_it_goes_to_another_process_and_says_what_it_is() -> None:
    config = JudgeConfig(selectors=Selectors(keep=(".a",)), decisions={5: PINNED, 6: REJECTED})
    assert pickle.loads(pickle.dumps(config)) == config
    assert "method='judged'" in repr(config)
    assert config.rejected == {5: False, 6: True}
    assert (Duplicates().similarity, Duplicates(compared=False).similarity) == (0.9, None)
