"""Profiles and signatures of the authors of a forum's posts."""

from __future__ import annotations

import numpy as np

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.posts import about_authors
from pagelets.methods.judged.text import words as count_words
from pagelets.reading import read

TEXT = "The dough rests for a night in a cool room and is baked in the morning. "


def marked(post: str, posts: int = 2) -> set[str]:
    page = read(f"<title>Bread</title><h1>Bread</h1>{post * posts}<p>Footer", "https://a.example/t/1")
    texts = [block.text for block in page.blocks]
    ones = np.ones(len(texts))
    kept = KeptPage(
        page, Containers.of(page), PageFacts.none(1, len(texts)), count_words(texts), ones, ones.astype(bool)
    )
    return {text for text, gone in zip(texts, about_authors(kept), strict=True) if gone}


def test_profiles_go_but_for_the_name_and_signatures_go() -> None:
    for profile, signature in (
        ("postprofile", "signature"),  # phpBB
        ("post_author scaleimages", "signature scaleimages"),  # MyBB
        ("poster", "signature"),  # SMF
        ("userinfo", "signature"),  # vBulletin
        ("message-cell message-cell--user", "message-signature"),  # XenForo
        ("cAuthorPane", "ipsSignature"),  # Invision
    ):
        post = (
            f"<div><div class='{profile}'><p><a href=/u>Ann</a><p>Posts: 12</div>"
            f"<p>{TEXT}<div class='{signature}'><p>Bake on.</div></div>"
        )
        assert marked(post) == {"Posts: 12", "Bake on."}, profile
    assert marked(f"<p>{TEXT}<div class=post-signature><p>Bake on.</div>") == {"Bake on."}


def test_other_pages_keep_theirs() -> None:
    assert marked(f"<p>{TEXT}<div class=signature><p>Ann Miller, mayor</div>") == set()
    assert marked("<div class=user-profile><p>Ann<p>Bakes in Ely since 2001.</div>") == set()
    assert marked(f"<div class=poster><p>Ann<p>{TEXT * 20}</div><p>{TEXT * 30}") == set()
