"""The frontier: every known URL of a site and its state. Nothing else writes the table PAGES."""

from __future__ import annotations

from store.frontier.frontier import Due, Frontier, Known
from store.frontier.outcomes import Outcomes
from store.records import Target

__all__ = ["Due", "Frontier", "Known", "Outcomes", "Target"]
