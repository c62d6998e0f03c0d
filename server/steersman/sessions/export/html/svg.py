"""Pieces of SVG. Colours are classes, so that the page's style decides them for light and dark."""

from __future__ import annotations

from steersman.sessions.export.html.escape import attribute


def pixel(value: float) -> str:
    """Return a coordinate, to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def bar(x: float, y: float, width: float, height: float, kind: str, tip: str, target: str | None = None) -> str:
    """Return a bar with a tip; a click leads to the message with the id ``target``."""
    shape = (
        f'<rect class="{kind}" x="{pixel(x)}" y="{pixel(y)}" width="{pixel(width)}" height="{pixel(height)}" rx="2">'
        f"<title>{attribute(tip)}</title></rect>"
    )
    return f'<a href="#{attribute(target)}">{shape}</a>' if target else shape


def label(x: float, y: float, words: str, kind: str = "axis", anchor: str = "start") -> str:
    """Return words at a point."""
    return f'<text class="{kind}" x="{pixel(x)}" y="{pixel(y)}" text-anchor="{anchor}">{attribute(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "grid") -> str:
    """Return a line."""
    return f'<line class="{kind}" x1="{pixel(x1)}" y1="{pixel(y1)}" x2="{pixel(x2)}" y2="{pixel(y2)}"/>'


def dot(x: float, y: float, radius: float, kind: str) -> str:
    """Return a dot."""
    return f'<circle class="{kind}" cx="{pixel(x)}" cy="{pixel(y)}" r="{pixel(radius)}"/>'


def diamond(x: float, y: float, size: float, kind: str, tip: str) -> str:
    """Return a diamond around a point."""
    points = " ".join(f"{pixel(x + dx * size)},{pixel(y + dy * size)}" for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0)))
    return f'<polygon class="{kind}" points="{points}"><title>{attribute(tip)}</title></polygon>'


def path(points: list[tuple[float, float]], kind: str, *, base: float | None = None) -> str:
    """Return a line through the points; with ``base`` the area between it and that height."""
    if not points:
        return ""
    steps = " L".join(f"{pixel(x)} {pixel(y)}" for x, y in points)
    if base is None:
        return f'<path class="{kind}" d="M{steps}"/>'
    first, last = pixel(points[0][0]), pixel(points[-1][0])
    return f'<path class="{kind}" d="M{first} {pixel(base)} L{steps} L{last} {pixel(base)} Z"/>'


def drawing(width: float, height: float, name: str, body: str) -> str:
    """Return the picture; it scales with the page and scrolls sideways where there is no room."""
    return (
        f'<div class="scroll"><svg viewBox="0 0 {pixel(width)} {pixel(height)}" role="img"'
        f' aria-label="{attribute(name)}">{body}</svg></div>'
    )
