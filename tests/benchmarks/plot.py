"""A curve as an SVG file: what was measured, and the straight line that it should be.

Both axes are logarithmic: there, any power of n is a straight line and its slope is the exponent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

Point = tuple[float, float]
_W, _H, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 400, 76, 24, 64, 56
_INK, _FAINT, _OURS, _LINE = "#24292f", "#d0d7de", "#0969da", "#8c959f"


@dataclass(frozen=True, slots=True)
class Fit:
    """A power law: ``y = factor * x ** exponent``."""

    factor: float
    exponent: float


def fit(points: Sequence[Point]) -> Fit:
    """Return the power law nearest to the points, by least squares of the logarithms."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)
    return Fit(math.exp(y - slope * x), slope)


def straight(points: Sequence[Point]) -> Callable[[float], float]:
    """Return the line of cost in proportion to n that runs through the middle of the points."""
    factor = math.exp(sum(math.log(y / x) for x, y in points) / len(points))
    return lambda x: factor * x


def plot(points: Sequence[Point], last: int, *, title: str, x_label: str, y_label: str) -> str:
    """Return the SVG.

    Args:
        points: what was measured, all positive, in order of x.
        last: how many of them, from the end, the fit and the straight line go by.
        title: in the first line; the fitted exponent is told below it.
        x_label: what is counted.
        y_label: what it costs.
    """
    ideal, found = straight(points[-last:]), fit(points[-last:])
    ends = points[0][0], points[-1][0]
    heights = [y for _, y in points] + [ideal(x) for x in ends]
    frame = _Frame(ends[0] / 1.15, ends[1] * 1.15, min(heights) / 1.3, max(heights) * 1.3)
    line = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in points)
    told = f"measured: grows as n^{found.exponent:.2f} at last; dashed: in proportion, n^1"
    size = f'viewBox="0 0 {_W} {_H}" width="{_W}" height="{_H}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif">',
        f'<rect width="{_W}" height="{_H}" rx="6" fill="#ffffff"/>',
        _text(_LEFT, 26, title, size=16, weight=600),
        _text(_LEFT, 46, told, fill="#57606a"),
        *_x_axis(frame, [x for x, _ in points], x_label),
        *_y_axis(frame, y_label),
        _segment(frame, *((x, ideal(x)) for x in ends), style='stroke-width="2" stroke-dasharray="6 5"', ink=_LINE),
        f'<polyline points="{line}" fill="none" stroke="{_OURS}" stroke-width="2.5"/>',
        *(f'<circle cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="4.5" fill="{_OURS}"/>' for x, y in points),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _segment(frame: _Frame, start: Point, end: Point, *, style: str, ink: str) -> str:
    (x1, y1), (x2, y2) = ((frame.x(x), frame.y(y)) for x, y in (start, end))
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{ink}" {style}/>'


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a value stands in the picture."""

    left: float
    right: float
    low: float
    high: float

    def x(self, value: float) -> float:
        return _LEFT + (_W - _LEFT - _RIGHT) * _share(value, self.left, self.right)

    def y(self, value: float) -> float:
        return _H - _BOTTOM - (_H - _TOP - _BOTTOM) * _share(value, self.low, self.high)


def _share(value: float, low: float, high: float) -> float:
    return math.log(value / low) / math.log(high / low)


def _x_axis(frame: _Frame, values: Sequence[float], label: str) -> list[str]:
    bottom = _H - _BOTTOM
    parts = [f'<line x1="{_LEFT}" y1="{bottom}" x2="{_W - _RIGHT}" y2="{bottom}" stroke="{_INK}"/>']
    for value in values:
        x = frame.x(value)
        parts.append(f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}" stroke="{_FAINT}"/>')
        parts.append(_text(x, bottom + 18, f"{value:,.0f}", anchor="middle"))
    return [*parts, _text((_LEFT + _W - _RIGHT) / 2, _H - 14, label, anchor="middle", fill="#57606a")]


def _y_axis(frame: _Frame, label: str) -> list[str]:
    parts: list[str] = []
    for power in range(-6, 4):
        for step in (1, 2, 5):
            value = step * 10.0**power
            if frame.low <= value <= frame.high:
                y = frame.y(value)
                parts.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_W - _RIGHT}" y2="{y:.1f}" stroke="{_FAINT}"/>')
                parts.append(_text(_LEFT - 8, y + 4, _duration(value), anchor="end"))
    middle = (_TOP + _H - _BOTTOM) / 2
    turned = f'transform="rotate(-90 18 {middle})"'
    return [*parts, _text(18, middle, label, anchor="middle", fill="#57606a", more=turned)]


def _duration(seconds: float) -> str:
    return f"{seconds:g} s" if seconds >= 1 else f"{seconds * 1e3:g} ms"


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int = 12,
    weight: int = 400,
    anchor: str = "start",
    fill: str = _INK,
    more: str = "",
) -> str:
    style = f'font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" fill="{fill}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style} {more}>{escape(text)}</text>'
