from __future__ import annotations

import subprocess
import sys

from benchmarks.mutants import EQUIVALENT, ROOT, TESTS, Module, equivalents


def test_thresholds_connectives_numbers_calls_and_sql_are_changed() -> None:
    texts = {(mutant.function, mutant.text) for mutant in Module("crawler/run/review.py").mutants()}
    assert {
        ("Review._redesigned", "lost >= enough -> lost > enough"),
        ("Review.deletions_pass", "1 -> 2"),
        ("Review._complete", "self._note_redesign() -> pass"),
        ("", "0.1 -> 1.1"),
    } <= texts
    assert not [text for _, text in texts if "logger" in text]
    sql = [mutant.text for mutant in Module("store/rounds.py").mutants() if "…" in mutant.text]
    assert any("AND" in text and "OR" in text for text in sql)


def test_what_is_written_down_as_equivalent_is_a_mutant_still() -> None:
    every = {(path, mutant.function, mutant.text) for path in TESTS for mutant in Module(path).mutants()}
    assert equivalents() <= every
    for line in EQUIVALENT.read_text(encoding="utf-8").splitlines():
        assert line.startswith("#") or len(line.split(" | ")) == 4, line


def test_a_module_is_tried_out_and_stays_as_it_is() -> None:
    path = ROOT / "store" / "lock.py"
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.mutants", "store/lock.py", "--most", "2"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "store/lock.py: " in done.stdout.splitlines()[-1]
    assert "of 2 killed" in done.stdout
    assert path.read_bytes() == before
