from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import pagelets
from pagelets.methods import EVERYTHING, METHODS, learns
from pagelets.methods.base import CONTENT, MethodError, Parameters, UnknownMethod, Verdict
from pagelets.registry import OURS
from tests.hosts import Host, subject

if TYPE_CHECKING:
    from pagelets.methods.base import Subject

URL = "https://site.example/"
WORDS = ("one", "two", "three", "four")


@dataclass(frozen=True)
class WordMethod(Parameters):
    """Keeps the blocks that hold one of some words."""

    cite = "none: for tests"
    words: tuple[str, ...] = ()

    def judge(self, subject: Subject) -> Verdict:
        texts = [block.text.split() for block in subject.page.blocks]
        return Verdict.certain([CONTENT if {*self.words} & {*text} else "no word" for text in texts])


@dataclass(frozen=True)
class AMethod(WordMethod):
    words: tuple[str, ...] = ("one", "two")


@dataclass(frozen=True)
class BMethod(WordMethod):
    words: tuple[str, ...] = ("one", "three")


@dataclass(frozen=True)
class CMethod(WordMethod):
    words: tuple[str, ...] = ("one",)


VOTERS = {
    **{name: f"{__name__}.{name.upper()}Method" for name in "abc"},
    "frequent": "tests.learners.FrequentMethod",
    "rare": "tests.learners.RareMethod",
}
REGISTRY = OURS.with_methods(VOTERS)


def kept(name: str, page: str = "".join(f"<p>{word}" for word in WORDS)) -> list[str]:
    own = subject(page)
    verdict = REGISTRY.page_method(name).judge(own)
    return [block.text for block, keep in zip(own.page.blocks, verdict.mask, strict=True) if keep]


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("vote:a,b,c", ["one"]),
        ("vote:a+b+c", ["one"]),
        ("vote: a , b ", ["one", "two", "three"]),
        ("vote:a", ["one", "two"]),
        ("vote:a,a,b", ["one", "two"]),
        ("vote:a,a,b,b,c", ["one"]),
        (f"vote:c,{EVERYTHING}", [*WORDS]),
    ],
)
def test_half_of_the_votes_keep_a_block(name: str, texts: list[str]) -> None:
    assert kept(name) == texts


def test_scores_are_the_mean_and_reasons_tell_who_voted_how() -> None:
    verdict = REGISTRY.page_method("vote:a,a,b,c").judge(subject("<p>one<p>two<p>three<p>four"))
    assert verdict.scores.tolist() == [1, 0.5, 0.25, 0]
    assert [reason.name for reason in verdict.reasons()] == [CONTENT, CONTENT, "no word", "no word"]
    assert verdict.reasons()[2].weights == {"a": -2, "b": 1, "c": -1}
    empty = REGISTRY.page_method("vote:a,b").judge(subject(""))
    assert (len(empty.mask), empty.reasons()) == (0, [])


def test_the_version_is_made_of_those_of_the_voters() -> None:
    version = REGISTRY.version_of("vote:a,b")
    assert REGISTRY.version_of("a") in version and REGISTRY.version_of("b") in version
    versions = {REGISTRY.version_of(f"vote:{names}") for names in ("a,b", "a,c", "a,a,b", "a,b,b")}
    assert len(versions) == 4
    other = REGISTRY.factory("vote:b,a")().version
    assert other == REGISTRY.factory("vote:a,b")().version


def test_a_vote_has_the_training_and_the_needs_of_its_voters(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = METHODS["judged"]().training
    assert REGISTRY.factory("vote:a,judged,judged")().training == judged
    assert REGISTRY.factory("vote:a,b")().training is None

    def lacks(_: object) -> None:
        raise MethodError("a model is missing")

    monkeypatch.setattr(WordMethod, "check", lacks)
    with pytest.raises(MethodError, match="a model is missing"):
        REGISTRY.factory("vote:judged,a")().check()


def test_a_vote_with_a_site_method_learns() -> None:
    vote: Any = REGISTRY.factory("vote:frequent,frequent,a")()
    assert learns(vote)
    assert vote.sample == 20
    with pytest.raises(MethodError, match="learn of a site first"):
        REGISTRY.page_method("vote:frequent,a")
    site = Host("<p>one<p>here", "<p>one<p>there", "<p>one")
    model = vote.learn(site)
    assert model == vote.learn(site)
    own = subject("<p>one<p>here<p>more")
    assert vote.learned(model).judge(own).mask.tolist() == [False, True, True]


def test_two_site_methods_share_one_model() -> None:
    vote: Any = REGISTRY.factory("vote:frequent,rare,a")()
    method = vote.learned(vote.learn(Host("<p>four<p>x", "<p>four<p>y", "<p>four")))
    assert method.judge(subject("<p>four<p>one<p>five")).mask.tolist() == [False, True, True]
    names = {name: type(voter).__name__ for name, voter in method.methods.items()}
    assert names == {"frequent": "KnownMethod", "rare": "KnownMethod", "a": "AMethod"}


def test_the_library_and_sites_take_votes() -> None:
    page = "<p>one<p>two<p>four"
    assert pagelets.extract(page, method=f"vote:{EVERYTHING}", format="text") == "one\n\ntwo\n\nfour"
    with pagelets.Site(method="vote:frequent,frequent,a", methods=VOTERS) as site:
        for name, own in (("x", "here"), ("y", "there"), ("z", "elsewhere")):
            site.add(f"{URL}{name}", f"<p>one<p>{own}")
        assert sorted(document["text"] for document in site.documents()) == ["elsewhere", "here", "there"]


@pytest.mark.parametrize(
    ("name", "voter"), [("vote:a,bb", "bb"), ("voto:a,b", "voto:a,b"), ("vote:vot", "vot")]
)
def test_an_unknown_voter_is_named(name: str, voter: str) -> None:
    with pytest.raises(UnknownMethod) as caught:
        REGISTRY.factory(name)
    assert caught.value.name == voter
    with pytest.raises(ValueError, match=r"there are all-text.* vote:NAME,NAME"):
        pagelets.extract("<p>x", method=name)


@pytest.mark.parametrize(
    "name", ["vote:", "vote:a,,b", "vote:a,", "vote:vote:a,b", "vote:a,vote:b", "vote:a,paper"]
)
def test_what_cannot_vote_is_refused(name: str) -> None:
    with pytest.raises(MethodError, match=r"write (vote:NAME|'templates')"):
        REGISTRY.factory(name)


@pytest.mark.parametrize("name", ["vote:mine", "a+b", "a,b"])
def test_no_method_of_somebody_s_own_looks_like_a_vote(name: str) -> None:
    with pytest.raises(ValueError, match="give yours another name"):
        OURS.with_methods({name: "mine.Method"})
