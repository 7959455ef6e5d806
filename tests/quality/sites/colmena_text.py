"""What the members of the forum Colmena Abierta say, and who they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tests.quality.texts import Texts


class Member(NamedTuple):
    """A member: the panel beside each post, and the signature below it."""

    rank: str
    posts: int
    joined: str
    place: str
    signature: str = ""


class Post(NamedTuple):
    author: str
    date: str
    text: str


@dataclass(frozen=True)
class Topic:
    number: int
    forum: int
    title: str
    views: int
    posts: list[Post]


_TEXTS = Texts("colmena")

POSTS_PER_PAGE = _TEXTS.read("posts_per_page", int)
FORUMS = _TEXTS.read("forums", dict[int, tuple[str, str]])
MEMBERS = _TEXTS.read("members", dict[str, Member])
TOPICS = _TEXTS.read("topics", list[Topic])
RULES = _TEXTS.read("rules", str)
