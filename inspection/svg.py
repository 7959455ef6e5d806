"""A curve along a page as a picture: SVG, with axes, the threshold as a line, and what is content shaded."""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import cache
from html import escape
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unicodedata import east_asian_width

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jinja2 import Environment
    from numpy.typing import NDArray

    from inspection.compare import Plot

WIDTH: Final = 960
HEIGHT: Final = 340
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 76, 52
_ACROSS: Final = WIDTH - LEFT - RIGHT
_DOWN: Final = HEIGHT - TOP - BOTTOM
_TICKS: Final = 5
_MOST_TEXT: Final = 110
_MOST: Final = 1e12
"""Values beyond are drawn at the edge."""
# Told apart by people who see no red or no green, and in grey.
CURVE, CONTENT, THRESHOLD, INK = "#0b3c6f", "#f7d794", "#b3261e", "#222222"


def svg(plot: Plot) -> str:
    """The picture of a plot. Its size does not grow with the page's: where units are more than points fit
    across, each point across has the lowest and the highest of its units.
    """
    curve, count = plot.curve, len(plot.curve.values)
    values = np.nan_to_num(np.asarray(curve.values, np.float64)).clip(-_MOST, _MOST)
    has_line = curve.threshold is not None and math.isfinite(curve.threshold)
    low, high = _range(values, curve.threshold if has_line else None)
    content = int(np.count_nonzero(curve.content))

    def down(value: float) -> float:
        return TOP + _DOWN * (1 - (value - low) / (high - low))

    return drawn(
        "curve.svg.j2",
        HEIGHT,
        f"{plot.method}: {curve.label} along the {curve.along} of a page",
        f"{content} of {count} {curve.along} of {plot.url} are content",
        left=LEFT,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=HEIGHT - BOTTOM,
        down=_DOWN,
        url=plot.url,
        curve=curve,
        shade=CONTENT,
        content=list(_runs(np.asarray(curve.content, bool))),
        ticks_down=[(value, down(value)) for value in _ticks(low, high)],
        ticks_across=[(value, LEFT + _ACROSS * value / max(1, count)) for value in _ticks(0, count)],
        points=[(x, down(y)) for x, y in _points(values)] if count else [],
        threshold=down(curve.threshold) if has_line and curve.threshold is not None else None,
    )


def drawn(template: str, height: int, title: str, description: str, **given: Any) -> str:
    """Returns a picture as SVG.

    Args:
        template: a file of pictures/.
        height: of the picture.
        title: what it shows.
        description: the same for those who do not see it.
        given: what the template is filled with.

    """
    colours = {"ink": INK, "red": THRESHOLD, "blue": CURVE}
    given = {**colours, "width": WIDTH, "height": height, "title": title, "description": description, **given}
    return _templates().get_template(template).render(given)


@cache
def _templates() -> Environment:
    # Scrapy loads all commands, whichever it runs.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(  # noqa: S701 - the filter escapes texts of strangers
        loader=FileSystemLoader(Path(__file__).with_name("pictures")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters["line"] = line
    return templates


def line(text: str, most: int = _MOST_TEXT) -> str:
    """A text of strangers as a line of XML, of so many letters at most; wide ones count for two."""
    shown = "".join(character for character in " ".join(text.split()) if character.isprintable())
    ends = list(accumulate(2 if east_asian_width(letter) in "WF" else 1 for letter in shown[: most + 1]))
    if len(shown) <= most and (not ends or ends[-1] <= most):
        return escape(shown)
    return escape(shown[: bisect_right(ends, most - 1)] + "…")


def _range(values: NDArray[np.float64], threshold: float | None) -> tuple[float, float]:
    shown = np.append(values, 0.0 if threshold is None else [0.0, threshold])
    low, high = float(shown.min()), float(shown.max())
    return (low, high) if high > low else (low, low + 1)


def _points(values: NDArray[np.float64]) -> Iterator[tuple[float, float]]:
    """The points of the curve: one a unit, in the middle of its place across."""
    count = len(values)
    if count <= 2 * _ACROSS:
        yield from ((LEFT + _ACROSS * (at + 0.5) / count, float(value)) for at, value in enumerate(values))
        return
    starts = np.arange(_ACROSS) * count // _ACROSS
    lows, highs = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    for at, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True)):
        yield LEFT + at + 0.5, low
        yield LEFT + at + 0.5, high


def _runs(content: NDArray[np.bool_]) -> Iterator[tuple[float, float]]:
    """Yields the beginning and end of each run of content, in points across."""
    if len(content) > _ACROSS:
        content = np.logical_or.reduceat(content, np.arange(_ACROSS) * len(content) // _ACROSS)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], content, [False]))))
    scale = _ACROSS / max(1, len(content))
    for start, stop in edges.reshape(-1, 2).tolist():
        yield start * scale, stop * scale


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from one to another, about so many as `_TICKS`."""
    if not high > low:
        return [low]
    rough = (high - low) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(each for each in (1, 2, 5, 10) if each * power >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [round(number * step, 12) for number in range(first, last + 1)]
