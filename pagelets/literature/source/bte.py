"""BTE, body text extraction: the one span of a source with many words and few tags.

Finn, Kushmerick & Smyth, DELOS workshop, 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pagelets.literature.source.streams import Stream, words_of
from pagelets.methods.base import Curve, Parameters, Subject, Verdict


@dataclass(frozen=True)
class BTEMethod(Parameters):
    """Keeps the tokens from i to j that maximise the tags outside plus the words inside.

    That is the span with the largest sum, where a word is 1 and a tag -1: found in one pass, while its
    authors' own code tries all pairs. Of several, the first to end, and the longest of these.
    """

    cite: ClassVar[str] = (
        "Finn, Kushmerick & Smyth, Fact or Fiction: Content Classification for Digital Libraries, DELOS 2001"
    )

    def judge(self, subject: Subject) -> Verdict:
        """The verdict on a page's blocks."""
        stream = words_of(subject.source)
        return stream.verdict(subject, stream.edges, self._curve(stream).content)

    def curve(self, subject: Subject) -> Curve:
        """Words over tags up to each token: its content is where it climbs most."""
        return self._curve(words_of(subject.source))

    def _curve(self, stream: Stream) -> Curve:
        heights = np.append(0, np.cumsum(np.where(stream.text, np.diff(stream.edges), -1)))
        content = np.zeros(len(stream.token), bool)
        if len(content):
            last = int(np.argmax(heights[1:] - np.minimum.accumulate(heights[:-1])))
            content[int(np.argmin(heights[: last + 1])) : last + 1] = True
        return Curve("tags and texts", "words over tags so far", heights[1:].astype(float), None, content)
