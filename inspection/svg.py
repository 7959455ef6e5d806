"""A curve along a page as a picture: SVG, with axes, the threshold as a line, and what is content shaded."""

from __future__ import annotations

import math
from bisect import bisect_right
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, Final
from unicodedata import east_asian_width

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from inspection.plot import Plot

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
    low, high = _range(values, curve.threshold)
    content = int(np.count_nonzero(curve.content))
    title = f"{plot.method}: {curve.label} along the {curve.along} of a page"
    parts = [
        *opened(HEIGHT, title, f"{content} of {count} {curve.along} of {plot.url} are content"),
        f'<text x="{LEFT}" y="24" font-size="16">{line(title)}</text>',
        f'<text x="{LEFT}" y="44">{line(plot.url)}</text>',
        *_legend(curve.threshold),
        *(
            f'<rect x="{LEFT + left:.1f}" y="{TOP}" width="{right - left:.1f}" height="{_DOWN}" '
            f'fill="{CONTENT}"/>'
            for left, right in _runs(np.asarray(curve.content, bool))
        ),
        *_axes(count, low, high),
    ]
    if count:
        points = " ".join(f"{x:.1f},{_y(y, low, high):.1f}" for x, y in _points(values))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{CURVE}" stroke-width="1.5"/>')
    if curve.threshold is not None and math.isfinite(curve.threshold):
        y = _y(curve.threshold, low, high)
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{THRESHOLD}" '
            'stroke-width="1.5" stroke-dasharray="6 4"/>'
        )
    parts += [
        f'<text x="{LEFT + _ACROSS / 2}" y="{HEIGHT - 10}" text-anchor="middle">{line(curve.along)}</text>',
        f'<text transform="translate(16 {TOP + _DOWN / 2}) rotate(-90)" text-anchor="middle">'
        f"{line(curve.label)}</text>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def opened(height: int, title: str, description: str) -> Iterator[str]:
    """Yields the beginning of a picture of a ``height``, with a ``title`` and a ``description`` for those who
    do not see it.
    """
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="12" fill="{INK}">'
    )
    yield f"<title>{line(title)}</title>"
    yield f"<desc>{line(description)}</desc>"
    yield f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'


def line(text: str, most: int = _MOST_TEXT) -> str:
    """A text of strangers as a line of XML, of so many letters at most; wide ones count for two."""
    shown = "".join(character for character in " ".join(text.split()) if character.isprintable())
    ends = list(accumulate(2 if east_asian_width(letter) in "WF" else 1 for letter in shown[: most + 1]))
    if len(shown) <= most and (not ends or ends[-1] <= most):
        return escape(shown)
    return escape(shown[: bisect_right(ends, most - 1)] + "…")


def _range(values: NDArray[np.float64], threshold: float | None) -> tuple[float, float]:
    shown = [0.0, *([values.min(), values.max()] if len(values) else [])]
    if threshold is not None and math.isfinite(threshold):
        shown.append(threshold)
    low, high = float(min(shown)), float(max(shown))
    return (low, high) if high > low else (low, low + 1)


def _y(value: float, low: float, high: float) -> float:
    return TOP + _DOWN * (1 - (value - low) / (high - low))


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


def _axes(count: int, low: float, high: float) -> Iterator[str]:
    bottom = TOP + _DOWN
    yield f'<path d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}" fill="none" stroke="{INK}"/>'
    for value in _ticks(low, high):
        y = _y(value, low, high)
        yield f'<path d="M{LEFT - 4} {y:.1f}h4" stroke="{INK}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
    for value in _ticks(0, count):
        x = LEFT + _ACROSS * value / max(1, count)
        yield f'<path d="M{x:.1f} {bottom}v4" stroke="{INK}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{value:g}</text>'


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from one to another, about so many as `_TICKS`."""
    if not high > low:
        return [low]
    rough = (high - low) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(each for each in (1, 2, 5, 10) if each * power >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [round(number * step, 12) for number in range(first, last + 1)]


def _legend(threshold: float | None) -> Iterator[str]:
    y = TOP - 16
    yield f'<rect x="{LEFT}" y="{y - 10}" width="14" height="12" fill="{CONTENT}"/>'
    yield f'<text x="{LEFT + 20}" y="{y}">content</text>'
    if threshold is not None:
        yield (
            f'<path d="M{LEFT + 90} {y - 4}h24" stroke="{THRESHOLD}" stroke-width="1.5" '
            'stroke-dasharray="6 4"/>'
        )
        yield f'<text x="{LEFT + 120}" y="{y}">threshold {threshold:.4g}</text>'
