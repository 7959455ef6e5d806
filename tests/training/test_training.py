"""The command, on two of our own sites and single pages of a third."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pagelets.methods.judged.model import load
from tests.quality.annotated import SITES, write
from training import __main__ as command
from training import corpus, export, fit

if TYPE_CHECKING:
    from pathlib import Path


def train(folder: Path) -> None:
    write(folder / "sites", {name: SITES[name] for name in ("brevonne", "wittmoor")})
    write(folder / "wcxb", {"dev": SITES["ferrule"]})
    with pytest.MonkeyPatch.context() as patch:
        # What the descent does has a test of its own: here it would be compiled six times.
        patch.setattr("training.network.EPOCHS", 0)
        for module in (fit, export):
            patch.setattr(module, "FIRST_TREES", 20)
        patch.setattr(fit, "TREES", 25)
        for module in (corpus, fit, command):
            patch.setattr(module, "SIZES", (5,))
        arguments = ["--corpora", folder, "--folder", folder / "model", "--predictions", folder / "texts"]
        command.main([*map(str, arguments), "--figures", str(folder / "figures.json"), "--threads", "1"])


@pytest.mark.long
@pytest.mark.usefixtures("lightgbm", "quick_evaluation")
def test_a_model_is_made_that_judges_is_described_and_measured(tmp_path: Path) -> None:
    train(tmp_path)
    check_model(tmp_path / "model")
    check_card((tmp_path / "model" / "CARD.md").read_text())
    check_figures(tmp_path)


def check_model(folder: Path) -> None:
    """The model judges, and is of all the sites."""
    model = load(folder)
    assert len(model.hosts) == 3
    assert {"chars", "link_share"} & set(model.features)


def check_card(card: str) -> None:
    """The data card says what the model was made of."""
    for said in (
        "**wcxb**, 14 single pages",
        "**sites**, 33 pages of 2 sites",
        "- brevonne: 15 pages",
        "CC BY 4.0",
    ):
        assert said in card
    assert "| judged |" in card


def check_figures(folder: Path) -> None:
    """All that was left out is measured."""
    figures = json.loads((folder / "figures.json").read_text())
    judged = figures["judged"]
    assert set(judged["by_site"]) == {"brevonne", "wittmoor"}
    assert 0 < judged["worst"] <= judged["sites"] <= 1
    assert judged["singles"] is not None
    assert {
        "without site evidence",
        "without looks",
        "without the page-level view",
        "5 pages of the site",
    } < set(figures)
    for name, pages in (("brevonne", 15), ("wittmoor", 18), ("dev", 14)):
        lines = (folder / "texts" / f"{name}.jsonl").read_text().splitlines()
        assert len(lines) == pages
        assert set(json.loads(lines[0])) == {"url", "text"}


def test_without_corpora_it_says_what_to_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CORPORA", raising=False)
    for arguments in ([], ["--corpora", str(tmp_path / "none")]):
        with pytest.raises(SystemExit, match="give --corpora FOLDER"):
            command.main(arguments)
    with pytest.raises(SystemExit, match="no such file or folder"):
        command.main(["--corpora", str(tmp_path)])
