"""Names of what a site knows: equal knowledge has an equal name, in whatever order it was found."""

from __future__ import annotations

import hashlib
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from pagelets.judging.parameters import Detection
    from pagelets.judging.support import CountTable

TABLES: Final = ("blocks", "placed_blocks", "places")
"""What the tables of support are called in their name: texts, texts at tag paths, tag paths."""


def support_name(tables: Iterable[CountTable], hosts: Sequence[tuple[str, int]]) -> bytes:
    """The name of the tables of support, in the order of `TABLES`, and of the names of hosts in their order,
    each with the pages that it is known by.
    """
    digest = hashlib.blake2b(digest_size=16)
    for name, (keys, values) in zip(TABLES, tables, strict=True):
        digest.update(f"{name} {len(keys)} ".encode())
        digest.update(keys.tobytes())
        digest.update(np.ascontiguousarray(values).tobytes())
    digest.update(repr(hosts).encode())
    return digest.digest()


def page_set_name(fingerprints: NDArray[np.int64]) -> bytes:
    """The name of a set of pages, by the fingerprints of their addresses."""
    return hashlib.blake2b(np.sort(fingerprints).astype("<i8").tobytes(), digest_size=16).digest()


def templates_name(
    templates: Iterable[tuple[int, bytes, int, float]], decided: Iterable[tuple[int, str]]
) -> bytes:
    """Returns the name of templates and decisions.

    Args:
        templates: of each template without a decision its sketch, the name of its set of pages (empty for all
            pages with its sketch), and its support.
        decided: of each decision, by sketches, the sketch and its state.

    """
    digest = hashlib.blake2b(digest_size=16)
    for row in chain(sorted(templates), decided):
        digest.update(repr(row).encode())
    return digest.digest()


def learned_name(models: Iterable[tuple[str, str, str, bytes]]) -> bytes:
    """The name of all that is learned, empty where nothing is: of each model, by methods and hosts, the names
    of its method and host, the method's version, and the model.
    """
    digest = hashlib.blake2b(digest_size=16)
    name = b""
    for method, host, version, model in models:
        for part in (method.encode(), host.encode(), version.encode(), model):
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
        name = digest.digest()
    return name


def evidence_name(
    support: bytes, changing: bytes, learned: bytes, detection: Detection, judge_fingerprint: str
) -> str:
    """The name of a site's evidence but its templates.

    Args:
        support: the name of the tables of support.
        changing: the name of the blocks that change, empty without any.
        learned: the name of the models that methods have learned, empty without any.
        detection: how templates and repeated blocks were found.
        judge_fingerprint: the name of the rules of judging.

    """
    # The empty tuple has no meaning: without it every store's pages would be judged again.
    rules = repr((detection.min_pages, detection.block_share, judge_fingerprint, ())).encode()
    return hashlib.blake2b(support + changing + learned + rules, digest_size=8).hexdigest()


def site_version(templates: bytes, evidence: str) -> str:
    """The name of all that a site knows: the ``template_version`` of its documents."""
    return hashlib.blake2b(templates + evidence.encode(), digest_size=8).hexdigest()
