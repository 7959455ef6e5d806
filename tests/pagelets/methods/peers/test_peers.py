from __future__ import annotations

import subprocess
import sys

import pytest

from pagelets.methods import METHODS
from pagelets.methods.peers import PEERS, PeerMissing
from pagelets.scoring import score

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
MODULES = {
    "justext": "justext",
    "readability": "readability",
    "resiliparse": "resiliparse.extract.html2text",
    "trafilatura": "trafilatura",
    "trafilatura-no-comments": "trafilatura",
    "trafilatura-recall": "trafilatura",
}

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_finds_the_article_and_leaves_out_the_menu(name):
    text = PEERS[name].extract(PAGE, URL)
    assert score(text, ARTICLE).f1 > 0.95
    assert "Menu entry" not in text


@pytest.mark.parametrize("name", PEERS)
def test_the_sentences_of_two_paragraphs_do_not_run_together(name):
    assert "sea.On" not in PEERS[name].extract(PAGE, URL)


@pytest.mark.parametrize(
    "name", ["justext", "resiliparse", "trafilatura", "trafilatura-no-comments", "trafilatura-recall"]
)
def test_a_page_without_text_has_no_text(name):
    assert PEERS[name].extract("<html><body></body></html>", URL) == ""


@pytest.mark.parametrize("name", PEERS)
def test_a_missing_package_is_named_with_the_mend(name, monkeypatch):
    monkeypatch.setitem(sys.modules, MODULES[name], None)
    for use in (PEERS[name].load, lambda: PEERS[name].extract(PAGE, URL)):
        with pytest.raises(PeerMissing, match=f"pip install {PEERS[name].package}"):
            use()


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
    assert PEERS["justext"].extract(html, URL).splitlines() == lines


def test_names_of_peers_are_not_names_of_methods():
    assert not set(PEERS) & set(METHODS)


def test_no_peer_is_imported_before_it_is_used():
    code = (
        "import sys, pagelets.methods.peers\n"
        "print({'trafilatura', 'readability', 'resiliparse', 'justext'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
