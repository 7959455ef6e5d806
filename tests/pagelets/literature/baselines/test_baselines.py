from __future__ import annotations

import sys
from importlib.metadata import version

import pytest

from evaluation.scoring import score
from pagelets.methods import METHODS
from pagelets.methods.base import MethodError, Subject
from pagelets.partition import partition
from pagelets.reading import read

URL = "https://stones.example/granite"
SENTENCES = [
    f"On the {place} lies a large block of granite, which nobody has carried away since the last winter, "
    f"and which the people of the village paint {colour} in spring, when the boats come back with the first "
    "fish from the sea."
    for place, colour in (("hill", "white"), ("shore", "green"), ("road", "yellow"), ("island", "red"))
]
ARTICLE = "\n".join(SENTENCES)
MENU = "".join(f'<li><a href="/{number}">Menu entry {number}</a></li>' for number in range(20))
PAGE = (
    f"<!DOCTYPE html><html><head><title>Granite</title></head><body><nav><ul>{MENU}</ul></nav>"
    f"<article><h1>Granite</h1>{''.join(f'<p>{line}</p>' for line in SENTENCES)}</article>"
    '<footer><p class="copyright">All rights reserved.</p></footer></body></html>'
)
BASELINES = {name: factory() for name, factory in METHODS.items() if factory.baseline}
NEXT_TO_IT = {"Menu entry 19", "All rights reserved."}
"""The blocks before and after the article, which boilerpy3 keeps."""

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_finds_the_article_and_leaves_out_the_menu(name):
    text = BASELINES[name].extract(PAGE, URL)
    assert score(text, ARTICLE).f1 > 0.95
    assert "Menu entry 18" not in text


@pytest.mark.parametrize("name", BASELINES)
def test_the_sentences_of_two_paragraphs_do_not_run_together(name):
    assert "sea.On" not in BASELINES[name].extract(PAGE, URL)


@pytest.mark.parametrize(
    ("name", "html"),
    [
        *((name, "<html><body></body></html>") for name in BASELINES if name != "readability"),
        *((name, "") for name in ("boilerpy3", "goose3", "newspaper4k")),
    ],
)
def test_a_page_without_text_has_no_text_and_asks_no_network(name, html, monkeypatch):
    monkeypatch.setattr("socket.getaddrinfo", None)
    assert BASELINES[name].extract(html, URL) == ""


@pytest.mark.parametrize("name", BASELINES)
def test_a_missing_package_is_named_with_the_mend(name, monkeypatch):
    monkeypatch.setitem(sys.modules, BASELINES[name].module, None)
    for use in (BASELINES[name].check, lambda: BASELINES[name].extract(PAGE, URL)):
        with pytest.raises(MethodError, match=f"pip install {BASELINES[name].package}"):
            use()


@pytest.mark.parametrize(
    ("name", "lacks"),
    [("trafilatura", "courlan"), ("justext", "lxml_html_clean"), ("readability", "lxml_html_clean")],
)
def test_a_missing_package_of_a_package_is_named(name, lacks, monkeypatch):
    own = {"trafilatura", "courlan", "justext", "readability", "lxml_html_clean"}
    for module in [one for one in sys.modules if one.partition(".")[0] in own or one == "lxml.html.clean"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, lacks, None)
    package = BASELINES[name].package
    said = f"^{lacks}, which {package} needs, is not installed: pip install {package} installs that too$"
    with pytest.raises(MethodError, match=said):
        BASELINES[name].check()


def test_a_package_that_is_broken_is_not_called_missing(monkeypatch):
    def broken(name):
        raise ImportError("libx.so.1: cannot open shared object file")

    monkeypatch.setattr("pagelets.literature.baselines.extractors.importlib.import_module", broken)
    with pytest.raises(MethodError, match=r"cannot be imported \(libx.*\): pip install --force-reinstall r"):
        BASELINES["resiliparse"].check()


def test_justext_needs_no_stop_words_of_the_language():
    lines = [
        "Am Hang liegt ein großer Block aus Granit, den seit dem letzten Winter niemand fortgetragen hat "
        "und den die Leute aus dem Dorf im Frühling weiß anstreichen, wenn die Boote mit den ersten "
        "Fischen vom Meer kommen.",
        "Þar sem vegurinn endar liggur stór steinn úr graníti, sem enginn hefur borið burt síðan í "
        "fyrravetur, og fólkið í þorpinu málar hann hvítan á vorin, þegar bátarnir koma heim af sjónum með "
        "fyrstu fiskana.",
    ]
    page = "".join(f"<p>{line}</p>" for line in lines)
    html = f"<html><body><ul>{MENU}</ul><div>{page}</div></body></html>"
    assert BASELINES["justext"].extract(html, URL).splitlines() == lines


@pytest.mark.parametrize("name", BASELINES)
def test_the_mask_is_where_the_text_stands_on_the_page(name):
    page = read(PAGE, URL)
    verdict = BASELINES[name].judge(Subject(page, partition(page), html=lambda: PAGE))
    kept = {block.text for block, keep in zip(page.blocks, verdict.mask, strict=True) if keep}
    beside = NEXT_TO_IT if name == "boilerpy3" else set()
    assert set(SENTENCES) <= kept <= {"Granite", *SENTENCES, *beside}
    told = {reason.name: keep for reason, keep in zip(verdict.reasons(), verdict.mask, strict=True)}
    assert told == {"content": True, "left out": False}


def test_a_page_that_an_extractor_fails_on_has_no_content_and_is_named_in_the_log(monkeypatch, caplog):
    def fail(html, url):
        raise RecursionError("too\ndeep\n")

    method = BASELINES["resiliparse"]
    monkeypatch.setattr(type(method), "extract", staticmethod(fail))
    page = read(PAGE, URL)
    assert not method.judge(Subject(page, partition(page), html=lambda: PAGE)).mask.any()
    assert f"{URL}: resiliparse fails: RecursionError: too deep" in caplog.text


def test_without_the_html_a_baseline_cannot_judge():
    page = read(PAGE, URL)
    with pytest.raises(MethodError, match="its HTML is not known"):
        BASELINES["justext"].judge(Subject(page, partition(page)))


def test_the_version_names_the_package_s():
    assert BASELINES["trafilatura"].version.endswith(" comments=True favor_recall=False")
    assert BASELINES["resiliparse"].version == version("resiliparse")
