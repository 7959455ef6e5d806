"""The quality gate: the figures of the project's method on annotated pages hold their pinned floors."""

from __future__ import annotations

import json
import os
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import pytest
from warcio.archiveiterator import ArchiveIterator

from crawler.configuration.judgement import config_for
from evaluation.corpora import evaluate
from evaluation.gold import ARCHIVE, GOLD, find_archives
from evaluation.scoring import summary
from pagelets.methods.judged.model import load
from tests.quality import annotated, survival
from tests.quality.floors import Floors, hold

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.usefixtures("quick_evaluation")

FLOORS: Final = Path(__file__).with_name("floors.json")
# A shop, a forum, a mailing list, a manual, an organisation, and a blog in Chinese: small ones, for time.
SITES: Final = (
    "54chen-zh", "diwinea-fr", "eaglecraft-fr", "harvesting-evidence", "postgresql15", "tlug-maillist",
)  # fmt: skip
SINGLE: Final = "wcxb"
STILL_SURVIVING: Final = frozenset({
    ("magazine", "counters in line"), ("newspaper", "counters in line"),
})  # fmt: skip
"""Kinds of boilerplate that survive on more pages than is aimed at: their floors alone hold them."""
EVERY: Final = 10
"""Every tenth of the single pages, for pages of all types."""


def measured(paths: Iterable[Path]) -> Floors:
    """F1 of the method that a crawl uses by default: the mean over sites, of each site, of each page type."""
    settings = survival.project_settings()
    method = settings["METHOD"]
    detector = partial(config_for, settings=settings)
    results = evaluate(find_archives(paths), [method], detector, texts=False)
    figures = summary(sorted(results, key=attrgetter("archive")))
    values = {"mean over sites": figures["f1"]}
    values.update({f"site {name}": site["f1"] for name, site in figures["sites"].items()})
    values.update({f"type {name}": group["f1"] for name, group in figures["groups"].items()})
    return Floors(method, values)


def check(sample: str, figures: Floors, config: pytest.Config) -> None:
    """Fails where a sample's figures fall below their floors, once these are pinned as the options say."""
    pin, lower = config.getoption("--pin-floors"), config.getoption("--lower-floors")
    failure = hold(FLOORS, sample, figures, pin=pin, lower=lower)
    if failure:
        pytest.fail(failure, pytrace=False)


def take(archive: Path, gold: Path, folder: Path) -> Path:
    """Writes every tenth page of a corpus of single pages, in the order of its gold text, into a folder."""
    with gold.open(encoding="utf-8", newline="\n") as file:
        lines = [line for number, line in enumerate(file) if number % EVERY == 0]
    (folder / f"{SINGLE}{GOLD}").write_text("".join(lines), encoding="utf-8", newline="\n")
    wanted = {json.loads(line)["id"] for line in lines}
    path = folder / f"{SINGLE}{ARCHIVE}"
    with archive.open("rb") as source, path.open("wb") as target, archive.open("rb") as again:
        records = ArchiveIterator(source, no_record_parse=True)
        for record in records:
            if record.rec_headers.get_header("WARC-Target-URI") in wanted:
                records.read_to_end()
                # As it is packed: to pack it again takes longer than all else here.
                again.seek(records.get_record_offset())
                target.write(again.read(records.get_record_length()))
    return path


def test_the_model_has_seen_none_of_our_own_sites() -> None:
    makers = [*annotated.SITES.values(), *annotated.MADE.values()]
    own = {urlsplit(page.url).netloc for make in makers for page in make()}
    assert own.isdisjoint(load().hosts)


@pytest.mark.long
def test_our_own_sites(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    annotated.write(tmp_path)
    check("own", measured([tmp_path]), request.config)


@pytest.mark.long
def test_the_boilerplate_of_the_made_sites(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    settings = survival.project_settings()
    method = settings["METHOD"]
    sites = survival.measured(tmp_path, [method], settings)[method]
    check("made", Floors(method, survival.floors(sites)), request.config)
    surviving = {
        (site, kind)
        for site, damage in sites.items()
        for kind, share in damage.surviving.items()
        if share > survival.MOST_SURVIVING
    }
    assert surviving <= STILL_SURVIVING
    assert max(share for damage in sites.values() for share in damage.lost.values()) <= survival.MOST_LOST


@pytest.mark.long
@pytest.mark.skipif(not os.environ.get("CORPORA"), reason="needs the corpora")
def test_a_sample_of_the_corpora(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    corpora = Path(os.environ["CORPORA"])
    sites = [corpora / "sites" / f"{name}{ARCHIVE}" for name in SITES]
    single = take(corpora / SINGLE / f"dev{ARCHIVE}", corpora / SINGLE / f"dev{GOLD}", tmp_path)
    check("corpora", measured([*sites, single]), request.config)
