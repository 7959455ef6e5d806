"""Methods that come to no good on some pages, or before they have seen any."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pagelets.methods.base import CONTENT, MethodError, Parameters, Verdict

if TYPE_CHECKING:
    from pagelets.methods.base import SiteView, Subject

CITE = "none: for tests"
PAGE = "/3"
"""The end of the address that they fail on."""


@dataclass(frozen=True)
class KeepingMethod(Parameters):
    """Keeps all text, after it has done what a subclass does on one page."""

    cite: ClassVar[str] = CITE

    def judge(self, subject: Subject) -> Verdict:
        if subject.page.url.endswith(PAGE):
            self.fail()
        return Verdict.certain([CONTENT] * len(subject.page.blocks))

    def fail(self) -> None:
        """Does nothing."""


class SleepingMethod(KeepingMethod):
    def fail(self) -> None:
        time.sleep(600)


class CrashingMethod(KeepingMethod):
    def fail(self) -> None:
        os.abort()


class RaisingMethod(KeepingMethod):
    def fail(self) -> None:
        raise RecursionError("too deep")


class FailingExtractor(KeepingMethod):
    def extract(self, html: str, url: str) -> str:
        raise RecursionError("too deep")


class LackingMethod(KeepingMethod):
    def check(self) -> None:
        raise MethodError("it lacks a stone; pip install stone")


@dataclass(frozen=True)
class SlowLearner(Parameters):
    cite: ClassVar[str] = CITE
    sample: int = 20

    def learn(self, site: SiteView) -> bytes:
        time.sleep(600)
        return b""

    def learned(self, model: bytes) -> KeepingMethod:
        return KeepingMethod()


class FailingLearner(SlowLearner):
    def learn(self, site: SiteView) -> bytes:
        raise ZeroDivisionError("no pages")
